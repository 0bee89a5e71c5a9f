# shellcheck shell=bash
# Output: destinations, replacement, and remains of failures.

CTR=(-c kuznyechik-ctr --iv-hex 1234567890abcef0)

test_an_existing_file_needs_force() {
  echo data > p
  echo precious > c
  encrypt "${CTR[@]}" p -o c && expect_status 4 && expect_error "c: the file exists already" --force
  [ "$(cat c)" = precious ] || fail "c was touched"
  encrypt "${CTR[@]}" p -o c --force && expect_status 0
  encrypt "${CTR[@]}" p -o c -f && expect_status 0
  decrypt "${CTR[@]}" c -o - && cmp .out p
  expect_no_temporary
}

# A device when it was looked at, and a file when it was opened: the file is not written over.
test_a_name_that_changes() {
  local at
  ! "$VERSHINA" --version | grep -q sanitizer || skip "a sanitizer must be loaded first"
  echo data > p
  for at in 1 2 3 4; do
    echo "precious content" > target
    ln -sf /dev/null out
    ln -sf target next
    SWAP_FROM=next SWAP_TO=out SWAP_AT=$at LD_PRELOAD=$SWAP_AT_STAT encrypt "${CTR[@]}" p -o out
    [ "$(cat target)" = "precious content" ] || fail "the file was written over after look $at"
  done
}

test_output_equal_to_input() {
  local name
  raw_key p
  raw_key k
  cp p keep
  ln -s p link
  ln p hard
  for name in p ./p "$PWD/p" link hard; do
    encrypt "${CTR[@]}" p -o "$name" --force && expect_status 4 && expect_error "the output is the same file as p"
    cmp p keep
  done
  run "$VERSHINA" encrypt "${CTR[@]}" --key-hex "$KEY" - -o p --force < p
  expect_status 4 && expect_error "the output is the same file as standard input" && cmp p keep
  status=0
  "$VERSHINA" encrypt "${CTR[@]}" --key-hex "$KEY" p -o - >> p 2> .err || status=$?
  expect_status 4 && expect_error "standard output: the output is the same file as p" && cmp p keep
  vershina encrypt "${CTR[@]}" --key-file k p -o k --force
  expect_status 4 && expect_error "the output is the same file as k" && cmp k keep
  expect_no_temporary
}

test_permissions() {
  echo data > p
  (umask 027 && encrypt "${CTR[@]}" p -o c)
  [ "$(stat -c %a c)" = 640 ] || fail "new file: $(stat -c %a c)"
  chmod 604 c
  encrypt "${CTR[@]}" p -o c --force && expect_status 0
  [ "$(stat -c %a c)" = 604 ] || fail "replaced file: $(stat -c %a c)"
}

# expect_like FILE MODE [MTIME]: its permissions and time.
expect_like() {
  [ "$(stat -c %a "$1")" = "$2" ] || fail "$1 has mode $(stat -c %a "$1"), not $2"
  [ "${3-}" = "" ] || [ "$(stat -c %Y "$1")" = "$3" ] || fail "$1 is of $(stat -c %y "$1")"
}

# Every round trip keeps a file's permissions and time.
test_a_new_file_takes_after_its_input() {
  local mode
  local aead=(-c kuznyechik-mgm --iv-hex 00112233445566778899aabbccddeeff)
  umask 022
  make_secrets
  head -c 512 /dev/zero > p
  head -c 64 /dev/urandom > k2
  for mode in 600 755 400 640; do
    chmod "$mode" p
    touch -d @1000000000 p
    seal -k k p -o s && unseal -k k s -o s.p && expect_like s "$mode" 1000000000 && expect_like s.p "$mode" 1000000000
    encrypt "${CTR[@]}" p -o c && decrypt "${CTR[@]}" c -o c.p && expect_like c.p "$mode" 1000000000
    encrypt "${aead[@]}" p -o a && decrypt "${aead[@]}" a -o a.p && expect_like a.p "$mode" 1000000000
    vershina encrypt -c kuznyechik-xts --key-file k2 p -o x && expect_like x "$mode" 1000000000
    vershina encrypt -c magma-cbc --openssl-salted --passphrase-file pw p -o o
    vershina decrypt -c magma-cbc --openssl-salted --passphrase-file pw o -o o.p && expect_like o.p "$mode" 1000000000
    cmp p s.p && cmp p c.p && cmp p a.p && cmp p o.p
    rm -f s s.p c c.p a a.p x o o.p
  done
  chmod 4755 p # opened by another user, who gets no rights of its owner
  encrypt "${CTR[@]}" p -o c && expect_like c 755
  chmod 777 p
  (umask 077 && seal -k k p -o s && expect_like s 700) # umask applies last
  chmod 664 p
  if chgrp 12345 p 2> /dev/null; then # rights of that group are not passed on
    encrypt "${CTR[@]}" p -o g && expect_like g 644
  fi
}

# Without a source's permissions, plaintext is for its owner, ciphertext follows umask.
test_a_new_file_of_a_stream() {
  umask 022
  make_secrets
  echo data > p
  run "$VERSHINA" seal -k k - -o s < p && expect_like s 644
  run "$VERSHINA" open -k k - -o s.p < s && expect_like s.p 600
  run "$VERSHINA" encrypt "${CTR[@]}" --key-file k - -o c < p && expect_like c 644
  mkfifo fifo
  cat c > fifo &
  decrypt "${CTR[@]}" fifo -o c.p && expect_like c.p 600 && cmp p c.p
  wait
}

# A replaced file keeps its permissions and gets the current time, so that copies by date notice it.
test_a_replaced_file_is_new() {
  make_secrets
  echo data > p
  touch -d @1000000000 p
  chmod 600 p
  echo old > s
  chmod 644 s
  touch -d @1000000000 s
  seal -k k p -o s --force && expect_status 0 && expect_like s 644
  [ "$(stat -c %Y s)" -gt 1000000000 ] || fail "of $(stat -c %y s)"
  run "$VERSHINA" decrypt "${CTR[@]}" --key-file k - -o s --force < p && expect_status 0 && expect_like s 644
}

# An existing name is reported before a passphrase is asked for or a key is derived.
test_an_existing_file_is_seen_before_a_passphrase_is_asked_for() {
  need setsid
  local command
  make_secrets
  echo text > p
  cp p there
  seal --passphrase-file pw p && vershina encrypt -c magma-cbc --openssl-salted --passphrase-file pw p -o p.salted
  run setsid -w "$VERSHINA" open p.sealed && expect_status 4 && expect_error "p: the file exists already" --force
  run setsid -w "$VERSHINA" open p.sealed -o . && expect_status 4 && expect_error ".: Is a directory"
  for command in encrypt decrypt; do
    run setsid -w "$VERSHINA" $command -c magma-cbc --openssl-salted p.salted -o there
    expect_status 4 && expect_error "there: the file exists already"
  done
  run setsid -w "$VERSHINA" kdf -a pbkdf2 --salt-hex 00 --iterations 1000 -o there
  expect_status 4 && expect_error "there: the file exists already"
  run setsid -w "$VERSHINA" seal p -o there && expect_status 4 && expect_error "there: the file exists already"
  run setsid -w "$VERSHINA" open p.sealed --force && expect_status 2 && expect_error "no terminal"
  need_directories
  mkdir d
  seal --passphrase-file pw d && expect_status 0
  run setsid -w "$VERSHINA" open d.sealed && expect_status 4 && expect_error "d: exists already"
}

test_the_temporary_file_is_private() {
  mkfifo fifo
  "$VERSHINA" encrypt "${CTR[@]}" --key-hex "$KEY" fifo -o c &
  local pid=$!
  exec 9> fifo
  wait_for compgen -G '.vershina-*.tmp'
  [ "$(stat -c %a .vershina-*.tmp)" = 600 ] || fail "mode $(stat -c %a .vershina-*.tmp)"
  [ ! -e c ] || fail "c appeared too early"
  exec 9>&-
  wait $pid
  [ -e c ] && expect_no_temporary
}

test_a_symbolic_link_leads_to_its_file() {
  echo data > p
  mkdir dir
  echo old > dir/real
  ln -s dir/real link
  encrypt "${CTR[@]}" p -o link --force && expect_status 0
  [ -L link ] || fail "the link was replaced"
  decrypt "${CTR[@]}" dir/real -o - && cmp .out p
  ln -s nowhere dangling
  encrypt "${CTR[@]}" p -o dangling && expect_status 4 && expect_error "a symbolic link to a file that does not exist"
  expect_no_file nowhere
}

test_directories() {
  echo data > p
  mkdir dir
  encrypt "${CTR[@]}" p -o dir && expect_status 4 && expect_error "dir: Is a directory"
  encrypt "${CTR[@]}" p -o dir/c && expect_status 0 && [ -s dir/c ]
  encrypt "${CTR[@]}" p -o nowhere/c && expect_status 4 &&
    expect_error "nowhere/c: No such file" "make the directory first"
  encrypt "${CTR[@]}" p -o p/c && expect_status 4 && expect_error "Not a directory"
  if [ "$(id -u)" -ne 0 ]; then
    chmod 500 dir
    encrypt "${CTR[@]}" p -o dir/d && expect_status 4 && expect_error "Permission denied" "that you may write to"
  fi
  expect_no_temporary
}

test_a_file_that_appears_meanwhile_is_not_replaced() {
  mkfifo fifo
  "$VERSHINA" encrypt "${CTR[@]}" --key-hex "$KEY" fifo -o c 2> .err &
  local pid=$!
  exec 9> fifo
  wait_for compgen -G '.vershina-*.tmp'
  echo precious > c
  exec 9>&-
  status=0
  wait $pid || status=$?
  : > .out
  expect_status 4 && expect_error "c: this file has been created in the meantime"
  [ "$(cat c)" = precious ] && expect_no_temporary
}

test_odd_output_names() {
  local name
  echo data > p
  for name in -x '[a,b]' $'new\nline' ' ' "$(printf 'n%.0s' $(seq 1 255))"; do
    encrypt "${CTR[@]}" p -o "$name" && expect_status 0 && [ -s "./$name" ]
    decrypt "${CTR[@]}" -o - -- "$name" && cmp .out p
  done
}

test_devices_are_written_directly() {
  echo data > p
  encrypt "${CTR[@]}" p -o /dev/null && expect_status 0
  [ -c /dev/null ] || fail "/dev/null was replaced"
  mkfifo fifo
  cat fifo > got &
  encrypt "${CTR[@]}" p -o fifo && expect_status 0
  wait $!
  [ -p fifo ] || fail "the pipe was replaced"
  decrypt "${CTR[@]}" got -o - && cmp .out p
}

test_full_disk() {
  make_data 300000 p
  encrypt "${CTR[@]}" p -o /dev/full && expect_status 4 && expect_error "/dev/full: No space left on device" "make room"
  status=0
  "$VERSHINA" encrypt "${CTR[@]}" --key-hex "$KEY" p -o - > /dev/full 2> .err || status=$?
  expect_status 4 && expect_error "standard output: No space left on device"
}

test_full_file_system() {
  mkdir small
  mount -t tmpfs -o size=1m none small 2> /dev/null || skip "may not mount a small tmpfs"
  make_data 3000000 p
  encrypt "${CTR[@]}" p -o small/c
  local left
  left=$(ls -A small)
  umount small
  expect_status 4 && expect_error "small/c: No space left on device"
  [ -z "$left" ] || fail "left behind: $left"
}

test_file_size_limit() {
  make_data 3000000 p
  status=0
  (ulimit -f 1000 && exec "$VERSHINA" encrypt "${CTR[@]}" --key-hex "$KEY" p -o c 2> .err) || status=$?
  : > .out
  expect_status 4 && expect_error "c: File too large" "ulimit -f" && expect_no_file c
}

test_closed_pipe_is_quiet() {
  make_data 3000000 p
  set +e
  "$VERSHINA" encrypt "${CTR[@]}" --key-hex "$KEY" p -o - 2> .err | head -c 1 > .out
  status=${PIPESTATUS[0]}
  set -e
  expect_status 141 && expect_silent
}

# The other stages must not wait for input that never comes.
test_a_failing_writer_stops_a_waiting_reader() {
  mkfifo fifo
  "$VERSHINA" encrypt "${CTR[@]}" --key-hex "$KEY" fifo -o /dev/full 2> .err &
  local pid=$!
  exec 9> fifo
  printf data >&9
  status=0
  for _ in $(seq 1 2400); do kill -0 $pid 2> /dev/null || break; sleep 0.05; done
  kill -0 $pid 2> /dev/null && fail "still waiting for input"
  wait $pid || status=$?
  exec 9>&-
  : > .out
  expect_status 4 && expect_error "No space left on device"
}

# in_terminal COMMAND...: with standard output and standard error on a pseudo-terminal; its text goes to .tty.
in_terminal() {
  status=0
  script -qec "$(printf '%q ' "$@")" /dev/null > .tty < /dev/null || status=$?
}

test_terminal() {
  need_terminal
  printf 'some text\n' > p
  encrypt "${CTR[@]}" p -o c && expect_status 0
  in_terminal "$VERSHINA" encrypt "${CTR[@]}" --key-hex "$KEY" p -o -
  [ "$status" -eq 4 ] && grep -q "standard output is a terminal" .tty || fail "binary to a terminal: $status"
  in_terminal "$VERSHINA" encrypt "${CTR[@]}" --key-hex "$KEY" p -o - --force
  [ "$status" -eq 0 ] || fail "--force: $status"
  in_terminal "$VERSHINA" decrypt "${CTR[@]}" --key-hex "$KEY" c -o -
  [ "$status" -eq 0 ] && grep -q "some text" .tty || fail "text on a terminal: $status"
  in_terminal "$VERSHINA" decrypt "${CTR[@]}" --key-hex "00${KEY:2}" c -o -
  [ "$status" -eq 4 ] && grep -q "the decrypted data is not text" .tty || fail "rubbish on a terminal: $status"
}

test_power_failure() {
  need_recorder
  make_secrets
  make_data 3000000 p
  recorded "$VERSHINA" encrypt -c kuznyechik-ctr --key-file k --iv-hex "$IV8" p -o c && expect_whole c
  recorded "$VERSHINA" encrypt -c kuznyechik-ctr --key-file k --iv-hex "$IV8" p -f -o c && expect_whole c
  recorded "$VERSHINA" seal -k k p && expect_whole p.sealed
  mv p q
  recorded "$VERSHINA" open -k k p.sealed && expect_whole p
  recorded "$VERSHINA" keygen -o new.key && expect_whole new.key
}

test_power_failure_of_volumes() {
  need_recorder
  [ -x "$(dirname "$VERSHINA")/vershina-tomo" ] || skip "vershina-tomo was not built"
  vershina tomo phantom --size 300 --rows 4 --projections 10 -o scan.h5 # two levels of OME-Zarr
  [ "$status" -eq 0 ] || skip "vershina-tomo has no HDF5"
  local output
  for output in v.zarr v.npy v.nii; do
    recorded "$VERSHINA" tomo reconstruct scan.h5 -o $output && expect_whole $output
  done
  recorded "$VERSHINA" tomo reconstruct scan.h5 --format dicom -o series && expect_whole series
}
