# shellcheck shell=bash
# The progress bar: on a terminal, after a second, gone at the end.

CTR=(-c kuznyechik-ctr --iv-hex 1234567890abcef0)

# slow SECONDS OPTIONS...: encrypts a stream that takes that long, with standard error on a terminal.
slow() {
  need script
  local seconds=$1
  shift
  cat > slow.sh <<SCRIPT
(head -c 3000000 /dev/zero; sleep $seconds; head -c 3000000 /dev/zero) |
  "$VERSHINA" encrypt ${CTR[*]} --key-hex $KEY $* - -o c
SCRIPT
  script -qec "bash slow.sh" /dev/null > .tty < /dev/null
  [ "$(stat -c %s c)" -eq 6000000 ] || fail "wrong output"
}

test_shown_after_a_second() {
  slow 2
  grep -q 'MB/s' .tty || fail "no progress bar: $(cat -v .tty)"
  [ "$(tail -c 4 .tty)" = $'\r\033[K' ] || fail "the bar stays: $(cat -v .tty)"
}

test_not_shown_before() {
  slow 0.2
  [ ! -s .tty ] || fail "$(cat -v .tty)"
}

test_quiet_and_no_progress() {
  slow 1.6 --quiet
  [ ! -s .tty ] || fail "$(cat -v .tty)"
  rm c
  slow 1.6 --no-progress
  [ ! -s .tty ] || fail "$(cat -v .tty)"
}

test_never_without_a_terminal() {
  run "$VERSHINA" encrypt "${CTR[@]}" --key-hex "$KEY" - -o c < <(head -c 100 /dev/zero && sleep 1.6)
  expect_status 0 && expect_silent
}

test_per_cent_of_a_file() {
  need script
  truncate -s 60G sparse 2> /dev/null || skip "no large sparse files here"
  script -qec "timeout 3 '$VERSHINA' hash sparse" /dev/null > .tty < /dev/null || true
  grep -qE '[0-9]+% \[#*-*\]  .* of 64\.4 GB  .* MB/s  .* left' .tty || fail "$(cat -v .tty)"
}
