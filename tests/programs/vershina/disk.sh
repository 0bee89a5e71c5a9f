# shellcheck shell=bash
# `vershina encrypt -c kuznyechik-xts`: disk images.

KEYS=27182818284590452353602874713526624977572470936999595749669676273141592653589793238462643383279502884197169399375105820974944592
XTS=(-c kuznyechik-xts --key-hex "$KEYS")

# The CRC-32 of a file as digits: gzip writes it, least significant byte first, before the length.
crc32() {
  local d
  d=$(gzip -nc < "$1" | tail -c 8 | head -c 4 | hex)
  echo "${d:6:2}${d:4:2}${d:2:2}${d:0:2}"
}

# counting BYTES: 00 01 02 ... fe ff 00 01 ...
counting() {
  local i line=
  for ((i = 0; i < 256; i++)); do line+=$(printf '\\x%02x' "$i"); done
  for ((i = 0; i < $1; i += 256)); do printf '%b' "$line"; done | head -c "$1"
}

test_veracrypt() {
  need gzip
  counting 2048 > p
  local case sector want
  for case in 1099511627775:6b86e72e 1099511627774:a4f8637d 1099511627773:fd83e76d 1099511627772:b24fc47b 0:d6d39cdb; do
    sector=${case%:*} want=${case#*:}
    vershina encrypt "${XTS[@]}" --first-sector "$sector" p -o c -f && expect_status 0 && expect_silent
    [ "$(crc32 c)" = "$want" ] || fail "sectors from $sector on: CRC $(crc32 c)"
    vershina decrypt "${XTS[@]}" --first-sector "$sector" c -o q -f && expect_status 0 && cmp p q
  done
}

# A longer sector is one unit with the number of its first 512 bytes: its first 512 bytes are those of a short one.
test_sector_sizes() {
  make_data 49152 p
  local size
  for size in 512 1024 1536 2048 4096; do
    vershina encrypt "${XTS[@]}" --sector-size $size --first-sector 24 p -o c -f && expect_status 0
    [ "$(wc -c < c)" -eq 49152 ] || fail "another length"
    vershina decrypt "${XTS[@]}" --sector-size $size --first-sector 24 c -o q -f && expect_status 0 && cmp p q
    vershina encrypt "${XTS[@]}" --first-sector $((24 + size / 512)) <(tail -c +$((size + 1)) p | head -c 512) -o one -f
    tail -c +$((size + 1)) c | head -c 512 | cmp - one || fail "another number of the second sector of $size bytes"
  done
}

# The same result for any pieces of input.
test_pieces() {
  make_data 3000000 p
  head -c 2998272 p > whole # 732 sectors of 4096
  vershina encrypt "${XTS[@]}" --sector-size 4096 whole -o want && expect_status 0
  (head -c 1 whole; sleep 0.1; tail -c +2 whole | head -c 5000; sleep 0.1; tail -c +5002 whole) |
    "$VERSHINA" encrypt "${XTS[@]}" --sector-size 4096 - -o got
  cmp want got
  vershina encrypt "${XTS[@]}" --sector-size 4096 --threads 1 whole -o - && cmp .out want
  tail -c +1228801 whole | "$VERSHINA" encrypt "${XTS[@]}" --sector-size 4096 --first-sector 2400 - -o rest
  tail -c +1228801 want | cmp - rest
}

test_stealing() {
  make_data 1100 p
  vershina encrypt "${XTS[@]}" p -o c
  expect_status 1 && expect_error "p: 1100 bytes, not a whole number of 512-byte sectors" --stealing && expect_no_file c
  vershina encrypt "${XTS[@]}" --stealing p -o c && expect_status 0
  [ "$(wc -c < c)" -eq 1100 ] || fail "another length"
  vershina decrypt "${XTS[@]}" --stealing c -o q && expect_status 0 && cmp p q
  head -c 1039 p > short
  vershina encrypt "${XTS[@]}" --stealing short -o x
  expect_status 1 && expect_error "the last sector has 15 bytes, and XTS needs 16" && expect_no_file x
  vershina encrypt "${XTS[@]}" short -o - && expect_status 1 && expect_error "do not use what went to"
}

test_empty() {
  : > p
  vershina encrypt "${XTS[@]}" p -o c && expect_status 0 && cmp p c
}

test_keys() {
  counting 512 > p
  unhex "$KEYS" > raw
  echo "$KEYS" > hexline
  vershina encrypt "${XTS[@]}" p -o want && expect_status 0
  local file
  for file in raw hexline; do
    vershina encrypt -c kuznyechik-xts --key-file $file p -o c -f && expect_status 0 && cmp c want
  done
  vershina encrypt -c kuznyechik-xts --key-format hex --key-file hexline p -o c -f && expect_status 0 && cmp c want
  rm c
  local bad
  bad() {
    vershina encrypt -c kuznyechik-xts --key-file "$1" p -o c
    expect_status 2 && expect_error "$1:" "$2" && expect_no_file c
  }
  printf %s "$KEY" > half && bad half "128 hexadecimal digits, not 64"
  raw_key half && bad half "32 bytes, so no key: a key is 64 raw bytes or 128 hexadecimal digits"
  head -c 5000 /dev/zero > long && bad long "more than 129 bytes"
  vershina encrypt -c kuznyechik-xts --key-format raw --key-file <(printf %s "$KEY") p -o c && expect_status 0
  vershina encrypt -c kuznyechik-xts --key-hex "$KEY$KEY" p -o x
  expect_status 2 && expect_error "the two halves of the key are the same" && expect_no_file x
  vershina encrypt -c kuznyechik-xts --key-hex "$KEY" p -o x && expect_status 2 &&
    expect_error --key-hex "128 hexadecimal digits, not 64"
}

test_wrong_options() {
  counting 4096 > p
  wrong() {
    local text=$1
    shift
    vershina encrypt "$@" p -o x && expect_status 2 && expect_error "$text" && expect_no_file x
  }
  wrong "takes no IV" "${XTS[@]}" --iv-hex "$IV16"
  wrong "513 is not a multiple of 512" "${XTS[@]}" --sector-size 513
  wrong --sector-size "${XTS[@]}" --sector-size 8192
  wrong --sector-size "${XTS[@]}" --sector-size 0
  wrong "lies inside of a sector" "${XTS[@]}" --sector-size 4096 --first-sector 9
  wrong --first-sector "${XTS[@]}" --first-sector 18446744073709551616
  wrong --first-sector "${XTS[@]}" --first-sector -1
  wrong "kuznyechik-xts has no --padding" "${XTS[@]}" --padding 2
  wrong "kuznyechik-xts has no sections: leave out --section" "${XTS[@]}" --section 512
  wrong "kuznyechik-xts has no key meshing: leave out --key-meshing" "${XTS[@]}" --key-meshing cryptopro
  wrong "kuznyechik-ctr has no --first-sector" -c kuznyechik-ctr --key-hex "$KEY" --iv-hex "$IV8" --first-sector 1
  vershina encrypt "${XTS[@]}" --first-sector 18446744073709551615 p -o x
  expect_status 1 && expect_error "more sectors than there are numbers" && expect_no_file x
}
