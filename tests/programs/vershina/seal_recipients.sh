# shellcheck shell=bash
# Recipients of sealed files: their names, which of them is mine, and passphrases by argon2id.

# Skips where libargon2 cannot be loaded.
need_argon2() {
  make_secrets
  echo text > p
  vershina seal --kdf argon2id --argon2-memory 64K --argon2-passes 1 --passphrase-file pw p -o probe
  ! grep -q 'install the package libargon2-1' .err || skip "libargon2 is not installed"
  expect_status 0 && expect_silent
  rm probe
}

# without_argon2 COMMAND...: with a file in its place that is not a library.
without_argon2() {
  mkdir -p broken
  echo 'no library' > broken/libargon2.so.1
  LD_LIBRARY_PATH=broken run "$@"
}

# patch FILE SLOT_LENGTH OFFSET BYTES: the bytes in both slots, with correct digests.
patch() {
  local file=$1 length=$2 slot
  for slot in 0 1; do
    printf '%b' "$4" | dd of="$file" bs=1 seek=$((length * slot + $3)) conv=notrunc 2> .dd
    unhex "$(tail -c +$((length * slot + 1)) "$file" | head -c $((length - 32)) | "$VERSHINA" hash - | cut -c 1-64)" |
      dd of="$file" bs=1 seek=$((length * slot + length - 32)) conv=notrunc 2> .dd
  done
}

test_labels() {
  make_secrets
  echo text > p
  head -c 32 /dev/zero > k2
  # Each names what stands before it, and the file has the order of the options.
  seal --passphrase-file pw --label 'Боб Иванов' -k k --label=Alice -k k2 --passphrase-fd 4 --label four p 4< pw2 &&
    expect_status 0
  vershina inspect p.sealed && expect_status 0
  grep -qx "recipient 1  passphrase, 1000 iterations, 'Боб Иванов'" .out &&
    grep -qx 'recipient 2  key file, Alice' .out && grep -qx 'recipient 3  key file' .out &&
    grep -qx 'recipient 4  passphrase, 1000 iterations, four' .out || { explain; fail "labels"; }
  unseal --passphrase-file pw2 p.sealed -o - && expect_status 0 && expect_stdout text
  # A new recipient; the old ones keep their names.
  head -c 32 /dev/zero | tr '\0' x > k3
  vershina rekey -k k --keep --new-key-file k3 --label Carol p.sealed && expect_status 0
  vershina inspect p.sealed && expect_stdout_has 'recipient 5  key file, Carol' &&
      expect_stdout_has 'recipient 2  key file, Alice'
  vershina rekey -k k3 --label Dave --new-key-file k2 p.sealed && expect_status 2 &&
      expect_error "--label Dave: no passphrase or key before it"
  vershina rekey -k k3 --keep --label Dave p.sealed && expect_status 2
  local label
  for label in $'a\nb' $'\e[31mred' $'\x7f' $'\xc2\x9b' $'\xff' $'\xd1' $'a\u202eb' $'\u2066' $'\ufeff' $'\u2028' \
      $'Alice\u3164' $'Alice\u2800' $'Alice\ufe0f' "$(printf '%065d' 0)" \
    "$(printf 'я%.0s' {1..33})"; do
    seal -k k --label "$label" p -o x && expect_status 2 && expect_error "--label" && expect_no_file x
    ! grep -q $'[\e\x7f]' .err || fail "an escape reached the terminal"
  done
  label=$(printf 'я%.0s' {1..32})
  seal -k k --label "$label" p -o x && expect_status 0 && vershina inspect x && expect_stdout_has "key file, $label"
  seal --label Alice -k k p -o y && expect_status 2 &&
      expect_error "--label Alice: no passphrase or key before it lacks a name"
  seal -k k --label Alice --label Bob p -o y && expect_status 2 && expect_error "--label Bob"
  seal -k k --label '' p -o y && expect_status 2
  expect_no_file y
}

test_labels_of_prompts() {
  make_secrets
  echo text > p
  expect_on_terminal 0 '' $'one\none\n' "$VERSHINA" seal --iterations 1000 --label Alice p
  vershina inspect p.sealed && expect_stdout_has 'passphrase, 1000 iterations, Alice'
  expect_on_terminal 0 '' $'one\none\ntwo\ntwo\n' "$VERSHINA" seal --iterations 1000 -p --label first -p --label \
      second p -o q
  vershina inspect q && expect_stdout_has 'recipient 1  passphrase, 1000 iterations, first' &&
    expect_stdout_has 'recipient 2  passphrase, 1000 iterations, second'
  expect_on_terminal 0 '' $'one\nnew\nnew\n' "$VERSHINA" rekey --iterations 1000 --label Alicia p.sealed
  vershina inspect p.sealed && expect_stdout_has 'passphrase, 1000 iterations, Alicia'
}

# A file from another program may have labels that this one does not write.
test_hostile_labels() {
  make_secrets
  echo text > p
  seal -k k --label 123456789 p -o c && expect_status 0
  local label
  for label in '\xe2\x80\xae234567' '12345\xe2\x81\xa7x' '1234\xe2\x80\xa8 f' '1234567\xc2\xad' \
      '12345\xf3\xa0\x81\x81'; do
    cp c d
    patch d 512 $((64 + 48)) "$label"
    vershina inspect d && expect_status 0 && [ "$(wc -l < .out)" -eq 12 ]
    expect_stdout_has "'\$'\\" # escaped as a shell has it
    ! grep -qF "$(printf '%b' "$label")" .out || fail "not escaped: $label"
    vershina inspect --json d && ! grep -qF "$(printf '%b' "$label")" .out || fail "not escaped in JSON: $label"
    # The label is authenticated: neither is it mine any more, nor does the file open.
    vershina inspect -k k d && expect_status 6 && ! grep -q 'opened by' .out
    unseal -k k d -o x && expect_status 6 && expect_no_file x
  done
  for label in '\x1b[2J56789' '1234\x0a6789' '\xc2\x9b2J56789' '1234\xff6789' '1234\x006789'; do
    cp c d
    patch d 512 $((64 + 48)) "$label"
    vershina inspect d && expect_status 11 && expect_error "numbers that no sealed file has"
  done
}

test_which_is_mine() {
  make_secrets
  echo text > p
  (umask 077; head -c 32 /dev/zero > other)
  seal -k k --label Alice --passphrase-file pw p -o c && expect_status 0
  vershina inspect -k k c && expect_status 0 && expect_silent
  grep -qx 'recipient 1  key file, Alice (opened by what was given)' .out &&
      grep -qx 'recipient 2  passphrase, 1000 iterations' .out ||
    { explain; fail "recipient 1 is not marked"; }
  vershina inspect --passphrase-file pw -k k c && expect_status 0 && [ "$(grep -c 'opened by' .out)" -eq 2 ]
  vershina inspect -k k -k other c && expect_status 0 && [ "$(grep -c 'opened by' .out)" -eq 1 ]
  vershina inspect c && expect_status 0 && ! grep -q 'opened by' .out
  vershina inspect -k other c && expect_status 6 && expect_stdout_has 'recipient 1  key file, Alice' &&
      ! grep -q 'opened by' .out
  expect_error "c: no passphrase or key given opens it"
  vershina inspect --passphrase-file pw2 c && expect_status 6
  run "$VERSHINA" inspect -k - - < c && expect_status 2 && expect_error "standard input is read already"
  "$VERSHINA" inspect -k k - < c | grep -q 'opened by'
  expect_on_terminal 0 'opened by what was given' $'correct horse\n' "$VERSHINA" inspect -p c
  need python3
  vershina inspect --json -k k c && expect_status 0
  python3 -c 'import json, sys; r = json.load(open(".out"))["recipients"]; assert [x["own"] for x in r] == [True, \
      False], r'
  vershina inspect --json c
  python3 -c 'import json, sys; r = json.load(open(".out"))["recipients"]; assert not any("own" in x for x in r), r'
  # Copies of the header that no crash leaves together are found, too.
  seal -k k p -o other.sealed && expect_status 0
  vershina inspect --max-iterations 999 --passphrase-file pw c && expect_status 11
}

test_argon2id() {
  need_argon2
  local kdf=(--kdf argon2id --argon2-memory 1M --argon2-passes 2)
  vershina seal "${kdf[@]}" --passphrase-file pw -k k --label Alice p && expect_status 0
  vershina inspect p.sealed && expect_stdout_has 'recipient 1  passphrase, argon2id: 2 passes of 1 MiB, 4 lanes'
  unseal --passphrase-file pw p.sealed -o - && expect_status 0 && expect_stdout text
  unseal -k k p.sealed -o - && expect_status 0 && expect_stdout text
  unseal --passphrase-file pw2 p.sealed -o x && expect_status 6 && expect_no_file x
  vershina inspect --passphrase-file pw p.sealed && expect_stdout_has '4 lanes (opened by what was given)'
  # By default RFC 9106's second recommended option.
  vershina seal --kdf argon2id --passphrase-file pw p -o c && expect_status 0
  vershina inspect c && expect_stdout_has 'argon2id: 3 passes of 64 MiB, 4 lanes'
  unseal --passphrase-file pw c -o - && expect_status 0 && expect_stdout text
  # From one to the other.
  vershina rekey --passphrase-file pw --new-passphrase-file pw2 --iterations 1000 c && expect_status 0
  vershina inspect c && expect_stdout_has 'passphrase, 1000 iterations'
  vershina rekey --passphrase-file pw2 --keep --new-passphrase-file pw "${kdf[@]}" --label new c && expect_status 0
  vershina inspect c && expect_stdout_has 'recipient 2  passphrase, argon2id: 2 passes of 1 MiB, 4 lanes, new'
  unseal --passphrase-file pw c -o - && expect_status 0 && expect_stdout text
  unseal --passphrase-file pw2 c -o - && expect_status 0 && expect_stdout text
  need python3
  vershina inspect --json c && python3 - <<'PY'
import json
r = json.load(open(".out"))["recipients"]
assert r[0]["derivation"] == "pbkdf2" and r[0]["iterations"] == 1000, r
assert r[1]["derivation"] == "argon2id" and (r[1]["passes"], r[1]["memory"], r[1]["lanes"]) == (2, 1 << 20, 4), r
assert r[1]["label"] == "new" and "iterations" not in r[1], r
PY
}

test_argon2id_usage() {
  need_argon2
  local s=(seal --passphrase-file pw p -o x)
  vershina "${s[@]}" --argon2-memory 64M && expect_status 2 && expect_error "--argon2-memory" "--kdf argon2id"
  vershina "${s[@]}" --argon2-passes 3 --kdf pbkdf2 && expect_status 2
  vershina "${s[@]}" --kdf argon2id --iterations 1000 && expect_status 2 && expect_error "--iterations is for PBKDF2"
  vershina "${s[@]}" --kdf argon2id --argon2-memory 31K && expect_status 2
  vershina "${s[@]}" --kdf argon2id --argon2-memory 2G && expect_status 2
  vershina "${s[@]}" --kdf argon2id --argon2-passes 0 && expect_status 2
  vershina "${s[@]}" --kdf argon2 && expect_status 2 && expect_error "argon2id"
  vershina "${s[@]}" --kdf argon2id --argon2-memory 1G --argon2-passes 17 && expect_status 2 &&
    expect_error "too much work of argon2id for all passphrases together"
  vershina "${s[@]}" --kdf argon2id --argon2-memory 1M --argon2-passes 10000 --passphrase-file pw2 && expect_status 2
  expect_no_file x
}

# Each number at its extremes, and as many passphrases as there can be: refused at once, with what to allow.
test_argon2id_of_a_hostile_file() {
  need_argon2
  vershina seal --kdf argon2id --argon2-memory 64K --argon2-passes 1 --passphrase-file pw -k k p -o c &&
      expect_status 0
  local entry=$((64 + 4)) # the passphrase's parameters: passes, KiB, lanes
  cp c d && patch d 512 $entry '\x00\x00\x00\x01\x00\x10\x00\x01\x00\x00\x00\x01'
  unseal --passphrase-file pw d -o x && expect_status 11
  expect_error "d: a passphrase takes 1048577 KiB of memory by argon2id, and 1 GiB are allowed" \
      "--max-argon2-memory 1048577KiB"
  cp c d && patch d 512 $entry '\xff\xff\xff\xff\x00\x00\x00\x08\x00\x00\x00\x01'
  unseal --passphrase-file pw d -o x && expect_status 11 &&
      expect_error "of memory times passes by argon2id, and 16 GiB are allowed"
  vershina inspect d && expect_status 0 && expect_stdout_has '4294967295 passes of 8 KiB, 1 lane'
  vershina inspect --passphrase-file pw d && expect_status 11
  vershina rekey --passphrase-file pw --new-key-file k d && expect_status 11
  unseal --passphrase-file pw --verify d && expect_status 11
  cp c d && patch d 512 $entry '\xff\xff\xff\xff\xff\xff\xff\xff\x00\x00\x00\x40'
  unseal --passphrase-file pw --max-argon2-memory 4T d -o x && expect_status 11 &&
      expect_error "of memory times passes"
  # Before a passphrase is asked for.
  expect_on_terminal 11 'are allowed' '' "$VERSHINA" open d -o x
  for bytes in '\x00\x00\x00\x00' '\x00\x00\x00\x01\x00\x00\x00\x07' \
      '\x00\x00\x00\x01\x00\x00\x00\x08\x00\x00\x00\x02' \
    '\x00\x00\x00\x01\x00\x00\x00\x40\x00\x00\x00\x00' '\x00\x00\x00\x01\x00\x00\xff\xff\x00\x00\x00\x41'; do
    cp c d && patch d 512 $entry "$bytes"
    unseal -k k d -o x && expect_status 11 && expect_error "d: its header has numbers that no sealed file has"
  done
  # Many, each of them modest.
  local many=()
  for _ in $(seq 32); do many+=(--passphrase-file pw); done
  vershina seal --kdf argon2id --argon2-memory 64K --argon2-passes 1 "${many[@]}" p -o m && expect_status 0
  unseal --passphrase-file pw --max-argon2-work 2M m -o - && expect_status 0 && expect_stdout text
  unseal --passphrase-file pw --max-argon2-work 2047K m -o x && expect_status 11 &&
      expect_error "2 MiB of memory times passes"
  local i
  for i in $(seq 0 31); do patch m 8192 $((64 + 176 * i + 4)) '\x00\x00\x00\x01\x00\x10\x00\x00\x00\x00\x00\x04'; done
  unseal --passphrase-file pw m -o x && expect_status 11 &&
      expect_error "its passphrases take 32 GiB of memory times passes"
  # The user's own bounds, and memory that is not there.
  unseal --passphrase-file pw --max-argon2-memory 63K c -o x && expect_status 11
  unseal --passphrase-file pw --max-argon2-memory 64K --max-argon2-work 64K c -o - && expect_status 0
  ! "$VERSHINA" --version | grep -q sanitizer || skip "a sanitizer ends where memory is refused"
  cp c d && patch d 512 $entry '\x00\x00\x00\x01\x00\x10\x00\x00\x00\x00\x00\x04' # 1 GiB
  run bash -c 'ulimit -v 700000 && exec "$VERSHINA" open --threads 1 --passphrase-file pw d -o x'
  expect_status 70 && expect_error "d: out of memory while a passphrase or key was tried" && expect_no_file x
}

test_argon2id_without_the_library() {
  need_argon2
  vershina seal --kdf argon2id --argon2-memory 64K --argon2-passes 1 --passphrase-file pw -k k p -o c &&
      expect_status 0
  without_argon2 "$VERSHINA" seal --kdf argon2id --passphrase-file pw p -o x
  expect_status 70 && expect_error "--kdf argon2id: libargon2.so.1 was not found" "install the package libargon2-1"
  without_argon2 "$VERSHINA" rekey -k k --keep --kdf argon2id --new-passphrase-file pw2 c
  expect_status 70 && expect_error "libargon2-1"
  without_argon2 "$VERSHINA" open --passphrase-file pw c -o x
  expect_status 70 && expect_error "c: its passphrase is derived by argon2id: libargon2.so.1 was not found"
  LD_LIBRARY_PATH=broken expect_on_terminal 70 'libargon2-1' '' "$VERSHINA" open c -o x # nobody types in vain
  # All else works: keys, inspection, and passphrases by PBKDF2 in the same file.
  without_argon2 "$VERSHINA" open -k k c -o - && expect_status 0 && expect_stdout text
  without_argon2 "$VERSHINA" inspect -k k c && expect_status 0 && expect_stdout_has argon2id
  vershina rekey --passphrase-file pw --keep --new-passphrase-file pw2 --iterations 1000 c && expect_status 0
  without_argon2 "$VERSHINA" open --passphrase-file pw2 c -o - && expect_status 0 && expect_stdout text
  without_argon2 "$VERSHINA" open --passphrase-file pw c -o x
  expect_status 70 && expect_error "c: nothing given opens it, and its passphrases by argon2id cannot be tried"
  without_argon2 "$VERSHINA" seal --iterations 1000 --passphrase-file pw p -o y && expect_status 0
  expect_no_file x
}

# An earlier program knows no derivation 2, as this one knows no 3.
test_unknown_derivation() {
  make_secrets
  echo text > p
  seal -k k --passphrase-file pw p -o c && expect_status 0
  patch c 512 $((64 + 176 + 1)) '\x03'
  unseal -k k c -o x && expect_status 10 && expect_error "c: sealed with algorithms that are unknown here" &&
      expect_no_file x
}
