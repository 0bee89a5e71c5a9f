# shellcheck shell=bash
# Suggestions for near misses.

CTR=(-c kuznyechik-ctr --iv-hex 1234567890abcef0)

test_help() {
  vershina && expect_status 2 && expect_stdout "" && expect_stderr_has "Usage: vershina" && expect_stderr_has "seal"
  vershina --help && cp .out want
  vershina help && expect_status 0 && expect_silent && cmp .out want
  vershina help --help && expect_status 0
  local command
  for command in $("$VERSHINA" completion --candidates -- '' | cut -f 1); do
    case $command in -* | help) continue ;; esac
    vershina "$command" --help && cp .out want
    vershina help "$command" && expect_status 0 && expect_silent && cmp .out want
  done
  vershina help nonsense && expect_status 2 && expect_error "unknown command nonsense"
  vershina help sael && expect_status 2 && expect_error "did you mean seal?"
  vershina help seal open && expect_status 2 && expect_error "unexpected argument open"
}

test_commands_and_options() {
  echo a > a
  vershina encrpt && expect_status 2 && expect_error "unknown command encrpt: did you mean encrypt?"
  vershina SEAL && expect_status 2 && expect_error "did you mean seal?"
  vershina enc && expect_status 2 && expect_error 'vershina encrypt'
  vershina dgst && expect_status 2 && expect_error 'vershina hash'
  vershina xyzzy && expect_status 2 && expect_error "see \`vershina --help\`"
  encrypt "${CTR[@]}" --keyfile k a -o x && expect_status 2 &&
    expect_error "unknown option --keyfile: did you mean --key-file?"
  encrypt -c kuznyechik-ctr --iv 00 a -o x && expect_status 2 && expect_error "give digits with --iv-hex"
  encrypt --cip=kuznyechik-ctr a -o x && expect_status 2 && expect_error "unknown option --cip: did you mean --cipher?"
  encrypt "${CTR[@]}" -iv 00 a -o x && expect_status 2 && expect_error "unknown option -iv" "--iv-hex"
  encrypt "${CTR[@]}" -p a -o x && expect_status 2 && expect_error "unknown option -p: \`vershina seal\` takes"
  vershina seal -r alice a && expect_status 2 && expect_error "unknown option -r: there are no public-key recipients"
  vershina keygen key && expect_status 2 &&
    expect_error "unexpected argument key: name the output with -o: vershina keygen -o key"
  encrypt "${CTR[@]}" --xyzzy a -o x && expect_status 2 &&
    expect_error "unknown option --xyzzy: see \`vershina encrypt --help\`"
  unseal && expect_status 2 && expect_error "IN is required" "- for standard input"
  vershina wrap -a cryptopro --kek-file a a && expect_status 2 &&
    expect_error "--output is required" "-o - for standard output"
  vershina rekey a b && expect_status 2 &&
    expect_error "unexpected argument b: one at a time: for f in *; do vershina rekey"
  mkdir dir
  vershina encrypt "${CTR[@]}" --key-file dir a -o x && expect_status 3 &&
    expect_error "dir: Is a directory: give a file"
  expect_no_file x
}

test_names() {
  echo a > a
  encrypt -c KUZNYECHIK-CTR --iv-hex "$IV8" a -o upper && expect_status 0
  encrypt "${CTR[@]}" a -o lower && cmp upper lower
  vershina hash -a Streebog512 a && expect_status 0
  vershina mac -a MAGMA-MAC --key-hex "$KEY" a && expect_status 0
  encrypt -c kuznechik-ctr a -o x && expect_status 2 &&
    expect_error "unknown cipher kuznechik-ctr: did you mean kuznyechik-ctr?"
  encrypt -c kuznyechik a -o x && expect_status 2 &&
    expect_error "kuznyechik needs a mode: most want kuznyechik-mgm" "vershina seal" "all modes: kuznyechik-ecb, "
  if grep -q magma .err; then fail "other ciphers are offered"; fi
  encrypt -c gost28147 a -o x && expect_status 2 &&
    expect_error "gost28147 needs a mode: choose one of gost28147-ecb, "
  encrypt -c kuznyechik-gcm a -o x && expect_status 2 && expect_error "-c kuznyechik-mgm authenticates, too"
  encrypt -c grasshopper-gcm a -o x && expect_status 2 && expect_error "-c kuznyechik-mgm authenticates, too"
  vershina hash -a streebog-256 a && expect_status 1 && expect_error "did you mean streebog256?"
  vershina hash -a streebog a && expect_status 1 && expect_error "choose one of streebog256, streebog512"
  vershina hash -a gost94 a && expect_status 1 &&
    expect_error "two sets of S-boxes" "-a gost94-cryptopro (OpenSSL" "-a gost94-test (RHash"
  expect_no_file x
}

# The names of the standards' own language.
test_russian_names() {
  local name
  echo a > a
  for name in grasshopper кузнечик Кузнечик КУЗНЕЧИК; do
    encrypt -c $name a -o x && expect_status 2 && expect_error "$name needs a mode: most want kuznyechik-mgm"
  done
  encrypt -c МАГМА-ctr a -o x && expect_status 2 && expect_error "in vershina this is \`magma-ctr\`"
  vershina hash -a стрибог512 a && expect_status 1 && expect_error "in vershina this is \`streebog512\`"
  vershina hash -a Стрибог a && expect_status 1 && expect_error "choose one of streebog256, streebog512"
  expect_no_file x
}

# A file has the name of something that is not an option.
test_names_like_options() {
  make_secrets
  vershina seal -k k -dash && expect_status 2 && expect_error "unknown option -dash: see"
  vershina hash --dash && expect_status 1 && expect_error "unknown option --dash: see"
  echo a > ./-dash
  echo a > ./--dash
  vershina seal -k k -dash && expect_status 2 &&
    expect_error "unknown option -dash: for the file of that name write ./-dash"
  vershina hash --dash && expect_status 1 && expect_error "for the file of that name write ./--dash"
  seal -k k ./-dash && expect_status 0 && [ -f ./-dash.sealed ]
}

# Names of OpenSSL's engine are answered with the document's equivalents, cell by cell.
test_names_of_openssl() {
  local doc=$TESTS/../../../docs/openssl-equivalents.md theirs ours num=0
  echo a > a
  while IFS='|' read -r _ theirs _ _ _ ours _; do
    # shellcheck disable=SC2016 # backquotes of Markdown
    theirs=$(tr -d '` ' <<< "$theirs") ours=$(sed 's/^ *`//; s/` *$//' <<< "$ours")
    if [[ $theirs = gost-mac* ]]; then
      vershina mac -a "$theirs" --key-hex "$KEY" a
    else
      encrypt -c "$theirs" a -o x
    fi
    expect_status 2 && expect_error "unknown" "$ours"
    num=$((num + 1))
  done < <(sed -n '/^## Names of GOST 28147-89/,/^## Notes/p' "$doc" | grep '^| `')
  [ $num -eq 6 ] || fail "$num rows"
  for theirs in grasshopper-cbc grasshopper-ctr-acpkm kuznyechik-kexp15 gost89-ecb; do
    encrypt -c $theirs a -o x && expect_status 2 && expect_error "in vershina this is \`"
  done
  for theirs in md_gost12_256 md_gost94 stribog512; do
    vershina hash -a $theirs a && expect_status 1 && expect_error "in vershina this is \`"
  done
  expect_no_file x
}

test_passphrase_file_of_windows() {
  umask 077
  make_secrets
  printf 'correct horse\r\n' > crlf
  seal --passphrase-file crlf k -o sealed && expect_status 0 &&
    expect_error "crlf: the passphrase ends with a carriage return"
  unseal --passphrase-file crlf sealed -o x -q && expect_status 0 && expect_silent
  seal --passphrase-file pw k -o other && expect_silent
  unseal --passphrase-file crlf other -o y && expect_status 6 && expect_stderr_has "carriage return"
}

test_quiet() {
  make_secrets
  vershina kdf -a kdf --key-file k && expect_status 0 && expect_error "kdf: label and seed are empty"
  vershina kdf -a kdf --key-file k -q && expect_status 0 && expect_silent
  vershina kdf -a kdf --key-file k --label x && expect_status 0 && expect_silent
  seal -k k pw -o sealed
  vershina inspect --quiet sealed && expect_status 0 && expect_silent
  vershina rekey -q -k k --keep --new-passphrase-file pw --iterations 1000 sealed && expect_status 0 && expect_silent
  head -c 64 /dev/urandom > kek
  vershina wrap -q -a kexp15-magma --kek-file kek --iv-hex 12345678 k -o wrapped && expect_status 0 && expect_silent
}

# On a terminal lines end at blanks, and nowhere else.
test_lines_on_a_terminal() {
  need python3
  run python3 - "$VERSHINA" <<'PY'
import fcntl, os, pty, struct, subprocess, sys, termios
def on_terminal(message):
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 40, 0, 0))
    wide = subprocess.run([sys.argv[1], *message], stderr=subprocess.PIPE).stderr.decode()
    subprocess.run([sys.argv[1], *message], stderr=theirs)
    os.close(theirs)
    narrow = b""
    try:
        while piece := os.read(ours, 4096):
            narrow += piece
    except OSError:
        pass
    lines = narrow.decode().splitlines()
    assert wide.count("\n") == 1, wide
    assert " ".join(lines) == wide.strip(), (lines, wide)
    return lines
lines = on_terminal(["encrypt", "-c", "nonsense-nonsense"])
assert len(lines) > 3 and max(map(len, lines)) <= 40, lines
# A word that is longer than a line has its own, and what follows it is broken as before.
long = "/" + "x" * 60
lines = on_terminal(["encrypt", "-c", "magma-ctr", "--key-file", long, "--iv-hex", "00000000", "-", "-o", "/dev/null"])
assert lines[:2] == ["vershina:", long + ":"] and max(map(len, lines[2:])) <= 40, lines
PY
  if grep -q "out of pty devices\|FileNotFoundError" .err; then skip "no pseudo-terminal can be had (/dev/pts)"; fi
  expect_status 0
}
