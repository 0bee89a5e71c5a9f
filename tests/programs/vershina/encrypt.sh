# shellcheck shell=bash
# `vershina encrypt` and `vershina decrypt`: results.

P128=1122334455667700ffeeddccbbaa998800112233445566778899aabbcceeff0a112233445566778899aabbcceeff0a002233445566778899aabbcceeff0a0011
P64=92def06b3c130a59db54c704f8189d204a98fb2e67a8024c8912409b17b57e41
MAGMA_KEY=ffeeddccbbaa99887766554433221100f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff

# example KEY PLAIN CIPHERTEXT OPTIONS...
example() {
  local key=$1 plain=$2 want=$3
  shift 3
  unhex "$plain" > p
  vershina encrypt --key-hex "$key" "$@" p -o - && expect_status 0
  [ "$(hex < .out)" = "$want" ] || fail "encrypt $*: $(hex < .out)"
  cp .out c
  vershina decrypt --key-hex "$key" "$@" c -o - && expect_status 0
  cmp .out p
}

test_examples_of_gost_r_34_13_2015_kuznyechik() {
  example "$KEY" "$P128" 7f679d90bebc24305a468d42b9d4edcdb429912c6e0032f9285452d76718d08bf0ca33549d247ceef3f5a5313bd4b157d0b09ccde830b9eb3a02c4c5aa8ada98 \
    -c kuznyechik-ecb --padding none
  example "$KEY" "$P128" f195d8bec10ed1dbd57b5fa240bda1b885eee733f6a13e5df33ce4b33c45dee4a5eae88be6356ed3d5e877f13564a3a5cb91fab1f20cbab6d1c6d15820bdba73 \
    -c kuznyechik-ctr --iv-hex "$IV8"
  local iv=1234567890abcef0a1b2c3d4e5f0011223344556677889901213141516171819
  example "$KEY" "$P128" 81800a59b1842b24ff1f795e897abd95ed5b47a7048cfab48fb521369d9326bf66a257ac3ca0b8b1c80fe7fc10288a13203ebbc066138660a0292243f6903150 \
    -c kuznyechik-ofb --iv-hex $iv
  example "$KEY" "$P128" 689972d4a085fa4d90e52e3d6d7dcc272826e661b478eca6af1e8e448d5ea5acfe7babf1e91999e85640e8b0f49d90d0167688065a895c631a2d9a1560b63970 \
    -c kuznyechik-cbc --padding none --iv-hex $iv
  example "$KEY" "$P128" 81800a59b1842b24ff1f795e897abd95ed5b47a7048cfab48fb521369d9326bf79f2a8eb5cc68d38842d264e97a238b54ffebecd4e922de6c75bd9dd44fbf4d1 \
    -c kuznyechik-cfb --iv-hex $iv
}

test_examples_of_gost_r_34_13_2015_magma() {
  example $MAGMA_KEY $P64 2b073f0494f372a0de70e715d3556e4811d8d9e9eacfbc1e7c68260996c67efb -c magma-ecb --padding none
  example $MAGMA_KEY $P64 4e98110c97b7b93c3e250d93d6e85d69136d868807b2dbef568eb680ab52a12d -c magma-ctr --iv-hex 12345678
  example $MAGMA_KEY $P64 96d1b05eea683919aff76129abb937b95058b4a1c4bc001920b78b1a7cd7e667 -c magma-cbc --padding none \
    --iv-hex 1234567890abcdef234567890abcdef134567890abcdef12
}

all_ciphers() { # of the standard modes
  "$VERSHINA" encrypt --help | tr -s ' ,' '\n' |
    grep -E '^(kuznyechik|magma|gost28147)-(ecb|ctr|ofb|cbc|cfb|cnt)$' | sort -u
}

iv_of() {
  case $1 in
    *-ecb) ;;
    kuznyechik-ctr) echo "$IV8" ;;
    magma-ctr) echo 12345678 ;;
    kuznyechik-*) echo "$IV16" ;;
    *) echo "$IV8" ;;
  esac
}

test_round_trips_of_every_cipher_length_and_padding() {
  local cipher length padding options iv
  make_data 70000 data
  [ "$(all_ciphers | wc -l)" -eq 14 ] || fail "fourteen ciphers expected"
  for cipher in $(all_ciphers); do
    iv=$(iv_of "$cipher")
    for padding in default 2 pkcs7; do
      case $cipher in *-ecb | *-cbc) ;; *) [ $padding = default ] || continue ;; esac
      for length in 0 1 7 8 16 17 4096 65543; do
        options=(-c "$cipher")
        [ -z "$iv" ] || options+=(--iv-hex "$iv")
        [ $padding = default ] || options+=(--padding "$padding")
        head -c $length data > p
        encrypt "${options[@]}" p -o c -f && expect_status 0 && expect_silent
        decrypt "${options[@]}" c -o d -f && expect_status 0 && expect_silent
        cmp p d || fail "$cipher $padding $length"
      done
    done
  done
  expect_no_temporary
}

test_padding_1_adds_zeros_and_removes_nothing() {
  printf 123 > p
  encrypt -c kuznyechik-ecb --padding 1 p -o c && expect_status 0
  decrypt -c kuznyechik-ecb --padding 1 c -o d && expect_status 0
  [ "$(hex < d)" = 31323300000000000000000000000000 ] || fail "$(hex < d)"
}

# More than the chunks of the pipeline hold, and not a multiple of anything.
test_large_data_by_file_pipe_threads_and_kernel() {
  local cipher iv
  make_data 20000003 data
  for cipher in kuznyechik-ctr kuznyechik-cbc magma-ecb gost28147-cnt; do
    iv=$(iv_of "$cipher")
    local options=(-c "$cipher")
    [ -z "$iv" ] || options+=(--iv-hex "$iv")
    encrypt "${options[@]}" data -o c -f && expect_status 0
    encrypt "${options[@]}" --threads 1 data -o c1 -f && expect_status 0 && cmp c c1
    encrypt "${options[@]}" --threads 3 --kernel portable data -o c1 -f && expect_status 0 && cmp c c1
    run "$VERSHINA" encrypt --key-hex "$KEY" "${options[@]}" - -o - < <(cat data)
    expect_status 0 && cmp .out c
    run "$VERSHINA" decrypt --key-hex "$KEY" "${options[@]}" - -o d -f < <(cat c)
    expect_status 0 && cmp d data
  done
}

test_a_slow_pipe_is_passed_on_at_once() {
  mkfifo in out
  "$VERSHINA" encrypt -c kuznyechik-ctr --key-hex "$KEY" --iv-hex "$IV8" - -o - < in > out &
  local pid=$!
  exec 8> in 9< out
  printf first >&8
  [ "$(timeout 20 head -c 5 <&9 | wc -c)" -eq 5 ] || fail "nothing arrived before the rest was there"
  printf second >&8
  exec 8>&-
  [ "$(wc -c <&9)" -eq 6 ] && wait $pid
}

test_segments() {
  make_data 1000 data
  encrypt -c kuznyechik-cfb --iv-hex "$IV16" --segment 8 data -o c && expect_status 0
  encrypt -c kuznyechik-cfb --iv-hex "$IV16" data -o c16 && expect_status 0
  if cmp -s c c16; then fail "segments of one byte must differ"; fi
  decrypt -c kuznyechik-cfb --iv-hex "$IV16" --segment 8 c -o d && cmp d data
  encrypt -c magma-cfb --iv-hex "$IV8" --segment 72 data -o x && expect_status 2 &&
    expect_error "--segment counts bits, 8 to 64"
  encrypt -c magma-cfb --iv-hex "$IV8" --segment 12 data -o x && expect_status 2 && expect_error "a multiple of 8"
  encrypt -c magma-cbc --iv-hex "$IV8" --segment 8 data -o x && expect_status 2 &&
    expect_error "magma-cbc has no segments"
  expect_no_file x
}

test_sboxes() {
  make_data 100 data
  encrypt -c gost28147-ecb data -o c && encrypt -c gost28147-ecb --sbox tc26-z data -o c1 && cmp c c1
  encrypt -c gost28147-ecb --sbox cryptopro-b data -o cb && expect_status 0
  if cmp -s c cb; then fail "another set must differ"; fi
  # id-tc26-gost-28147-param-Z (RFC 7836, annex C) as a user-defined set
  cat > z <<'SET'
c462a5b9e8d703f1
68239a5c1e47bd0f
b3582fade174c960
c821d4f670a53e9b
7f5a816d093eb42c
5df692cab78143e0
8e25691cf4b0da37
17ed05834fa69cb2
SET
  encrypt -c gost28147-ecb --sbox-file z data -o cz && expect_status 0 && cmp c cz
  printf %s "$(cat z)" > z2 && encrypt -c gost28147-ecb --sbox-file z2 data -o cz -f && expect_status 0 && cmp c cz

  encrypt -c gost28147-ecb --sbox nonsense data -o x && expect_status 2 && expect_error nonsense tc26-z
  encrypt -c magma-ecb --sbox tc26-z data -o x && expect_status 2 && expect_error "magma-ecb has fixed S-boxes"
  encrypt -c gost28147-ecb --sbox tc26-z --sbox-file z data -o x && expect_status 2
  sed 's/^c462/cc62/' z > bad && encrypt -c gost28147-ecb --sbox-file bad data -o x
  expect_status 2 && expect_error "bad: line 1 is not a permutation"
  head -n 7 z > bad && encrypt -c gost28147-ecb --sbox-file bad data -o x
  expect_status 2 && expect_error "bad:" "line 8 is missing"
  (cat z && echo) > bad && encrypt -c gost28147-ecb --sbox-file bad data -o x && expect_status 2 &&
    expect_error "after line 8"
  sed 's/f1$/g1/' z > bad && encrypt -c gost28147-ecb --sbox-file bad data -o x && expect_status 2 &&
    expect_error "line 1"
  encrypt -c gost28147-ecb --sbox-file missing data -o x && expect_status 3 && expect_error missing
  expect_no_file x
}

test_constant_memory() {
  if "$VERSHINA" --version | grep -q sanitizer; then skip "sanitizers use memory of their own"; fi
  [ -r /proc/self/status ] || skip "no /proc"
  local pid peak=0 now
  head -c 700000000 /dev/zero | "$VERSHINA" encrypt -c kuznyechik-ctr --key-hex "$KEY" --iv-hex "$IV8" - -o /dev/null &
  pid=$!
  while now=$(sed -n 's/^VmHWM:[^0-9]*\([0-9]*\).*/\1/p' "/proc/$pid/status" 2> /dev/null) && [ -n "$now" ]; do
    peak=$now
    sleep 0.02
  done
  wait $pid
  [ "$peak" -gt 0 ] && [ "$peak" -lt 80000 ] || fail "peak of $peak kB for 700 MB"
}

test_ctr_acpkm() {
  # R 1323565.1.017-2018, A.2 and A.1
  example "$KEY" "$P128" f195d8bec10ed1dbd57b5fa240bda1b885eee733f6a13e5df33ce4b33c45dee44bceeb8f646f4c55001706275e85e800587c4df568d094393e4834afd0805046 \
    -c kuznyechik-ctr-acpkm --section 32 --iv-hex "$IV8"
  example "$KEY" "${P128:0:112}" 2ab81deeeb1e4cab68e104c4bd6b94eac72c67af6c2e5b6b0eafb61770f1b32ea1ae71149eed1382abd467180672ec6f84a2f15b3fca72c1 \
    -c magma-ctr-acpkm --section 16 --iv-hex 12345678
}

test_sections_and_key_meshing_only_where_there_are_any() {
  echo text > p
  encrypt -c magma-ctr-acpkm --section 12 --iv-hex 12345678 p -o c
  expect_status 2 && expect_stderr_has "a section of magma-ctr-acpkm is a multiple of 8 bytes"
  encrypt -c magma-ctr --section 16 --iv-hex 12345678 p -o c
  expect_status 2 && expect_stderr_has "magma-ctr has no sections: leave out --section"
  encrypt -c magma-ctr-acpkm --section 0 --iv-hex 12345678 p -o c
  expect_status 2
  encrypt -c magma-cbc --key-meshing cryptopro --iv-hex "$IV8" p -o c
  expect_status 2 && expect_stderr_has "magma-cbc has no key meshing: leave out --key-meshing"
  encrypt -c gost28147-cnt --key-meshing other --iv-hex "$IV8" p -o c
  expect_status 2 && expect_stderr_has "choose one of none, cryptopro"
  encrypt -c gost28147-cfb --key-meshing cryptopro --segment 8 --iv-hex "$IV8" p -o c
  expect_status 2 && expect_stderr_has "leave out --segment"
  [ ! -e c ] || fail "an output appeared"
}
