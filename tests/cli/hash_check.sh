# shellcheck shell=bash
# `vershina hash --check`.

make_lists() {
  printf one > a
  printf two > b
  "$VERSHINA" hash a b > SUMS
}

test_good_list() {
  make_lists
  vershina hash --check SUMS && expect_status 0 && expect_silent && expect_stdout "a: OK
b: OK"
  vershina hash -c --quiet SUMS && expect_status 0 && expect_silent && expect_stdout ""
  vershina hash -c --status SUMS && expect_status 0 && expect_silent && expect_stdout ""
  run "$VERSHINA" hash -c < SUMS
  expect_status 0 && expect_stdout_has "a: OK"
}

test_changed_file() {
  make_lists
  printf changed > b
  vershina hash --check SUMS && expect_status 1 && expect_stdout "a: OK
b: FAILED" && expect_error "WARNING: 1 computed checksum did NOT match"
  vershina hash --check --status SUMS && expect_status 1 && expect_stdout "" && expect_silent
}

test_missing_file() {
  make_lists
  rm b
  vershina hash --check SUMS && expect_status 1 && expect_stdout_has "b: FAILED open or read"
  expect_stderr_has "vershina: b: No such file or directory"
  expect_stderr_has "WARNING: 1 listed file could not be read"
  vershina hash --check --ignore-missing SUMS && expect_status 0 && expect_stdout "a: OK" && expect_silent
  rm a
  vershina hash --check --ignore-missing SUMS && expect_status 1 && expect_error "SUMS: no file was verified"
}

test_both_lengths_and_both_formats_in_one_list() {
  make_lists
  {
    "$VERSHINA" hash a
    "$VERSHINA" hash -a streebog512 a
    "$VERSHINA" hash --tag a
    "$VERSHINA" hash --tag -a streebog512 b
    "$VERSHINA" hash -b b
  } > MIXED
  vershina hash --check MIXED && expect_status 0
  [ "$(grep -c ': OK$' .out)" -eq 5 ] || fail "five lines should be OK"
  vershina hash -a streebog512 --check MIXED && expect_status 0
  expect_error "WARNING: 3 lines are improperly formatted"
}

test_names_with_newlines_come_back() {
  local name
  for name in $'new\nline' 'back\slash' $'carriage\rreturn' ' lead' '*star' 'tag (x) = y' '[a,b]'; do
    echo "$name" > "$name"
  done
  "$VERSHINA" hash -- * > .list
  "$VERSHINA" hash --tag -- * >> .list
  vershina hash --check .list && expect_status 0 && expect_silent
  expect_stdout_has '\new\nline: OK'
  [ "$(grep -c ': OK$' .out)" -eq 14 ] || fail "fourteen lines should be OK"
}

test_comments_blank_lines_and_carriage_returns() {
  make_lists
  { echo "# a comment" && echo && sed 's/$/\r/' SUMS && printf '%s' "$(head -n 1 SUMS)"; } > odd
  vershina hash --check --strict odd && expect_status 0 && expect_silent
  [ "$(wc -l < .out)" -eq 3 ] || fail "three lines should be OK"
}

test_improper_lines() {
  make_lists
  echo nonsense >> SUMS
  vershina hash --check SUMS && expect_status 0 && expect_error "WARNING: 1 line is improperly formatted"
  vershina hash --check --strict SUMS && expect_status 1
  vershina hash --check -w SUMS && expect_status 0
  expect_stderr_has "vershina: SUMS: 3: improperly formatted Streebog checksum line"
  echo nonsense > SUMS
  vershina hash --check SUMS && expect_status 1 && expect_error "SUMS: no properly formatted checksum lines found"
}

test_hostile_lists() {
  make_lists
  { head -c 3000000 /dev/zero | tr '\0' a && echo && cat SUMS && head -c 100000 /dev/zero && echo; } > hostile
  vershina hash --check hostile && expect_status 0 && expect_stdout "a: OK
b: OK" && expect_error "WARNING: 2 lines are improperly formatted"
  : > empty
  vershina hash --check empty && expect_status 1 && expect_error "empty: no properly formatted"
}

test_forms_may_not_be_mixed() {
  make_lists
  sed 's/  / /' SUMS > reversed
  vershina hash --check reversed && expect_status 0 && expect_stdout "a: OK
b: OK"
  cat SUMS reversed > mixed
  vershina hash --check mixed && expect_error "WARNING: 2 lines are improperly formatted"
}

test_missing_list() {
  vershina hash --check missing && expect_status 1 && expect_error "missing: No such file or directory"
}

test_thousands_of_lines_keep_their_order() {
  local i
  for i in $(seq 1 2000); do echo "$i" > "f$i"; done
  "$VERSHINA" hash f* > .list
  vershina hash --check --threads 5 .list && expect_status 0
  [ "$(sed 's/: OK$//' .out)" = "$(printf '%s\n' f*)" ] || fail "order"
}
