# shellcheck shell=bash
# `vershina keygen`: keys, their files, and check values.

test_a_key_file() {
  vershina keygen -o k && expect_status 0 && expect_silent
  [ "$(stat -c '%a %s' k)" = "600 32" ] || fail "$(stat -c '%a %s' k)"
  grep -qE '^k: check value [0-9a-f]{8}$' .out || { explain; fail "no check value"; }
  vershina keygen --hex -o hex && expect_status 0 && expect_silent
  grep -qE '^[0-9a-f]{64}$' hex && [ "$(stat -c '%a %s' hex)" = "600 65" ] || fail "hexadecimal digits"
  vershina keygen --length 64 -o long && [ "$(stat -c %s long)" -eq 64 ]
  vershina keygen --length 64 --hex -o longhex && [ "$(stat -c %s longhex)" -eq 129 ]
  expect_no_temporary
  echo text > p
  local key
  for key in k hex; do
    vershina encrypt -c magma-ecb -k $key p -o c -f && expect_status 0 && expect_silent
  done
  for key in long longhex; do
    vershina encrypt -c kuznyechik-xts -k $key --stealing p -o c -f && expect_status 1 && expect_error "XTS needs 16"
  done
}

test_keys_differ() {
  local i
  for ((i = 0; i < 50; i++)); do "$VERSHINA" keygen --hex -q 2> .err; done > keys
  [ "$(sort -u keys | wc -l)" -eq 50 ] || fail "the same key twice"
  # No byte is constant: 50 equal ones in one of 32 places have a chance of 2^-387.
  local at
  for ((at = 1; at < 64; at += 2)); do
    [ "$(cut -c $at-$((at + 1)) keys | sort -u | wc -l)" -gt 1 ] || fail "byte $at is always the same"
  done
}

# The values come from OpenSSL with the GOST engine:
#   printf 'vershina key check value' | openssl dgst -engine gost -md_gost12_256 -mac HMAC -macopt hexkey:KEY
test_check_value() {
  umask 077
  raw_key raw
  echo "$KEY" > hex
  printf %s "$KEY" | tr a-f A-F > upper
  unhex "$KEY$KEY" > raw64
  echo "$KEY$KEY" > hex64
  local file
  for file in raw hex upper; do
    vershina keygen --check $file && expect_status 0 && expect_silent && expect_stdout "$file: check value 9da503b1"
  done
  for file in raw64 hex64; do
    vershina keygen --check $file && expect_status 0 && expect_stdout "$file: check value 00b63514"
  done
  run "$VERSHINA" keygen --check - < raw
  expect_status 0 && expect_stdout "standard input: check value 9da503b1"
  # What documents say about it.
  run "$VERSHINA" mac -a hmac-streebog256 --length 4 -k raw < <(printf 'vershina key check value')
  expect_stdout "9da503b1  -"
  # That of a new key is that of its file.
  vershina keygen -o new && cp .out said
  vershina keygen --check new && cmp .out said
  "$VERSHINA" keygen > piped 2> said
  vershina keygen --check piped && grep -qF "$(sed 's/.*check value //' .out)" said || fail "$(cat said .out)"
}

test_no_key() {
  umask 077
  head -c 31 /dev/zero > short
  : > empty
  echo "${KEY}0" > odd
  head -c 200 /dev/zero > huge
  local file
  for file in short empty odd; do
    vershina keygen --check $file && expect_status 2 && expect_stdout "" &&
      expect_error "$file: " "a key is 32 or 64 bytes"
  done
  vershina keygen --check huge && expect_status 2 && expect_error "huge: more than 129 bytes, so no key: "
  vershina keygen --check missing && expect_status 3 && expect_error missing
  vershina keygen --check short --hex && expect_status 2 && expect_error "--check makes no key: leave out --hex"
  vershina keygen --check short -o x && expect_status 2 && expect_no_file x
  vershina keygen --length 33 -o x && expect_status 2 && expect_error "multiple of 32" && expect_no_file x
  vershina keygen --length 96 -o x && expect_status 2 && expect_no_file x
}

test_nothing_is_replaced() {
  echo precious > k
  ln -s k link
  ln -s nowhere dangling
  mkdir dir
  vershina keygen -o k && expect_status 4 && expect_error "k: the file exists already: choose another name" &&
    expect_stdout ""
  ! grep -q force .err || fail "--force is offered"
  vershina keygen -o link && expect_status 4 && expect_error "link: the file exists already"
  vershina keygen -o dangling && expect_status 4 && expect_error "symbolic link" && expect_no_file nowhere
  vershina keygen -o dir && expect_status 4 && expect_error "Is a directory"
  vershina keygen -o missing/k && expect_status 4 && expect_error "make the directory first"
  vershina keygen -f -o k && expect_status 2 && expect_error "unknown option -f"
  vershina keygen --force -o k && expect_status 2 && expect_error "unknown option --force"
  [ "$(cat k)" = precious ] && expect_no_temporary
}

# Its owner can read it, and nobody else, whatever umask says.
test_umask() {
  local mask
  for mask in 000 022 077 277 777; do
    (umask $mask && "$VERSHINA" keygen -q -o k$mask)
    [ "$(stat -c %a k$mask)" = 600 ] || fail "umask $mask: $(stat -c %a k$mask)"
  done
}

test_standard_output() {
  run "$VERSHINA" keygen < /dev/null
  expect_status 0 && [ "$(stat -c %s .out)" -eq 32 ] && expect_stderr_has "vershina: check value "
  # A redirection gives it the permissions of umask.
  expect_stderr_has "standard output: other users may read the file that has the key now"
  "$VERSHINA" keygen -q > quiet 2> .err && expect_silent
  (umask 077 && "$VERSHINA" keygen --hex > private 2> .err)
  expect_error "check value"
  "$VERSHINA" keygen 2> .err | cat > piped
  expect_error "check value" && [ "$(stat -c %s piped)" -eq 32 ]
  vershina keygen -q -o k && expect_status 0 && expect_silent && expect_stdout ""
  mkfifo fifo
  cat fifo > through & # the fifo belongs to its readers: written as it is
  vershina keygen -o fifo && expect_status 0 && expect_stdout_has "fifo: check value"
  wait
  [ "$(stat -c %s through)" -eq 32 ]
}

test_full_disk() {
  vershina keygen -o /dev/full && expect_status 4 && expect_error "No space left"
  run bash -c '"$VERSHINA" keygen > /dev/full'
  expect_status 4 && expect_error "standard output: No space left"
  # Without a place for the check value there is no key: where the status is not 0 there is no file.
  run bash -c '"$VERSHINA" keygen -o k > /dev/full'
  expect_status 4 && expect_error "No space left" && expect_no_file k
  run bash -c '"$VERSHINA" keygen -o k >&-'
  expect_status 4 && expect_no_file k
}

test_no_room_for_a_byte() {
  ! "$VERSHINA" --version | grep -q thread-sanitizer || skip "a sanitizer writes a file of its own"
  run bash -c 'ulimit -f 0; "$VERSHINA" keygen -o k | cat; exit ${PIPESTATUS[0]}'
  expect_status 4 && expect_no_file k
}

test_terminals() {
  expect_on_terminal 4 "standard output is a terminal, and this is binary data: name a file with -o, or redirect it" \
    "" "$VERSHINA" keygen
  ! grep -q force .tty || fail "--force is offered"
  expect_on_terminal 0 "check value" "" "$VERSHINA" keygen --hex
  grep -qE '^[0-9a-f]{64}' .tty || fail "no key: $(cat .tty)"
}

# A directory that cannot be written: nothing is left.
test_read_only_directory() {
  mkdir dir
  as_user "chmod 555 dir; umask 022; ./vershina keygen -o dir/k"
  expect_status 4 && expect_error "Permission denied"
  [ -z "$(ls -A dir)" ] || fail "left behind: $(ls -A dir)"
}
