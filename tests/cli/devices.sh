# shellcheck shell=bash
# `vershina devices`, without any device and over the fake CUDA driver (tests/gpu/fakes/cuda), which is not a GPU.

test_no_devices() {
  without_opencl
  vershina devices && expect_status 0 && expect_silent
  grep -q '^cuda:' .out && skip "there is a GPU here"
  expect_stdout_has "no devices" && ! grep -q "not used" .out
  vershina devices --json && expect_status 0 && expect_silent
  expect_stdout '{
  "devices": [],
  "problems": []
}'
  vershina devices extra && expect_status 2
}

test_table() {
  fake_cuda
  FAKE_CUDA_DEVICES=2 vershina devices && expect_status 0 && expect_silent
  grep -qE '^DEVICE +BACK END +MEMORY +UNITS +AUTO +SELF-TEST +NAME +DRIVER$' .out || fail "header"
  local id
  for id in cuda:0 cuda:1; do
    grep -qE "^$id +cuda +1\.0 GiB +2 +yes +OK +Fake CUDA driver, no GPU +CUDA 12\.4\$" .out || fail "$id"
  done
}

test_json() {
  fake_cuda
  need python3
  vershina devices --json && expect_status 0 && expect_silent
  python3 - <<'PY'
import json
report = json.load(open(".out"))
assert set(report) == {"devices", "problems"} and report["problems"] == []
(device,) = report["devices"]
assert device == {"id": "cuda:0", "name": "Fake CUDA driver, no GPU", "back_end": "cuda", "driver": "CUDA 12.4",
                  "architecture": "sm_90", "memory": 1 << 30, "units": 2, "processor": False, "auto": True,
                  "selftest": "OK", "message": ""}, device
PY
}

test_a_driver_that_is_too_old() {
  fake_cuda
  FAKE_CUDA_DRIVER=10020 vershina devices && expect_status 0 && expect_silent
  expect_stdout_has "no devices" && expect_stdout_has "not used: CUDA: the driver is too old: it is for CUDA 10.2"
}

# PoCL aborts without /sys: it is not loaded.
test_opencl_without_sys() {
  "$VERSHINA" devices --json 2> /dev/null | grep -q '"id": "opencl:' || skip "no OpenCL device (pocl-opencl-icd)"
  local blind=(unshare --mount sh -c 'mount -t tmpfs none /sys && exec "$@"' sh)
  "${blind[@]}" true 2> /dev/null || skip "mounting over /sys is not permitted here"
  run "${blind[@]}" "$VERSHINA" devices && expect_status 0 && expect_silent
  expect_stdout_has "not used: OpenCL: /sys is not mounted"
  echo data > p
  run "${blind[@]}" "$VERSHINA" encrypt -c magma-ctr --key-hex "$KEY" --iv-hex 12345678 --device opencl:0.0 p -o c
  expect_status 12 && expect_error "there is no device opencl:0.0" "/sys is not mounted" && expect_no_file c
}

# The other device is tried all the same.
test_devices_that_fail() {
  fake_cuda
  export FAKE_CUDA_STRICT=0 FAKE_CUDA_DEVICES=2
  FAKE_CUDA_ALLOCATION_FAILS=5 vershina devices && expect_status 12
  expect_stderr_has "cuda:0: CUDA: cuda:0: allocating memory: CUDA_ERROR_OUT_OF_MEMORY"
  expect_stderr_has "cuda:0 cannot be used"
  grep -qE '^cuda:0 .* failed ' .out || fail "cuda:0 is not said to have failed"
  FAKE_CUDA_DEVICES=1 FAKE_CUDA_LOST_AFTER=2 vershina devices --json && expect_status 12
  expect_stdout_has '"selftest": "failed"' && expect_stdout_has "CUDA_ERROR_LAUNCH_FAILED"
}

# The compiler's messages reach the user.
test_a_program_that_does_not_compile() {
  fake_cuda
  # A separate folder: compiled programs need no compiler.
  VERSHINA_PROGRAMS=off FAKE_CUDA_CAPABILITY=61 vershina devices && expect_status 12
  expect_stderr_has "no NVRTC of this machine knows this device" && expect_stderr_has "sm_61"
}

test_completion_of_device_names() {
  fake_cuda
  "$VERSHINA" completion --candidates -- encrypt --device '' > offered
  local word
  for word in cpu auto all cuda:0; do grep -qx "$word" offered || fail "$word is not offered"; done
}
