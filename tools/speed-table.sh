#!/usr/bin/env bash
# This machine's speed per kernel, if the build can measure it.
#   tools/speed-table.sh VERSHINA
set -euo pipefail
if "$1" bench --help > /dev/null 2>&1; then
  printf '\n'
  "$1" bench --quick
else
  printf '\nThis build has no bench (it needs nlohmann-json3-dev and libtomlplusplus-dev).\n'
fi
