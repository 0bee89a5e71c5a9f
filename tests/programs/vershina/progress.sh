# shellcheck shell=bash
# The progress bar: on a terminal, after a second, gone at the end.

CTR=(-c kuznyechik-ctr --iv-hex 1234567890abcef0)

# on_terminal OPTIONS...: encrypts the pipe `in`, open as descriptor 9, in the background, with standard error on a
# terminal whose text goes to .tty. Afterwards $pid, and in $begin when that was (microseconds).
on_terminal() {
  need_terminal
  mkfifo in
  begin=${EPOCHREALTIME/./}
  script -qec "\"$VERSHINA\" encrypt ${CTR[*]} --key-hex $KEY $* in -o c" /dev/null > .tty < /dev/null &
  pid=$!
  exec 9> in
  head -c 3000000 /dev/zero >&9
}

finish_input() {
  head -c 3000000 /dev/zero >&9
  exec 9>&-
  wait "$pid"
  [ "$(stat -c %s c)" -eq 6000000 ] || fail "wrong output"
}

# On any machine, the program began later than $begin.
test_shown_after_a_second_and_not_before() {
  on_terminal
  wait_for [ -s .tty ]
  local waited=$((${EPOCHREALTIME/./} - begin))
  [ $waited -ge 1000000 ] || fail "shown after $waited microseconds"
  grep -q 'MB/s' .tty || fail "no progress bar: $(cat -v .tty)"
  finish_input
  [ "$(tail -c 4 .tty)" = $'\r\033[K' ] || fail "the bar stays: $(cat -v .tty)"
}

test_quiet_and_no_progress() {
  local option
  for option in --quiet --no-progress; do
    on_terminal $option
    sleep 1.6
    finish_input
    [ ! -s .tty ] || fail "$option: $(cat -v .tty)"
    rm c in
  done
}

test_never_without_a_terminal() {
  run "$VERSHINA" encrypt "${CTR[@]}" --key-hex "$KEY" - -o c < <(head -c 100 /dev/zero && sleep 1.6)
  expect_status 0 && expect_silent
}

test_per_cent_of_a_file() {
  need_terminal
  truncate -s 60G sparse 2> /dev/null || skip "no large sparse files here"
  script -qec "echo \$\$ > pid; exec \"$VERSHINA\" hash sparse" /dev/null > .tty < /dev/null &
  wait_for grep -qE '[0-9]+% \[#*-*\]  .* of 64\.4 GB  .* MB/s  .* left' .tty
  kill "$(cat pid)"
  wait
}
