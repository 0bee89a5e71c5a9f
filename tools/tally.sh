#!/usr/bin/env bash
# Adds up ctest's JUnit files: `N passed, N failed, N skipped`, on its own line, after the ten slowest steps. Fails if a
# test failed or none ran.
#   tools/tally.sh build/PRESET/junit.xml…
set -euo pipefail
printf '\nslowest, in seconds:\n'
for file in "$@"; do
  preset=$(basename "$(dirname "$file")")
  sed -nE "s/.*<testcase name=\"([^\"]*)\".* time=\"([0-9]+)[0-9.]*\".*/\2 $preset: \1/p" "$file"
  if [[ -f ${file%/*}/build_seconds ]]; then printf '%d %s: building\n' "$(< "${file%/*}/build_seconds")" "$preset"; fi
done | sort -rn | awk 'NR <= 10 { seconds = $1; sub(/^[0-9]+ /, ""); printf "%6d %s\n", seconds, $0 }'
printf '\n'
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
