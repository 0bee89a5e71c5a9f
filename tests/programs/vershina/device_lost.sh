# shellcheck shell=bash
# Files whose device fails in the middle, and a program that is killed there. The fake CUDA driver can simulate
# failures.

CTR=(-c magma-ctr --key-hex "$KEY" --iv-hex 12345678)

prepare() {
  fake_cuda
  export FAKE_CUDA_STRICT=0 # a lost device frees nothing
  make_data 3500000 plain
  cp plain keep
  raw_key key
  "$VERSHINA" encrypt "${CTR[@]}" -q plain -o plain.ctr
  "$VERSHINA" seal -q -k key plain
}

# each F: F OUT ORIGINAL, with a command that makes OUT of ORIGINAL in $command.
each() {
  command=(encrypt "${CTR[@]}" -q) && "$1" out.ctr plain
  command=(decrypt "${CTR[@]}" -q) && "$1" out.plain plain.ctr
  command=(seal -q -k key) && "$1" out.sealed plain
  command=(seal -q -k key --chunk 2097152) && "$1" out.long plain # chunks that go to a device one by one
  command=(open -q -k key) && "$1" out.opened plain.sealed
}

opens() {
  "$VERSHINA" open -q -k key "$1" -o - | cmp - plain
}

test_named_device_leaves_no_file() {
  prepare
  lost() {
    local kernels
    for kernels in 0 2; do
      FAKE_CUDA_LOST_AFTER=$kernels vershina "${command[@]}" "$2" -o "$1" --device cuda:0
      expect_status 12 && expect_stderr_has "--device cuda:0: device cuda:0: "
      expect_no_file "$1"
    done
  }
  each lost
  cmp plain keep
}

# The others continue, with one warning. The processor may finish before the device has a piece, though not each time:
# mostly on a busy machine.
test_all_finishes_without_it() {
  prepare
  goes_on() {
    local round
    for round in {1..200}; do
      FAKE_CUDA_LOST_AFTER=0 vershina "${command[@]}" "$2" -o "$1" --force --device all && expect_status 0
      [ "$(grep -c '^vershina: ' .err)" -le 1 ] || { explain; fail "more than one warning in round $round"; }
      ! grep -q "warning: device cuda:0: .*the processor goes on alone" .err || return 0
    done
    explain
    fail "no warning"
  }
  each goes_on
  cmp plain keep && cmp out.ctr plain.ctr && cmp out.plain plain && cmp out.opened plain
  opens out.sealed && opens out.long
}

# A working device, in the same way.
test_devices_give_the_same() {
  prepare
  export FAKE_CUDA_STRICT=1
  works() {
    vershina "${command[@]}" "$2" -o "$1" --device cuda:0 && expect_status 0 && expect_silent
  }
  each works
  cmp out.ctr plain.ctr && cmp out.plain plain && cmp out.opened plain
  opens out.sealed && opens out.long
}

# Killed when a part of the output has been written.
test_sigkill_leaves_nothing_under_the_final_name() {
  prepare
  killed() {
    mkfifo fifo
    "$VERSHINA" "${command[@]}" fifo -o "$1" --device cuda:0 2> .err &
    local pid=$!
    exec 9> fifo
    head -c 3000000 "$2" >&9
    written() { [ "$(stat -c %s .vershina-*.tmp)" -gt 65536 ]; }
    wait_for written
    kill -KILL $pid
    status=0
    wait $pid 2> /dev/null || status=$?
    exec 9>&-
    : > .out
    expect_status 137 && [ ! -e "$1" ] || fail "$1 exists"
    rm -f fifo .vershina-*.tmp
  }
  each killed
  cmp plain keep
}
