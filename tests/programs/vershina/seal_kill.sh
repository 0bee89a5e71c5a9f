# shellcheck shell=bash
# SIGKILL at random moments of sealing, opening and rekeying: never half an output under its final name, never a lost
# original, always a file that opens. KILL_ROUNDS and KILL_SEED set the number of rounds and the moments.

ROUNDS=${KILL_ROUNDS:-25}
SEED=${KILL_SEED:-34}

# Sets $duration to the microseconds that a command takes here.
measure() {
  local begin=${EPOCHREALTIME/./}
  "$@" > /dev/null 2>&1
  duration=$((${EPOCHREALTIME/./} - begin))
}

# Starts a command and kills it at a random moment of its $duration, or a little after. Counts in $killed.
kill_at_random() {
  "$@" > .out 2> .err &
  local pid=$! moment=$(((RANDOM * 32768 + RANDOM) % (duration + duration / 8 + 1)))
  sleep "$((moment / 1000000)).$(printf %06d $((moment % 1000000)))"
  kill -KILL $pid 2> /dev/null || true
  status=0
  wait $pid 2> /dev/null || status=$?
  [ $status -ne 137 ] || killed=$((killed + 1))
}

# rounds COUNT PREPARE CHECK COMMAND...: COUNT times prepares, kills the running command, and checks the remains,
# counted in $whole.
rounds() {
  local count=$1 prepare=$2 check=$3
  shift 3
  RANDOM=$SEED
  local duration round killed=0 whole=0
  $prepare
  measure "$@"
  for ((round = 0; round < count; round++)); do
    $prepare
    kill_at_random "$@"
    $check
  done
  echo "counted: $count rounds (seed $SEED), $killed killed on the way, $whole whole outputs"
  [ "$killed" -gt 0 ] || skip "no round was killed on the way: this machine is too busy"
}

remove_outputs() {
  rm -rf c x .vershina-*
}

check_sealed() {
  cmp p keep || fail "round $round: the original changed"
  [ -e c ] || return 0
  unseal -k k c --verify && expect_status 0
  whole=$((whole + 1))
}

test_sealing() {
  make_secrets
  make_data 20000000 p
  cp p keep
  rounds "$ROUNDS" remove_outputs check_sealed "$VERSHINA" seal -k k p -o c
}

put_old() {
  rm -rf .vershina-*
  cp c.old c
}

check_one_or_the_other() {
  unseal -k k c -o - && expect_status 0
  cmp -s .out old || { cmp .out p && whole=$((whole + 1)); }
}

test_sealing_over_an_old_file() {
  make_secrets
  make_data 5000000 p
  echo old > old
  seal -k k old -o c.old && expect_status 0
  rounds "$ROUNDS" put_old check_one_or_the_other "$VERSHINA" seal -f -k k p -o c
}

check_opened() {
  cmp sealed keep || fail "round $round: the sealed file changed"
  [ -e x ] || return 0
  cmp x p || fail "round $round: half a file"
  whole=$((whole + 1))
}

test_opening() {
  make_secrets
  make_data 20000000 p
  seal -k k p -o sealed && expect_status 0
  cp sealed keep
  rounds "$ROUNDS" remove_outputs check_opened "$VERSHINA" open -k k sealed -o x
}

check_tree() {
  [ -e x ] || return 0
  diff -r x tree || fail "round $round: half a directory"
  whole=$((whole + 1))
}

test_opening_a_directory() {
  need_directories
  mkdir tree
  local i
  for ((i = 0; i < 200; i++)); do head -c 20000 /dev/zero > "tree/file$i"; done
  seal -k k tree -o sealed && expect_status 0
  rounds "$ROUNDS" remove_outputs check_tree "$VERSHINA" open -k k sealed -o x
}

put_unchanged() {
  rm -f .vershina-*
  cp old c
}

check_rekeyed() {
  unseal --passphrase-file pw2 c -o x
  if [ "$status" -eq 0 ]; then
    whole=$((whole + 1))
  else
    unseal --passphrase-file pw c -o x && expect_status 0
    with_old=$((with_old + 1))
  fi
  cmp x p || fail "round $round: another content"
  rm x
  # The next change repairs any remains.
  unseal --passphrase-file pw c -o - || true
  if [ "$status" -eq 0 ]; then cp pw now; else cp pw2 now; fi
  vershina rekey --iterations 1000 --passphrase-file now --new-key-file k c && expect_status 0
  unseal -k k c -o - && expect_status 0 && expect_silent && cmp .out p
}

# rekeying BYTES
rekeying() {
  make_secrets
  make_data "$1" p
  seal --passphrase-file pw p -o old && expect_status 0
  local with_old=0
  rounds $((2 * ROUNDS)) put_unchanged check_rekeyed \
    "$VERSHINA" rekey --iterations 1000 --passphrase-file pw --new-passphrase-file pw2 c
  echo "counted: $with_old files opened with the old passphrase, the others with the new one"
}

test_rekeying_in_place() {
  rekeying 1100000
}

test_rekeying_by_a_copy() {
  rekeying 100000
}
