#!/usr/bin/env bash
# This machine's speed, as a summary and as a page, if the build can measure it.
#   tools/speed-summary.sh VERSHINA PAGE
set -euo pipefail
if "$1" bench --help > /dev/null 2>&1; then
  printf '\n'
  "$1" bench --quick --peers --html "$2"
  printf 'make run: plots and tables: %s\n' "$2"
else
  printf '\nThis build has no bench (it needs nlohmann-json3-dev and libtomlplusplus-dev).\n'
fi
