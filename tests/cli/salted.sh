# shellcheck shell=bash
# --openssl-salted without OpenSSL: round trips and refusals. (openssl.sh compares.)

S=(--openssl-salted --passphrase-file pass --iterations 10 -c kuznyechik-ctr)

test_known_answer() {
  # Key and IV of openssl enc -engine gost -kuznyechik-ctr -pbkdf2 -md md_gost12_512 -iter 1000 -pass pass:abc
  # -S 0102030405060708.
  printf abc > pass
  head -c 100 /dev/zero > p
  vershina encrypt -c kuznyechik-ctr --iv-hex 81821bbc7cc18aa1 \
    --key-hex e4560d5f59d4d5f47e77ab5a325b8191a60b38f39c51d6770d383d92ccca6957 p -o c && expect_status 0
  { printf 'Salted__'; unhex 0102030405060708; cat c; } > s
  vershina decrypt --openssl-salted --passphrase-file pass --iterations 1000 -c kuznyechik-ctr s -o - && expect_status 0
  cmp .out p
}

# The same command with -md sha256 and -md md_gost12_256.
test_known_answers_of_other_digests() {
  printf abc > pass
  head -c 100 /dev/zero > p
  check() {
    vershina encrypt -c kuznyechik-ctr --key-hex "$2" --iv-hex "$3" p -o c -f && expect_status 0
    { printf 'Salted__'; unhex 0102030405060708; cat c; } > s
    vershina decrypt --openssl-salted --md "$1" --passphrase-file pass --iterations 1000 -c kuznyechik-ctr s -o - &&
      expect_status 0
    cmp .out p || fail "$1"
  }
  check sha256 d8cea574f02d114ab12c8f4bcaffd28958f4f7a225b307f0591eee43d106be21 a3e3c0b020e1ea86
  check md_gost12_256 c5e5acc75c98f6fe92df5995f0345d6be7c06820aabc1f16e4c25b8986f38da7 e6d95ae171a0038c
}

test_round_trip() {
  echo secret > pass
  make_data 70000 p
  vershina encrypt "${S[@]}" p -o c && expect_status 0
  [ "$(head -c 8 c)" = Salted__ ] && [ "$(wc -c < c)" -eq 70016 ] || fail "not a header of 16 bytes"
  vershina encrypt "${S[@]}" p -o d && expect_status 0
  if cmp -s c d; then fail "the same salt twice"; fi
  vershina decrypt "${S[@]}" c -o q && expect_status 0 && cmp p q
  (head -c 3 c; sleep 0.1; tail -c +4 c) | "$VERSHINA" decrypt "${S[@]}" - -o - | cmp - p
  vershina decrypt --openssl-salted --passphrase-fd 3 --iterations 10 -c kuznyechik-ctr c -o - 3< pass && cmp .out p
}

test_refused() {
  umask 077
  echo secret > pass
  echo data > p
  wrong() {
    local text=$1
    shift
    vershina encrypt "$@" p -o x && expect_status 2 && expect_error "$text" && expect_no_file x
  }
  wrong "leave out --iv-hex" "${S[@]}" --iv-hex "$IV8"
  wrong "leave out --key-file and --key-hex" "${S[@]}" --key-hex "$KEY"
  wrong "without --openssl-salted" -c kuznyechik-ctr --iv-hex "$IV8" --passphrase-file pass
  wrong "--iterations or --md without --openssl-salted" -c kuznyechik-ctr --iv-hex "$IV8" --key-hex "$KEY" \
    --iterations 5
  wrong "without --openssl-salted" -c kuznyechik-ctr --iv-hex "$IV8" --key-hex "$KEY" --md sha256
  wrong "choose one of md_gost12_512, md_gost12_256, sha256" "${S[@]}" --md sha512
  wrong --iterations "${S[@]/10/0}"
  wrong "kuznyechik-xts has no --openssl-salted" -c kuznyechik-xts --openssl-salted --passphrase-file pass
  vershina decrypt "${S[@]}" p -o x && expect_status 1 && expect_error "p: does not begin with Salted__" &&
    expect_no_file x
  printf 'Salted__1234567' > short
  vershina decrypt "${S[@]}" short -o x && expect_status 1 && expect_error "does not begin with Salted__" &&
    expect_no_file x
  : > empty
  vershina encrypt --openssl-salted --passphrase-file empty -c magma-ctr p -o x && expect_status 2 && expect_no_file x
  vershina encrypt "${S[@]}" p -o pass -f && expect_status 4 && expect_error pass
  [ "$(cat pass)" = secret ] || fail "the passphrase's file was replaced"
}
