#!/usr/bin/env bash
# Runs the tests over devices under NVIDIA's compute-sanitizer, which detects kernels' accesses outside their buffers.
# Without an NVIDIA GPU or compute-sanitizer it says so and ends with 77.
#   tests/gpu/compute_sanitizer.sh VERSHINA GPU_TESTS SUITE...
set -euo pipefail
vershina=$1 tests=$2
shift 2
export OCL_ICD_VENDORS=/nonexistent # only CUDA

skip() {
  echo "compute-sanitizer: not run: $*"
  exit 77
}

tool=$(PATH=$PATH:/usr/local/cuda/bin command -v compute-sanitizer) || skip "it is not installed (CUDA toolkit)"
"$vershina" devices | grep -E '^cuda:[0-9]' | grep -v 'EmulatedDevice of CUDA' || skip "there is no GPU of NVIDIA's"
# The library asks cuPointerGetAttribute about ordinary memory, too, to learn whose memory it is; the answer,
# CUDA_ERROR_INVALID_VALUE, would be an error of memcheck's. Faults of kernels still are, and the tests check the
# results of all other calls.
for suite in "$@"; do
  "$tool" --tool memcheck --report-api-errors no --error-exitcode 1 "$tests" --gtest_filter="$suite.*"
done
