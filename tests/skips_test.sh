#!/usr/bin/env bash
# tools/skips.sh on synthetic logs, accepted and refused ones, and tools/tally.sh on a synthetic result. Usage:
# skips_test.sh BUILD
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
expect 0 'skipped    3: needs a compiler, and the like (any)' "a line for a reason in several words" << 'LOG'
SKIPPED: needs a compiler
SKIPPED: needs a compiler
SKIPPED: needs another one
LOG
[[ $(wc -l < "$work/out") == 1 ]] || { printf 'more than a line: %s\n' "$(< "$work/out")" >&2; exit 1; }
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

# tally STATUS LINE…: the last lines for the results on standard input.
tally() {
  local status=0 wanted
  mkdir -p "$work/release"
  cat > "$work/release/junit.xml"
  echo '60 tests' > "$work/release/seconds"
  "${tool%/*}/tally.sh" "$work/release/junit.xml" > "$work/out" || status=$?
  wanted=$(printf '%s\n' "${@:2}")
  if [[ $status != "$1" || $(tail -n $(($# - 1)) "$work/out") != "$wanted" ]]; then
    printf 'tally: status %d, said: %s\n' "$status" "$(< "$work/out")" >&2
    exit 1
  fi
}

tally 0 '' '2 passed, 0 failed, 1 skipped' << 'XML'
<testsuite name="(empty)"
	tests="3" failures="0"
	disabled="0" skipped="1"
	>
	<testcase name="a" time="1.5" status="run"/>
	<testcase name="b" time="2" status="run">
		<system-out><failure message="quoted"/></system-out>
	</testcase>
	<testcase name="c" time="0" status="notrun">
		<skipped message="SKIP_RETURN_CODE=77"/>
	</testcase>
</testsuite>
XML
tally 1 'failed: release: a' 'failed: release: c' '1 passed, 2 failed, 0 skipped' << 'XML'
<testsuite name="(empty)"
	tests="3" failures="1"
	disabled="0" skipped="1"
	>
	<testcase name="a" time="1.5" status="fail">
		<failure message=""/>
	</testcase>
	<testcase name="b" time="2" status="run"/>
	<testcase name="c" time="0" status="notrun">
		<skipped message="Unable to find executable"/>
	</testcase>
</testsuite>
XML
echo "8 logs, 2 results"
