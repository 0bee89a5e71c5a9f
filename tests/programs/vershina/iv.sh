# shellcheck shell=bash
# --iv random, --iv file, --iv-out and --iv-in.

# A cipher, and the length of its IV.
CIPHERS='kuznyechik-ctr 8
kuznyechik-ctr-acpkm 8
kuznyechik-cbc 16
kuznyechik-cfb 16
kuznyechik-ofb 16
magma-ctr 4
magma-ctr-acpkm 4
magma-cbc 8
gost28147-cnt 8
gost28147-cbc 8
kuznyechik-mgm 16
magma-mgm 8
kuznyechik-ctr-acpkm-omac 16
magma-ctr-acpkm-omac 12'

# The bytes behind the IV are those with --iv-hex; from files and pipes, to files and pipes.
test_in_front_of_the_ciphertext() {
  local cipher len iv size
  while read -r cipher len; do
    for size in 0 1 3000001; do
      [ "$size" -gt 0 ] || [[ $cipher != *-mgm ]] || continue # nothing to encrypt nor to authenticate
      make_data $size p
      encrypt -q -c "$cipher" --iv random p -o c && expect_status 0 && expect_silent
      iv=$(head -c "$len" c | hex)
      encrypt -c "$cipher" --iv-hex "$iv" p -o want && expect_status 0
      tail -c +$((len + 1)) c | cmp - want || fail "$cipher, $size bytes"
      decrypt -c "$cipher" --iv file c -o p2 && expect_status 0 && expect_silent && cmp p p2
      "$VERSHINA" decrypt --key-hex "$KEY" -c "$cipher" --iv file < c > p3 && cmp p p3
      "$VERSHINA" decrypt --key-hex "$KEY" -c "$cipher" --iv file < <(cat c) | cmp - p || fail "$cipher, pipes"
      rm c want p2 p3
    done
  done <<< "$CIPHERS"
  expect_no_temporary
}

test_in_a_file_of_its_own() {
  local cipher len
  make_data 100000 p
  while read -r cipher len; do
    encrypt -q -c "$cipher" --iv random --iv-out iv p -o c && expect_status 0 && expect_silent
    [ "$(stat -c %s iv)" -eq "$len" ] || fail "$cipher: $(stat -c %s iv) bytes"
    encrypt -c "$cipher" --iv-hex "$(hex < iv)" p -o want && cmp c want
    decrypt -c "$cipher" --iv-in iv c -o p2 && expect_status 0 && expect_silent && cmp p p2
    decrypt -c "$cipher" --iv-in <(cat iv) c -o p2 -f && expect_status 0 && cmp p p2
    run "$VERSHINA" decrypt --key-hex "$KEY" -c "$cipher" --iv-in - c -o p2 -f < iv
    expect_status 0 && cmp p p2
    rm iv c want p2
  done <<< "$CIPHERS"
  encrypt -c kuznyechik-ctr --iv random --iv-out - p -o c && expect_status 0 && [ "$(stat -c %s .out)" -eq 8 ]
  cp .out iv
  decrypt -c kuznyechik-ctr --iv-in iv c -o p2 && expect_status 0 && cmp p p2
}

# The other options of modes, associated data, and a device or none.
test_with_other_options() {
  make_data 70000 p
  echo header > aad
  local options
  for options in "-c kuznyechik-mgm --aad-file aad --tag-length 12" \
    "-c kuznyechik-ctr-acpkm --section 64 --segment 64" \
    "-c gost28147-cnt --key-meshing cryptopro --sbox cryptopro-a" "-c magma-cbc --padding pkcs7" \
    "-c kuznyechik-ctr-acpkm-omac --section 1K" "-c kuznyechik-ctr --device cpu --threads 1"; do
    # shellcheck disable=SC2086
    encrypt $options --iv random p -o c && expect_status 0
    # shellcheck disable=SC2086
    decrypt $options --iv file c -o p2 && expect_status 0 && cmp p p2 && rm c p2
  done
}

test_ivs_are_random() {
  echo > p
  local cipher i
  for cipher in kuznyechik-ctr kuznyechik-mgm magma-mgm; do
    for ((i = 0; i < 40; i++)); do
      "$VERSHINA" encrypt --key-hex "$KEY" -c $cipher --iv random p > c
      head -c 8 c | hex
      echo
    done > ivs
    [ "$(sort -u ivs | wc -l)" -eq 40 ] || fail "$cipher: the same IV twice"
    # The first bit is 0 for MGM, and random for others: 40 times 0 has a chance of 2^-40.
    if [[ $cipher = *-mgm ]]; then
      ! grep -q '^[89a-f]' ivs || fail "$cipher: $(cat ivs)"
    else
      grep -q '^[89a-f]' ivs || fail "$cipher: $(cat ivs)"
    fi
  done
}

test_note_about_short_ivs() {
  echo > p
  encrypt -c magma-ctr --iv random p -o c && expect_status 0 &&
    expect_error "magma-ctr: random IVs of 4 bytes soon repeat: encrypt at most 90 files under one key"
  encrypt -q -c magma-ctr-acpkm --iv random p -o c -f && expect_status 0 && expect_silent
  encrypt -c magma-ctr --iv-hex 00000000 p -o c -f && expect_silent
  encrypt -c magma-cbc --iv random p -o c -f && expect_silent
}

# Input shorter than an IV, and than an IV and a tag.
test_truncated() {
  make_data 100 p
  local file
  encrypt -c kuznyechik-ctr --iv random p -o c && encrypt -c kuznyechik-mgm --iv random p -o m
  : > empty
  head -c 7 c > short
  for file in empty short; do
    decrypt -c kuznyechik-ctr --iv file $file -o x && expect_status 1 &&
      expect_error "$file: " "shorter than the IV of 8 bytes in front of it" && expect_no_file x
    run "$VERSHINA" decrypt --key-hex "$KEY" -c kuznyechik-ctr --iv file -o x < <(cat $file)
    expect_status 1 && expect_error "standard input: " "shorter than the IV of 8 bytes" && expect_no_file x
    decrypt -c kuznyechik-mgm --iv file $file -o x && expect_status 1 && expect_error "IV of 16 bytes"
    expect_no_file x
  done
  head -c 8 c > only && decrypt -c kuznyechik-ctr --iv file only -o x && expect_status 0 && [ ! -s x ] && rm x
  head -c 20 m > only && decrypt -c kuznyechik-mgm --iv file only -o x && expect_status 1 &&
    expect_error "only: shorter than the tag of 16 bytes" && expect_no_file x
  local changed
  for ((i = 0; i < 16; i += 5)); do # each byte of the nonce is authenticated
    changed=$(tail -c +$((i + 1)) m | head -c 1 | hex)
    { head -c $i m && unhex "$(printf %02x $((0x$changed ^ 1)))" && tail -c +$((i + 2)) m; } > bad
    decrypt -c kuznyechik-mgm --iv file bad -o x && expect_status 1 && expect_error "verification failed"
    expect_no_file x
  done
  { printf '\xff' && tail -c +2 m; } > bad
  decrypt -c kuznyechik-mgm --iv file bad -o x && expect_status 1 &&
    expect_error "bad: does not begin with a nonce of kuznyechik-mgm" && expect_no_file x
}

# refused TEXT ARGUMENTS...: status 2 and no output.
refused() {
  local text=$1
  shift
  vershina "$@" --key-hex "$KEY" p -o x && expect_status 2 && expect_error "$text" && expect_no_file x iv
}

test_usage() {
  echo > p
  refused "kuznyechik-ecb takes no IV: leave out --iv" encrypt -c kuznyechik-ecb --iv random
  refused "kuznyechik-ecb takes no IV: leave out --iv" decrypt -c kuznyechik-ecb --iv file
  refused "kuznyechik-ecb takes no IV: leave out --iv-in" decrypt -c kuznyechik-ecb --iv-in p
  vershina encrypt -c kuznyechik-xts --key-hex "$KEY${KEY/8899/8898}" --iv random p -o x && expect_status 2 &&
    expect_error "kuznyechik-xts takes no IV: leave out --iv; --first-sector numbers the sectors"
  refused "--iv file reads the IV in front of a ciphertext" encrypt -c kuznyechik-ctr --iv file
  refused "--iv random makes a new IV" decrypt -c kuznyechik-ctr --iv random
  refused "--iv takes the word random, not digits: give digits with --iv-hex" encrypt -c kuznyechik-ctr --iv "$IV8"
  refused "--iv takes the word random, not nonsense" encrypt -c kuznyechik-ctr --iv nonsense
  refused "--iv takes the word file, not nonsense" decrypt -c kuznyechik-ctr --iv nonsense
  refused "more than one IV is given" encrypt -c kuznyechik-ctr --iv random --iv-hex "$IV8"
  refused "more than one IV is given" decrypt -c kuznyechik-ctr --iv file --iv-hex "$IV8"
  refused "more than one IV is given" decrypt -c kuznyechik-ctr --iv-in p --iv file
  refused "--iv-out requires --iv" encrypt -c kuznyechik-ctr --iv-out iv --iv-hex "$IV8"
  refused "unknown option --iv-out" decrypt -c kuznyechik-ctr --iv file --iv-out iv
  refused "unknown option --iv-in" encrypt -c kuznyechik-ctr --iv-in p
  refused "kuznyechik-ctr needs an IV of 8 bytes, and p has 1 byte" decrypt -c kuznyechik-ctr --iv-in p
  refused "kuznyechik-mgm needs a nonce of 16 bytes, and p has 1 byte" decrypt -c kuznyechik-mgm --iv-in p
  refused "take --iv random" encrypt -c kuznyechik-ctr
  refused "--iv file" decrypt -c kuznyechik-ctr
  head -c 300 /dev/zero > long
  refused "long: more than 256 bytes" decrypt -c kuznyechik-ofb --iv-in long
  vershina decrypt --key-hex "$KEY" -c kuznyechik-ctr --iv-in missing p -o x && expect_status 3 && expect_error missing
  vershina encrypt -c kuznyechik-ctr --openssl-salted --iv random p -o x && expect_status 2 &&
    expect_error "--openssl-salted makes the IV from the passphrase: leave out --iv"
  run "$VERSHINA" decrypt --key-hex "$KEY" -c kuznyechik-ctr --iv-in - < p
  expect_status 2 && expect_error "--iv-in -: standard input is read already"
  raw_key k
  run "$VERSHINA" decrypt -k - -c kuznyechik-ctr --iv-in - p -o x < k
  expect_status 2 && expect_error "--iv-in -: standard input is read already"
  expect_no_file x
}

# The two outputs are two files, none of them is read, and none of them exists.
test_outputs() {
  make_data 1000 p
  mkdir dir
  ln -s dir link
  encrypt -c kuznyechik-ctr --iv random --iv-out x p -o x && expect_status 2 && expect_error "same file"
  expect_no_file x
  encrypt -c kuznyechik-ctr --iv random --iv-out dir/../x p -o ./x && expect_status 2 && expect_no_file x
  encrypt -c kuznyechik-ctr --iv random --iv-out dir/x p -o link/x && expect_status 2 && expect_no_file dir/x
  encrypt -c kuznyechik-ctr --iv random --iv-out - p && expect_status 2 && expect_error "same file" && expect_stdout ""
  echo old > iv
  encrypt -c kuznyechik-ctr --iv random --iv-out iv p -o x && expect_status 4 && expect_error "iv: the file exists" &&
    expect_no_file x
  echo old > x2
  encrypt -c kuznyechik-ctr --iv random --iv-out iv2 p -o x2 && expect_status 4 && expect_no_file iv2
  [ "$(cat iv x2)" = "old
old" ] || fail "replaced"
  encrypt -c kuznyechik-ctr --iv random --iv-out iv p -o x2 -f && expect_status 0
  decrypt -c kuznyechik-ctr --iv-in iv x2 -o - && expect_status 0 && cmp .out p
  encrypt -c kuznyechik-ctr --iv random --iv-out p p -o x -f && expect_status 4 && expect_error "being read"
  raw_key k
  vershina encrypt -k k -c kuznyechik-ctr --iv random --iv-out k p -o x -f && expect_status 4 &&
    expect_error "being read"
  decrypt -c kuznyechik-ctr --iv-in iv x2 -o iv -f && expect_status 4 && expect_error "being read"
  encrypt -c kuznyechik-ctr --iv random --iv-out missing/iv p -o x && expect_status 4 && expect_no_file x
  expect_no_file x
}

test_failures_leave_neither() {
  make_data 3000000 p
  encrypt -c kuznyechik-ctr --iv random p -o /dev/full && expect_status 4 && expect_error "No space left"
  encrypt -c kuznyechik-ctr --iv random --iv-out iv p -o /dev/full && expect_status 4 && expect_no_file iv
  encrypt -c kuznyechik-ctr --iv random --iv-out /dev/full p -o x && expect_status 4 && expect_no_file x
  encrypt -c magma-cbc --padding none --iv random --iv-out iv k -o x && expect_no_file iv x
  head -c 7 p > odd
  encrypt -c magma-cbc --padding none --iv random --iv-out iv odd -o x && expect_status 1 && expect_no_file iv x
  run bash -c 'ulimit -f 100; "$VERSHINA" encrypt -c kuznyechik-ctr --iv random --iv-out iv "$@"' - \
    --key-hex "$KEY" p -o x
  expect_status 4 && expect_no_file iv x
}

# Stopped in the middle: neither file, and no temporary one.
test_interrupted() {
  env --default-signal=INT true 2> /dev/null || skip "env lacks --default-signal"
  local signal pid
  for signal in INT TERM; do
    mkfifo fifo
    env --default-signal=INT,TERM "$VERSHINA" encrypt -c kuznyechik-ctr --key-hex "$KEY" --iv random --iv-out iv \
      fifo -o x 2> .err &
    pid=$!
    exec 9> fifo
    head -c 100000 /dev/zero >&9
    # shellcheck disable=SC2317 # called by wait_for
    two_temporaries() { [ "$(find . -name '.vershina-*.tmp' | wc -l)" -eq 2 ]; }
    wait_for two_temporaries
    kill -$signal $pid
    status=0
    wait $pid 2> /dev/null || status=$?
    exec 9>&-
    : > .out
    [ $status -gt 128 ] || fail "status $status"
    expect_stderr_has "interrupted: x was not written" && expect_stderr_has "interrupted: iv was not written"
    expect_no_file iv x
    rm fifo
  done
}

# A file that changes its IV between the two readings of MGM is refused or is as before; nothing else appears.
test_a_pipe_is_read_once() {
  make_data 200000 p
  encrypt -c kuznyechik-mgm --iv random p -o c
  decrypt -c kuznyechik-mgm --iv file <(cat c) -o p2 && expect_status 0 && cmp p p2
  { cat c && printf x; } > longer
  decrypt -c kuznyechik-mgm --iv file <(cat longer) -o p3 && expect_status 1 && expect_no_file p3
  # Standard input at an offset: the IV is where reading begins.
  { printf prefix && cat c; } > offset
  run bash -c 'exec 3< offset; dd bs=6 count=1 <&3 of=/dev/null 2> /dev/null
    "$VERSHINA" decrypt --key-hex "$1" -c kuznyechik-mgm --iv file -o p4 <&3' - "$KEY"
  expect_status 0 && cmp p p4
}
