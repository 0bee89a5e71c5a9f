#!/usr/bin/env bash
# tools/skips.sh on synthetic logs, accepted and refused ones, for recorded processors and for models of qemu.
#   skips_test.sh BUILD ARCHITECTURE [QEMU-USER]
set -euo pipefail
cd "$(dirname "$0")/.."
tool=$PWD/tools/skips.sh build=$1 architecture=$2 qemu=${3:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$build/CMakeCache.txt" "$work"
mkdir -p "$work/Testing/Temporary" "$work/tests"
ln -s "$build/tests/processor" "$work/tests/processor"
tomography=(tomography/kernels.def)
! grep -q '^VSH_WITH_TOMOGRAPHY:[A-Z]*=OFF' "$build/CMakeCache.txt" || tomography=()
features=() # of the processor whose log it is; none: this one's

# expect STATUS TEXT WHAT: of the log on standard input.
expect() {
  local status=0
  cat > "$work/Testing/Temporary/LastTest.log"
  "$tool" "$work" "${features[@]}" > "$work/out" 2> "$work/errors" || status=$?
  if [[ $status != "$1" || $(< "$work/out") != *"$2"* ]]; then
    printf '%s: status %d, said: %s\n%s\n' "$3" "$status" "$(< "$work/out")" "$(< "$work/errors")" >&2
    exit 1
  fi
}

expect 0 '' "nothing skipped" <<< 'all is well'
expect 0 'skipped    3: needs FUSE, and the like (any)' "a line for a reason in several words" << 'LOG'
SKIPPED: needs FUSE
SKIPPED: needs FUSE
SKIPPED: needs a loop device
LOG
[[ $(wc -l < "$work/out") == 1 ]] || { printf 'more than a line: %s\n' "$(< "$work/out")" >&2; exit 1; }
expect 1 'SKIPPED, and nothing' "a new reason" <<< 'skip: the moon is full'
expect 1 'nothing of tests/skips.txt explains it here: the moon is full' "GoogleTest" << 'LOG'
../../tests/api/api_test.cpp:1: Skipped
the moon is full
LOG
expect 1 'needs bash' "a program that is here" <<< 'skip: disk: needs bash'
expect 0 'needs bush (without:bush)' "a program that is not" <<< 'skip: disk: needs bush'
expect 1 'needs a screwdriver' "nothing that has a name" <<< 'skip: disk: needs a screwdriver'
expect 1 'libc is not installed' "a library that is here" <<< 'SKIPPED: libc is not installed'
echo 'VSH_WITH_LIBNBD:BOOL=ON' > "$work/CMakeCache.txt"
expect 1 'a build with libnbd' "an option that is not off" <<< 'SKIPPED: needs a build with libnbd'
echo 'VSH_WITH_LIBNBD:BOOL=OFF' > "$work/CMakeCache.txt"
expect 0 'needs a build with libnbd (off:' "an option that is" <<< 'SKIPPED: needs a build with libnbd'
cp "$build/CMakeCache.txt" "$work"
expect 1 'api.new says no reason' "no reason" << 'LOG'
1/2 Testing: api.new
Test Skipped.
LOG

# A registry that gives no answer is no processor that lacks nothing.
ln -sf "$(command -v false)" "$work/tests/processor"
expect 2 '' "a registry that fails" <<< 'all is well'
ln -sf "$build/tests/processor" "$work/tests/processor"

# Rows that a processor does not run: the tags that it lacks by its maker's manual are those of the registry's rows, and
# their skips are accepted; a skip of any other row, or for an instruction that it has, is not.
if [[ $architecture == x86_64 ]]; then
  while IFS='|' read -r name has lacks _; do
    read -ra features <<< "$has"
    expected=$(sed -nE "s/^VSH_[A-Z_]*KERNEL\(([^,]*), ([^,]*), ($(tr ' ' '|' <<< "${lacks# }")none)\)$/row \1 \2/p" \
      src/kernels.def "${tomography[@]}" | sort)
    "$build/tests/processor" "${features[@]}" > "$work/processor"
    found=$(sed -n '/^row /s/:.*//p' "$work/processor" | sort)
    diff <(echo "$found") <(echo "$expected") > "$work/diff" ||
      { printf '%s: the rows of the registry, and of the tags:\n' "$name" | cat - "$work/diff" >&2; exit 1; }
    expect 0 '' "$name" < <(sed 's/^/SKIPPED: /' "$work/processor")
    expect 1 'row kuznyechik sse41' "$name, a planted row" <<< 'SKIPPED: row kuznyechik sse41: this CPU has no sse4.1'
    expect 1 'row kuznyechik none' "$name, no row" <<< 'SKIPPED: row kuznyechik none: this CPU has no neon'
    expect 1 'leak/gather' "$name, a feature that it has" <<< 'SKIPPED: leak/gather: this CPU has no avx2'
  done < <(grep -v '^#' tests/dispatch/processors.txt)
  read -ra features <<< "$(sed -nE 's/^zen4 +\| ([^|]*)\|.*/\1/p' tests/dispatch/processors.txt)"
  expect 0 'kuznyechik zen5' "Zen 4" <<< 'SKIPPED: row kuznyechik zen5: this CPU has no zen5'
  read -ra features <<< "$(sed -nE 's/^zen5 +\| ([^|]*)\|.*/\1/p' tests/dispatch/processors.txt)"
  expect 1 'kuznyechik zen5' "Zen 5" <<< 'SKIPPED: row kuznyechik zen5: this CPU has no zen5'
  features=()
fi

# What the tests themselves say on older models, beside the registry's answer there.
if [[ -x $qemu && -x $build/tests/kernels_tests ]]; then
  while read -r model _; do
    sed '/^CMAKE_CROSSCOMPILING_EMULATOR/d' "$build/CMakeCache.txt" > "$work/CMakeCache.txt"
    printf 'CMAKE_CROSSCOMPILING_EMULATOR:STRING=%s;-cpu;%s\n' "$qemu" "$model" >> "$work/CMakeCache.txt"
    "$qemu" -cpu "$model" "$build/tests/kernels_tests" --gtest_list_tests > "$work/said" 2> "$work/errors" ||
      { cat "$work/errors" >&2; exit 1; }
    grep -q '^SKIPPED: row ' "$work/said" || { printf '%s: its tests skipped nothing\n' "$model" >&2; exit 1; }
    expect 0 'kuznyechik avx512' "$model" < "$work/said"
    expect 1 'row kuznyechik serial' "$model, a planted row" <<< 'SKIPPED: row kuznyechik serial: this CPU has no none'
  done < <(grep -v '^#' tests/dispatch/models.txt)
  cp "$build/CMakeCache.txt" "$work"
fi

echo "ok"
