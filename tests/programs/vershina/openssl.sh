# shellcheck shell=bash
# Every row of docs/openssl-equivalents.md against OpenSSL with its GOST engine.

engine() {
  need openssl
  openssl enc -engine gost -kuznyechik-ecb -K "$KEY" < /dev/null > /dev/null 2>&1 ||
    skip "OPENSSL'S GOST ENGINE IS NOT INSTALLED: nothing was compared (Debian: libengine-gost-openssl)"
  make_data 5000 all
}

lengths="0 1 7 8 15 16 17 64 1000 1024"

# same LENGTHS "openssl options" "vershina options": both directions.
same() {
  local length theirs ours
  read -ra theirs <<< "$2"
  read -ra ours <<< "$3"
  for length in $1; do
    head -c "$length" all > p
    openssl enc -engine gost -K "$KEY" "${theirs[@]}" -in p -out c 2> .engine || fail "openssl $2: $(cat .engine)"
    encrypt "${ours[@]}" p -o - && expect_status 0
    cmp .out c || fail "$length bytes: openssl enc $2, vershina encrypt $3"
    decrypt "${ours[@]}" c -o - && expect_status 0
    cmp .out p || fail "$length bytes: vershina decrypt $3"
  done
}

different() {
  if (same "$@") > .difference 2>&1; then fail "unexpectedly equal: $*"; fi
  grep -q "bytes: openssl enc" .difference || fail "$(cat .difference)"
}

test_kuznyechik() {
  engine
  same "$lengths 5000" "-kuznyechik-ecb" "-c kuznyechik-ecb --padding pkcs7"
  same "$lengths 5000" "-kuznyechik-cbc -iv $IV16" "-c kuznyechik-cbc --padding pkcs7 --iv-hex $IV16"
  same "$lengths 5000" "-kuznyechik-ofb -iv $IV16" "-c kuznyechik-ofb --iv-hex $IV16"
  same "$lengths 5000" "-kuznyechik-cfb -iv $IV16" "-c kuznyechik-cfb --iv-hex $IV16"
  same "$lengths 5000" "-kuznyechik-ctr -iv $IV8" "-c kuznyechik-ctr --iv-hex $IV8"
  same "$lengths 4095 4096 4097 5000" "-kuznyechik-ctr-acpkm -iv $IV8" "-c kuznyechik-ctr-acpkm --iv-hex $IV8"
  same "0 16 64 4096" "-kuznyechik-ecb -nopad" "-c kuznyechik-ecb --padding none"
  same "0 16 64 4096" "-kuznyechik-cbc -nopad -iv $IV16" "-c kuznyechik-cbc --padding none --iv-hex $IV16"
}

test_magma() {
  engine
  same "$lengths 5000" "-magma-cbc -iv $IV8" "-c magma-cbc --padding pkcs7 --iv-hex $IV8"
  same "$lengths 5000" "-magma-ctr -iv 12345678" "-c magma-ctr --iv-hex 12345678"
  same "$lengths 1025 2048 5000" "-magma-ctr-acpkm -iv 12345678" "-c magma-ctr-acpkm --iv-hex 12345678"
}

test_gost28147() {
  engine
  same "$lengths" "-gost89 -iv $IV8" "-c gost28147-cfb --iv-hex $IV8"
  same "$lengths" "-gost89-cnt -iv $IV8" "-c gost28147-cnt --sbox cryptopro-a --iv-hex $IV8"
  same "$lengths" "-gost89-cnt-12 -iv $IV8" "-c gost28147-cnt --iv-hex $IV8"
  same "$lengths 5000" "-gost89-cbc -iv $IV8" "-c gost28147-cbc --padding pkcs7 --iv-hex $IV8"
}

test_gost28147_key_meshing_begins_after_1024_bytes() {
  engine
  same "$lengths 1025 2048 5000" "-gost89 -iv $IV8" "-c gost28147-cfb --key-meshing cryptopro --iv-hex $IV8"
  same "$lengths 1025 2048 5000" "-gost89-cnt -iv $IV8" \
    "-c gost28147-cnt --sbox cryptopro-a --key-meshing cryptopro --iv-hex $IV8"
  same "$lengths 1025 2048 5000" "-gost89-cnt-12 -iv $IV8" "-c gost28147-cnt --key-meshing cryptopro --iv-hex $IV8"
  different 1025 "-gost89 -iv $IV8" "-c gost28147-cfb --iv-hex $IV8"
  different 1025 "-gost89-cnt -iv $IV8" "-c gost28147-cnt --sbox cryptopro-a --iv-hex $IV8"
  different 1025 "-gost89-cnt-12 -iv $IV8" "-c gost28147-cnt --iv-hex $IV8"
}

test_gost28147_mac_key_meshing_begins_after_1024_bytes() {
  engine
  same_mac "1024 1025 2048 5000" gost-mac-12 "-a gost28147-imit --key-meshing cryptopro"
  same_mac "1024 1025 2048 5000" gost-mac "-a gost28147-imit --sbox cryptopro-a --key-meshing cryptopro"
  if (same_mac 1025 gost-mac-12 "-a gost28147-imit") > .difference 2>&1; then fail "unexpectedly equal"; fi
  grep -q "gost-mac-12 of 1025 bytes" .difference || fail "$(cat .difference)"
}

test_gost28147_with_other_sboxes() {
  engine
  local set
  for set in A B C D; do
    export CRYPT_PARAMS=id-Gost28147-89-CryptoPro-$set-ParamSet
    same "$lengths" "-gost89 -iv $IV8" "-c gost28147-cfb --sbox cryptopro-${set,} --iv-hex $IV8"
    same "$lengths 5000" "-gost89-cbc -iv $IV8" \
      "-c gost28147-cbc --padding pkcs7 --sbox cryptopro-${set,} --iv-hex $IV8"
  done
}

test_hashes() {
  engine
  local length bits
  for bits in 256 512; do
    for length in $lengths 5000; do
      head -c "$length" all > p
      openssl dgst -engine gost -md_gost12_$bits -r p 2> /dev/null | cut -d' ' -f1 > want
      vershina hash -a streebog$bits p && [ "$(cut -d' ' -f1 .out)" = "$(cat want)" ] ||
        fail "streebog$bits of $length bytes"
    done
  done
}

# same_mac LENGTHS OPENSSL-MAC "vershina options"
same_mac() {
  local length ours
  read -ra ours <<< "$3"
  for length in $1; do
    head -c "$length" all > p
    openssl dgst -engine gost -mac "$2" -macopt "hexkey:$KEY" p 2> /dev/null | sed 's/.*= *//' > want
    vershina mac --key-hex "$KEY" "${ours[@]}" p
    [ "$(cut -d' ' -f1 .out)" = "$(cat want)" ] || fail "$2 of $length bytes: $(cat want) and $(cat .out)"
  done
}

test_macs() {
  engine
  same_mac "1 7 8 9 16 1000 5000" magma-mac "-a magma-mac"
  same_mac "1 7 8 9 16 64 1000 1001 1024" gost-mac-12 "-a gost28147-imit"
  same_mac "1 7 8 9 16 64 1000 1001 1024" gost-mac "-a gost28147-imit --sbox cryptopro-a"
}

# salted "openssl options" "vershina options" [LENGTHS]: streams of a passphrase, both ways. $md: the digest.
salted() {
  local length theirs ours
  read -ra theirs <<< "$1"
  read -ra ours <<< "$2"
  for length in ${3:-$lengths 5000}; do
    head -c "$length" all > p
    openssl enc -engine gost -pbkdf2 -md "$md" -pass file:pass "${theirs[@]}" -in p -out c 2> .engine ||
      fail "openssl $1: $(cat .engine)"
    vershina decrypt --openssl-salted --passphrase-file pass "${ours[@]}" c -o - && expect_status 0
    cmp .out p || fail "$length bytes: openssl enc $1, vershina decrypt $2"
    vershina encrypt --openssl-salted --passphrase-file pass "${ours[@]}" p -o c -f && expect_status 0
    openssl enc -d -engine gost -pbkdf2 -md "$md" -pass file:pass "${theirs[@]}" -in c -out q 2> .engine ||
      fail "openssl -d $1: $(cat .engine)"
    cmp p q || fail "$length bytes: vershina encrypt $2, openssl enc -d $1"
  done
}

test_salted_streams() {
  engine
  local md=md_gost12_512
  echo "correct horse battery staple" > pass
  salted "-kuznyechik-ctr" "-c kuznyechik-ctr" "0 1 5000"
  salted "-kuznyechik-cbc -iter 1234" "-c kuznyechik-cbc --iterations 1234" "0 15 16 17 5000"
  salted "-kuznyechik-ecb -iter 1" "-c kuznyechik-ecb --iterations 1" "0 15 16 17 5000"
  salted "-kuznyechik-ofb -iter 1" "-c kuznyechik-ofb --iterations 1" "0 1 5000"
  salted "-kuznyechik-cfb -iter 1" "-c kuznyechik-cfb --iterations 1" "0 1 5000"
  salted "-magma-ctr -iter 1" "-c magma-ctr --iterations 1" "0 1 5000"
  salted "-magma-cbc -iter 1" "-c magma-cbc --iterations 1" "0 7 8 9 5000"
  salted "-gost89 -iter 1" "-c gost28147-cfb --iterations 1" "0 1 1024"
  salted "-gost89-cnt -iter 1" "-c gost28147-cnt --sbox cryptopro-a --iterations 1" "0 1 1024"
  salted "-gost89-cnt-12 -iter 1" "-c gost28147-cnt --iterations 1" "0 1 1024"
  salted "-gost89-cbc -iter 1" "-c gost28147-cbc --iterations 1" "0 7 8 9 5000"
  # A key and an IV are two blocks of a digest of 32 bytes.
  for md in md_gost12_256 sha256; do
    salted "-kuznyechik-cbc" "-c kuznyechik-cbc --md $md" "0 5000"
    salted "-magma-ctr -iter 1" "-c magma-ctr --iterations 1 --md $md" "1 5000"
  done
  # A passphrase of more than a block of the digest.
  head -c 100 all | hex > pass
  for md in md_gost12_512 md_gost12_256 sha256; do
    salted "-kuznyechik-ctr -iter 2" "-c kuznyechik-ctr --iterations 2 --md $md" "5000"
  done
  # The default digest of openssl.
  head -c 5000 all > p
  openssl enc -engine gost -kuznyechik-ctr -pbkdf2 -pass file:pass -in p -out c 2> .engine || fail "$(cat .engine)"
  vershina decrypt --openssl-salted --md sha256 --passphrase-file pass -c kuznyechik-ctr c -o - && expect_status 0
  cmp .out p || fail "not the digest of openssl enc without -md"
}

# `openssl cms -EncryptedData_encrypt` writes GOST 28147-89 in CFB with a header that openssl asn1parse decodes.
test_cms_encrypted_data_gost89() {
  engine
  head -c 1000 all > p
  openssl cms -engine gost -EncryptedData_encrypt -gost89 -secretkey "$KEY" -binary -in p -outform DER -out p.cms \
    2> .engine || fail "openssl cms: $(cat .engine)"
  openssl asn1parse -inform DER -in p.cms > .asn1
  local iv content
  iv=$(sed -n 's/.*OCTET STRING *\[HEX DUMP\]:\([0-9A-F]*\).*/\1/p' .asn1 | head -n 1)
  content=$(sed -n 's/^ *\([0-9]*\):d=4 *hl=\([0-9]*\) *l= *[0-9]* prim: cont \[ 0 \].*/\1 + \2 + 1/p' .asn1)
  tail -c +$((content)) p.cms > c
  decrypt -c gost28147-cfb --iv-hex "$iv" c -o - && expect_status 0
  cmp .out p
}

# ---- --openssl-salted without OpenSSL: round trips and refusals ----

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
  echo correct horse > pass
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
  echo correct horse > pass
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
  [ "$(cat pass)" = "correct horse" ] || fail "the passphrase's file was replaced"
}
