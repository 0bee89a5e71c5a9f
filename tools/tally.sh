#!/usr/bin/env bash
# Adds up ctest's JUnit files: `N passed, N failed, N skipped`, alone on a line. Fails when a test failed or none ran.
#   tools/tally.sh FILE…
set -euo pipefail
awk '
  /<testsuite[ \n]/ || in_suite {
    in_suite = 1
    while (match($0, /(tests|failures|disabled|skipped)="[0-9]+"/)) {
      split(substr($0, RSTART, RLENGTH), part, "\"")
      sub(/=$/, "", part[1]); count[part[1]] += part[2]
      $0 = substr($0, RSTART + RLENGTH)
    }
    if (/>/) in_suite = 0
  }
  END {
    passed = count["tests"] - count["failures"] - count["skipped"] - count["disabled"]
    printf "%d passed, %d failed, %d skipped\n", passed, count["failures"], count["skipped"] + count["disabled"]
    exit !(passed > 0 && count["failures"] == 0)
  }' "$@"
