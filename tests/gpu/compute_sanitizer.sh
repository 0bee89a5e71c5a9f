#!/usr/bin/env bash
# Runs the tests over devices under NVIDIA's compute-sanitizer, which detects kernels' accesses outside their buffers.
# Without an NVIDIA GPU or compute-sanitizer it says so and ends with 77.
#   tests/gpu/compute_sanitizer.sh VERSHINA TEST...
set -euo pipefail
vershina=$1
shift
export OCL_ICD_VENDORS=/nonexistent # only CUDA

skip() {
  echo "compute-sanitizer: not run: $*"
  exit 77
}

tool=$(PATH=$PATH:/usr/local/cuda/bin command -v compute-sanitizer) || skip "it is not installed (CUDA toolkit)"
"$vershina" devices | grep -E '^cuda:[0-9]' | grep -v 'EmulatedDevice of CUDA' || skip "there is no GPU of NVIDIA's"
for test in "$@"; do
  "$tool" --tool memcheck --error-exitcode 1 "$test"
done
