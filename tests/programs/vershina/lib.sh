# shellcheck shell=bash
# Shared by the tests; run.sh sources it in the shell of every test, which runs under `set -eu`.

KEY=8899aabbccddeeff0011223344556677fedcba98765432100123456789abcdef # of GOST R 34.12-2015, annex A
IV8=1234567890abcef0
IV16=1234567890abcef0a1b2c3d4e5f00112

fail() {
  echo "$*" >&2
  exit 1
}

skip() {
  echo "$*"
  exit 77
}

need() {
  command -v "$1" > /dev/null || skip "$1 is not installed"
}

# Runs a command; sets $status, and writes the files .out and .err. `run` never fails.
run() {
  status=0
  "$@" > .out 2> .err || status=$?
}

vershina() {
  run "$VERSHINA" "$@"
}

explain() {
  printf 'status %s\nstdout: %s\nstderr: %s\n' "$status" "$(head -c 2000 .out | tr -d '\0')" "$(head -c 2000 .err)" >&2
}

expect_status() {
  [ "$status" -eq "$1" ] || { explain; fail "expected status $1, got $status"; }
}

# Expects this whole standard output, without its last newline.
expect_stdout() {
  [ "$(cat .out)" = "$1" ] || { explain; fail "expected stdout: $1"; }
}

expect_stdout_has() {
  grep -qF -- "$1" .out || { explain; fail "stdout lacks: $1"; }
}

expect_stderr_has() {
  grep -qF -- "$1" .err || { explain; fail "stderr lacks: $1"; }
}

expect_silent() {
  [ ! -s .err ] || { explain; fail "unexpected words on stderr"; }
}

# Expects one line on standard error, from this program, with all the given texts.
expect_error() {
  local text
  [ "$(wc -l < .err)" -eq 1 ] || { explain; fail "expected one line on stderr"; }
  grep -q '^vershina: ' .err || { explain; fail "the error does not begin with the program's name"; }
  for text in "$@"; do expect_stderr_has "$text"; done
}

# Expects no file under these names, and no temporary file.
expect_no_file() {
  local name
  for name in "$@"; do [ ! -e "$name" ] || fail "$name exists"; done
  expect_no_temporary
}

expect_no_temporary() {
  local left
  left=$(find . -name '.vershina-*')
  [ -z "$left" ] || fail "left behind: $left"
}

# make_data BYTES FILE: the same bytes every time, without a period: a cipher over zeros.
make_data() {
  head -c "$1" /dev/zero | "$VERSHINA" encrypt -q -c kuznyechik-ctr --key-hex "$KEY" --iv-hex "$IV8" - -o - > "$2"
}

# Keys and passphrases are only for their owner: the program says where they are not.
raw_key() {
  (umask 077 && unhex "$KEY" > "$1")
}

# unhex DIGITS: bytes on standard output.
unhex() {
  local digits=$1 escaped=
  while [ -n "$digits" ]; do
    escaped+="\\x${digits:0:2}"
    digits=${digits:2}
  done
  printf '%b' "$escaped"
}

hex() {
  od -An -v -tx1 | tr -d ' \n'
}

# encrypt/decrypt with the common key and options of all tests.
encrypt() {
  vershina encrypt --key-hex "$KEY" "$@"
}

decrypt() {
  vershina decrypt --key-hex "$KEY" "$@"
}

# Waits until a command succeeds, at most two minutes.
wait_for() {
  local i
  for ((i = 0; i < 2400; i++)); do
    if "$@" 2> /dev/null; then return 0; fi
    sleep 0.05
  done
  fail "waited too long for: $*"
}

without_opencl() {
  export OCL_ICD_VENDORS=/nonexistent
}

# cuda:0 is the fake CUDA driver (tests/gpu/fakes/cuda), and there is no other device.
fake_cuda() {
  [ -e "${FAKE_CUDA_DIR:-}/libcuda.so.1" ] || skip "the fake CUDA driver is not built"
  export LD_LIBRARY_PATH=$FAKE_CUDA_DIR FAKE_CUDA_STRICT=1 VERSHINA_DEVICE_PROGRAMS=$DEVICE_CACHES/vershina/programs
  without_opencl
}

# Sealing, with few iterations, and opening, with the usual secrets of the tests.
seal() {
  vershina seal --iterations 1000 "$@"
}

unseal() {
  vershina open "$@"
}

make_secrets() {
  (umask 077 && echo 'correct horse' > pw && echo 'battery staple' > pw2)
  raw_key k
}

need_directories() {
  make_secrets
  mkdir probe
  seal -k k probe -o probe.sealed
  ! grep -q libarchive .err || skip "no libarchive here"
  expect_status 0
  rm -r probe probe.sealed
}

# A plain chroot has no /dev/pts.
need_terminal() {
  need script
  script -qec true /dev/null > /dev/null 2>&1 < /dev/null || skip "no pseudo-terminal can be had (/dev/pts)"
}

# terminal ANSWERS COMMAND...: runs it on a new terminal where the answers are typed, each after a question. Sets
# $status; the terminal's content is in .tty.
terminal() {
  need python3
  need_terminal
  status=0
  python3 "$TESTS/support/terminal.py" "$@" > .tty 2>&1 || status=$?
}

# Likewise; expects this status, and the text on the terminal.
expect_on_terminal() {
  local code=$1 text=$2
  shift 2
  terminal "$@"
  [ "$status" -eq "$code" ] || fail "expected status $code, got $status: $(cat -v .tty)"
  grep -qF -- "$text" .tty || fail "not shown: $text: $(cat -v .tty)"
}

# Runs a shell command, in this directory, as a user other than root; the program is there as ./vershina. Sets $status,
# .out and .err.
as_user() {
  cp "$VERSHINA" vershina
  local user=()
  if [ "$(id -u)" -eq 0 ]; then
    command -v setpriv > /dev/null || skip "setpriv is not installed"
    user=(setpriv --reuid=65534 --regid=65534 --clear-groups)
    chown -R 65534:65534 .
  fi
  HOME=$PWD "${user[@]}" ./vershina --version > .out 2> .err || skip "no other user can work here: $(cat .err)"
  run env HOME="$PWD" "${user[@]}" bash -c "$1"
}

# OpenCL is the fake of tests/gpu/fakes/opencl, and there is no CUDA driver. $FAKE_OPENCL says how it behaves.
fake_opencl() {
  [ -e "${FAKE_OPENCL_DIR:-}/libOpenCL.so.1" ] || skip "the fake OpenCL driver is not built"
  export LD_LIBRARY_PATH=$FAKE_OPENCL_DIR FAKE_OPENCL_LOG=$PWD/asked
}

# damage FILE OFFSET: flips a bit there.
damage() {
  local byte
  byte=$(od -An -tu1 -j "$2" -N 1 "$1" | tr -d ' ')
  # shellcheck disable=SC2059
  printf "\\x$(printf %02x $((byte ^ 16)))" | dd of="$1" bs=1 seek="$2" conv=notrunc 2> .dd
}

# The result of a power failure, judged by the order of calls: data is on the disk before its name.
# recorded COMMAND...: runs it; .record has its calls.
recorded() {
  rm -f .record
  RECORD=$PWD/.record LD_PRELOAD=$RECORDER run "$@"
}

need_recorder() {
  need python3
  [ -e "${RECORDER:-}" ] || skip "RECORDER names no library"
  ! "$VERSHINA" --version | grep -q sanitizer || skip "a sanitizer must be loaded first"
}

expect_whole() {
  expect_status 0
  python3 "$TESTS/../../support/recorded.py" .record "$@" || fail "a power failure could leave a part of $*"
}
