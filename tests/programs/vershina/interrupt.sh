# shellcheck shell=bash
# Interrupted runs.

CTR=(-c kuznyechik-ctr --iv-hex 1234567890abcef0)

# Starts an encryption that waits for its input in the middle. Sets $pid. Jobs of a script ignore SIGINT, so the default
# is put back.
start() {
  mkfifo fifo
  env --default-signal=INT,HUP,TERM,QUIT "$VERSHINA" encrypt "${CTR[@]}" --key-hex "$KEY" fifo -o "$1" --force 2> .err &
  pid=$!
  exec 9> fifo
  head -c 100000 /dev/zero >&9
  wait_for compgen -G '.vershina-*.tmp'
}

finish() {
  kill "-$1" "$pid" 2> /dev/null || true # it may have ended
  status=0
  wait "$pid" 2> /dev/null || status=$?
  exec 9>&-
  : > .out
}

interrupted_by() {
  env --default-signal=INT true 2> /dev/null || skip "env lacks --default-signal"
  start c
  finish "$1"
  expect_status "$2" && expect_error "interrupted: c was not written" && expect_no_file c
}

test_sigint() { interrupted_by INT 130; }
test_sigterm() { interrupted_by TERM 143; }
test_sighup() { interrupted_by HUP 129; }
test_sigquit() { interrupted_by QUIT 131; }

# The second one waits for the first one's clean-up: closing terminals and service managers send pairs.
test_pairs() {
  env --default-signal=INT true 2> /dev/null || skip "env lacks --default-signal"
  local round
  for ((round = 0; round < 20; round++)); do
    start c
    kill -INT "$pid"
    sleep "0.00$((round % 10))"
    kill -TERM "$pid" 2> /dev/null || true
    finish TERM
    expect_status 130 && expect_error "interrupted: c was not written" && expect_no_file c
    rm fifo
  done
}

test_the_old_file_survives() {
  env --default-signal=INT true 2> /dev/null || skip "env lacks --default-signal"
  echo precious > c
  start c
  finish INT
  expect_status 130
  [ "$(cat c)" = precious ] && expect_no_temporary
}

test_sigkill_leaves_nothing_under_the_final_name() {
  start c
  finish KILL
  expect_status 137
  [ ! -e c ] || fail "c exists"
}

test_nohup_is_respected() {
  mkfifo fifo
  (trap '' HUP && exec "$VERSHINA" encrypt "${CTR[@]}" --key-hex "$KEY" fifo -o c 2> .err) &
  pid=$!
  exec 9> fifo
  wait_for compgen -G '.vershina-*.tmp'
  kill -HUP $pid
  sleep 0.2
  exec 9>&-
  wait $pid
  [ -e c ] && expect_no_temporary
}
