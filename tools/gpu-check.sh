#!/usr/bin/env bash
# For a machine with a GPU: the device tests over its drivers, compute-sanitizer where it is installed, the benchmark,
# and the figures that were aimed at beside those reached.
#   tools/gpu-check.sh [DEVICE]      default: cuda:0
# Keeps its results in build/gpu-check: devices.json, sanitizer.log, bench.json, bench.txt.
set -euo pipefail
cd "$(dirname "$0")/.."
device=${1:-cuda:0} build=build/release out=build/gpu-check
mkdir -p "$out"
tools/setup.sh build test
cmake --preset release -DVSH_BUILD_TESTS=ON
cmake --build --preset release -j "${JOBS:-$(nproc)}" --target vershina tests_gpu

status=0
echo "== devices"
"$build/vershina" devices
"$build/vershina" devices --json > "$out/devices.json"
grep -q "\"$device\"" "$out/devices.json" || { echo "no device $device here" >&2; exit 1; }

echo "== tests over the drivers of this machine"
ctest --test-dir "$build" -L gpu -E 'cuda_player|static' --output-on-failure || status=1

echo "== compute-sanitizer"
sanitizer=0
tests/gpu/compute_sanitizer.sh "$build/vershina" "$build"/tests/gpu/{backend,block}_test \
  "$build"/tests/gpu/*_device_test > "$out/sanitizer.log" 2>&1 || sanitizer=$?
tail -1 "$out/sanitizer.log"
((sanitizer == 0 || sanitizer == 77)) || { echo "FAILED: see $out/sanitizer.log"; status=1; }

echo "== benchmark"
"$build/vershina" bench --device "$device" --json "$out/bench.json" | tee "$out/bench.txt" || status=1
python3 tools/gpu_figures.py "$out/bench.json" || status=1
exit "$status"
