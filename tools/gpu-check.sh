#!/usr/bin/env bash
# For a machine with a GPU: the device's self-test, the benchmark with target and measured figures, the device tests
# over its drivers, compute-sanitizer if it is installed.
#   tools/gpu-check.sh [DEVICE [STEP...]]     default: cuda:0 build devices bench tests sanitizer
# The most informative steps come first; a step that takes too long is ended, and its results so far are kept. Without
# network the packages of `tools/setup.sh build test large` must be installed, or build/release copied from another
# machine of the same system: then name the steps except `build`. Results lie in build/gpu-check: devices.json,
# bench-*.json, bench.txt, tests/, sanitizer.log.
set -euo pipefail
cd "$(dirname "$0")/.."
device=${1:-cuda:0} build=build/release out=$PWD/build/gpu-check
steps=("${@:2}")
((${#steps[@]})) || steps=(build devices bench tests sanitizer)
mkdir -p "$out/tests"
export XDG_CACHE_HOME=$out/cache # compiled programs of all steps

# NVRTC of Python's packages, after those known to the loader.
if ! ldconfig -p | grep -q 'libnvrtc\.so'; then
  packaged=$(python3 -c 'import glob, os, sys
found = [name for path in sys.path for name in glob.glob(path + "/nvidia/*/lib/libnvrtc.so.*")]
print(os.path.dirname(max(found, default="")))') || packaged=
  [[ -z $packaged ]] || export LD_LIBRARY_PATH=${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$packaged
fi

build() {
  tools/setup.sh build test large || echo "going on with what is installed" >&2
  cmake --preset release -DVSH_BUILD_TESTS=ON || cmake --preset release -DVSH_BUILD_TESTS=OFF
  cmake --build --preset release -j "${JOBS:-$(nproc)}" --target vershina vershina-bench
  cmake --build --preset release -j "${JOBS:-$(nproc)}" --target tests_gpu || echo "no tests here" >&2
}

devices() {
  timeout 600 "$build/vershina" devices
  timeout 60 "$build/vershina" devices --json > "$out/devices.json"
  grep -q "\"$device\"" "$out/devices.json" || { echo "no device $device here" >&2; return 1; }
}

bench() {
  local algorithm pids=() missed=0
  echo "compiling programs ..." # of all side by side; what this measures means nothing
  for algorithm in kuznyechik magma gost28147 streebog256; do
    timeout 600 "$build/vershina" bench --quick --device "$device" --algorithms "$algorithm" > /dev/null 2>&1 &
    pids+=($!)
  done
  wait "${pids[@]}" || true
  : > "$out/bench.txt"
  for algorithm in kuznyechik magma gost28147 streebog256; do
    timeout 400 "$build/vershina" bench --device "$device" --algorithms "$algorithm" \
      --json "$out/bench-$algorithm.json" |
      tee -a "$out/bench.txt" || missed=1
  done
  python3 tools/gpu_figures.py "$out"/bench-*.json || missed=1
  return "$missed"
}

# Runs one suite of tests and prints its result.
run_suite() {
  local log status=0
  log=$2/${1//\//-}.log
  timeout 900 "$3" --gtest_filter="$1.*" > "$log" 2>&1 || status=$?
  printf '%-32s %s%s\n' "$1" "$([[ $status == 0 ]] && echo passed || echo "FAILED ($status): $log")" \
    "$(grep -q '\[  SKIPPED \]' "$log" && echo ', in part skipped')"
  return "$status"
}
export -f run_suite

tests() {
  # shellcheck disable=SC2016  # of the inner shell
  "$build/tests/gpu/gpu_tests" --gtest_list_tests | sed -n 's/^\([^ ]*\)\..*/\1/p' |
    xargs -P 4 -I {} bash -c 'run_suite {} "$@"' run_suite "$out/tests" "$build/tests/gpu/gpu_tests"
}

sanitizer() {
  local status=0
  timeout 1800 tests/gpu/compute_sanitizer.sh "$build/vershina" "$build/tests/gpu/gpu_tests" \
    Backend {,Streams,Products,Packets,Hash}OnDevices Vectors Auto > "$out/sanitizer.log" 2>&1 || status=$?
  tail -1 "$out/sanitizer.log"
  ((status == 0 || status == 77))
}

failed=()
for step in "${steps[@]}"; do
  printf '\n== %s\n' "$step"
  begin=$SECONDS
  case $step in
    build | devices) "$step" ;; # the others depend on these
    bench | tests | sanitizer) "$step" || failed+=("$step") ;;
    *) echo "no step $step" >&2; exit 2 ;;
  esac
  printf '== %s: %d s\n' "$step" $((SECONDS - begin))
done
((${#failed[@]} == 0)) || { printf '\nFAILED: %s\n' "${failed[*]}"; exit 1; }
