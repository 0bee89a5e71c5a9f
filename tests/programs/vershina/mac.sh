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

# make_list OPTION...: MACs of three files, in LIST.
make_list() {
  printf one > a
  printf two > b
  printf three > $'new\nline'
  "$VERSHINA" mac "$@" --key-hex "$KEY" a b $'new\nline' > LIST
}

test_check_with_every_algorithm() {
  local algorithm
  for algorithm in kuznyechik-mac magma-mac gost28147-imit kuznyechik-omac-acpkm magma-omac-acpkm hmac-streebog256 \
    hmac-streebog512; do
    make_list -a "$algorithm"
    vershina mac -a "$algorithm" --key-hex "$KEY" --check LIST && expect_status 0 && expect_silent
    expect_stdout "a: OK
b: OK
\\new\\nline: OK"
    make_list -a "$algorithm" --length 3
    run "$VERSHINA" mac -a "$algorithm" --key-hex "$KEY" --length 3 --check < LIST
    expect_status 0 && expect_silent && expect_stdout_has "b: OK"
    vershina mac -a "$algorithm" --key-hex "${KEY/8/9}" --length 3 --check LIST && expect_status 1
    expect_stdout_has "a: FAILED" && expect_stderr_has "WARNING: 3 computed MACs did NOT match"
    expect_stderr_has "LIST: not one matches: probably a wrong key"
  done
}

test_check_reports_what_is_wrong() {
  make_list -a magma-mac
  echo changed > b
  local check=(mac -a magma-mac --key-hex "$KEY" --check)
  vershina "${check[@]}" LIST && expect_status 1 && expect_stdout "a: OK
b: FAILED
\\new\\nline: OK" && expect_error "WARNING: 1 computed MAC did NOT match"
  rm b
  vershina "${check[@]}" LIST && expect_status 1 && expect_stdout_has "b: FAILED open or read"
  expect_stderr_has "vershina: b: No such file or directory"
  expect_stderr_has "WARNING: 1 listed file could not be read"
  vershina "${check[@]}" --ignore-missing -q LIST && expect_status 0 && expect_stdout "" && expect_silent
  vershina "${check[@]}" --status LIST && expect_status 1 && expect_stdout ""
  echo nonsense >> LIST
  vershina "${check[@]}" --ignore-missing LIST && expect_status 0 && expect_error "1 line is improperly formatted"
  vershina "${check[@]}" --ignore-missing --strict -w LIST && expect_status 1
  expect_stderr_has "LIST: 4: improperly formatted MAC line"
  vershina "${check[@]}" missing LIST && expect_status 3 && expect_stderr_has "missing: No such file or directory"
  vershina "${check[@]}" LIST missing && expect_status 1
}

# The writer of a list must not choose how much of a MAC is compared.
test_check_takes_the_length_from_the_command_line() {
  make_list -a kuznyechik-mac
  local check=(mac -a kuznyechik-mac --key-hex "$KEY" --check)
  cut -c1-2,33- LIST > SHORT # one byte of each MAC
  vershina "${check[@]}" SHORT && expect_status 1 && expect_stdout ""
  expect_error "SHORT: no properly formatted MAC lines found" "has 32 hexadecimal digits"
  { cat LIST && sed 's/^[0-9a-f]*//; s/^\\[0-9a-f]*/\\/' LIST; } > EMPTY
  vershina "${check[@]}" EMPTY && expect_status 0 && expect_error "WARNING: 3 lines are improperly formatted"
  vershina "${check[@]}" --length 8 LIST && expect_status 1 && expect_error "has 16 hexadecimal digits"
}

test_check_of_hostile_lists() {
  make_list -a magma-mac
  local check=(mac -a magma-mac --key-hex "$KEY" --check) tag
  tag=$(head -c 16 LIST)
  {
    head -c 3000000 /dev/zero | tr '\0' a && echo && head -c 100000 /dev/zero && echo
    printf '%s *a\n%s a\n%s  \n%s\n\\%s  a\\\n\\%s  a\\x\n' "$tag" "$tag" "$tag" "$tag" "$tag" "$tag"
    printf '%s  a\0b\n%s  \n \n%s' "$tag" "${tag/?/g}" "$(head -n 1 LIST)"
  } > hostile
  vershina "${check[@]}" hostile && expect_status 0 && expect_stdout "a: OK"
  expect_error "WARNING: 11 lines are improperly formatted"
  echo "$tag  -" > own
  run "$VERSHINA" "${check[@]}" < own
  expect_status 1 && expect_error "no properly formatted MAC lines"
  raw_key k
  run "$VERSHINA" mac -a magma-mac --key-file - --check own < k # the key cannot be the data, too
  expect_status 1 && expect_error "no properly formatted MAC lines"
  mkdir dir
  echo "$tag  dir" > own
  vershina "${check[@]}" own && expect_status 1 && expect_stdout "dir: FAILED open or read"
  : > own
  vershina "${check[@]}" own && expect_status 1 && expect_error "own: no properly formatted MAC lines"
  mkdir sub
  echo "$tag  ../a" > sub/LIST # names are relative to the current directory, as in any list
  cd sub || exit
  vershina "${check[@]}" LIST && expect_status 0 && expect_stdout "../a: OK"
}

test_check_and_other_options() {
  make_list -a magma-mac
  vershina mac -a magma-mac --key-hex "$KEY" --check --verify 00 LIST && expect_status 2 && expect_error excludes
  vershina mac -a magma-mac --key-hex "$KEY" --strict a && expect_status 2 && expect_error "only with --check"
  vershina mac -a magma-mac --key-hex "$KEY" --check --device all LIST && expect_status 2 && expect_error "meaningless"
  vershina mac -a magma-mac --check LIST && expect_status 2 && expect_error "no key"
  local acpkm=(-a kuznyechik-omac-acpkm --section 32 --master-section 96)
  make_list "${acpkm[@]}"
  vershina mac "${acpkm[@]}" --key-hex "$KEY" --check LIST && expect_status 0
  make_list -a gost28147-imit --sbox cryptopro-a
  vershina mac -a gost28147-imit --sbox cryptopro-a --key-hex "$KEY" --check LIST && expect_status 0
  vershina mac -a gost28147-imit --key-hex "$KEY" --check LIST && expect_status 1
}

test_json() {
  need python3
  make_list -a magma-mac
  local mac=(mac -a magma-mac --json --key-hex "$KEY")
  vershina "${mac[@]}" a missing && expect_status 3 && cp .out made
  echo changed > b
  vershina "${mac[@]}" --check LIST && expect_status 1 && cp .out checked
  vershina "${mac[@]}" --verify "$(head -c 16 LIST)" a && expect_status 0 && cp .out verified
  vershina "${mac[@]}" --verify "$(head -c 16 LIST)" b && expect_status 1 && expect_stdout_has '"result": "FAILED"'
  python3 - <<'PY'
import json
load = lambda name: json.load(open(name))
tag = open("LIST").read(16)
assert load("made") == [{"file": "a", "algorithm": "magma-mac", "mac": tag, "bytes": 3},
                        {"file": "missing", "algorithm": "magma-mac", "error": "No such file or directory"}]
same = {"algorithm": "magma-mac", "list": "LIST"}
assert load("checked") == [{"file": "a", **same, "result": "OK", "bytes": 3},
                           {"file": "b", **same, "result": "FAILED", "bytes": 8},
                           {"file": "new\nline", **same, "result": "OK", "bytes": 5}]
assert load("verified") == [{"file": "a", "algorithm": "magma-mac", "result": "OK", "bytes": 3}]
PY
  # The right MAC of a changed file would be a forgery.
  ! grep -q '"mac"' checked
}
