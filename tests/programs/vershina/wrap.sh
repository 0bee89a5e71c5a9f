# shellcheck shell=bash
# `vershina wrap` and `unwrap`: vectors, files, and secrets that must not leak.

# R 1323565.1.017-2018: K_Exp_MAC, K_Exp_ENC, the exported key.
KEXP_KEK=08090a0b0c0d0e0f0001020304050607101112131415161718191a1b1c1d1e1f202122232425262728292a2b2c2d2e2f38393a3b3c3d3e3f3031323334353637
KUZNYECHIK_EXP=e36184e84e8d736ff36cc2e5ae065dc656b23c20f549b02fdff88e1f3f30d8c29a53f3ca554dbad80de152b9a4625b32
MAGMA_EXP=cfd5a12d5b81b6e1e99c916d07900c6ac12703fb3abded55567bf3742c899c755dafe7b42e3a8bd9

hex() { od -An -v -tx1 "$1" | tr -d ' \n'; }

make_keys() {
  umask 077
  unhex "$KEXP_KEK" > kek64
  unhex "${KEXP_KEK:0:64}" > kek32
  unhex "$KEY" > key
}

test_examples_of_the_standard() {
  make_keys
  vershina wrap -a kexp15-kuznyechik --kek-file kek64 --iv-hex 0909472dd9f26be8 key -o k.wrapped
  expect_status 0 && expect_silent && [ "$(hex k.wrapped)" = $KUZNYECHIK_EXP ] || fail "Kuznyechik: $(hex k.wrapped)"
  vershina wrap -a kexp15-magma --kek-file kek64 --iv-hex 67bed654 key -o m.wrapped
  expect_status 0 && [ "$(hex m.wrapped)" = $MAGMA_EXP ] || fail "Magma: $(hex m.wrapped)"
  vershina unwrap -a kexp15-kuznyechik --kek-file kek64 --iv-hex 0909472dd9f26be8 k.wrapped -o k && cmp k key
  vershina unwrap -a kexp15-magma --kek-file kek64 --iv-hex 67bed654 m.wrapped -o m && cmp m key
  # gost-engine, keyWrapCryptoPro
  unhex 0102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f20 > kek
  unhex 101112131415161718191a1b1c1d1e1f202122232425262728292a2b2c2d2e2f > cek
  vershina wrap -a cryptopro --sbox tc26-z --kek-file kek --ukm-hex 0102030405060708 cek -o c.wrapped
  [ "$(hex c.wrapped)" = 0102030405060708940e6d83505f7725919a76bbc6d5d991315eb9dfc6d77fb8788cb0cef8b925c1e77d8bc3 ] || fail CryptoPro
}

test_there_and_back_with_every_algorithm() {
  local a kek iv
  make_keys
  for a in kexp15-kuznyechik kexp15-magma gost28147 cryptopro rfc7836; do
    kek=kek32 iv=0011223344556677
    case $a in kexp15-*) kek=kek64 ;; esac
    [ $a != kexp15-magma ] || iv=00112233
    vershina wrap -a $a --kek-file $kek --iv-hex $iv key -o $a.wrapped && expect_status 0
    vershina unwrap -a $a --kek-file $kek --iv-hex $iv $a.wrapped -o $a.key && expect_status 0 && cmp $a.key key
    case $a in
      kexp15-*) ;;
      *) vershina unwrap -a $a --kek-file $kek $a.wrapped -o again -f && expect_status 0 && cmp again key ;;
    esac
  done
  for a in gost28147 cryptopro rfc7836; do
    vershina wrap -a $a --sbox cryptopro-a --kek-file kek32 --iv-hex 0011223344556677 key -o other -f
    if cmp -s other $a.wrapped; then fail "another S-box set must give another wrapped key"; fi
    vershina unwrap -a $a --kek-file kek32 other -o wrong && expect_status 1 && expect_no_file wrong
  done
}

test_hexadecimal_files_and_pipes() {
  make_keys
  echo "$KEXP_KEK" > kek.hex && echo "$KEY" > key.hex
  vershina wrap --hex -a kexp15-magma --kek-file kek.hex --iv-hex 67bed654 key.hex -o m.wrapped && expect_status 0
  [ "$(hex m.wrapped)" = $MAGMA_EXP ] || fail "$(hex m.wrapped)"
  vershina unwrap --hex -a kexp15-magma --kek-file kek.hex --iv-hex 67bed654 m.wrapped -o - && expect_stdout "$KEY"
  run "$VERSHINA" wrap -a kexp15-magma --kek-file - --iv-hex 67bed654 key -o - < kek64
  expect_status 0 && [ "$(hex .out)" = $MAGMA_EXP ] || fail "KEK from standard input"
  run "$VERSHINA" wrap -a kexp15-magma --kek-file - --iv-hex 67bed654 - -o x < kek64
  expect_status 2 && expect_error "standard input" && expect_no_file x
  echo xyz > bad.hex
  vershina wrap --hex -a kexp15-magma --kek-file kek.hex --iv-hex 67bed654 bad.hex -o x && expect_status 2
  expect_error bad.hex "hexadecimal digits" && expect_no_file x
}

test_an_unwrapped_key_is_for_its_owner_alone() {
  make_keys
  umask 0
  vershina wrap -a rfc7836 --kek-file kek32 --iv-hex 0011223344556677 key -o w
  vershina unwrap -a rfc7836 --kek-file kek32 w -o k && [ "$(stat -c %a k)" = 600 ] || fail "$(stat -c %a k)"
  chmod 644 k
  vershina unwrap -f -a rfc7836 --kek-file kek32 w -o k && [ "$(stat -c %a k)" = 600 ] ||
    fail "replaced: $(stat -c %a k)"
}

test_what_was_changed_is_not_unwrapped() {
  local a kek byte
  make_keys
  for a in kexp15-kuznyechik cryptopro rfc7836; do
    kek=kek32
    [ $a != kexp15-kuznyechik ] || kek=kek64
    vershina wrap -a $a --kek-file $kek --iv-hex 0011223344556677 key -o w -f
    for byte in 9 20 43; do
      { head -c $byte w && printf X && tail -c +$((byte + 2)) w; } > changed
      cmp -s changed w && continue
      vershina unwrap -a $a --kek-file $kek --iv-hex 0011223344556677 changed -o out && expect_status 1
      expect_error changed "the check value is wrong" && expect_no_file out
    done
    vershina unwrap -a $a --kek-file $kek --iv-hex 0011223344556678 w -o out && expect_status 1 && expect_no_file out
    head -c 30 w > short
    vershina unwrap -a cryptopro --kek-file kek32 short -o out && expect_status 1
    expect_error short "impossible length" && expect_no_file out
  done
}

test_usage() {
  make_keys
  vershina wrap -a nonsense --kek-file kek32 --iv-hex 00 key -o x && expect_status 2 && expect_error nonsense cryptopro
  vershina wrap -a cryptopro --kek-file kek32 key -o x && expect_status 2 && expect_error "needs an IV of 8 bytes"
  vershina wrap -a cryptopro --kek-file kek32 --iv-hex 00 key -o x && expect_status 2 && expect_error "8 bytes" "1 byte"
  vershina wrap -a cryptopro --kek-file kek32 --iv-hex 0x key -o x && expect_status 2 && expect_error --iv-hex
  vershina wrap -a cryptopro --kek-file kek64 --iv-hex 0011223344556677 key -o x && expect_status 2
  expect_error kek64 "32 bytes or 64 hexadecimal digits"
  vershina wrap -a kexp15-magma --kek-file kek32 --iv-hex 67bed654 key -o x && expect_status 2
  expect_error kek32 "64 bytes" K_Exp_MAC
  cat kek32 kek32 > twice
  vershina wrap -a kexp15-magma --kek-file twice --iv-hex 67bed654 key -o x && expect_status 2 && expect_error equal
  head -c 24 key > short
  vershina wrap -a cryptopro --kek-file kek32 --iv-hex 0011223344556677 short -o x && expect_status 1
  expect_error short "24 bytes" "32 bytes"
  vershina wrap -a kexp15-magma --sbox cryptopro-a --kek-file kek64 --iv-hex 67bed654 key -o x && expect_status 2
  expect_error "fixed S-boxes"
  vershina wrap -a cryptopro --kek-file missing --iv-hex 0011223344556677 key -o x && expect_status 3 &&
    expect_error missing
  head -c 1100000 /dev/zero > large
  vershina wrap -a kexp15-magma --kek-file kek64 --iv-hex 67bed654 large -o x && expect_status 2 && expect_error large
  expect_no_file x
  touch x
  vershina wrap -a kexp15-magma --kek-file kek64 --iv-hex 67bed654 key -o x && expect_status 4 && expect_error "exists"
  vershina wrap -f -a kexp15-magma --kek-file kek64 --iv-hex 67bed654 key -o key && expect_status 4
  vershina wrap -f -a kexp15-magma --kek-file kek64 --iv-hex 67bed654 key -o kek64 && expect_status 4
  expect_error kek64
}
