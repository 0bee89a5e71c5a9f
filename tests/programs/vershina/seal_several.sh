# shellcheck shell=bash
# Several files for `seal` and `open`, and what both say on a terminal.

# Files a, b and c of different lengths, with copies in keep/.
make_files() {
  make_secrets
  mkdir keep
  make_data 10 a
  make_data 70000 b
  : > c
  cp a b c keep
}

expect_files() {
  local name
  for name in "$@"; do cmp "$name" "keep/$name"; done
}

test_each_to_its_own_file() {
  make_files
  seal -k k a b c && expect_status 0 && expect_silent && expect_files a b c
  rm a b c
  unseal -k k a.sealed b.sealed c.sealed && expect_status 0 && expect_silent && expect_files a b c
  unseal -k k --verify a.sealed b.sealed c.sealed && expect_status 0 &&
    expect_stdout $'a.sealed: OK\nb.sealed: OK\nc.sealed: OK'
  # Each has a key of its own: nothing of the files is the same.
  ! cmp -s <(head -c 512 a.sealed) <(head -c 512 c.sealed) || fail "two files have one header"
  [ "$(head -c 48 a.sealed | tail -c 32 | hex)" != "$(head -c 48 c.sealed | tail -c 32 | hex)" ] || fail "one file id"
}

test_suffix() {
  make_files
  seal -k k --suffix .enc a b && expect_status 0 && expect_no_file a.sealed b.sealed && rm a b
  unseal -k k --suffix=.enc a.enc b.enc && expect_status 0 && expect_files a b
  seal -k k --suffix .a.b c && expect_status 0 && [ -f c.a.b ]
  unseal -k k a.enc && expect_status 2 && expect_error "a.enc: does not end with .sealed" "-o"
  unseal -k k a.enc b.enc && expect_status 2 && expect_error "a.enc: does not end with .sealed" "--suffix"
  unseal -k k --suffix .enc .enc && expect_status 2
  local wrong
  for wrong in . enc /x .x/y ../x; do
    seal -k k --suffix "$wrong" a && expect_status 2 && expect_error "--suffix $wrong: is not a suffix"
  done
  seal -k k --suffix .enc -o x a && expect_status 2 && expect_error "excludes"
  unseal -k k --suffix .enc -o x a.enc && expect_status 2 && expect_error "excludes"
  expect_no_file x
}

test_one_output_for_several_files() {
  make_files
  seal -k k a b -o x && expect_status 2 && expect_error "-o names one output" && expect_no_file x
  seal -k k a b && expect_status 0
  unseal -k k a.sealed b.sealed -o x && expect_status 2 && expect_error "-o and --range are for one file"
  unseal -k k a.sealed b.sealed --range 0-1 && expect_status 2
  seal -k k a - < b && expect_status 2 && expect_error "standard input is one of several inputs"
  unseal -k k a.sealed - < b.sealed && expect_status 2
  expect_no_file x
}

# A failure of one file is reported, and the others are done; the status is that of the first failure.
test_one_fails() {
  make_files
  mkdir dir
  echo precious > b.sealed
  seal -k k a missing b c && expect_status 3
  [ "$(wc -l < .err)" -eq 2 ] && expect_stderr_has "missing: No such file" &&
      expect_stderr_has "b.sealed: the file exists already"
  [ "$(cat b.sealed)" = precious ] && expect_no_file missing.sealed
  rm a c
  unseal -k k a.sealed c.sealed && expect_status 0 && expect_files a c
  rm a c
  cp a.sealed wrong.sealed && head -c 40 a.sealed > short.sealed
  head -c 32 /dev/zero > other
  seal -k other keep/b -o foreign.sealed && expect_status 0
  unseal -k k foreign.sealed a.sealed short.sealed b.sealed c.sealed && expect_status 6
  [ "$(wc -l < .err)" -eq 3 ] && expect_stderr_has "foreign.sealed: no passphrase or key given opens it"
  expect_stderr_has "short.sealed: it is cut off" && expect_stderr_has "b.sealed: not a sealed file"
  expect_files a c && expect_no_file foreign short
  unseal -k k --verify short.sealed a.sealed && expect_status 9 && expect_stdout "a.sealed: OK"
  # A damaged one leaves nothing.
  printf x | dd of=wrong.sealed bs=1 seek=1030 conv=notrunc 2> .dd
  unseal -k k -f wrong.sealed c.sealed && expect_status 8 && expect_no_file wrong && expect_files c
  # A fault that concerns all files stops all of them, once.
  seal -k missing -f b c && expect_status 3 && expect_error "missing: No such file"
  seal -k k -f --kernel nonsense b c && expect_status 5 && expect_error "kernel nonsense"
  local many=()
  for _ in $(seq 33); do many+=(-k k); done
  seal "${many[@]}" -f b c && expect_status 2 && expect_error "too many passphrases"
  [ "$(cat b.sealed)" = precious ] || fail "b.sealed was touched"
}

# Two outputs of one name, or an output that is an input, are found before anything is written.
test_conflicts() {
  make_files
  mkdir sub
  ln -s . here
  local pair
  for pair in "a ./a" "b sub/../b" "a here/a" "a a"; do
    # shellcheck disable=SC2086
    seal -k k -f c $pair && expect_status 2 && expect_error "would be the output of" && expect_no_file c.sealed
  done
  seal -k k -f c sub sub/ && expect_status 2 && expect_error "sub.sealed"
  # Also where the names differ, and lead to one file.
  : > x.sealed
  ln -s x.sealed a.sealed
  ln x.sealed b.sealed
  seal -k k -f c a b && expect_status 2 && expect_error "b.sealed: would be the output of a and of b"
  rm a.sealed b.sealed x.sealed
  seal -k k a b && expect_status 0
  cp a.sealed kept
  seal -k k -f c a.sealed a && expect_status 2 && expect_error "a.sealed: is an input, and would be the output of a"
  seal -k k -f a a.sealed c && expect_status 2 && cmp a.sealed kept && expect_no_file c.sealed a.sealed.sealed
  seal -k k a.sealed -o twice.sealed.sealed && cp a.sealed twice.sealed && expect_status 0
  unseal -k k -f b.sealed twice.sealed.sealed twice.sealed && expect_status 2 &&
    expect_error "twice.sealed: is an input, and would be the output of twice.sealed.sealed"
  unseal -k k -f a.sealed ./a.sealed && expect_status 2 && expect_error "would be the output of"
  unseal -k k --verify a.sealed ./a.sealed && expect_status 0 # writes nothing
  expect_files a b c
}

test_directories_among_them() {
  make_files
  need_directories
  mkdir -p d/e && cp b d/e/
  seal -k k a d c && expect_status 0
  mv d keep/ && rm a c
  # Relative names after a directory are those of this directory, also where it failed.
  unseal -k k a.sealed d.sealed c.sealed && expect_status 0 && expect_files a c && cmp d/e/b keep/b
  rm a c
  unseal -k k d.sealed a.sealed c.sealed && expect_status 4 && expect_error "d: " && expect_files a c
}

# A directory that can be searched but not read: it is come back to, all the same.
test_directories_in_an_unreadable_place() {
  make_files
  need_directories
  mkdir -p d box && cp b d/
  seal -k k a d && expect_status 0
  mv a.sealed d.sealed k box/
  as_user 'cd box && chmod 300 . && { ../vershina open -k k d.sealed a.sealed; status=$?; chmod 755 .; exit $status; }'
  expect_status 0 && expect_silent && cmp box/a keep/a && cmp box/d/b keep/b
}

test_texts_on_a_terminal() {
  make_files
  expect_on_terminal 0 'a.sealed written, 1 passphrase' $'geheim\ngeheim\n' "$VERSHINA" seal --iterations 1000 a b
  [ "$(grep -c 'New passphrase: ' .tty)" -eq 1 ] || fail "asked more than once: $(cat -v .tty)"
  grep -q '^a.sealed written, 1 passphrase' .tty && grep -q '^b.sealed written, 1 passphrase' .tty ||
      fail "$(cat -v .tty)"
  rm a b
  expect_on_terminal 0 'a written' $'geheim\n' "$VERSHINA" open a.sealed b.sealed
  [ "$(grep -c 'Passphrase: ' .tty)" -eq 1 ] || fail "$(cat -v .tty)"
  grep -q '^a written' .tty && grep -q '^b written' .tty || fail "$(cat -v .tty)"
  expect_files a b
  rm ./*.sealed
  expect_on_terminal 0 'a.sealed written, 2 passphrases and 2 keys' '' "$VERSHINA" seal --iterations 1000 \
    --passphrase-file pw --passphrase-file pw2 -k k -k k a
  expect_on_terminal 0 'a.sealed: OK, 2 passphrases and 2 keys' '' "$VERSHINA" open --verify -k k a.sealed
  expect_on_terminal 0 'b.sealed written, 1 key' '' "$VERSHINA" seal -k k b
  terminal '' "$VERSHINA" seal -q -k k c
  [ -f c.sealed ] || fail "not sealed: $(cat -v .tty)"
  [ ! -s .tty ] || fail "not quiet: $(cat -v .tty)"
  # To standard output, and if standard error is not a terminal, nothing is printed.
  terminal '' bash -c '"$VERSHINA" seal -k k c -o - > out'
  [ ! -s .tty ] || fail "$(cat -v .tty)"
  seal -k k -f a && expect_silent
  # A name cannot command the terminal.
  cp a $'\e[2J'
  terminal '' "$VERSHINA" seal -k k $'\e[2J'
  grep -qF "\$'\\033'" .tty && ! grep -q $'\e\\[2J' .tty || fail "$(cat -v .tty)"
}

# The first question that goes wrong ends it: nobody is asked again for the next file.
test_a_question_goes_wrong() {
  make_files
  expect_on_terminal 2 'the two passphrases differ' $'one\nanother\n' "$VERSHINA" seal --iterations 1000 a b c
  expect_no_file a.sealed b.sealed c.sealed
}

# Killed anywhere: whole files and no others.
test_killed_between_files() {
  make_secrets
  mkdir keep
  local i names=() round
  for i in 1 2 3 4 5 6; do make_data $((i * 700000)) "keep/f$i" && cp "keep/f$i" . && names+=("f$i"); done
  for round in 1 2 3 4 5 6 7 8; do
    rm -f ./*.sealed
    "$VERSHINA" seal -k k "${names[@]}" &
    sleep "0.0$round"
    kill -KILL $! 2> /dev/null || true
    wait $! 2> /dev/null || true
    for i in "${names[@]}"; do
      [ ! -e "$i.sealed" ] || { unseal -k k "$i.sealed" -o - && expect_status 0 && cmp .out "keep/$i"; }
    done
    rm -f .vershina-*
  done
  "$VERSHINA" seal -k k -f "${names[@]}" && rm "${names[@]}"
  # Ended by a signal that can be caught, nothing temporary stays.
  "$VERSHINA" open -k k ./*.sealed &
  sleep 0.05
  kill -TERM $! 2> /dev/null || true
  wait $! 2> /dev/null || true
  expect_no_temporary
  for i in "${names[@]}"; do [ ! -e "$i" ] || cmp "$i" "keep/$i"; done
}

test_full_disk() {
  make_files
  make_data 3000000 long
  run bash -c 'ulimit -f 1000 && exec "$VERSHINA" seal -k k a long b'
  expect_status 4 && expect_error "long.sealed: File too large" && expect_no_file long.sealed
  mv a b long keep/
  unseal -k k a.sealed b.sealed && expect_status 0 && expect_files a b
}
