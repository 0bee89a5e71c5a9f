# shellcheck shell=bash
# Wrong data, unreadable input, wrong usage of encrypt and decrypt.

CTR=(-c kuznyechik-ctr --iv-hex 1234567890abcef0)

test_ciphertext_that_is_no_whole_number_of_blocks() {
  make_data 17 c
  decrypt -c kuznyechik-ecb c -o x && expect_status 1
  expect_error "c: ciphertext is 17 bytes, not a whole number of 16-byte blocks" \
    "the file is damaged, or was encrypted in another mode"
  decrypt -c magma-cbc --padding none --iv-hex "$IV8" c -o x && expect_status 1 && expect_error "8-byte blocks"
  decrypt -c kuznyechik-ecb --padding 1 c -o x && expect_status 1 && expect_error "16-byte blocks"
  : > empty
  decrypt -c kuznyechik-ecb empty -o x && expect_status 1 && expect_error "empty: ciphertext is empty"
  expect_no_file x
}

test_plaintext_that_is_no_whole_number_of_blocks() {
  make_data 17 p
  encrypt -c kuznyechik-ecb --padding none p -o x && expect_status 1
  expect_error "p: 17 bytes, not a whole number of 16-byte blocks, and no padding" "choose another --padding"
  expect_no_file x
}

test_wrong_key_gives_bad_padding() {
  make_data 1000 p
  local padding
  for padding in 2 pkcs7; do
    encrypt -c kuznyechik-ecb --padding $padding p -o c -f && expect_status 0
    vershina decrypt -c kuznyechik-ecb --padding $padding --key-hex "00${KEY:2}" c -o x
    expect_status 1 && expect_error "c: impossible padding after decryption" "wrong key, cipher" && expect_no_file x
    vershina decrypt -c kuznyechik-ecb --padding $padding --key-hex "00${KEY:2}" c -o -
    expect_status 1 && expect_error "do not use what went to standard output"
    make_data 10 short
    encrypt -c kuznyechik-ecb --padding $padding short -o c -f && expect_status 0
    vershina decrypt -c kuznyechik-ecb --padding $padding --key-hex "00${KEY:2}" c -o -
    expect_status 1 && expect_stdout '' && ! grep -q "do not use" .err || { explain; fail "nothing went there"; }
  done
}

test_old_output_survives_a_failure() {
  make_data 1000 p
  echo precious > x
  encrypt -c kuznyechik-ecb p -o c && expect_status 0
  vershina decrypt -c kuznyechik-ecb --key-hex "00${KEY:2}" c -o x --force && expect_status 1
  [ "$(cat x)" = precious ] || fail "x was touched"
  expect_no_temporary
}

test_unreadable_input() {
  mkdir dir
  encrypt "${CTR[@]}" missing -o x && expect_status 3 && expect_error "missing: No such file or directory"
  encrypt "${CTR[@]}" dir -o x && expect_status 3 && expect_error "dir: Is a directory"
  encrypt "${CTR[@]}" "" -o x && expect_status 3 && expect_error "'': No such file or directory"
  encrypt "${CTR[@]}" $'two\nlines' -o x && expect_status 3 && expect_error "'two'\$'\\n''lines': No such file"
  run "$VERSHINA" encrypt "${CTR[@]}" --key-hex "$KEY" - -o x <&-
  expect_status 3 && expect_error "standard input: Bad file descriptor"
  if [ -r /proc/self/mem ] && [ "$(id -u)" -eq 0 ]; then # others may not read the program's memory
    encrypt "${CTR[@]}" /proc/self/mem -o x && expect_status 3 && expect_error "/proc/self/mem: Input/output error"
  fi
  if [ "$(id -u)" -ne 0 ]; then
    echo secret > locked && chmod 000 locked
    encrypt "${CTR[@]}" locked -o x && expect_status 3 && expect_error "locked: Permission denied" "permissions"
  fi
  expect_no_file x
}

test_input_that_shrinks_while_it_is_read() {
  truncate -s 200G sparse 2> /dev/null || skip "no large sparse files here"
  mkfifo fifo
  "$VERSHINA" encrypt "${CTR[@]}" --key-hex "$KEY" sparse -o - > fifo 2> .err &
  local pid=$!
  exec 9< fifo
  head -c 100 <&9 > .out # so it is being read
  : > sparse
  cat <&9 > /dev/null
  status=0
  wait "$pid" || status=$?
  expect_status 3 && expect_error "sparse: the file became shorter while it was read"
}

test_usage() {
  echo data > p
  encrypt -c nonsense p -o x && expect_status 2 && expect_error "unknown cipher nonsense" kuznyechik-ctr
  encrypt -c magma-cnt p -o x && expect_status 2 && expect_error "unknown cipher magma-cnt"
  encrypt "${CTR[@]}" p q -o x && expect_status 2 && expect_error q
  encrypt "${CTR[@]}" --nonsense p -o x && expect_status 2 && expect_error --nonsense
  encrypt "${CTR[@]}" --padding pkcs7 p -o x && expect_status 2 && expect_error "kuznyechik-ctr pads nothing"
  encrypt -c kuznyechik-ecb --padding 3 p -o x && expect_status 2 && expect_error "unknown padding 3"
  encrypt "${CTR[@]}" --threads many p -o x && expect_status 2 && expect_error --threads
  encrypt "${CTR[@]}" --threads -1 p -o x && expect_status 2 && expect_error --threads
  vershina nonsense && expect_status 2 && expect_error "unknown command nonsense"
  vershina && expect_status 2 && expect_stdout "" && expect_stderr_has "vershina COMMAND --help"
  vershina --nonsense && expect_status 2 && expect_error
  expect_no_file x
}

test_kernels_that_are_not_available() {
  echo data > p
  encrypt "${CTR[@]}" --kernel nonsense p -o x && expect_status 5 && expect_error nonsense "vershina kernels"
  encrypt "${CTR[@]}" --kernel tables p -o x && expect_status 5 && expect_error tables --allow-tables
  run env VERSHINA_KERNEL=kuznyechik:tables "$VERSHINA" encrypt "${CTR[@]}" --key-hex "$KEY" p -o x
  expect_status 5 && expect_error VERSHINA_KERNEL tables
  run env VERSHINA_KERNEL=kuznyechik:nonsense "$VERSHINA" encrypt "${CTR[@]}" --key-hex "$KEY" p -o x
  expect_status 5 && expect_error VERSHINA_KERNEL nonsense
  expect_no_file x
  encrypt "${CTR[@]}" p -o want && expect_status 0
  encrypt "${CTR[@]}" --kernel tables --allow-tables p -o x && expect_status 0 && cmp want x
  local kernel
  for kernel in $("$VERSHINA" kernels | awk '$1 == "kuznyechik" && $6 == "no" {print $2}'); do
    encrypt "${CTR[@]}" --kernel "$kernel" p -o y && expect_status 5 && expect_error "$kernel" "lacks its instructions"
  done
}

# Stacks larger than the address space: no thread can be created. Everything runs on one then.
test_without_threads() {
  ! "$VERSHINA" --version | grep -q sanitizer || skip "sanitizers need the address space"
  make_data 3000000 data
  "$VERSHINA" hash data data data > want
  "$VERSHINA" encrypt "${CTR[@]}" --key-hex "$KEY" data -o encrypted
  ulimit -v 4000000 -s 8000000 2> /dev/null || skip "no such limits can be set here"
  vershina hash --threads 2 data data data && expect_status 0 && expect_silent && cmp .out want
  run "$VERSHINA" hash < data
  expect_status 0 && expect_silent && [ "$(cut -c1-64 .out)" = "$(head -n 1 want | cut -c1-64)" ] || fail "another hash"
  vershina hash --check want && expect_status 0
  encrypt "${CTR[@]}" data -o x && expect_status 0 && expect_silent && cmp x encrypted
  vershina decrypt "${CTR[@]}" --key-hex "$KEY" --threads 2 x -o y && expect_status 0 && cmp y data
  vershina hash --threads 2 none data && expect_status 1 && expect_stderr_has none
}

# The caller of a set-user-ID program chooses neither its kernels nor its folders.
test_environment_of_a_set_user_id_program_is_not_read() {
  [ "$(id -u)" -eq 0 ] || skip "only root can make a program of another user and start it as a third one"
  need setpriv
  dir=$(mktemp -d) # where others may go
  trap 'rm -rf "$dir"' EXIT
  chmod 755 "$dir" && cp "$VERSHINA" "$dir/program" && chown 1:1 "$dir/program" && chmod 6755 "$dir/program"
  local as_another=(setpriv --reuid 65534 --regid 65534 --clear-groups -- "$dir/program")
  "${as_another[@]}" --version > /dev/null 2>&1 || skip "another user cannot start programs in $dir"
  export VERSHINA_KERNEL=kuznyechik:nonsense
  run "${as_another[@]}" encrypt "${CTR[@]}" --key-hex "$KEY" /dev/null -o -
  expect_status 0
  chmod 755 "$dir/program" # and now it is read
  run "${as_another[@]}" encrypt "${CTR[@]}" --key-hex "$KEY" /dev/null -o -
  expect_status 5
}
