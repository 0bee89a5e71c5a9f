#!/usr/bin/env bash
# tools/skips.sh on synthetic logs: accepted and refused ones. Usage: skips_test.sh BUILD
set -euo pipefail
tool=$(cd "$(dirname "$0")/.." && pwd)/tools/skips.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$1/CMakeCache.txt" "$work"
mkdir -p "$work/Testing/Temporary"

# expect STATUS TEXT WHAT: of the log on standard input.
expect() {
  local status=0
  cat > "$work/Testing/Temporary/LastTest.log"
  "$tool" "$work" > "$work/out" || status=$?
  if [[ $status != "$1" || $(< "$work/out") != *"$2"* ]]; then
    printf '%s: status %d, said: %s\n' "$3" "$status" "$(< "$work/out")" >&2
    exit 1
  fi
}

expect 0 '' "nothing skipped" <<< 'all is well'
expect 0 'skipped    2: no IMIT' "rows without a form" << 'LOG'
../../tests/kernels/block_kernels_test.cpp:226: Skipped
no IMIT in this row

../../tests/kernels/block_kernels_test.cpp:226: Skipped
no IMIT in this row
LOG
expect 1 'SKIPPED, and nothing' "a new reason" <<< 'skip: the moon is full'
expect 1 'nothing of tests/skips.txt explains it here: the moon is full' "GoogleTest" << 'LOG'
../../tests/api/api_test.cpp:1: Skipped
the moon is full
LOG
expect 1 'SKIPPED MORE OFTEN' "too many" < <(yes 'SKIPPED: GOST 28147-89 has neither' | head -n 2)
expect 1 'skip: bench.devices' "what is there" < <(
  # Either there is a device, and no test may lack one; or this machine lacks it, and once is the limit.
  printf 'skip: bench.devices: no device here, PoCL neither\n%.0s' 1 2)
expect 1 'api.new says no reason' "no reason" << 'LOG'
1/2 Testing: api.new
Test Skipped.
LOG
echo "7 logs"
