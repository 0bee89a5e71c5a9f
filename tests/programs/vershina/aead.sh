# shellcheck shell=bash
# encrypt and decrypt with authentication: MGM, and CTR-ACPKM with OMAC.

NONCE16=1122334455667700ffeeddccbbaa9988
NONCE8=12def06b3c130a59
KUZ=(-c kuznyechik-mgm --iv-hex "$NONCE16")
MAGMA=(-c magma-mgm --iv-hex "$NONCE8")

# A failed decryption must leave an error, and no file under the name.
expect_refused() {
  expect_status 1
  expect_error "$@"
  expect_no_file p2
}

test_examples_of_the_rfc() {
  unhex 0202020202020202010101010101010104040404040404040303030303030303ea0505050505050505 > aad
  unhex 1122334455667700ffeeddccbbaa998800112233445566778899aabbcceeff0a112233445566778899aabbcceeff0a002233445566778899aabbcceeff0a0011aabbcc > p
  encrypt "${KUZ[@]}" --aad-file aad p -o c && expect_status 0 && expect_silent
  [ "$(hex < c)" = a9757b8147956e9055b8a33de89f42fc8075d2212bf9fd5bd3f7069aadc16b39497ab15915a6ba85936b5d0ea9f6851cc60c14d4d3f883d0ab94420695c76deb2c7552cf5d656f40c34f5c46e8bb0e29fcdb4c ] || fail "A.1.1"
  decrypt "${KUZ[@]}" --aad-file aad c -o p2 && expect_status 0 && expect_silent && cmp p p2

  local magma_key=ffeeddccbbaa99887766554433221100f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff
  unhex 01010101010101010202020202020202030303030303030304040404040404040505050505050505ea > aad
  unhex ffeeddccbbaa998811223344556677008899aabbcceeff0a001122334455667799aabbcceeff0a001122334455667788aabbcceeff0a00112233445566778899aabbcc > p
  vershina encrypt --key-hex $magma_key "${MAGMA[@]}" --aad-file aad p -o cm && expect_status 0
  [ "$(hex < cm)" = c795066c5f9ea03b85113342459185ae1f2e00d6bf2b785d940470b8bb9c8e7d9a5dd3731f7ddc70ec27cb0ace6fa57670f65c646abb75d547aa37c3bcb5c34e03bb9ca7928069aa10fd10 ] || fail "A.2.1"
}

# Lengths around blocks and around the pieces that the program reads; files and pipes in every combination.
test_round_trips() {
  echo header > aad
  local len
  for len in 0 1 15 16 17 1000 1048575 1048576 1048577 3000000; do
    make_data $len p
    encrypt "${KUZ[@]}" --aad-file aad p -o c && expect_status 0
    [ "$(stat -c %s c)" -eq $((len + 16)) ] || fail "the output is the ciphertext and a tag"
    decrypt "${KUZ[@]}" --aad-file aad c -o p2 && expect_status 0 && cmp p p2 && rm p2
    status=0
    "$VERSHINA" decrypt --key-hex "$KEY" "${KUZ[@]}" --aad-file aad - -o - < <(cat c) | cmp - p ||
      fail "pipes, $len bytes"
    "$VERSHINA" decrypt --key-hex "$KEY" "${KUZ[@]}" --aad-file aad - -o p2 < c && cmp p p2 && rm p2
    "$VERSHINA" decrypt --key-hex "$KEY" "${KUZ[@]}" --aad-file aad c -o - | cmp - p || fail "to a pipe, $len bytes"
    "$VERSHINA" decrypt --key-hex "$KEY" "${KUZ[@]}" --aad-file <(cat aad) c -o p2 && cmp p p2 && rm p2
    rm c
  done
  expect_no_temporary
}

test_what_was_changed_is_refused() {
  make_data 100000 p
  echo header > aad
  echo Header > aad2
  encrypt "${MAGMA[@]}" --aad-file aad p -o c && expect_status 0
  local changed
  changed=$(head -c 1 c | hex)
  { unhex "$(printf %02x $((0x$changed ^ 1)))"; tail -c +2 c; } > first
  changed=$(tail -c 1 c | hex)
  { head -c -1 c; unhex "$(printf %02x $((0x$changed ^ 0x80)))"; } > last
  head -c -1 c > truncated
  { cat c; printf x; } > extended
  tail -c 8 c > only-tag
  local file
  for file in first last truncated extended only-tag; do
    decrypt "${MAGMA[@]}" --aad-file aad $file -o p2 && expect_refused "$file: verification failed"
    status=0
    "$VERSHINA" decrypt --key-hex "$KEY" "${MAGMA[@]}" --aad-file aad - -o - < <(cat $file) > .out 2> .err || status=$?
    expect_refused "standard input: verification failed"
    [ ! -s .out ] || fail "a byte of $file was released"
  done
  decrypt "${MAGMA[@]}" --aad-file aad2 c -o p2 && expect_refused "c: verification failed" "--aad-file"
  decrypt "${MAGMA[@]}" c -o p2 && expect_refused "c: verification failed"
  decrypt -c magma-mgm --iv-hex 02def06b3c130a59 --aad-file aad c -o p2 && expect_refused "c: verification failed"
  vershina decrypt --key-hex "${KEY/8899/8898}" "${MAGMA[@]}" --aad-file aad c -o p2 &&
    expect_refused "verification failed"
  head -c 7 c > short
  decrypt "${MAGMA[@]}" --aad-file aad short -o p2 && expect_refused "short: shorter than the tag of 8 bytes"
  : > empty
  decrypt "${MAGMA[@]}" --aad-file aad empty -o p2 && expect_refused "empty: shorter than the tag"
}

# The old file stays if the new one fails.
test_the_old_output_survives() {
  make_data 1000 p
  encrypt "${KUZ[@]}" p -o c && printf x >> c
  echo precious > old
  decrypt "${KUZ[@]}" --force c -o old && expect_status 1
  [ "$(cat old)" = precious ] && expect_no_temporary
}

test_tag_lengths() {
  make_data 100 p
  local len
  for len in 8 12 16; do
    encrypt "${KUZ[@]}" --tag-length $len p -o c$len && expect_status 0
    [ "$(stat -c %s c$len)" -eq $((100 + len)) ] || fail "tag of $len bytes"
    decrypt "${KUZ[@]}" --tag-length $len c$len -o p2 && expect_status 0 && cmp p p2 && rm p2
  done
  cmp -n 108 c8 c16 || fail "a shorter tag is the beginning of the longer one"
  decrypt "${KUZ[@]}" c8 -o p2 && expect_refused "verification failed" "--tag-length"
  encrypt "${KUZ[@]}" --tag-length 4 p -o c4 && expect_status 2 &&
    expect_error "4 bytes is soon forged" "--allow-short-tag"
  encrypt "${KUZ[@]}" --tag-length 4 --allow-short-tag p -o c4 && expect_status 0
  decrypt "${KUZ[@]}" --tag-length 4 c4 -o p2 && expect_status 2
  decrypt "${KUZ[@]}" --tag-length 4 --allow-short-tag c4 -o p2 && expect_status 0 && cmp p p2
  encrypt "${KUZ[@]}" --tag-length 3 --allow-short-tag p -o c3 && expect_status 2 &&
    expect_error "tags of 4 to 16 bytes, not 3"
  encrypt "${MAGMA[@]}" --tag-length 9 p -o c9 && expect_status 2 && expect_error "tags of 4 to 8 bytes, not 9"
  encrypt "${KUZ[@]}" --tag-length 17 p -o c17 && expect_status 2
}

test_nonces_and_options() {
  make_data 100 p
  encrypt -c kuznyechik-mgm p -o c && expect_status 2 && expect_error "needs a nonce of 16 bytes" "--iv-hex"
  encrypt -c kuznyechik-mgm --iv-hex "$NONCE8" p -o c && expect_status 2 &&
    expect_error "needs a nonce of 16 bytes" "8 bytes"
  encrypt -c magma-mgm --iv-hex 82def06b3c130a59 p -o c && expect_status 2 && expect_error "the first bit of a nonce"
  encrypt "${KUZ[@]}" --padding 2 p -o c && expect_status 2 && expect_error "kuznyechik-mgm has no --padding"
  encrypt "${KUZ[@]}" --segment 8 p -o c && expect_status 2 && expect_error "kuznyechik-mgm has no --segment"
  encrypt -c kuznyechik-ctr --iv-hex "$IV8" --aad-file p p -o c && expect_status 2 &&
    expect_error "kuznyechik-ctr has no --aad-file"
  encrypt -c kuznyechik-ctr --iv-hex "$IV8" --tag-length 8 p -o c && expect_status 2 &&
    expect_error "has no --tag-length"
  encrypt "${KUZ[@]}" --sbox cryptopro-a p -o c && expect_status 2 && expect_error "fixed S-boxes"
  encrypt "${KUZ[@]}" --aad-file missing p -o c && expect_status 3 && expect_error "missing: No such file"
  encrypt "${KUZ[@]}" --aad-file - - -o c && expect_status 2 && expect_error "--aad-file -"
  encrypt "${KUZ[@]}" --aad-file p p -o p --force && expect_status 4 && expect_error "the same file"
  : > empty
  encrypt "${KUZ[@]}" empty -o c && expect_status 1 && expect_error "nothing to encrypt, and no associated data"
  expect_no_file c
}

test_no_room_for_the_private_file() {
  make_data 1000 p
  encrypt "${KUZ[@]}" p -o c
  status=0
  TMPDIR=/nowhere "$VERSHINA" decrypt --key-hex "$KEY" "${KUZ[@]}" - -o p2 < <(cat c) > .out 2> .err || status=$?
  expect_status 4 && expect_error "temporary file in /nowhere" "TMPDIR" && expect_no_file p2
}

# Killed while it waits for the rest of its input: nothing under the name, and nothing in TMPDIR.
test_sigkill() {
  make_data 300000 p
  encrypt "${KUZ[@]}" p -o c
  mkdir tmp
  mkfifo fifo
  TMPDIR=$PWD/tmp "$VERSHINA" decrypt --key-hex "$KEY" "${KUZ[@]}" fifo -o p2 2> .err &
  pid=$!
  exec 9> fifo
  head -c 200000 c >&9
  wait_for compgen -G '.vershina-*.tmp'
  sleep 0.2
  [ -z "$(ls -A tmp)" ] || fail "the private file has a name"
  [ "$(find . -name '.vershina-*' -size +0 | wc -l)" -eq 0 ] || fail "something was written before it was verified"
  kill -KILL $pid
  wait $pid 2> /dev/null || true
  exec 9>&-
  [ ! -e p2 ] && [ -z "$(ls -A tmp)" ] || fail "something is left"
}

# CTR-ACPKM with OMAC, composed from its parts: KDF_TREE derives two keys, the MAC is encrypted after the text.
test_cms_sections() {
  make_data 5000 p
  local cipher iv n keys section seed=0102030405060708
  for cipher in kuznyechik magma; do
    case $cipher in kuznyechik) iv=$IV8 n=16 ;; *) iv=12345678 n=8 ;; esac
    keys=$("$VERSHINA" kdf -a kdf-tree --key-hex "$KEY" --label "kdf tree" --seed-hex $seed --length 64)
    { cat p; unhex "$("$VERSHINA" mac -a $cipher-mac --key-hex "${keys:64}" p | cut -c -$((2 * n)))"; } > p+tag
    for section in 64 1024; do
      vershina encrypt -c $cipher-ctr-acpkm --section $section --key-hex "${keys:0:64}" --iv-hex "$iv" p+tag -o want -f
      expect_status 0
      encrypt -c $cipher-ctr-acpkm-omac --section $section --iv-hex "$iv$seed" p -o c -f && expect_status 0
      cmp c want || fail "$cipher: sections of $section bytes"
      decrypt -c $cipher-ctr-acpkm-omac --section $section --iv-hex "$iv$seed" c -o q -f && expect_status 0 && cmp p q
      decrypt -c $cipher-ctr-acpkm-omac --iv-hex "$iv$seed" c -o p2 && expect_refused "verification failed"
    done
    encrypt -c $cipher-ctr-acpkm-omac --section $((n + 4)) --iv-hex "$iv$seed" p -o x
    expect_status 2 && expect_error "a section of $cipher-ctr-acpkm-omac is a multiple of $n bytes" && expect_no_file x
    encrypt -c $cipher-ctr-acpkm-omac --key-meshing cryptopro --iv-hex "$iv$seed" p -o x
    expect_status 2 && expect_error "$cipher-ctr-acpkm-omac has no key meshing: leave out --key-meshing"
  done
  encrypt "${KUZ[@]}" --section 64 p -o x
  expect_status 2 && expect_error "kuznyechik-mgm has no sections: leave out --section" && expect_no_file x
}
