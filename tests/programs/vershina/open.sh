# shellcheck shell=bash
# `vershina open` and `inspect`: every kind of damage has its own exit code, and none of it reaches an output.

# A sealed file c of 300000 bytes, and its plaintext p.
make_sealed() {
  make_secrets
  make_data 300000 p
  seal --passphrase-file pw -k k p -o c && expect_status 0
}

# Opening fails in the same way whole, verified, and to standard output, and leaves nothing.
fails() {
  local code=$1 name=$2
  shift 2
  unseal -k k "$name" -o x && expect_status "$code" && expect_error "$name:" "$@" && expect_no_file x
  unseal -k k "$name" --verify && expect_status "$code" && expect_error "$name:" "$@" && expect_stdout ''
  unseal -k k "$name" -o - && expect_status "$code" && expect_error "$name:" "$@"
}

test_wrong_secret() {
  umask 077
  make_sealed
  echo nonsense > bad
  head -c 32 /dev/zero > other
  unseal --passphrase-file bad c -o x && expect_status 6 && expect_error "c: no passphrase or key given opens it"
  unseal -k other c -o x && expect_status 6 && expect_error "c: no passphrase or key given opens it"
  unseal -k other --passphrase-file pw2 c -o x && expect_status 6
  # A passphrase is not a key, and a key is not a passphrase.
  unseal --passphrase-file k c -o x && expect_status 6
  expect_no_file x
  seal -k k p -o only_key && expect_status 0
  unseal only_key -o x && expect_status 2 && expect_error "only_key: no passphrase opens it, only a key file" "-k"
  expect_no_file x
}

test_damaged_header() {
  make_sealed
  local offset
  # One damaged slot: the other one opens the file, and the damage is reported.
  for offset in 0 9 16 50 56 57 70 300 460 511 512 521 600 1023; do
    cp c d
    damage d $offset
    unseal -k k d -o x && expect_status 0 && expect_error "d: one of the two copies of its header is damaged" && cmp x p
    vershina inspect d && expect_status 0 && expect_stdout_has damaged
    rm x
  done
  damage d 100
  fails 7 d "not a sealed file, or both copies of its header are damaged"
  vershina inspect d && expect_status 7
}

test_not_a_sealed_file() {
  make_sealed
  : > empty
  fails 7 p "not a sealed file"
  fails 7 empty "not a sealed file"
  vershina inspect p && expect_status 7 && expect_error "p: not a sealed file"
}

# make_version FILE N: both slots of 512 bytes have that version, with correct digests.
make_version() {
  local slot
  for slot in 0 1; do
    # shellcheck disable=SC2059
    printf "\\x$(printf %02x "$2")" | dd of="$1" bs=1 seek=$((512 * slot + 9)) conv=notrunc 2> .dd
    unhex "$(tail -c +$((512 * slot + 1)) "$1" | head -c 480 | "$VERSHINA" hash -a streebog256 - | cut -c 1-64)" |
      dd of="$1" bs=1 seek=$((512 * slot + 480)) conv=notrunc 2> .dd
  done
}

test_unknown_version() {
  make_sealed
  cp c d
  damage d 9 && damage d $((512 + 9)) # damage is not mistaken for another version
  fails 7 d "not a sealed file, or both copies"
  make_version c 3
  fails 10 c "a sealed file of version 3; this program reads version 2: take a newer vershina"
  vershina inspect c && expect_status 10 && expect_error "c: a sealed file of version 3"
  make_version c 2
  unseal -k k c -o x && expect_status 0 && cmp x p && rm x
  # Version 1 had slots of 4096 bytes.
  python3 -c 'import sys; sys.stdout.buffer.write(b"\x89VSH\r\n\x1a\n\0\1\1\1\x10".ljust(4064, b"\0"))' > old
  unhex "$("$VERSHINA" hash -a streebog256 - < old | cut -c 1-64)" >> old
  cat old old c > d
  fails 10 d "a sealed file of version 1; this program reads version 2: open it with the vershina that made it"
}

# Copies of the header that no crash leaves together.
test_tampered_header() {
  make_sealed
  seal -k k p -o other && expect_status 0
  (head -c 512 c && tail -c +513 other) > d # one slot of each
  fails 7 d "was tampered with: the copies of its header contradict each other"
  vershina inspect d && expect_status 7 && expect_error "d: was tampered with"
  cp d keep
  vershina rekey --keep -k k d && expect_status 7 && cmp d keep
}

test_parameters_beyond_the_bounds() {
  make_sealed
  unseal --max-iterations 999 -k k c -o x
  expect_status 11 && expect_error "c: its passphrases take 1000 iterations, and 999 are allowed" \
    "--max-iterations 1000" && expect_no_file x
  unseal --max-iterations 1000 -k k c -o x && expect_status 0 && cmp x p
  unseal --max-iterations 0 -k k c -o y && expect_status 2 && expect_no_file y
}

test_damaged_chunk() {
  make_sealed
  local chunk offset
  for chunk in 0 1 4; do
    for offset in 0 30000 37855; do # the last chunk has 37856 bytes and its tag
      cp c d
      damage d $((1024 + chunk * 65552 + offset))
      fails 8 d "chunk $chunk (from byte $((chunk * 65536)) of the content) is damaged"
      [ "$(stat -c %s .out)" -eq $((chunk * 65536)) ] || fail "$(stat -c %s .out) bytes went to standard output"
      head -c $((chunk * 65536)) p | cmp - .out
    done
  done
  cp c d
  damage d $((1024 + 65552 + 65536)) # a tag
  fails 8 d "chunk 1"
}

test_truncated() {
  make_sealed
  local len size
  size=$(stat -c %s c)
  for len in 8 100 512 1023 1024 1025 1040 $((1024 + 65552)) $((1024 + 65552 + 17)) \
    $((size - 9)) $((size - 8)) $((size - 1)); do
    head -c "$len" c > d
    unseal -k k d -o x
    expect_no_file x
    [ "$status" -eq 9 ] || { explain; fail "status $status for $len bytes"; }
    expect_error "d: it is cut off"
    unseal -k k d --verify && [ "$status" -eq 9 ]
  done
  head -c $((1024 + 3 * 65552)) c > d
  unseal -k k d -o - && expect_status 9 && expect_error "only a part of it went to standard output"
  head -c "$(stat -c %s .out)" p | cmp - .out
}

test_extended() {
  make_sealed
  head -c 131072 p > whole_chunks
  seal -k k whole_chunks -o e && expect_status 0
  local file excess
  for file in c e; do # with a last chunk that is not full, and with a full one
    for excess in 1 8 20 65552 65560 200000; do
      (cat $file && head -c $excess /dev/zero) > d
      unseal -k k d -o x && expect_no_file x && [ "$status" -eq 9 ] ||
        { explain; fail "$file and $excess bytes: status $status"; }
      expect_error "d: it is cut off, or something follows its end"
      unseal -k k --verify d && expect_status 9
      unseal -k k --verify - < d && expect_status 9
    done
  done
  # One with an end mark of its own: the chunk there is damaged. So it is in a pipe, whose end comes last.
  cat c c > d
  unseal -k k d -o x && expect_status 8 && expect_no_file x
  run "$VERSHINA" open -k k - -o x < <(cat e && echo) && expect_status 8 && expect_no_file x
}

# Nothing went to standard output, and no message says that a part did.
test_nothing_to_standard_output() {
  make_sealed
  cp c d
  damage d 1025
  unseal -k k d -o - && expect_status 8 && expect_stdout '' && expect_error "d: chunk 0"
  ! grep -q "a part" .err || { explain; fail "no part went there"; }
  head -c 1040 c > d
  unseal -k k d -o - && expect_status 9 && expect_stdout '' && expect_error "d: it is cut off"
}

test_spliced() {
  make_sealed
  seal -k k p -o other && expect_status 0
  (head -c $((1024 + 65552)) c && tail -c +$((1024 + 65552 + 1)) other) > d
  fails 8 d "chunk 1"
  (head -c 1024 c && tail -c +1025 other) > d
  fails 8 d "chunk 0"
  # Chunks 1 and 2 swapped.
  (head -c $((1024 + 65552)) c && tail -c +$((1024 + 2 * 65552 + 1)) c | head -c 65552 &&
    tail -c +$((1024 + 65552 + 1)) c | head -c 65552 && tail -c +$((1024 + 3 * 65552 + 1)) c) > d
  fails 8 d "chunk 1"
}

test_verify() {
  make_sealed
  unseal -k k c --verify && expect_status 0 && expect_stdout "c: OK"
  unseal -k k c --verify -q && expect_status 0 && expect_stdout ''
  "$VERSHINA" open -k k --verify - < c | grep -qx 'standard input: OK'
  unseal -k k c --verify -o x && expect_status 2 && expect_error "--verify writes nothing"
  unseal -k k c --verify --range 1-2 && expect_status 2
  [ "$(find . -type f -newer c ! -name '.*')" = '' ] || fail "something was written"
}

test_range() {
  make_sealed
  local range first len
  for range in 0-0 0-299999 0- 65535-65536 65536+65536 100000- 299999- 299999+1 131072-131072 0+0 300000- 300000+0 \
    1234+250000; do
    first=${range%%[-+]*}
    case $range in
      *+*) len=${range#*+} ;;
      *-) len=$((300000 - first)) ;;
      *) len=$((${range#*-} - first + 1)) ;;
    esac
    unseal -k k c --range "$range" -o - && expect_status 0
    tail -c +$((first + 1)) p | head -c "$len" | cmp - .out || fail "range $range"
  done
  unseal -k k c --range 10-19 -o x && expect_status 0 && [ "$(stat -c %s x)" -eq 10 ]
  for range in '' - + 5 x-y 5-3 -5 0x10-0x20 1-2-3 18446744073709551616- ' 1-2' 1- 0-18446744073709551615; do
    [ "$range" != 1- ] || continue
    unseal -k k c --range="$range" -o y && expect_status 2
  done
  for range in 300001- 0-300000 300000+1 18446744073709551615- 1+18446744073709551615; do
    unseal -k k c --range "$range" -o y && expect_status 2 && expect_error "c: the content has only 300000 bytes"
  done
  # Only the chunks that it touches are verified.
  damage c $((1024 + 2 * 65552))
  unseal -k k c --range 0-131071 -o y && expect_status 0 && rm y
  unseal -k k c --range 131071-131072 -o y && expect_status 8 && expect_error "c: chunk 2" && expect_no_file y
  # A range to the end verifies that this is the end.
  head -c 200000 c > d
  unseal -k k d --range 190000- -o y
  [ "$status" -eq 8 ] || [ "$status" -eq 9 ] || [ "$status" -eq 2 ] || fail "status $status"
  expect_no_file y
  head -c 1032 c > d
  unseal -k k d --range 0-1 -o y && expect_status 9 && expect_no_file y
}

test_range_of_a_pipe() {
  make_sealed
  status=0
  "$VERSHINA" open -k k - --range 0-1 -o y < <(cat c) 2> .err > .out || status=$?
  expect_status 2 && expect_error "--range needs a file" && expect_no_file y
}

test_output() {
  make_sealed
  cp c keep
  echo precious > x
  unseal -k k c -o x && expect_status 4 && expect_error "x: the file exists already" && [ "$(cat x)" = precious ]
  unseal -k k c -o x -f && expect_status 0 && cmp x p
  unseal -k k c -o c -f && expect_status 4 && expect_error "c: the output is the same file as c" && cmp c keep
  unseal -k k c -o k -f && expect_status 4 && expect_error "the output is the same file as k"
  # A failure leaves the old output.
  damage c 9000
  unseal -k k c -o x -f && expect_status 8 && cmp x p && expect_no_temporary
  unseal -k k missing.sealed && expect_status 3 && expect_error "missing.sealed: No such file"
  unseal -k k . -o y && expect_status 3 && expect_error ".: Is a directory"
}

test_closed_pipe() {
  make_sealed
  status=0
  ("$VERSHINA" open -k k c -o - 2> .err && echo 0 > .code || echo $? > .code) | head -c 10 > .out
  [ "$(cat .code)" -eq 141 ] || [ "$(cat .code)" -eq 0 ] || fail "status $(cat .code)"
}

test_inspect() {
  make_sealed
  vershina inspect c && expect_status 0 && expect_silent
  local line
  for line in 'version 2, kuznyechik-mgm, streebog' '301112 bytes' '2 slots of 512 bytes' '300000 bytes' \
    '5 of 65536 bytes' 'key file' 'passphrase, 1000 iterations' 'whole, generation 1'; do
    expect_stdout_has "$line"
  done
  "$VERSHINA" inspect - < c | grep -q 'key file'
  need python3
  vershina inspect --json c && expect_status 0
  python3 - .out <<'PY'
import json, sys
j = json.load(open(sys.argv[1]))
assert j["version"] == 2 and j["slot_length"] == 512 and j["cipher"] == "kuznyechik-mgm" and j["content"] == "file", j
assert j["plaintext_length"] == 300000 and j["num_chunks"] == 5 and j["chunk_length"] == 65536, j
assert len(j["file_id"]) == 64 and j["generation"] == 1 and not j["slots_differ"], j
assert [(r["number"], r["kind"], r["label"]) for r in j["recipients"]] == [(1, "passphrase", ""), (2, "key", "")], j
assert j["recipients"][0]["iterations"] == 1000 and [s["state"] for s in j["slots"]] == ["whole", "whole"], j
PY
  head -c 700 c > d
  vershina inspect d && expect_status 9 && expect_error "d: it is cut off"
  head -c 10000 c > d
  vershina inspect d && expect_status 0 && expect_stdout_has "10000 bytes"
  vershina inspect missing && expect_status 3
  vershina inspect && expect_status 2
}

test_help() {
  local command
  for command in seal open rekey inspect; do
    vershina $command --help && expect_status 0 && expect_stdout_has "Examples:" && expect_stdout_has "Exit status:"
  done
}
