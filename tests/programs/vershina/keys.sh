# shellcheck shell=bash
# Keys and IVs: sources and refusals.

C=(-c kuznyechik-ctr --iv-hex 1234567890abcef0)

test_key_files() {
  echo data > p
  raw_key raw
  printf %s "$KEY" > hex
  echo "$KEY" > hexline
  echo "$KEY" | tr a-f A-F > upper
  vershina encrypt "${C[@]}" --key-hex "$KEY" p -o want && expect_status 0
  local file
  for file in raw hex hexline upper; do
    vershina encrypt "${C[@]}" --key-file $file p -o c -f && expect_status 0 && cmp c want
  done
  vershina encrypt "${C[@]}" --key-file raw --key-format raw p -o c -f && cmp c want
  vershina encrypt "${C[@]}" --key-file hexline --key-format hex p -o c -f && cmp c want
  vershina encrypt "${C[@]}" --key-file raw --key-format auto p -o c -f && cmp c want
  vershina encrypt "${C[@]}" --key-file <(echo "$KEY") p -o c -f && expect_status 0 && cmp c want
  run "$VERSHINA" encrypt "${C[@]}" --key-file - p -o c -f < raw
  expect_status 0 && cmp c want
}

# wrong FILE TEXT [OPTIONS...]
wrong() {
  local file=$1 text=$2
  shift 2
  vershina encrypt "${C[@]}" --key-file "$file" "$@" p -o x
  expect_status 2 && expect_error "$file:" "$text" && expect_no_file x
}

test_wrong_key_files() {
  echo data > p
  raw_key raw
  head -c 31 raw > short && wrong short "31 bytes"
  (cat raw && echo) > newline && wrong newline "33 bytes"
  (echo "$KEY" && echo) > two && wrong two "the key has a newline at position 65"
  printf '%s\r\n' "$KEY" > crlf && wrong crlf "the key ends with a carriage return: write 64"
  printf '\xef\xbb\xbf%s\n' "$KEY" > bom && wrong bom "the key begins with a byte order mark"
  echo "$KEY " > blank && wrong blank "the key has a blank at position 65"
  echo "${KEY:0:2}:${KEY:2}" > colons && wrong colons "the key has a colon at position 3"
  : > empty && wrong empty "0 bytes"
  head -c 5000000 /dev/zero > huge && wrong huge "huge: more than 65 bytes, so no key: a key is 32 raw bytes or 64"
  echo "${KEY/8/g}" > letter && wrong letter "not a hexadecimal digit"
  echo "${KEY:1}x" > nothex && wrong nothex "not a hexadecimal digit"
  head -c 63 <(echo "$KEY") > odd && wrong odd "63 bytes"
  wrong raw "a hexadecimal key is 64 digits" --key-format hex
  echo "$KEY" > hexline && wrong hexline "65 bytes, so no key: a raw key is 32 bytes" --key-format raw
  if grep -q "${KEY:2:20}" .err; then fail "a message shows the key"; fi
  mkdir dir
  vershina encrypt "${C[@]}" --key-file missing p -o x && expect_status 3 && expect_error "missing: No such file"
  vershina encrypt "${C[@]}" --key-file dir p -o x && expect_status 3 && expect_error "dir: Is a directory"
  vershina encrypt "${C[@]}" --key-file raw --key-format nonsense p -o x && expect_status 2 && expect_error nonsense
  expect_no_file x
}

test_wrong_key_options() {
  echo data > p
  raw_key raw
  vershina encrypt "${C[@]}" --key-hex "${KEY:2}" p -o x && expect_status 2 &&
    expect_error --key-hex "a key is 64 hexadecimal digits, not 62"
  vershina encrypt "${C[@]}" --key-hex '00 11 22 33 44' p -o x && expect_status 2 &&
    expect_error "--key-hex has a blank at position 3: use only 0-9 and a-f, and nothing between them"
  vershina encrypt "${C[@]}" --key-hex "0x$KEY" p -o x && expect_status 2 && expect_error "--key-hex begins with 0x"
  vershina encrypt "${C[@]}" --key-hex "g${KEY:1}" p -o x && expect_status 2 && expect_error --key-hex
  if grep -q "${KEY:2:20}" .err; then fail "a message shows the key"; fi
  vershina encrypt "${C[@]}" --key-hex "" p -o x && expect_status 2 && expect_error --key-hex
  vershina encrypt "${C[@]}" p -o x && expect_status 2 && expect_error "no key" --key-file
  vershina encrypt "${C[@]}" --key-hex "$KEY" --key-file raw p -o x && expect_status 2 &&
    expect_error "exclude each other"
  run "$VERSHINA" encrypt "${C[@]}" --key-file - - -o x < raw
  expect_status 2 && expect_error "standard input is read as data already"
  expect_no_file x
}

test_key_on_the_command_line_is_hidden_from_ps() {
  [ -r /proc/self/cmdline ] || skip "no /proc"
  mkfifo fifo
  local arguments pid
  for arguments in "--key-hex $KEY" "--key-hex=$KEY"; do
    # shellcheck disable=SC2086
    "$VERSHINA" encrypt "${C[@]}" $arguments fifo -o x &
    pid=$!
    exec 9> fifo # once it reads, its options have been read
    grep -q xxxxxxxx "/proc/$pid/cmdline" && ! grep -q "$KEY" "/proc/$pid/cmdline" ||
      fail "the key is in the process list: $(tr '\0' ' ' < "/proc/$pid/cmdline")"
    exec 9>&-
    wait $pid
    rm x
  done
}

# in_memory PID TEXT: how often the text is in the process's writable memory.
in_memory() {
  python3 - "$@" <<'PY'
import re
import sys

pid, text = sys.argv[1], sys.argv[2].encode()
count = 0
with open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:
    for line in open(f"/proc/{pid}/maps"):
        begin, end, mode = re.match("([0-9a-f]+)-([0-9a-f]+) (....)", line).groups()
        if not mode.startswith("rw"):
            continue
        try:
            memory.seek(int(begin, 16))
            count += memory.read(int(end, 16) - int(begin, 16)).count(text)
        except (OSError, ValueError, OverflowError):  # not there any more, or no ordinary memory
            pass
print(count)
PY
}

test_key_on_the_command_line_is_nowhere_in_memory() {
  need python3
  [ "$(id -u)" -eq 0 ] || skip "only root may open the program's memory"
  ! "$VERSHINA" --version | grep -q sanitizer || skip "a sanitizer keeps what was freed"
  mkfifo fifo
  local pid
  for arguments in "--key-hex $KEY" "--key-hex=$KEY"; do
    # shellcheck disable=SC2086
    "$VERSHINA" encrypt "${C[@]}" $arguments --threads 1 fifo -o x 2> .err &
    pid=$!
    exec 9> fifo
    wait_for compgen -G '.vershina-*.tmp'
    [ "$(in_memory $pid vershina)" -gt 0 ] || skip "its memory cannot be read"
    [ "$(in_memory $pid "$KEY")" = 0 ] || fail "the key's digits are in memory"
    exec 9>&-
    wait $pid
    rm x
  done
}

test_memory_is_private() {
  [ -r /proc/self/limits ] || skip "no /proc"
  raw_key k
  mkfifo fifo
  as_user "ulimit -c unlimited 2> .core; ./vershina encrypt ${C[*]} --key-file k fifo -o x & echo \$! > pid
    exec 9> fifo; while ! compgen -G '.vershina-*.tmp' > found; do sleep 0.05; done
    cat /proc/\$!/limits; stat -c 'owner %u' /proc/\$!/mem; grep VmLck /proc/\$!/status; ulimit -l
    exec 9>&-; wait"
  expect_status 0
  grep -q '^Max core file size  *0  *0 ' .out || { explain; fail "core files"; }
  expect_stdout_has "owner 0" # so another process of this user cannot open it
  if "$VERSHINA" --version | grep -q sanitizer; then return; fi # they make nothing of mlock()
  [ "$(tail -n 1 .out)" != 0 ] || skip "no memory can be locked here"
  ! grep -q 'VmLck:[^0-9]*0 kB' .out || { explain; fail "nothing is locked"; }
}

# wrong_iv CIPHER IV TEXTS...
wrong_iv() {
  local cipher=$1 iv=$2
  shift 2
  encrypt -c "$cipher" --iv-hex "$iv" p -o x && expect_status 2 && expect_error "$@" && expect_no_file x
}

test_wrong_ivs() {
  echo data > p
  wrong_iv kuznyechik-ctr 12345678 "kuznyechik-ctr needs an IV of 8 bytes" "has 4 bytes"
  wrong_iv kuznyechik-ctr "$IV16" "kuznyechik-ctr needs an IV of 8 bytes" "has 16 bytes"
  wrong_iv kuznyechik-cbc "$IV8" "kuznyechik-cbc needs an IV of 16 bytes (or a multiple of that, up to 256)"
  wrong_iv magma-ctr "$IV8" "magma-ctr needs an IV of 4 bytes"
  wrong_iv gost28147-cbc "$IV16" "gost28147-cbc needs an IV of 8 bytes,"
  wrong_iv gost28147-cnt "" "--iv-hex is empty"
  wrong_iv kuznyechik-ctr "12 34 56 78 90 ab ce f0" "--iv-hex has a blank at position 3: use only 0-9 and a-f"
  wrong_iv kuznyechik-ctr "12:34:56:78:90:ab:ce:f0" "--iv-hex has a colon at position 3"
  wrong_iv kuznyechik-ecb "$IV16" "kuznyechik-ecb takes no IV"
  wrong_iv kuznyechik-ctr "${IV8:1}" "odd number of digits"
  wrong_iv kuznyechik-ctr "g${IV8:1}" "not a hexadecimal digit"
  encrypt -c kuznyechik-ctr p -o x && expect_status 2 &&
    expect_error "kuznyechik-ctr needs an IV of 8 bytes" fresh --iv-hex
  decrypt -c magma-cbc p -o x && expect_status 2 && expect_error "magma-cbc needs an IV of 8 bytes"
  expect_no_file x
}

WARNING="other users may read this key: run \`chmod 600"

test_keys_that_others_can_read() {
  make_secrets
  echo data > p
  local mode
  for mode in 400 600 700 711 622; do
    chmod $mode k && vershina encrypt "${C[@]}" -k k p -o c -f && expect_status 0 && expect_silent
  done
  for mode in 640 604 644 666 440; do
    chmod $mode k && vershina encrypt "${C[@]}" -k k p -o c -f && expect_status 0 && expect_error "k: $WARNING k\`"
  done
  chmod 644 k
  vershina encrypt "${C[@]}" -q -k k p -o c -f && expect_status 0 && expect_silent
  ln -s k link && cp -p k 'a key'
  vershina encrypt "${C[@]}" -k link p -o c -f && expect_error "link: $WARNING link\`"
  vershina encrypt "${C[@]}" -k 'a key' p -o c -f && expect_error "'a key': $WARNING 'a key'\`"
  # A file opened by another program is not looked at.
  run "$VERSHINA" encrypt "${C[@]}" -k - p -o c -f < k
  expect_status 0 && expect_silent
  run "$VERSHINA" encrypt "${C[@]}" -k /dev/stdin p -o c -f < k
  expect_status 0 && expect_silent
  run "$VERSHINA" encrypt "${C[@]}" -k /dev/fd/3 p -o c -f 3< k
  expect_status 0 && expect_silent
  run "$VERSHINA" encrypt "${C[@]}" -k <(cat k) p -o c -f
  expect_status 0 && expect_silent
  # A failure keeps its status, and a wrong key says both.
  vershina encrypt "${C[@]}" -k k missing -o c2 && expect_status 3 && expect_stderr_has "$WARNING" && expect_no_file c2
  chmod 644 pw && vershina encrypt "${C[@]}" -k pw p -o c2 && expect_status 2 && expect_no_file c2
}

# warns COUNT ARGUMENTS...: that many warnings on standard error, and none with --quiet.
warns() {
  local num=$1
  shift
  vershina "$@" && expect_status 0
  [ "$(grep -c 'other users may read this' .err)" -eq "$num" ] || { explain; fail "not $num warnings: $*"; }
  rm -f out
  vershina "$1" -q "${@:2}" && expect_status 0
  ! grep -q 'other users' .err || { explain; fail "--quiet: $*"; }
  rm -f out
}

test_every_command_looks_at_its_keys() {
  make_secrets
  raw_key plain
  echo data > p
  chmod 644 k pw plain
  warns 1 encrypt "${C[@]}" -k k p -o out
  warns 1 decrypt "${C[@]}" -k k p -o out
  warns 1 mac -a magma-mac -k k p
  warns 1 mac -a hmac-streebog256 -k k p p k
  warns 1 kdf -a kdf -k k --label a
  warns 1 kdf -a pbkdf2 --salt-hex 00 --iterations 1000 --passphrase-file pw
  warns 1 keygen --check k
  warns 2 seal --iterations 1000 -k k --passphrase-file pw p -o out
  warns 1 seal -k k -k k p -o out # once for a file
  warns 1 encrypt -c magma-ctr --openssl-salted --passphrase-file pw p -o out
  seal -k k p -o sealed
  warns 1 open -k k sealed -o out
  warns 1 rekey --keep -k k --new-passphrase-file pw2 --iterations 1000 sealed
  warns 2 rekey --keep -k k --new-passphrase-file pw --iterations 1000 sealed
  warns 2 wrap -a cryptopro --kek-file k --iv-hex 0011223344556677 plain -o out
  vershina wrap -a cryptopro --kek-file k --iv-hex 0011223344556677 plain -o wrapped
  warns 1 unwrap -a cryptopro --kek-file k wrapped -o out # a wrapped key is not secret
}

# Pages that held a key are erased before they are given back.
test_pages_of_keys() {
  need_recorder
  make_secrets
  make_data 1000 p
  recorded "$VERSHINA" seal -k k --passphrase-file pw --iterations 1000 p && expect_status 0
  [ "$(grep -c '^munmap erased$' .record)" -ge 2 ] || fail "few pages of secrets were given back: $(cat .record)"
  ! grep -q '^munmap SECRET$' .record || fail "a page that held a secret was given back as it was"
}
