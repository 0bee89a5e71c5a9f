#!/usr/bin/env bash
# Adds up ctest's JUnit files: `N passed, N failed, N skipped`, on its own line, after the ten slowest tests, a line
# with the seconds of each phase of tools/run-tests.sh and the processor's, and the names of the tests that failed.
# Fails when a test failed or none ran. A test whose program was not built failed; ctest's file calls it skipped.
#   tools/tally.sh build/PRESET/junit.xml…
set -euo pipefail
printf '\nslowest tests, in seconds:\n'
for file in "$@"; do
  preset=$(basename "${file%/*}")
  sed -nE "s/.*<testcase name=\"([^\"]*)\".* time=\"([0-9]+)[0-9.]*\".*/\2 $preset: \1/p" "$file"
done | sort -rn | awk 'NR <= 10 { seconds = $1; sub(/^[0-9]+ /, ""); printf "%6d %s\n", seconds, $0 }'
printf '\nseconds (processor seconds):'
for file in "$@"; do
  [[ ! -f ${file%/*}/seconds ]] ||
    awk -v preset="$(basename "${file%/*}")" '{ printf "%s %s %d (%d)", (NR > 1 ? "," : " " preset ":"), $2, $1, $3 }
      END { printf ";" }' "${file%/*}/seconds"
done
printf '\n\n'
for file in "$@"; do
  awk -v preset="$(basename "$(dirname "$file")")" '
    match($0, /<testcase name="[^"]*"/) { name = substr($0, RSTART + 16, RLENGTH - 17) }
    /^[ \t]*<failure/ || /^[ \t]*<skipped message="Unable to find executable"/ { print "failed: " preset ": " name }
  ' "$file"
done
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
  /^[ \t]*<skipped message="Unable to find executable"/ { count["failures"]++; count["skipped"]-- }
  END {
    passed = count["tests"] - count["failures"] - count["skipped"] - count["disabled"]
    printf "%d passed, %d failed, %d skipped\n", passed, count["failures"], count["skipped"] + count["disabled"]
    exit !(passed > 0 && count["failures"] == 0)
  }' "$@"
