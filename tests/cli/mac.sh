# shellcheck shell=bash
# `vershina mac`.

# The plaintexts of GOST R 34.13-2015, annexes A.1 and A.2.
make_examples() {
  unhex 1122334455667700ffeeddccbbaa998800112233445566778899aabbcceeff0a112233445566778899aabbcceeff0a002233445566778899aabbcceeff0a0011 > p128
  unhex 92def06b3c130a59db54c704f8189d204a98fb2e67a8024c8912409b17b57e41 > p64
}
MAGMA_KEY=ffeeddccbbaa99887766554433221100f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff

test_examples_of_the_standard() {
  make_examples
  vershina mac -a kuznyechik-mac --length 8 --key-hex "$KEY" p128
  expect_status 0 && expect_stdout "336f4d296059fbe3  p128" # A.1.6
  vershina mac -a magma-mac --length 4 --key-hex "$MAGMA_KEY" p64
  expect_status 0 && expect_stdout "154e7210  p64" # A.2.6
}

test_lengths() {
  make_examples
  vershina mac -a kuznyechik-mac --key-hex "$KEY" p128
  [ "$(cut -d' ' -f1 .out | tr -d '\n' | wc -c)" -eq 32 ] || fail "16 bytes by default"
  grep -q ^336f4d296059fbe3 .out || fail "a longer tag begins with the shorter one"
  vershina mac -a magma-mac --key-hex "$KEY" p128 && [ "$(cut -d' ' -f1 .out | wc -c)" -eq 17 ]
  vershina mac -a gost28147-imit --key-hex "$KEY" p128 && [ "$(cut -d' ' -f1 .out | wc -c)" -eq 9 ]
  vershina mac -a magma-mac --length 9 --key-hex "$KEY" p128 && expect_status 2
  expect_error "magma-mac has at most 8 bytes" "--length counts bytes"
  vershina mac -a kuznyechik-mac --length 17 --key-hex "$KEY" p128 && expect_status 2
  vershina mac -a kuznyechik-mac --length 0 --key-hex "$KEY" p128 && expect_status 2
}

test_many_files_and_names() {
  local name
  for name in a $'new\nline' '[x]'; do echo "$name" > "$name"; done
  vershina mac -a magma-mac --key-hex "$KEY" -- a $'new\nline' '[x]' missing
  expect_status 3 && expect_stderr_has "missing: No such file or directory"
  [ "$(wc -l < .out)" -eq 3 ] || fail "three files are there"
  grep -qF '  [x]' .out || fail "[x]"
  grep -q '^\\[0-9a-f]*  new\\nline$' .out || fail "newline"
}

test_verify() {
  make_examples
  vershina mac -a kuznyechik-mac --length 8 --verify 336f4d296059fbe3 --key-hex "$KEY" p128
  expect_status 0 && expect_stdout "p128: OK" && expect_silent
  vershina mac -q -a kuznyechik-mac --length 8 --verify 336F4D296059FBE3 --key-hex "$KEY" p128
  expect_status 0 && expect_stdout ""
  vershina mac -a kuznyechik-mac --length 8 --verify 336f4d296059fbe4 --key-hex "$KEY" p128
  expect_status 1 && expect_error "p128: the MAC does not match" && expect_stdout ""
  vershina mac -a kuznyechik-mac --verify 336f4d296059fbe3 --key-hex "$KEY" p128
  expect_status 2 && expect_error "32 hexadecimal digits" # a short tag needs --length
  vershina mac -a kuznyechik-mac --length 8 --verify 336f4d296059fbe3 --key-hex "$KEY" p128 p64
  expect_status 2 && expect_error "--verify takes one file"
  vershina mac -a kuznyechik-mac --length 8 --verify 336f4d296059fbe3 --key-hex "$KEY" missing
  expect_status 3 && expect_error missing
}

test_standard_input_and_key_file() {
  make_examples
  raw_key k
  run "$VERSHINA" mac -a kuznyechik-mac --length 8 --key-file k < p128
  expect_stdout "336f4d296059fbe3  -"
  run "$VERSHINA" mac -a kuznyechik-mac --length 8 --key-file - p128 < k
  expect_stdout "336f4d296059fbe3  p128"
  run "$VERSHINA" mac -a kuznyechik-mac --key-file - - < k
  expect_status 2 && expect_error "standard input is read as data already"
}

test_sboxes() {
  make_examples
  vershina mac -a gost28147-imit --key-hex "$KEY" p128 && cp .out default
  vershina mac -a gost28147-imit --sbox tc26-z --key-hex "$KEY" p128 && cmp .out default
  vershina mac -a gost28147-imit --sbox cryptopro-a --key-hex "$KEY" p128 && expect_status 0
  if cmp -s .out default; then fail "another S-box set must give another tag"; fi
  vershina mac -a magma-mac --sbox cryptopro-a --key-hex "$KEY" p128 && expect_status 2
  expect_error "magma-mac has fixed S-boxes"
}

test_usage() {
  vershina mac -a nonsense --key-hex "$KEY" x && expect_status 2 && expect_error nonsense kuznyechik-mac
  vershina mac --key-hex "$KEY" x && expect_status 2 && expect_error "--algorithm is required"
  vershina mac -a magma-mac x && expect_status 2 && expect_error "no key"
}

test_omac_acpkm() {
  make_examples
  head -c 24 p128 > p24
  head -c 40 p128 > p40
  # R 1323565.1.017-2018, A.4.1 and A.3.2
  vershina mac -a kuznyechik-omac-acpkm --section 32 --master-section 96 --key-hex "$KEY" p24
  expect_status 0 && expect_stdout "b5367f47b62b995eeb2a648c5843145e  p24"
  vershina mac -a magma-omac-acpkm --section 16 --master-section 80 --key-hex "$KEY" p40
  expect_status 0 && expect_stdout "34008dad5496bb8e  p40"
  vershina mac -a magma-omac-acpkm --section 20 --key-hex "$KEY" p40
  expect_status 2 && expect_stderr_has "a section of magma-omac-acpkm is a multiple of 8 bytes"
  vershina mac -a magma-mac --master-section 80 --key-hex "$KEY" p40
  expect_status 2 && expect_stderr_has "magma-mac has no sections: leave out --master-section"
  vershina mac -a magma-mac --key-meshing cryptopro --key-hex "$KEY" p40
  expect_status 2 && expect_stderr_has "magma-mac has no key meshing"
}
