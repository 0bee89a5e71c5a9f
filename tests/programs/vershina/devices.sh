# shellcheck shell=bash
# `vershina devices`, without any device and over the fake CUDA driver (tests/gpu/fakes/cuda), which is not a GPU.

test_no_devices() {
  without_opencl
  vershina devices && expect_status 0 && expect_silent
  grep -q '^cuda:' .out && skip "there is a GPU here"
  if [ "${WITH_DEVICES:-ON}" = OFF ]; then
    expect_stdout "no devices
not used: this build has no devices"
    return
  fi
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
  ! grep "there is no CUDA driver" .out || fail "there is one"
}

# PoCL aborts without /sys, though in the process that tries it.
test_opencl_without_sys() {
  "$VERSHINA" devices --json 2> /dev/null | grep -q '"id": "opencl:' || skip "no OpenCL device (pocl-opencl-icd)"
  local blind=(unshare --mount sh -c 'mount -t tmpfs none /sys && exec "$@"' sh) not_used
  "${blind[@]}" true 2> /dev/null || skip "mounting over /sys is not permitted here"
  run "${blind[@]}" "$VERSHINA" devices && expect_status 0 && expect_silent
  not_used=$(sed -n 's/^not used: //p' .out)
  # A PoCL that does not abort is used.
  [ -n "$not_used" ] || { expect_stdout_has "opencl:0.0" && return; }
  grep -q '^OpenCL: the driver aborted (signal 6); /sys, which some drivers need' <<< "$not_used" || fail "$not_used"
  echo data > p
  run "${blind[@]}" "$VERSHINA" encrypt -c magma-ctr --key-hex "$KEY" --iv-hex 12345678 --device opencl:0.0 p -o c
  expect_status 12 && expect_error "opencl:0.0: there is no such device" "$not_used" && expect_no_file c
  # Untried, it is left alone.
  VERSHINA_DEVICE_TRIAL=off run "${blind[@]}" "$VERSHINA" devices && expect_status 0 && expect_silent
  expect_stdout_has "not used: OpenCL: /sys is not mounted"
}

# says WHAT MESSAGE: OpenCL that does WHAT to the process that asks it costs OpenCL, and nothing else.
says() {
  local what=$1 message="OpenCL: the driver $2"
  FAKE_OPENCL=$what vershina devices && expect_status 0 && expect_silent && expect_stdout_has "not used: $message"
  FAKE_OPENCL=$what vershina devices --json && expect_status 0 && expect_silent && expect_stdout_has "\"$message\""
  FAKE_OPENCL=$what vershina "${ctr[@]}" --device all p -o all && expect_status 0 && expect_error "not used: $message"
  cmp all c && rm all
  FAKE_OPENCL=$what vershina "${ctr[@]}" -q --device all p -o all && expect_status 0 && expect_silent
  cmp all c && rm all
  FAKE_OPENCL=$what vershina "${ctr[@]}" --device opencl:0.0 p -o none
  expect_status 12 && expect_error "opencl:0.0: there is no such device; $message" && expect_no_file none
}

test_drivers_that_end_the_process() {
  fake_opencl
  ctr=(encrypt -c magma-ctr --key-hex "$KEY" --iv-hex 12345678)
  make_data 300000 p
  vershina "${ctr[@]}" p -o c
  says abort "aborted (signal 6)"
  says crash "crashed (signal 11)"
  says exit "ended the process with status 7"
  exec 9< p # like --passphrase-fd 9: nothing for drivers
  says look "ended the process with status 8"
  exec 9<&-
  export VERSHINA_DEVICE_TRIAL=1
  says hang "did not answer within 1 seconds"
}

# Nothing is started or asked without need; what works is asked by the child and then here.
test_drivers_are_tried_once_and_only_on_demand() {
  fake_opencl
  make_data 300000 p
  local ctr=(encrypt -c magma-ctr --key-hex "$KEY" --iv-hex 12345678 --force p -o c)
  export FAKE_OPENCL=abort
  vershina "${ctr[@]}" && expect_status 0 && expect_silent
  vershina "${ctr[@]}" --device cpu && expect_status 0 && expect_silent
  vershina "${ctr[@]}" --device auto && expect_status 0 && expect_silent # nothing was measured
  [ ! -e asked ] || fail "OpenCL was asked"
  vershina "${ctr[@]}" --device all && expect_status 0
  [ "$(sort -u asked | wc -l)" -eq 1 ] || fail "$(cat asked)"
  rm asked
  FAKE_OPENCL=print vershina devices && expect_status 0
  ! grep -q "not used: OpenCL" .out || fail "a driver may print"
  [ "$(sort -u asked | wc -l)" -eq 2 ] || fail "$(cat asked)"
  rm asked
  status=0
  VERSHINA_DEVICE_TRIAL=off "$VERSHINA" devices > .out 2>&1 || status=$?
  [ "$status" -ge 134 ] || fail "not untried: $status"
}

# Where no process can be started, the drivers are used untried.
test_drivers_where_nothing_can_be_started() {
  fake_opencl
  ! "$VERSHINA" --version | grep -q sanitizer || skip "sanitizers need /proc"
  local blind=(unshare --mount sh -c 'mount -t tmpfs none /proc && exec "$@"' sh)
  "${blind[@]}" true 2> /dev/null || skip "mounting over /proc is not permitted here"
  run "${blind[@]}" "$VERSHINA" devices && expect_status 0
  ! grep -q "not used" .out || fail "$(cat .out)"
  [ "$(sort -u asked | wc -l)" -eq 1 ] || fail "$(cat asked)"
}

test_a_back_end_that_works_beside_one_that_does_not() {
  fake_cuda
  local cuda=$LD_LIBRARY_PATH
  fake_opencl
  export LD_LIBRARY_PATH=$cuda:$FAKE_OPENCL_DIR
  FAKE_OPENCL=abort vershina devices && expect_status 0 && expect_silent
  expect_stdout_has "not used: OpenCL: the driver aborted (signal 6)" && grep -q '^cuda:0 .* OK ' .out || fail "cuda:0"
  rm asked
  FAKE_CUDA_START=crash vershina devices && expect_status 0 && expect_stdout_has "no devices"
  [ "$(grep "not used" .out)" = "not used: CUDA: the driver crashed (signal 11)" ] || fail "$(cat .out)"
  [ "$(sort -u asked | wc -l)" -eq 2 ] || fail "OpenCL was not tried by itself"
  FAKE_CUDA_START=abort FAKE_OPENCL=exit vershina devices && expect_status 0 && expect_silent
  [ "$(grep -c "not used" .out)" -eq 2 ] || fail "$(cat .out)"
  FAKE_OPENCL=abort "$VERSHINA" completion --candidates -- encrypt --device '' > offered 2> .err
  grep -qx cuda:0 offered && expect_silent
}

test_other_programs_try_devices_too() {
  fake_opencl
  VERSHINA_TUNE=$PWD/costs FAKE_OPENCL=abort vershina tune --device opencl:0.0
  expect_status 12 && expect_error "OpenCL: the driver aborted (signal 6)"
  "$VERSHINA" bench --help > /dev/null 2>&1 || return 0
  FAKE_OPENCL=abort vershina bench --device opencl:0.0
  expect_status 12 && expect_error "OpenCL: the driver aborted (signal 6)"
}

# An interruption during a trial ends both processes.
test_interruption_of_a_trial() {
  fake_opencl
  local pid child
  FAKE_OPENCL=hang "$VERSHINA" devices > .out 2> .err &
  pid=$!
  wait_for test -s asked
  child=$(cat asked)
  [ "$child" -ne "$pid" ] || fail "the program itself asked"
  kill -TERM $pid
  status=0
  wait $pid || status=$?
  expect_status 143
  is_gone() { ! kill -0 "$child"; }
  wait_for is_gone
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
  VERSHINA_DEVICE_PROGRAMS=off FAKE_CUDA_CAPABILITY=61 vershina devices && expect_status 12
  expect_stderr_has "no NVRTC of this machine knows this device" && expect_stderr_has "sm_61"
}

test_completion_of_device_names() {
  fake_cuda
  "$VERSHINA" completion --candidates -- encrypt --device '' > offered
  local word
  for word in cpu auto all cuda:0; do grep -qx "$word" offered || fail "$word is not offered"; done
}
