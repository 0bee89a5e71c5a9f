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

HASH_256=3d27f089944d4d80d99284ca766609ae7ef31e2a343c1c78bf1978b0771db904 # of "hi" and a newline, by RHash
HASH_512=91107843dd5519623b12a17eb98963f6d544d756e4ca06bef179e6cabc915229\
142e03fefab0427f5889c1753117658b172d99ef7935e7a9e92da525370a73cd
HASH_94=eaf5438500ec16ddc088aaf020f4c22caf4d5f3e40400cd9e124cbd9ccfaa6e0
HASH_94_CRYPTOPRO=89e97daf608f4cb6e16ee4457b80521edf8b916412d58a324fb5b5de144eb730

# As written by RHash 1.4.3, and by openssl dgst with the GOST engine, its provider and this one.
test_lists_of_rhash_and_openssl() {
  local line name='a b (c).txt'
  echo hi > "$name"
  while read -r line; do
    echo "$line" > L
    vershina hash --check L && expect_status 0 && expect_silent && expect_stdout "$name: OK"
    echo hello > "$name"
    vershina hash --check L && expect_status 1 && expect_stdout "$name: FAILED"
    echo hi > "$name"
  done << EOF
$HASH_256  $name
GOST12-256 ($name) = $HASH_256
GOST12-256 ($name) = ${HASH_256^^}
GOST12-512 ($name) = $HASH_512
GOST94 ($name) = $HASH_94
GOST94-CRYPTOPRO ($name) = $HASH_94_CRYPTOPRO
md_gost12_256($name)= $HASH_256
MD_GOST12_256($name)= $HASH_256
md_gost12_512($name)= $HASH_512
md_gost94($name)= $HASH_94_CRYPTOPRO
id-tc26-gost3411-12-256($name)= $HASH_256
id-tc26-gost3411-12-512($name)= $HASH_512
$HASH_256 *$name
EOF
  for line in "GOST12-257 (p) = $HASH_256" "GOST12-256 (p) = $HASH_512" "SHA256 (p) = $HASH_256" \
    "md_gost12_256p= $HASH_256"; do
    echo "$line" > L
    vershina hash --check L && expect_status 1 && expect_error "no properly formatted checksum lines found"
  done
}

test_lists_that_rhash_makes() {
  need rhash
  local algorithm
  echo hi > 'a b (c).txt'
  echo ho > p
  for algorithm in gost12-256 gost12-512 gost94 gost94-cryptopro; do
    rhash --bsd --$algorithm p 'a b (c).txt' > L
    vershina hash -c L && expect_status 0 && expect_silent && expect_stdout "p: OK
a b (c).txt: OK"
  done
  rhash --gost12-256 p > L
  vershina hash -c L && expect_status 0 && expect_stdout "p: OK"
}

test_lists_that_openssl_makes() {
  need openssl
  local algorithm
  openssl dgst -engine gost -md_gost12_256 /dev/null > /dev/null 2>&1 || skip "openssl has no GOST engine here"
  echo hi > 'a b (c).txt'
  echo ho > p
  for algorithm in md_gost12_256 md_gost12_512 md_gost94; do
    openssl dgst -engine gost -$algorithm p 'a b (c).txt' > L 2> /dev/null
    vershina hash -c L && expect_status 0 && expect_silent && expect_stdout "p: OK
a b (c).txt: OK"
  done
}

# A different hash of the same length looks like a damaged file; if nothing matches, it is the more likely cause.
test_a_list_of_another_hash() {
  local hint="L: not one matches: are they of Streebog?"
  make_lists
  sha256sum a b > L
  vershina hash -c L && expect_status 1 && expect_stderr_has "$hint"
  [ "$(wc -l < .err)" -eq 2 ] || fail "the hint comes once, after the warning"
  sha512sum a b > L
  vershina hash -c L && expect_status 1 && expect_stderr_has "$hint"
  vershina hash -c --status L && expect_status 1 && expect_silent
  cat SUMS >> L
  vershina hash -c L && expect_status 1 && expect_error "2 computed checksums did NOT match"
  "$VERSHINA" hash --tag a b > L
  echo changed > a
  echo changed > b
  vershina hash -c L && expect_status 1 && expect_error "2 computed checksums did NOT match"
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

# Lists written by editors on Windows: no file of the list is left unseen at exit status 0.
test_byte_order_marks() {
  echo a > a
  echo b > b
  vershina hash a b && cp .out SUMS
  (printf '\xef\xbb\xbf' && cat SUMS) > marked
  vershina hash --check marked && expect_status 0 && expect_silent && expect_stdout $'a: OK\nb: OK'
  (printf '\xef\xbb\xbf# comment\r\n' && sed 's/$/\r/' SUMS) > marked
  vershina hash --check marked && expect_status 0 && expect_silent && expect_stdout $'a: OK\nb: OK'
  echo changed > a
  (printf '\xef\xbb\xbf' && cat SUMS) > marked
  vershina hash --check marked && expect_status 1 && expect_stdout_has 'a: FAILED'
  (cat SUMS && printf '\xef\xbb\xbf' && cat SUMS) > marked # in the middle it is not a mark
  vershina hash --check marked && expect_stderr_has "1 line is improperly formatted"
  need iconv
  local form
  for form in UTF-16 UTF-16LE UTF-16BE; do
    (printf '\xef\xbb\xbf' && cat SUMS) | iconv -f UTF-8 -t $form > wide
    vershina hash --check wide && expect_status 1 && expect_error "wide: the list is UTF-16" "iconv" && expect_stdout ''
  done
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
