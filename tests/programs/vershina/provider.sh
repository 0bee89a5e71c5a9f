# shellcheck shell=bash
# The program `openssl` with the provider of this build, against `vershina` and the GOST engine's provider. Every
# process must succeed with an empty standard error: correct output of a client that crashed is a failure.

provider() {
  need openssl
  modules=$(dirname "$VERSHINA")/ossl-modules
  [ -f "$modules/vershina.so" ] || skip "THE OPENSSL PROVIDER WAS NOT BUILT: nothing was tested"
  OPENSSL_CONF=$modules/provider.cnf # as it is installed
  export OPENSSL_CONF
  # A sanitized module in a program that is not. (Leaks are checked in provider_test.)
  preload=$(ldd "$modules/vershina.so" | awk '/lib(asan|tsan)/ { print $3; exit }')
  unset ASAN_OPTIONS
}

# ours COMMAND…: must succeed silently; output in .out.
ours() {
  LD_PRELOAD=$preload ASAN_OPTIONS=detect_leaks=0 run openssl "$@"
  expect_status 0
  expect_silent
}
# Must refuse, not die of a signal (128 and more).
ours_fails() {
  LD_PRELOAD=$preload ASAN_OPTIONS=detect_leaks=0 run openssl "$@"
  # shellcheck disable=SC2154  # run sets it
  ((status > 0 && status < 126)) || { explain; fail "expected an error, got status $status"; }
}

theirs() {
  OPENSSL_CONF=/dev/null run openssl "$1" -provider gostprov -provider default "${@:2}"
  expect_status 0
}
need_gostprov() {
  OPENSSL_CONF=/dev/null openssl list -provider gostprov -providers > /dev/null 2>&1 ||
    skip "THE GOST ENGINE'S PROVIDER IS NOT INSTALLED: nothing was compared (Debian: libengine-gost-openssl)"
}

# Arguments of `openssl enc`, and the same for `vershina`.
ciphers="kuznyechik-ecb||-c kuznyechik-ecb --padding pkcs7
kuznyechik-cbc|$IV16|-c kuznyechik-cbc --padding pkcs7
kuznyechik-cfb|$IV16|-c kuznyechik-cfb
kuznyechik-ofb|$IV16|-c kuznyechik-ofb
kuznyechik-ctr|$IV8|-c kuznyechik-ctr
kuznyechik-ctr-acpkm|$IV8|-c kuznyechik-ctr-acpkm
magma-ecb||-c magma-ecb --padding pkcs7
magma-cbc|$IV8|-c magma-cbc --padding pkcs7
magma-cfb|$IV8|-c magma-cfb
magma-ofb|$IV8|-c magma-ofb
magma-ctr|12345678|-c magma-ctr
magma-ctr-acpkm|12345678|-c magma-ctr-acpkm
gost89|$IV8|-c gost28147-cfb --key-meshing cryptopro
gost89-cnt|$IV8|-c gost28147-cnt --sbox cryptopro-a --key-meshing cryptopro
gost89-cnt-12|$IV8|-c gost28147-cnt --key-meshing cryptopro
gost89-cbc|$IV8|-c gost28147-cbc --padding pkcs7
gost89-ecb||-c gost28147-ecb --padding pkcs7"

test_enc() {
  local name iv options
  provider
  make_data 20011 p # enc works in pieces of 8 KiB
  while IFS='|' read -r name iv options; do
    read -ra options <<< "$options${iv:+ --iv-hex $iv}"
    ours enc "-$name" -K "$KEY" ${iv:+-iv "$iv"} -in p -out c
    vershina encrypt -q --key-hex "$KEY" "${options[@]}" p -o - && expect_status 0
    cmp .out c || fail "openssl enc -$name"
    ours enc -d "-$name" -K "$KEY" ${iv:+-iv "$iv"} -in c -out d
    cmp d p || fail "openssl enc -d -$name"
  done <<< "$ciphers"
}

# The first of the GOST engine's own test/03-encrypt.t; and its names of a set.
test_enc_with_s_boxes_of_the_environment() {
  provider
  echo "The quick brown fox jumps over the lazy dog" > p
  local key=0123456789ABCDEF
  export CRYPT_PARAMS=1.2.643.2.2.31.1
  ours enc -gost89 -K $key$key$key$key -iv 0000000000000000 -in p -out c
  [ "$(od -An -v -tx1 c | tr -d ' \n')" = \
    07f4102c6185c4a09e676e269bfa4bc9c5df6575916b879bd13a893a2285ee6690107cdeef7a315d2eb54bfa ] ||
    fail "gost89 with CryptoPro-A"
  CRYPT_PARAMS=id-Gost28147-89-CryptoPro-D-ParamSet ours enc -gost89-cbc -K "$KEY" -iv "$IV8" -in p -out c
  vershina encrypt -q -c gost28147-cbc --sbox cryptopro-d --padding pkcs7 --key-hex "$KEY" --iv-hex "$IV8" p -o -
  cmp .out c || fail "gost89-cbc with CryptoPro-D"
  export CRYPT_PARAMS=none-of-them
  ours_fails enc -gost89 -K "$KEY" -iv "$IV8" -in p -out c
  expect_stderr_has "unknown or invalid S-box set"
  ours enc -gost89-cnt -K "$KEY" -iv "$IV8" -in p -out c # has its own set
}

test_enc_and_gostprov() {
  local name iv length
  provider
  need_gostprov
  while IFS='|' read -r name iv _; do
    case $name in magma-ecb | magma-cfb | magma-ofb | gost89-ecb) continue ;; esac # not there
    length=$((RANDOM % 30000))
    make_data $length p
    ours enc "-$name" -K "$KEY" ${iv:+-iv "$iv"} -in p -out c
    theirs enc -d "-$name" -K "$KEY" ${iv:+-iv "$iv"} -in c -out d
    cmp d p || fail "gostprov cannot read $length bytes of -$name"
    theirs enc "-$name" -K "$KEY" ${iv:+-iv "$iv"} -in p -out c
    ours enc -d "-$name" -K "$KEY" ${iv:+-iv "$iv"} -in c -out d
    cmp d p || fail "cannot read $length bytes of gostprov's -$name"
  done <<< "$ciphers"
  for name in kuznyechik-cbc gost89; do # under a passphrase
    echo word > pw
    ours enc "-$name" -pbkdf2 -iter 100 -md md_gost12_512 -pass file:pw -in p -out c
    theirs enc -d "-$name" -pbkdf2 -iter 100 -md md_gost12_512 -pass file:pw -in c -out d
    cmp d p || fail "gostprov cannot read -$name under a passphrase"
  done
}

test_enc_refuses() {
  local name
  provider
  make_data 17 p
  ours_fails enc -kuznyechik-cbc -nopad -K "$KEY" -iv "$IV16" -in p -out c
  expect_stderr_has "not a whole number of blocks"
  head -c 16 p > short
  ours_fails enc -d -kuznyechik-cbc -K "${KEY//8/9}" -iv "$IV16" -in short -out d
  expect_stderr_has "padding"
  for name in kuznyechik-mgm magma-mgm kuznyechik-ctr-acpkm-omac magma-ctr-acpkm-omac; do # by openssl enc itself
    ours_fails enc "-$name" -K "$KEY" -iv "$IV16" -in p -out c
    expect_stderr_has "AEAD ciphers not supported"
  done
}

test_dgst() {
  local names name ours
  provider
  make_data 5000 p
  for names in "streebog256 md_gost12_256" "streebog512 md_gost12_512" "gost94-cryptopro md_gost94"; do
    read -ra names <<< "$names"
    vershina hash -a "${names[0]}" p && expect_status 0
    read -r expected _ < .out
    ours dgst -r "-${names[1]}" p
    [[ $(cat .out) == "$expected "* ]] || { explain; fail "openssl dgst -${names[1]}"; }
  done
  ours dgst -r -streebog512 p
  # RFC 7836 appendix B, 1)
  printf '\x01\x26\xbd\xb8\x78\x00\xaf\x21\x43\x41\x45\x65\x63\x78\x01\x00' > m
  ours dgst -r -md_gost12_256 -mac HMAC \
    -macopt hexkey:000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f m
  [[ $(cat .out) == a1aa5f7de402d7b3d323f2991c8d4534013137010a83754fd0af6d7cd4922ed9* ]] || { explain; fail "HMAC"; }
}

# The first two by the GOST engine's own test/02-mac.t.
test_mac() {
  local size
  provider
  for _ in {1..128}; do printf 12345670; done > p
  for size in 1 4 8; do
    ours mac -macopt key:0123456789abcdef0123456789abcdef -macopt size:$size -in p gost-mac
    expect_stdout "$(head -c $((2 * size)) <<< 2EE8D13DFF7F037D)"
    ours mac -macopt key:0123456789abcdef0123456789abcdef -macopt size:$size -in p gost-mac-12
    expect_stdout "$(head -c $((2 * size)) <<< BE4453EC1EC327BE)"
  done
  make_data 5000 p
  for name in kuznyechik-mac magma-mac kuznyechik-omac-acpkm magma-omac-acpkm; do
    vershina mac -a "$name" --key-hex "$KEY" p && expect_status 0
    read -r expected _ < .out
    ours mac -macopt hexkey:"$KEY" -in p "$name"
    expect_stdout "${expected^^}"
  done
  ours_fails mac -macopt hexkey:00 -in p magma-mac
  ours_fails mac -macopt hexkey:"$KEY" -macopt size:9 -in p magma-mac
}

test_kdf() {
  provider
  # RFC 7836 appendix B, 9)
  ours kdf -keylen 32 -kdfopt hexkey:000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f \
    -kdfopt hexlabel:26bdb878 -kdfopt hexseed:af21434145656378 -binary KDF-TREE
  [ "$(od -An -v -tx1 .out | tr -d ' \n')" = \
    a1aa5f7de402d7b3d323f2991c8d4534013137010a83754fd0af6d7cd4922ed9 ] || { explain; fail "KDF-TREE"; }
  # RFC 9189 A.1.1.1
  ours kdf -keylen 32 -kdfopt hexkey:00112233445566778899aabbcceeff0a112233445566778899aabbcceeff0a00 \
    -kdfopt suite:magma-ctr-omac -kdfopt seqnum:4095 TLSTREE
  grep -qi '19:a7:6e:d3:0f:4d:6d:1f:5b:72:63:ec:49:1a:d8:38:17:c0:b5:7d:8a:03:56:12:71:40:fb:4f:74:25:49:4d' .out ||
    { explain; fail "TLSTREE"; }
  # RFC 9337 appendix A, 1)
  ours kdf -keylen 64 -kdfopt digest:md_gost12_512 -kdfopt pass:password -kdfopt salt:salt -kdfopt iter:1 \
    -kdfopt pkcs5:1 PBKDF2
  grep -qi '^64:77:0a:f7:f7:48:c3:b1:c9:ac:83:1d:bc:fd:85:c2:61:11:b3:0a:8a:65:7d:dc' .out ||
    { explain; fail "PBKDF2"; }
}

test_speed() {
  local name
  provider
  for name in kuznyechik-ctr magma-mgm md_gost12_512; do
    LD_PRELOAD=$preload ASAN_OPTIONS=detect_leaks=0 run openssl speed -seconds 1 -bytes 64 -evp $name
    expect_status 0
    grep -qi "^$name " .out || { explain; fail "openssl speed -evp $name"; }
  done
}

test_configuration() {
  provider
  ours list -providers
  expect_stdout_has "Vershina"
  make_data 100 p
  ours dgst -r -md_gost12_256 p
  cp .out expected
  for line in "public-input = yes" "allow-tables = yes" "threads = 0" "ignore-first-bit = yes"; do
    sed "s/^activate = 1/&\n$line/" "$modules/provider.cnf" > changed.cnf
    OPENSSL_CONF=$PWD/changed.cnf ours dgst -r -md_gost12_256 p
    cmp .out expected || fail "$line"
  done
  for line in "public-input = perhaps" "allow-tables = 7" "threads = many" "threads = -1" "ignore-first-bit = 1"; do
    sed "s/^activate = 1/&\n$line/" "$modules/provider.cnf" > changed.cnf
    OPENSSL_CONF=$PWD/changed.cnf ours_fails dgst -r -md_gost12_256 p # the provider refuses to load
    sed "/^module/,\$ s/^activate = 1/$line/" "$modules/provider.cnf" > changed.cnf # by name OpenSSL gives the reason
    OPENSSL_CONF=$PWD/changed.cnf ours_fails dgst -provider vershina -r -md_gost12_256 p
    expect_stderr_has "$line in vershina's section of the configuration"
  done
}

# Reasons in docs/openssl.md: OpenSSL 3.0 has no NID of a provider's cipher, and engines precede providers.
test_cms_and_tls_are_out_of_reach() {
  provider
  ours version
  [[ $(cat .out) == "OpenSSL 3.0."* ]] || skip "the obstacles are those of OpenSSL 3.0: $(cat .out)"
  make_data 100 p
  ours_fails cms -EncryptedData_encrypt -gost89 -secretkey "$KEY" -binary -in p -outform DER -out c
  expect_stderr_has "unsupported content encryption algorithm"
  ours ciphers ALL
  if grep -q GOST .out; then fail "there are GOST suites: test them, and correct docs/openssl.md"; fi
}
