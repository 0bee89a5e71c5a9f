# shellcheck shell=bash
# `vershina rekey`: recipients afterwards, and identical content.

rekey() {
  vershina rekey --iterations 1000 "$@"
}

# Long enough that the header is changed in place.
make_sealed() {
  make_secrets
  make_data 1100000 p
  seal "$@" p -o c && expect_status 0
  tail -c +8193 c > payload
}

opens() {
  unseal "$@" c -o - && expect_status 0 && cmp .out p
  tail -c +8193 c | cmp - payload
}

opens_not() {
  unseal "$@" c -o x && expect_status 6 && expect_no_file x
}

test_a_file_system_without_locks() {
  [ -e "${NO_LOCKS:-}" ] || skip "NO_LOCKS names no library"
  ! "$VERSHINA" --version | grep -q sanitizer || skip "a sanitizer must be loaded first"
  make_sealed -k k
  LD_PRELOAD=$NO_LOCKS rekey -k k --new-passphrase-file pw c
  expect_status 0 && expect_error "c: this file system does not lock it (No locks available)"
  opens --passphrase-file pw
}

test_change_a_passphrase() {
  make_sealed --passphrase-file pw -k k
  rekey --passphrase-file pw --new-passphrase-file pw2 c && expect_status 0 && expect_silent && expect_stdout ''
  opens --passphrase-file pw2
  opens -k k
  opens_not --passphrase-file pw
  vershina inspect c && expect_stdout_has "whole, generation 2" && ! grep -q 'generation 1' .out
  # Nothing of the old slot is left.
  cmp <(head -c 4096 c) <(tail -c +4097 c | head -c 4096)
}

test_add_and_remove() {
  make_sealed -k k
  rekey -k k --keep --new-passphrase-file pw --new-passphrase-file pw2 c && expect_status 0
  opens -k k && opens --passphrase-file pw && opens --passphrase-file pw2
  rekey --passphrase-file pw2 --remove 2 c && expect_status 0
  opens -k k && opens --passphrase-file pw2 && opens_not --passphrase-file pw
  rekey --passphrase-file pw2 --remove 1 --remove 2 c && expect_status 2 &&
    expect_error "nobody could open the file any more"
  rekey --passphrase-file pw2 --remove 3 c && expect_status 2 && expect_error "--remove 3: there is no such recipient"
  rekey --passphrase-file pw2 --remove 0 c && expect_status 2
  opens -k k && opens --passphrase-file pw2
  head -c 32 /dev/zero > other
  rekey -k k --new-key-file other --remove 2 c && expect_status 0
  opens -k other && opens_not -k k && opens_not --passphrase-file pw2
}

test_on_the_terminal() {
  make_sealed --passphrase-file pw
  expect_on_terminal 0 '' $'correct horse\nnovel\nnovel\n' "$VERSHINA" rekey --iterations 1000 c
  printf novel > g
  opens --passphrase-file g
  opens_not --passphrase-file pw
}

# A short header, whose slots share a sector, or one that becomes longer: a copy replaces the file.
test_small_files() {
  make_secrets
  make_data 10000 p
  seal --passphrase-file pw -k k p -o c && expect_status 0
  vershina inspect c && expect_stdout_has '2 slots of 512 bytes'
  tail -c +1025 c > payload
  chmod 640 c
  ln c before
  rekey --passphrase-file pw --new-passphrase-file pw2 c && expect_status 0 && expect_no_temporary &&
    expect_stderr_has "c: its other names (hard links) still lead to the old file"
  [ "$(stat -c %a c)" = 640 ] || fail "mode $(stat -c %a c)"
  tail -c +1025 c | cmp - payload
  unseal -k k before -o - && expect_status 0 && cmp .out p # the old file, kept by another name
  unseal --passphrase-file pw2 c -o - && expect_status 0 && cmp .out p
  unseal --passphrase-file pw c -o x && expect_status 6
  rekey -k k --keep --new-passphrase-file pw c && expect_status 0
  vershina inspect c && expect_stdout_has '2 slots of 1024 bytes'
  tail -c +2049 c | cmp - payload
  rekey -k k --remove 2 --remove 3 c && expect_status 0
  vershina inspect c && expect_stdout_has '2 slots of 512 bytes'
  tail -c +1025 c | cmp - payload
  unseal -k k c -o - && expect_status 0 && cmp .out p
  cp c d
  # The disk is full before the copy is complete.
  status=0
  (ulimit -f 4 && rekey -k k --keep --new-passphrase-file pw c && expect_status 4) || fail "status of a full disk"
  cmp c d && expect_no_temporary
}

# More recipients than the slots can hold: they become longer.
test_a_longer_header() {
  make_sealed -k k
  local many=()
  for _ in $(seq 22); do many+=(--new-passphrase-file pw2); done
  rekey -k k --keep "${many[@]}" c && expect_status 0
  vershina inspect c && expect_stdout_has '2 slots of 8192 bytes'
  tail -c +16385 c | cmp - payload
  unseal -k k c -o - && expect_status 0 && cmp .out p
}

# No passphrase is asked for where none opens the file.
test_only_key_files() {
  make_sealed -k k
  cp c keep
  run "$VERSHINA" rekey c < /dev/null && expect_status 2 &&
    expect_error "c: no passphrase opens it, only a key file" "give that with -k FILE"
  cmp c keep
}

# In place a hard link is the same file, with the same new recipients; there is nothing to say.
test_hard_link_in_place() {
  make_sealed --passphrase-file pw
  ln c other
  rekey --passphrase-file pw --new-passphrase-file pw2 c && expect_status 0 && expect_silent
  unseal --passphrase-file pw2 other -o - && expect_status 0 && cmp .out p
}

test_failures_leave_the_file_alone() {
  make_sealed --passphrase-file pw
  cp c keep
  echo nonsense > bad
  : > empty
  rekey --passphrase-file bad --new-passphrase-file pw2 c && expect_status 6
  rekey --passphrase-file pw --new-passphrase-file empty c && expect_status 2
  rekey --passphrase-file pw --new-passphrase-file missing c && expect_status 3
  rekey --passphrase-file pw --new-passphrase-file pw2 missing && expect_status 4 &&
    expect_error "missing: No such file"
  rekey --passphrase-file pw --new-passphrase-file pw2 p && expect_status 7
  rekey --passphrase-file pw - && expect_status 2 && expect_error "rekey changes a file in place"
  rekey --passphrase-file pw . && [ "$status" -ne 0 ]
  rekey --passphrase-file - --new-passphrase-file - c < pw && expect_status 2 &&
    expect_error "standard input is read already"
  run "$VERSHINA" rekey --max-iterations 999 --passphrase-file pw --new-passphrase-file pw2 c && expect_status 11
  local many=()
  for _ in $(seq 32); do many+=(--new-passphrase-file pw2); done
  rekey --passphrase-file pw --keep "${many[@]}" c && expect_status 2 && expect_error "too many passphrases and keys"
  cmp c keep
}

test_a_damaged_copy_is_made_good() {
  make_sealed --passphrase-file pw
  local place
  for place in 0 1; do
    dd if=/dev/zero of=c bs=4096 seek=$place count=1 conv=notrunc 2> .dd
    vershina rekey --keep --passphrase-file pw c && expect_status 0 && expect_error "one of the two copies"
    unseal --passphrase-file pw c -o - && expect_status 0 && expect_silent && cmp .out p
  done
  tail -c +8193 c | cmp - payload
}

test_a_crash_between_the_slots() {
  make_sealed --passphrase-file pw
  cp c before
  rekey --passphrase-file pw --new-passphrase-file pw2 c && expect_status 0
  cp c after
  local place
  for place in 0 1; do
    cp before c
    dd if=after of=c bs=4096 skip=$place seek=$place count=1 conv=notrunc 2> .dd
    # The new slot is in force once written: the old passphrase is wrong although the old slot accepts it.
    unseal --passphrase-file pw c -o x && expect_status 6
    unseal --passphrase-file pw2 c -o - && expect_status 0 && expect_error "one of the two copies" && cmp .out p
    # A torn write of it leaves the old one.
    dd if=/dev/zero of=c bs=1 seek=$((place * 4096 + 2000)) count=2096 conv=notrunc 2> .dd
    unseal --passphrase-file pw c -o - && expect_status 0 && cmp .out p
    # And a rekey repairs it.
    vershina rekey --iterations 1000 --passphrase-file pw --new-passphrase-file pw2 c && expect_status 0
    unseal --passphrase-file pw2 c -o - && expect_status 0 && expect_silent
  done
}

test_one_at_a_time() {
  make_sealed --passphrase-file pw
  need flock
  cp c keep
  flock c "$VERSHINA" rekey --iterations 1000 --passphrase-file pw --new-passphrase-file pw2 c 2> .err > .out &&
    fail "not locked"
  status=$?
  expect_error "c: another rekey is at work on it"
  cmp c keep
}

test_through_a_link() {
  make_sealed --passphrase-file pw
  ln -s c link
  ln c hard
  rekey --passphrase-file pw --new-passphrase-file pw2 link && expect_status 0 && [ -L link ]
  opens --passphrase-file pw2
  unseal --passphrase-file pw2 hard -o - && expect_status 0
}

test_read_only() {
  make_sealed --passphrase-file pw
  [ "$(id -u)" -ne 0 ] || skip "root can write everything"
  chmod 444 c
  rekey --passphrase-file pw --new-passphrase-file pw2 c && expect_status 4 && expect_error "c: Permission denied"
}

# The header is written over: one slot is on the disk before the other is touched.
test_power_failure() {
  need_recorder
  make_secrets
  make_data 3000000 p
  seal -k k p -o c && expect_status 0
  recorded "$VERSHINA" rekey -k k --keep --new-passphrase-file pw --iterations 1000 c && expect_status 0
  [ "$(grep " $PWD/c\$" .record | cut -d ' ' -f 1 | tr '\n' ' ')" = 'write sync write sync ' ] ||
    fail "$(cat .record)"
  make_data 1000 small
  seal -k k small -o d && expect_status 0
  recorded "$VERSHINA" rekey -k k --keep --new-passphrase-file pw --iterations 1000 d && expect_whole d
}

# A copy of the content takes its time, in which nothing is asked.
test_the_echo_is_on_again_before_a_copy() {
  need_recorder
  make_secrets
  make_data 1000 p
  seal --passphrase-file pw p -o c && expect_status 0
  expect_on_terminal 0 '' $'correct horse\nbattery staple\nbattery staple\n' \
    env RECORD="$PWD/.record" LD_PRELOAD="$RECORDER" "$VERSHINA" rekey --iterations 1000 c
  grep -qx 'echo off' .record && sed '/^write /q' .record | grep -qx 'echo on' || fail "$(cat .record)"
}

# Between the first question and the last answer the echo is off, while keys are derived too, and characters typed then
# are taken for an answer; those that no question took do not reach the shell.
test_typing_ahead() {
  need python3
  need_terminal
  make_secrets
  make_data 100 p
  vershina seal --iterations 300000 --passphrase-file pw p && expect_status 0
  python3 - "$VERSHINA" > shown << 'PYTHON' || fail "$(cat shown)"
import os, pty, select, signal, sys, termios, time
script = """\
"$0" rekey --iterations 1000 p.sealed; status=$?
IFS= read -r -t 0.2 left; echo "status $status, left $left."
"""
pid, master = pty.fork()
if pid == 0:
    os.execvp("bash", ["bash", "-c", script, sys.argv[1]])
shown, asked, typed, echoed = b"", False, False, False
deadline = time.monotonic() + 60  # a question that nothing answers
while time.monotonic() < deadline and not echoed:
    asked = asked or b"Passphrase: " in shown
    over = b"status" in shown
    if asked and not over and b"again: " not in shown:
        echoed = echoed or bool(termios.tcgetattr(master)[3] & termios.ECHO)
    if asked and not typed:
        while termios.tcgetattr(master)[3] & termios.ECHO: pass
        typed = bool(os.write(master, b"correct horse\nbattery staple\nbattery staple\nsecret of mine\n"))
    if not select.select([master], [], [], 0.001)[0]: continue
    try: piece = os.read(master, 4096)
    except OSError: break
    if not piece: break
    shown += piece
print(shown.decode(), "\nechoed" if echoed else "")
if b"left" not in shown: os.kill(pid, signal.SIGKILL)
os.waitpid(pid, 0)
sys.exit(echoed or b"status 0, left ." not in shown or b"battery" in shown or b"secret of" in shown)
PYTHON
  vershina open --passphrase-file pw2 p.sealed -o q && expect_status 0 && cmp p q
}
