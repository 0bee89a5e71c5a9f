# shellcheck shell=bash
# `vershina seal`: output, recipients, refusals.

test_every_size_comes_back() {
  make_secrets
  local size count=0
  for size in 0 1 4095 4096 4097 65535 65536 65537 1048575 1048576 1048577 3000001; do
    make_data $size p
    cp p keep
    seal -k k p && expect_status 0 && expect_silent
    cmp p keep # the original stays
    seal -k k --chunk 4096 p -o small && expect_status 0
    unseal -k k p.sealed -o x && expect_status 0 && expect_silent && cmp x keep
    unseal -k k small -o y && expect_status 0 && cmp y keep
    rm x y p.sealed small
    count=$((count + 2))
  done
  expect_no_temporary
  echo "counted: $count files came back"
}

test_default_names() {
  make_secrets
  mkdir d
  echo text > d/p
  (cd d && ln -s p link)
  seal -k k d/p && expect_status 0 && [ -f d/p.sealed ]
  rm d/p
  unseal -k k d/p.sealed && expect_status 0 && [ "$(cat d/p)" = text ]
  cp d/p.sealed other
  unseal -k k other && expect_status 2 && expect_error "other: does not end with .sealed" "-o"
  cp d/p.sealed .sealed
  unseal -k k .sealed && expect_status 2 && expect_error ".sealed: does not end with .sealed"
}

test_streams() {
  make_secrets
  make_data 3000000 p
  "$VERSHINA" seal -k k - < p > c
  "$VERSHINA" open -k k - < c | cmp - p
  (head -c 100 p && sleep 0.3 && tail -c +101 p) | "$VERSHINA" seal -k k - -o c2
  (head -c 9000 c2 && sleep 0.3 && tail -c +9001 c2) | "$VERSHINA" open -k k - -o - | cmp - p
  seal -k k - -o - < p && expect_status 0 && cp .out c3 && unseal -k k c3 -o - && expect_status 0 && cmp .out p
}

test_all_recipients_open_it() {
  make_secrets
  hex < k > k.hex
  echo text > p
  seal --passphrase-file pw --passphrase-file pw2 -k k p && expect_status 0
  local secret
  for secret in "--passphrase-file pw" "--passphrase-file pw2" "-k k" "-k k.hex" "--key-file=k"; do
    # shellcheck disable=SC2086
    unseal $secret p.sealed -o - && expect_status 0 && expect_stdout text
  done
  run "$VERSHINA" open --passphrase-fd 3 p.sealed -o - 3< pw && expect_status 0 && expect_stdout text
  run "$VERSHINA" open --passphrase-fd 0 p.sealed -o - < pw2 && expect_status 0 && expect_stdout text
  run "$VERSHINA" open --passphrase-file - p.sealed -o - < pw && expect_status 0 && expect_stdout text
  run "$VERSHINA" open -k - p.sealed -o - < k && expect_status 0 && expect_stdout text
  # A wrong one in addition to the right one is harmless.
  echo nonsense > bad
  unseal --passphrase-file bad --passphrase-file pw2 p.sealed -o - && expect_status 0 && expect_stdout text
}

test_passphrases_from_descriptors() {
  make_secrets
  echo text > p
  run "$VERSHINA" seal --iterations 1000 --passphrase-fd 3 --passphrase-fd 4 p 3< pw 4< pw2
  expect_status 0
  unseal --passphrase-file pw2 p.sealed -o - && expect_status 0 && expect_stdout text
  run "$VERSHINA" seal --iterations 1000 --passphrase-fd 3 --passphrase-fd 3 p -f 3< pw
  expect_status 2 && expect_error "the same descriptor twice"
  seal --passphrase-fd 9 p -f && expect_status 3 && expect_error "descriptor 9"
}

test_passphrases_from_the_terminal() {
  make_secrets
  echo text > p
  expect_on_terminal 0 '' $'geheim\ngeheim\n' "$VERSHINA" seal --iterations 1000 p
  ! grep -q geheim .tty || fail "the passphrase is shown: $(cat -v .tty)"
  printf geheim > g
  unseal --passphrase-file g p.sealed -o x && expect_status 0 && cmp x p
  rm x
  expect_on_terminal 0 '' $'geheim\n' "$VERSHINA" open p.sealed -o x
  cmp x p
  expect_on_terminal 0 '' $'one\none\ntwo\ntwo\n' "$VERSHINA" seal --iterations 1000 -p -p p -o two
  printf two > g
  unseal --passphrase-file g two -o - && expect_status 0 && expect_stdout text
  expect_on_terminal 2 'the two passphrases differ' $'one\nanother\n' "$VERSHINA" seal --iterations 1000 p -o differ
  expect_on_terminal 2 'the passphrase is empty' $'\n' "$VERSHINA" seal --iterations 1000 p -o differ
  expect_on_terminal 6 '' $'false\n' "$VERSHINA" open p.sealed -o differ
  expect_no_file differ
}

test_no_terminal_to_ask() {
  need setsid
  echo text > p
  run setsid -w "$VERSHINA" seal p
  expect_status 2 && expect_error "no terminal" && expect_no_file p.sealed
}

test_wrong_secrets() {
  make_secrets
  echo text > p
  : > empty
  echo > newline
  seal --passphrase-file empty p && expect_status 2 && expect_error "empty: the passphrase is empty"
  seal --passphrase-file newline p && expect_status 2 && expect_error "newline: the passphrase is empty"
  head -c 1025 /dev/zero > long
  seal --passphrase-file long p && expect_status 2 && expect_error "1024 bytes"
  seal --passphrase-file missing p && expect_status 3 && expect_error "missing: No such file"
  head -c 31 k > short
  seal -k short p && expect_status 2 && expect_error ", so no key: a key is 32 raw bytes or 64 hexadecimal digits"
  seal -k missing p && expect_status 3 && expect_error "missing: No such file"
  seal -k - - -o x < p && expect_status 2 && expect_error "standard input is read already"
  seal --passphrase-file - --passphrase-fd 0 p < pw && expect_status 2 && expect_error "standard input is read already"
  seal --passphrase=secret p && expect_status 2 && expect_error "--passphrase takes no value"
  expect_no_file p.sealed x
}

test_wrong_usage() {
  make_secrets
  echo text > p
  seal -k k p p && expect_status 2 && expect_error "p.sealed: would be the output of p and of p"
  vershina seal -k k --iterations 999 p && expect_status 2
  vershina seal -k k --iterations 67108865 p && expect_status 2
  vershina seal --passphrase-file pw --passphrase-file pw2 --iterations 67108864 p && expect_status 2 &&
    expect_error "too many iterations for all passphrases together"
  seal -k k --chunk 5000 p && expect_status 2 && expect_error "--chunk" "a power of two"
  seal -k k --chunk 2048 p && expect_status 2
  seal -k k . && expect_status 2 && expect_error "." "-o"
  seal -k k --kernel nonsense p && expect_status 5 && expect_error "kernel nonsense"
  seal -k k missing && expect_status 3 && expect_error "missing: No such file or directory"
  seal -k k "" -o x && expect_status 3
  local many=()
  for _ in $(seq 33); do many+=(-k k); done
  seal "${many[@]}" p && expect_status 2 && expect_error "too many passphrases"
  expect_no_file p.sealed missing.sealed x
  vershina seal --help && expect_status 0 && expect_stdout_has "Examples:"
}

test_output() {
  make_secrets
  echo text > p
  cp p keep
  cp k k.keep
  echo precious > p.sealed
  seal -k k p && expect_status 4 && expect_error "p.sealed: the file exists already" --force
  [ "$(cat p.sealed)" = precious ] || fail "p.sealed was touched"
  seal -k k p -f && expect_status 0 && unseal -k k p.sealed -o - && expect_stdout text
  ln -s p link
  ln p hard
  local name
  for name in p ./p link hard; do
    seal -k k p -o "$name" -f && expect_status 4 && expect_error "the output is the same file as p"
    cmp p keep
  done
  seal -k k p -o k -f && expect_status 4 && expect_error "the output is the same file as k" && cmp k k.keep
  seal --passphrase-file pw p -o pw -f && expect_status 4 && expect_error "the output is the same file as pw"
  seal -k k p -o missing/c && expect_status 4 && expect_error "missing/c: No such file or directory"
  mkdir dir
  seal -k k p -o dir && expect_status 4 && expect_error "dir: Is a directory"
  # A link to the source is read as the source; the output is named after the link.
  seal -k k link && expect_status 0 && [ ! -L link.sealed ] && unseal -k k link.sealed -o - && expect_stdout text
  ln -s target to_be
  seal -k k p -o to_be && expect_status 4 && expect_error "to_be: a symbolic link to a file that does not exist"
  [ "$(stat -c %a link.sealed)" = 644 ] || [ "$(umask)" != 0022 ] || fail "mode $(stat -c %a link.sealed)"
  expect_no_file target
}

test_binary_data_does_not_go_to_a_terminal() {
  make_secrets
  echo text > p
  need_terminal
  script -qec "\"$VERSHINA\" seal -k k p -o -" /dev/null > .tty < /dev/null || true
  grep -q 'standard output is a terminal' .tty || fail "$(cat -v .tty)"
}

test_strange_names() {
  make_secrets
  local name
  for name in 'a b' $'two\nlines' -dash "quote'" '[a,b]' $'\xff\xfe' '*'; do
    echo text > "./$name"
    seal -k k -- "$name" && expect_status 0
    rm -- "./$name"
    unseal -k k -- "$name.sealed" && expect_status 0
    [ "$(cat -- "./$name")" = text ] || fail "$name did not come back"
    unseal -k k -- "$name.sealed" && expect_status 4 && [ "$(wc -l < .err)" -eq 1 ]
  done
}

# Runs a command that cannot write files above 1 MB.
with_small_files() {
  (ulimit -f 1000 && exec "$@")
}

test_full_disk() {
  make_secrets
  make_data 3000000 p
  run with_small_files "$VERSHINA" seal -k k p
  expect_status 4 && expect_error "p.sealed: File too large" && expect_no_file p.sealed
  seal -k k p && expect_status 0
  run with_small_files "$VERSHINA" open -k k p.sealed -o x
  expect_status 4 && expect_error "x: File too large" && expect_no_file x
  [ -w /dev/full ] || skip "there is no /dev/full"
  seal -k k p -o /dev/full && expect_status 4 && expect_error "No space left on device"
  mkdir small
  mount -t tmpfs -o size=1m none small 2> /dev/null || skip "mounting a small disk is not permitted here"
  seal -k k p -o small/c
  umount small
  expect_status 4 && expect_error "small/c: No space left on device"
}

test_the_source_changes_meanwhile() {
  make_secrets
  make_data 20000000 p
  mkfifo fifo
  "$VERSHINA" seal -k k p -o fifo 2> .err &
  local pid=$!
  exec 9< fifo
  head -c 100000 <&9 > c
  echo more >> p
  cat <&9 >> c
  exec 9<&-
  : > .out
  status=0
  wait $pid || status=$?
  expect_status 3 && expect_error "p: the file changed while it was read"
  unseal -k k c -o x && expect_status 9 && expect_error "c: it is cut off" && expect_no_file x
}

# An empty file has a length, which is known; a file of /proc says that it is empty.
test_empty_files() {
  make_secrets
  : > p
  seal -k k p && expect_status 0 && vershina inspect p.sealed && expect_stdout_has '2 slots of 512 bytes'
  unseal -k k p.sealed -o - && expect_status 0 && expect_stdout ''
  "$VERSHINA" seal -k k - < p > c && vershina inspect c && expect_stdout_has '2 slots of 512 bytes'
  "$VERSHINA" seal -k k - < <(:) > c && vershina inspect c && expect_stdout_has '2 slots of 4096 bytes'
  [ -r /proc/self/mounts ] || skip "no /proc"
  seal -k k /proc/self/mounts -o c -f && expect_status 0 && vershina inspect c &&
    expect_stdout_has '2 slots of 4096 bytes'
  unseal -k k c -o - && expect_status 0 && cmp .out /proc/self/mounts
}

# has_open PID NAME
has_open() {
  local fd
  for fd in /proc/"$1"/fd/*; do if [ "$fd" -ef "$2" ]; then return 0; fi; done
  return 1
}

test_empty_source_that_grows() {
  make_secrets
  [ -r /proc/self/fd ] || skip "no /proc"
  : > p
  mkfifo fifo
  "$VERSHINA" seal -k k p -o fifo 2> .err &
  local pid=$!
  wait_for has_open $pid p
  echo more >> p
  cat fifo > c
  : > .out
  status=0
  wait $pid || status=$?
  expect_status 3 && expect_error "p: the file changed while it was read"
}

test_unreadable_source() {
  make_secrets
  mkdir dir
  [ "$(id -u)" -ne 0 ] || skip "root can read everything"
  echo secret > locked && chmod 000 locked
  seal -k k locked && expect_status 3 && expect_error "locked: Permission denied"
  cp locked dir/ 2> /dev/null || true
  expect_no_file locked.sealed
}

test_iterations_are_calibrated() {
  make_secrets
  echo text > p
  vershina seal --passphrase-file pw p && expect_status 0
  local count
  count=$("$VERSHINA" inspect p.sealed | sed -n 's/.*passphrase, \([0-9]*\) iterations/\1/p')
  [ "$count" -ge 100000 ] && [ "$count" -le 4000000 ] || fail "$count iterations"
  unseal --passphrase-file pw p.sealed -o - && expect_status 0 && expect_stdout text
}

# Fails with wall time, since a second passes here between any two looks at a clock: the floor would come out.
test_a_busy_machine_takes_no_iterations_away() {
  make_secrets
  [ -e "${BUSY_MACHINE:-}" ] || skip "BUSY_MACHINE names no library"
  ! "$VERSHINA" --version | grep -q sanitizer || skip "a sanitizer must be loaded first"
  echo text > p
  LD_PRELOAD=$BUSY_MACHINE vershina seal --no-progress --passphrase-file pw p && expect_status 0
  vershina inspect p.sealed && expect_stdout_has "passphrase, 1000000 iterations"
}

test_memory_is_constant() {
  make_secrets
  ! "$VERSHINA" --version | grep -q sanitizer || skip "a sanitizer needs memory of its own"
  local peak
  peak() { # of the command, in KiB
    "$@" > /dev/null &
    local pid=$! hwm=0 now
    while now=$(sed -n 's/^VmHWM:[[:space:]]*\([0-9]*\) kB/\1/p' /proc/$pid/status 2> /dev/null) && [ -n "$now" ]; do
      hwm=$now
      sleep 0.01
    done
    wait $pid
    echo "$hwm"
  }
  truncate -s 200M p
  local sealing opening
  sealing=$(peak "$VERSHINA" seal -k k p -o c)
  opening=$(peak "$VERSHINA" open -k k c -o -)
  echo "counted: sealing 200 MiB: $sealing KiB, opening: $opening KiB"
  [ "$sealing" -gt 0 ] && [ "$sealing" -lt 150000 ] && [ "$opening" -gt 0 ] && [ "$opening" -lt 150000 ]
}

# Also by characters, not bytes.
test_short_passphrases() {
  umask 077
  make_data 100 p
  printf '1234567\n' > seven
  printf '12345678\n' > eight
  printf 'яяяяяяя\n' > letters
  seal --passphrase-file seven p -o a && expect_status 0 &&
    expect_error "seven: the passphrase has fewer than 8 characters, and is soon guessed"
  seal --passphrase-file letters p -o b && expect_status 0 && expect_error "letters: the passphrase has fewer than 8"
  seal --passphrase-fd 3 p -o c 3< seven && expect_status 0 && expect_error "descriptor 3: the passphrase has fewer"
  seal -q --passphrase-file seven p -o d && expect_status 0 && expect_silent
  seal --passphrase-file eight p -o e && expect_status 0 && expect_silent
  unseal --passphrase-file seven a -o q && expect_status 0 && expect_silent
  expect_on_terminal 0 "terminal: the passphrase has fewer than 8 characters" $'1234567\n1234567\n' \
    "$VERSHINA" seal --iterations 1000 p -o f
}
