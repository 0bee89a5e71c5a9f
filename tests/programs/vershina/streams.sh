# shellcheck shell=bash
# shellcheck disable=SC2016 # the inner shell expands
# Standard input and standard output where no files are named.

CTR=(-c kuznyechik-ctr --iv-hex 1234567890abcef0)

test_encrypt_and_decrypt() {
  make_data 100000 p
  encrypt "${CTR[@]}" p -o want && expect_status 0
  "$VERSHINA" encrypt --key-hex "$KEY" "${CTR[@]}" < p > c && cmp c want
  "$VERSHINA" encrypt --key-hex "$KEY" "${CTR[@]}" p > c && cmp c want
  "$VERSHINA" encrypt --key-hex "$KEY" "${CTR[@]}" -o c2 < <(cat p) && cmp c2 want
  "$VERSHINA" encrypt --key-hex "$KEY" "${CTR[@]}" < p | "$VERSHINA" decrypt --key-hex "$KEY" "${CTR[@]}" | cmp - p
  "$VERSHINA" decrypt --key-hex "$KEY" "${CTR[@]}" c > p2 && cmp p p2
  # Nothing is read before the options are right.
  "$VERSHINA" encrypt --key-hex "$KEY" -c kuznyechik-ctr < p > c 2> .err && fail "no IV"
  [ ! -s c ] && expect_error "needs an IV"
}

test_seal() {
  make_secrets
  make_data 100000 p
  "$VERSHINA" seal -k k < p > s && unseal -k k s -o p2 && cmp p p2
  "$VERSHINA" seal -k k -o s2 < <(cat p) && unseal -k k s2 -o p3 && cmp p p3
  seal -k k p && expect_status 0 && expect_stdout "" && unseal -k k p.sealed -o p4 && cmp p p4
}

# The data is standard input, so a key or a passphrase is not.
test_standard_input_is_taken() {
  make_secrets
  run "$VERSHINA" encrypt "${CTR[@]}" -k - -o x < k
  expect_status 2 && expect_error "--key-file -: standard input is read as data already"
  run "$VERSHINA" seal --passphrase-file - -o x < pw
  expect_status 2 && expect_error "standard input is read already"
  run "$VERSHINA" encrypt -c kuznyechik-ctr --openssl-salted --passphrase-fd 0 -o x < pw
  expect_status 2 && expect_error "standard input is read already"
  expect_no_file x
}

# The output may not be the file that standard input is redirected from.
test_redirections() {
  make_secrets
  cp k p
  run bash -c '"$VERSHINA" encrypt "$@" -k k < p >> p' - "${CTR[@]}"
  expect_status 4 && expect_error "the output is the same file as standard input" && cmp k p
  run bash -c '"$VERSHINA" encrypt "$@" -k k -o p -f < p' - "${CTR[@]}"
  expect_status 4 && expect_error "the output is the same file as standard input" && cmp k p
  run bash -c '"$VERSHINA" encrypt "$@" -k k p >> k' - "${CTR[@]}"
  expect_status 4 && expect_error "the output is the same file as k" && cmp k p
  run bash -c '"$VERSHINA" encrypt "$@" -k k < p >&-' - "${CTR[@]}"
  expect_status 4
  run bash -c '"$VERSHINA" encrypt "$@" -k k <&-' - "${CTR[@]}"
  expect_status 3
  run bash -c '"$VERSHINA" encrypt "$@" -k k < p > /dev/full' - "${CTR[@]}"
  expect_status 4 && expect_error "standard output: No space left"
}

# A command that would wait for typing says so; a typed "-" waits.
test_terminals() {
  make_secrets
  echo some text > p
  encrypt "${CTR[@]}" p -o c
  seal -k k p -o s
  expect_on_terminal 2 "IN is required where standard input is a terminal" "" "$VERSHINA" encrypt "${CTR[@]}" -k k -o x
  expect_on_terminal 2 "IN is required" "" "$VERSHINA" decrypt "${CTR[@]}" -k k
  expect_on_terminal 2 "IN is required" "" "$VERSHINA" seal -k k -o x
  expect_on_terminal 4 "standard output is a terminal, and this is binary data: name a file with -o" \
    "" "$VERSHINA" encrypt "${CTR[@]}" -k k p
  expect_on_terminal 4 "this is binary data" "" "$VERSHINA" encrypt "${CTR[@]}" -k k p -o -
  expect_on_terminal 4 "this is binary data" "" bash -c '"$VERSHINA" seal -k k < p'
  expect_on_terminal 4 "this is binary data" "" bash -c '"$VERSHINA" encrypt "$@" -k k < p' - "${CTR[@]}"
  expect_on_terminal 0 "some text" "" "$VERSHINA" decrypt "${CTR[@]}" -k k c
  expect_no_file x
}

# A passphrase is asked on the terminal while the data comes from a pipe and goes to one.
test_passphrases_and_data() {
  make_data 1000 p
  expect_on_terminal 0 "New passphrase again" $'one\none\n' \
    bash -c 'cat p | "$VERSHINA" seal --iterations 1000 | cat > s'
  expect_on_terminal 0 "Passphrase" $'one\n' bash -c 'cat s | "$VERSHINA" open - | cat > p2'
  cmp p p2
  expect_on_terminal 0 "Passphrase" $'one\none\n' \
    bash -c 'cat p | "$VERSHINA" encrypt -c kuznyechik-ctr --openssl-salted | cat > c'
  expect_on_terminal 0 "Passphrase" $'one\n' \
    bash -c 'cat c | "$VERSHINA" decrypt -c kuznyechik-ctr --openssl-salted | cat > p3'
  cmp p p3
}

# Before anything is asked or read: the terminal cannot take it.
test_the_terminal_is_checked_before_the_passphrase() {
  echo text > p
  expect_on_terminal 4 "this is binary data" $'one\none\n' "$VERSHINA" encrypt -c kuznyechik-ctr --openssl-salted p
  ! grep -q Passphrase .tty || fail "asked: $(cat .tty)"
  expect_on_terminal 4 "this is binary data" $'one\none\n' bash -c '"$VERSHINA" seal < p'
  ! grep -q passphrase .tty || fail "asked: $(cat .tty)"
}
