# shellcheck shell=bash
# No message and no document names an unknown option.

test_options_named_by_messages_and_documents() {
  need python3
  "$VERSHINA" bench --help > .help 2>&1 || skip "this build has no bench, whose options are named"
  python3 "$TESTS/support/named_options.py" "$VERSHINA" "$TESTS/../../.." > named || fail "$(cat named)"
  echo "counted: $(cat named)"
}

# Without a terminal, each command names its own options.
test_without_a_terminal() {
  need setsid
  make_secrets
  seal -k k --passphrase-file pw pw2 -o sealed && expect_status 0
  expect_own_options() {
    run setsid "$VERSHINA" "$@" < /dev/null
    expect_status 2 && expect_error "no terminal"
    local option num=0
    for option in $(grep -oE -- '--[a-z-]+' .err); do
      "$VERSHINA" "$1" --help | grep -q -- "$option" || fail "$1 has no $option"
      num=$((num + 1))
    done
    [ $num -gt 0 ] || fail "$1 names no option"
  }
  expect_own_options seal --iterations 1000 pw2 -o x
  expect_own_options open sealed -o x
  expect_own_options rekey sealed
  expect_own_options rekey -k k --keep --new-passphrase sealed
  expect_own_options kdf -a pbkdf2 --salt-hex 00 --iterations 1000
  expect_own_options encrypt --openssl-salted -c kuznyechik-ctr pw2 -o x
}

# Two names for one option.
test_password_is_passphrase() {
  make_secrets
  vershina kdf -a pbkdf2 --salt-hex 00 --iterations 1000 --passphrase-file pw && expect_status 0 && cp .out want
  vershina kdf -a pbkdf2 --salt-hex 00 --iterations 1000 --password-file pw && expect_status 0 && cmp .out want
  vershina kdf -a pbkdf2 --salt-hex 00 --iterations 1000 --password-fd=3 3< pw && expect_status 0 && cmp .out want
  seal --password-file pw k -o sealed && expect_status 0
  vershina rekey --password-file pw --new-password-file pw2 --iterations 1000 sealed && expect_status 0
  unseal --passphrase-file pw2 sealed -o opened && expect_status 0 && cmp k opened
  seal --password-file pw --passphrase-fd=3 k -o two 3< pw2 && expect_status 0
  vershina kdf --pass x && expect_status 2 && expect_error "unknown option --pass"
}

# -k is the key file in every command that has one.
test_short_name_of_the_key_file() {
  make_secrets
  local command
  for command in encrypt decrypt; do
    vershina $command -c kuznyechik-ctr -k k --iv-hex "$IV8" pw -o $command && expect_status 0
  done
  cmp encrypt decrypt
  vershina mac -a magma-mac -k k pw && expect_status 0
  vershina kdf -a kdf -kk --label a && expect_status 0
}
