# shellcheck shell=bash
# --device: the same bytes on every device, and the errors of a device. PoCL replaces a GPU; its compiled programs are
# kept in GPU_CACHES, set by ctest.

device() {
  export POCL_CACHE_DIR=${GPU_CACHES:-$PWD}/pocl XDG_CACHE_HOME=${GPU_CACHES:-$PWD/cache}
  mkdir -p "$POCL_CACHE_DIR"
  # The first one that is listed: cuda:0 or opencl:0.0.
  DEVICE=$("$VERSHINA" devices --json 2> /dev/null | sed -n 's/.*"id": "\([^"]*\)".*/\1/p' | head -n 1)
  [ -n "$DEVICE" ] || skip "no CUDA and no OpenCL device; pocl-opencl-icd makes one of the processor"
}

crypt() { # encrypt|decrypt CIPHER IV IN OUT OPTION...
  local what=$1 cipher=$2 iv=$3 in=$4 out=$5
  shift 5
  vershina "$what" -c "$cipher" --key-hex "$KEY" --iv-hex "$iv" "$in" -o "$out" --quiet "$@"
}

test_device_ciphers_as_the_processor() {
  device
  head -c 1000003 /dev/urandom > plain
  for c in "magma-ctr 12345678" "magma-cfb $IV8" "magma-mgm 1234567890abcdef" "magma-cbc $IV8"; do
    # shellcheck disable=SC2086
    set -- $c
    crypt encrypt "$1" "$2" plain "$1.cpu" && expect_status 0
    crypt decrypt "$1" "$2" "$1.cpu" "$1.plain" --device "$DEVICE" && expect_status 0 && expect_silent
    cmp plain "$1.plain" || fail "$1"
    crypt decrypt "$1" "$2" "$1.cpu" "$1.all" --device all && expect_status 0
    cmp plain "$1.all" || fail "$1 by all"
  done
  crypt encrypt magma-ctr 12345678 plain on-device --device "$DEVICE" && expect_status 0
  cmp on-device magma-ctr.cpu
}

test_device_that_is_not_there() {
  echo content > plain
  for d in cuda:4000 opencl:4000.1; do
    crypt encrypt magma-ctr 12345678 plain out --device "$d" && expect_status 12 && [ ! -e out ] || fail "$d"
    expect_stderr_has "$d: there is no such device"
  done
  for d in gpu cuda: opencl:x cuda:0.1; do
    crypt encrypt magma-ctr 12345678 plain out --device "$d" && expect_status 2 && [ ! -e out ] || fail "$d"
    expect_stderr_has "a device is cpu, auto, all, cuda:N or opencl:P.D"
  done
}

test_device_has_no_use_for_chains() {
  device
  echo content > plain
  crypt encrypt magma-cbc "$IV8" plain out --device "$DEVICE" && expect_status 12 && expect_stderr_has "chained modes"
  crypt encrypt magma-ofb "$IV8" plain out --device "$DEVICE" && expect_status 12 && [ ! -e out ] || fail "written"
  vershina mac -a magma-mac --key-hex "$KEY" --device "$DEVICE" plain && expect_status 12 && expect_stderr_has "a chain"
  vershina hash --device "$DEVICE" plain && expect_status 1 && expect_stderr_has "a chain"
  # Without measurements the choice is the processor.
  for d in auto all cpu; do
    crypt encrypt magma-cbc "$IV8" plain "out.$d" --device "$d" && expect_status 0 && expect_silent
    vershina mac -a magma-mac --key-hex "$KEY" --device "$d" plain && expect_status 0
    vershina hash --device "$d" plain && expect_status 0
  done
}

test_device_hashes_many_files() {
  device
  mkdir files
  for i in $(seq 70); do head -c $((i * 97)) /dev/urandom > "files/$i"; done
  head -c 1100000 /dev/urandom > files/long
  : > files/empty
  "$VERSHINA" hash files/* files/none > expected 2> /dev/null && fail "status"
  vershina hash --device "$DEVICE" files/* files/none && expect_status 1
  cmp expected .out
  expect_stderr_has "files/none"
}

test_device_macs_many_files() {
  device
  mkdir files
  for i in $(seq 64); do head -c 2048 /dev/urandom > "files/$i"; done
  "$VERSHINA" mac -a gost28147-imit --key-hex "$KEY" files/* > expected
  vershina mac -a gost28147-imit --key-hex "$KEY" --device "$DEVICE" files/* && expect_status 0 && expect_silent
  cmp expected .out
}

test_device_seals_and_opens() {
  device
  head -c 32 /dev/urandom > key
  head -c 600000 /dev/urandom > plain
  vershina seal -k key --chunk 131072 --device "$DEVICE" plain && expect_status 0
  vershina open -k key plain.sealed -o by-processor && expect_status 0 && cmp plain by-processor
  vershina open -k key plain.sealed -o by-device --device "$DEVICE" && expect_status 0 && cmp plain by-device
  vershina open -k key plain.sealed -o part --range 100000+400000 --device "$DEVICE" && expect_status 0
  cmp part <(tail -c +100001 plain | head -c 400000)
  vershina seal -k key --device cuda:4000 plain -o none && expect_status 12 && [ ! -e none ] || fail "written"
  # A changed chunk yields no plaintext.
  damage plain.sealed 400000
  vershina open -k key plain.sealed -o damaged --device "$DEVICE" && expect_status 8 && [ ! -e damaged ] ||
    fail "opened"
}

# An invalid file counts as none.
test_device_auto_without_measurements() {
  device
  export VERSHINA_TUNE=$PWD/costs
  head -c 300000 /dev/urandom > plain
  crypt encrypt magma-ctr 12345678 plain expected && expect_status 0
  crypt encrypt magma-ctr 12345678 plain unmeasured --device auto && expect_status 0 && cmp expected unmeasured
  for bad in "" "vershina-tune 2" "$(printf 'vershina-tune 2\ncpu x\nfeatures y\nbuild z\n')" \
    "$(head -c 300 /dev/urandom | tr -d '\0')"; do
    printf '%s\n' "$bad" > costs.devices
    crypt encrypt magma-ctr 12345678 plain bad --device auto && expect_status 0 && cmp expected bad && rm bad
  done
}

# One algorithm, the fastest to compile for devices; then as if the device were faster.
test_device_auto_goes_by_what_tune_measured() {
  device
  export VERSHINA_TUNE=$PWD/costs
  vershina tune --device "$DEVICE" --algorithm streebog && expect_status 0
  expect_stdout_has "written: $PWD/costs.devices" && expect_stdout_has "streebog"
  [ "$(head -n 1 costs.devices)" = "vershina-tune 3" ] || fail "first line"
  [ "$(grep -c "^$DEVICE [0-9a-f]* streebog batch-hash " costs.devices)" = 3 ] || fail "$(cat costs.devices)"
  vershina devices && expect_stdout_has "measured: $PWD/costs.devices"
  # Measurements of others stay.
  sed -n 's/ streebog batch-hash .* 512$/ magma ctr never 1048576/p' costs.devices >> costs.devices
  vershina tune --device "$DEVICE" -a streebog && expect_status 0
  grep -q " magma ctr never 1048576" costs.devices || fail "$(cat costs.devices)"

  sed -i -E 's/batch-hash [^ ]+/batch-hash 70/' costs.devices
  mkdir files
  for i in $(seq 10 79); do head -c $((940 + i)) /dev/urandom > "files/$i"; done
  "$VERSHINA" hash files/* > expected
  export VERSHINA_DEVICE_PROGRAMS=$PWD/programs # filled by work on a device
  vershina hash --device auto files/1* files/[2-7][0-8] && expect_status 0 && [ ! -e programs ] || fail "by a device"
  vershina hash --device auto files/* && expect_status 0 && expect_silent
  cmp expected .out && [ -n "$(ls programs)" ] || fail "not by a device"
  # Again in the format of another version.
  sed -i '1s/3/1/' costs.devices
  vershina devices
  expect_stdout_has "not measured: $PWD/costs.devices: it has the form of another version"
}
