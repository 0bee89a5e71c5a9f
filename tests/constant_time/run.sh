#!/usr/bin/env bash
# Runs ct_check under valgrind; valgrind's reports of a failed case follow it.
#   tests/constant_time/run.sh CT_CHECK
set -euo pipefail
program=$1
shift
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# --error-limit=no: table kernels cause thousands of reports; --expensive-definedness-checks: exact for vector compares.
status=0
valgrind --quiet --error-limit=no --expensive-definedness-checks=yes --num-callers=6 --log-file="$log" "$program" "$@" |
  tee "$log.cases" || status=$?
if ((status != 0)); then
  # The log has a line `**pid** case NAME` before the reports of each case.
  while read -r name; do
    printf '\n--- valgrind on %s\n' "$name"
    awk -v name="$name" '/ case / { on = ($NF == name) } on' "$log" | head -n 30
  done < <(sed -n 's/^FAIL  \([^ :]*\).*/\1/p' "$log.cases" | head -n 5)
  grep -v ' case ' "$log" | tail -n 5
fi
rm -f "$log.cases"
exit "$status"
