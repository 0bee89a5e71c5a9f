# shellcheck shell=bash
# `vershina kdf`, HMAC keys of `vershina mac`, and sources of passphrases.

K=000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f
# RFC 9337 appendix A, example 2, its first 32 bytes: password, salt, 2 iterations.
DK=5a585bafdfbb6e8830d6d68aa3b43ac00d2e4aebce01c9b31c2caed56f0236d4
P=(-a pbkdf2 --salt-hex 73616c74 --iterations 2)

kdf() {
  vershina kdf "$@"
}

test_examples_of_the_documents() {
  kdf -a kdf --key-hex $K --label-hex 26bdb878 --seed-hex af21434145656378 # RFC 7836 B 9)
  expect_status 0 && expect_stdout a1aa5f7de402d7b3d323f2991c8d4534013137010a83754fd0af6d7cd4922ed9 && expect_silent
  kdf -a kdf-tree --key-hex $K --label-hex 26bdb878 --seed-hex af21434145656378 --length 64 # B 10)
  expect_stdout 22b6837845c6bef65ea71672b265831086d3c76aebe6dae91cad51d83f79d16b074c9330599d7f8d712fca54392f4ddde93751206b3584c8f43f9e6dc51531f9
  kdf -a prf-tls-256 --key-hex $K --label-hex 1122334455 --length 16 \
    --seed-hex 18471d622dc655c4d2d2269691ca4a560b50aba663553af241f1ada882c9f29a # B 3)
  expect_stdout ff09664a44745865944f839ebb48965f
  local root=00112233445566778899aabbcceeff0a112233445566778899aabbcceeff0a00 # RFC 9189 A.1.1.1
  kdf -a tlstree --suite magma-ctr-omac --key-hex $root --seqnum 4096
  expect_stdout fb30ee53cfcf89d748fc0c72ef160b8b53cbbbfd031282b026214ab2e07758ff
  root=b6180c145c512dbd69d9cea92cac1b5ce1bcfa73792d61af0b440d84b522cc38 # RFC 9227 appendix A
  kdf -a esptree --key-hex $root --i2 1 --i3 1
  expect_stdout 9abac65778180e6f2af61fb8d571623666c2f5130d54e2116c7d530e6e7d48bc
}

test_label_as_text() {
  kdf -a kdf --key-hex $K --label-hex 6c6162656c && cp .out want
  kdf -a kdf --key-hex $K --label label && cmp .out want
  kdf -a kdf --key-hex $K --label-hex 6c61 --label bel && cmp .out want
}

test_passphrase_from_file_and_descriptor() {
  printf password > plain
  echo password > line
  printf 'password\n\n' > two
  local file
  for file in plain line; do
    kdf "${P[@]}" --passphrase-file $file && expect_status 0 && expect_stdout $DK
    run "$VERSHINA" kdf "${P[@]}" --passphrase-fd 3 3< $file && expect_status 0 && expect_stdout $DK
    run "$VERSHINA" kdf "${P[@]}" --passphrase-file - < $file && expect_stdout $DK
    run "$VERSHINA" kdf "${P[@]}" --passphrase-fd 0 < $file && expect_stdout $DK
  done
  kdf "${P[@]}" --passphrase-file two && expect_status 0
  [ "$(cat .out)" != $DK ] || fail "only one newline is taken off"
}

test_wrong_passphrase_sources() {
  : > empty
  echo > newline
  head -c 1026 /dev/zero > long
  kdf "${P[@]}" --passphrase-file empty && expect_status 2 && expect_error empty "the passphrase is empty"
  kdf "${P[@]}" --passphrase-file newline && expect_status 2 && expect_error "the passphrase is empty"
  kdf "${P[@]}" --passphrase-file long && expect_status 2 && expect_error "at most 1024 bytes"
  kdf "${P[@]}" --passphrase-file missing && expect_status 3 && expect_error missing
  run "$VERSHINA" kdf "${P[@]}" --passphrase-fd 7 7<&- && expect_status 3 && expect_error "descriptor 7" "7< FILE"
  kdf "${P[@]}" --passphrase-file empty --passphrase-fd 0 && expect_status 2 && expect_error "exclude each other"
  kdf "${P[@]}" --passphrase-fd -1 && expect_status 2
  setsid "$VERSHINA" kdf "${P[@]}" > .out 2> .err && status=0 || status=$?
  expect_status 2 && expect_error "no terminal" --passphrase-file
}

# kdf_terminal HOW WORDS...: kdf on a new terminal; types a word at each prompt. Prints the terminal's content, then
# "exit N", and "echo on" or "echo off".
kdf_terminal() {
  python3 - "$VERSHINA" "$@" << 'PYTHON'
import os, pty, select, signal, sys, termios, time
program, how, words = sys.argv[1], sys.argv[2], sys.argv[3:]
pid, master = pty.fork()
if pid == 0:
    os.execv(program, [program, "kdf", "-a", "pbkdf2", "--salt-hex", "73616c74", "--iterations", "2"])
shown = b""
def read(until):
    global shown
    end = time.time() + 120
    while until not in shown and time.time() < end:
        if select.select([master], [], [], 0.1)[0]:
            try: piece = os.read(master, 4096)
            except OSError: return
            if not piece: return
            shown += piece
for word in words:
    read(b": ")
    deadline = time.time() + 120
    while termios.tcgetattr(master)[3] & termios.ECHO and time.time() < deadline: time.sleep(0.01)
    os.write(master, word.encode() + (b"\n" if how == "type" else b""))
if how == "interrupt":
    read(b": ")
    os.kill(pid, signal.SIGINT)
    while True:  # before the terminal goes
        mode = termios.tcgetattr(master)[3]
        done, status = os.waitpid(pid, os.WNOHANG)
        if done: break
        time.sleep(0.01)
    mode = termios.tcgetattr(master)[3]
else:
    read(b"\0never")
    mode = None
    _, status = os.waitpid(pid, 0)
print(shown.decode().replace("\r", ""))
print("exit", os.waitstatus_to_exitcode(status))
if mode is not None: print("echo", "on" if mode & termios.ECHO else "off")
PYTHON
}

test_passphrase_from_the_terminal() {
  need python3
  need_terminal
  kdf_terminal type password > shown
  grep -q '^Passphrase: $' shown || fail "$(cat shown)"
  grep -qx $DK shown || fail "$(cat shown)"
  grep -qx 'exit 0' shown
  if grep -q password shown; then fail "the passphrase was shown"; fi
}

test_interruption_gives_the_echo_back() {
  need python3
  need_terminal
  kdf_terminal interrupt > shown
  grep -qx 'exit -2' shown || fail "$(cat shown)"
  grep -qx 'echo on' shown || fail "$(cat shown)"
}

test_output() {
  umask 022
  raw_key k
  kdf -a kdf --key-file k -o hex && expect_status 0 && expect_stdout ""
  kdf -a kdf --key-file k --raw -o raw && expect_status 0
  [ "$(hex < raw)" = "$(cat hex)" ] && [ "$(wc -c < raw)" -eq 32 ]
  [ "$(stat -c %a hex raw | tr '\n' ' ')" = "600 600 " ] || fail "a key that others can read"
  kdf -a kdf --key-file k -o hex && expect_status 4 && expect_error "exists already"
  kdf -a kdf --key-file k -f -o k && expect_status 4 && expect_error "the same file as k"
  kdf -a kdf --key-file k --raw && [ "$(hex < .out)" = "$(cat hex)" ]
  kdf -a kdf --key-file k -o no/such && expect_status 4
  expect_no_temporary
}

# wrong TEXT OPTIONS...
wrong() {
  local text=$1
  shift
  kdf "$@"
  expect_status 2 && expect_error "$text" && expect_stdout ""
}

test_usage() {
  umask 077
  raw_key k
  head -c 31 k > short
  wrong "unknown key derivation nonsense" -a nonsense --key-file k
  wrong "--algorithm is required" --key-file k
  wrong "no key" -a kdf
  wrong "kdf takes no --length" -a kdf --key-file k --length 32
  wrong "kdf takes no --counter-length" -a kdf --key-file k --counter-length 2
  wrong "kdf takes no --seqnum" -a kdf --key-file k --seqnum 1
  wrong "tlstree takes no --label" -a tlstree --key-file k --label x
  wrong "esptree takes no --suite" -a esptree --key-file k --suite magma-mgm-l
  wrong "--label-hex has an odd number of digits" -a kdf --key-file k --label-hex 123
  wrong "--seed-hex has a character" -a kdf --key-file k --seed-hex 12g4
  wrong "pbkdf2 takes a passphrase" "${P[@]}" --key-file k
  wrong "kdf takes a key" -a kdf --passphrase-file k
  wrong "pbkdf2 needs a salt" -a pbkdf2 --iterations 2 --passphrase-file k
  wrong "pbkdf2 needs the number of its iterations" -a pbkdf2 --salt-hex 00 --passphrase-file k
  wrong "kdf-tree with a counter of 1 byte cannot make 8161 bytes" -a kdf-tree --key-file k --length 8161
  wrong "cannot make 8161 bytes" -a prf-ipsec-prfplus-256 --key-file k --length 8161
  wrong "prf-ipsec-keymat-256 has no label" -a prf-ipsec-keymat-256 --key-file k --label x
  wrong "tlstree needs a --suite" -a tlstree --key-file k
  wrong "unknown suite nonsense" -a tlstree --key-file k --suite nonsense
  wrong "beyond the last record" -a tlstree --key-file k --suite magma-mgm-s --seqnum 549755813888
  wrong "the root key has 32 bytes" -a tlstree --key-file short --key-format raw --suite magma-mgm-s
  local iterations
  for iterations in 0 4294967296 -1 1e3; do
    kdf -a pbkdf2 --salt-hex 00 --iterations $iterations --passphrase-file k && expect_status 2
  done
  kdf -a kdf --key-file k --kernel tables && expect_status 5
  kdf --help && expect_status 0 && expect_stdout_has "prf-ipsec-prfplus-512" && expect_stdout_has Examples
}

test_hmac() {
  unhex 0126bdb87800af214341456563780100 > t # RFC 7836 B 1), 2)
  vershina mac -a hmac-streebog256 --key-hex $K t
  expect_status 0 && expect_stdout "a1aa5f7de402d7b3d323f2991c8d4534013137010a83754fd0af6d7cd4922ed9  t"
  vershina mac -a hmac-streebog512 --length 16 --key-hex $K t && expect_stdout "a59bab22ecae19c65fbde6e5f4e9f5d8  t"
  vershina mac -a hmac-streebog512 --length 16 --verify a59bab22ecae19c65fbde6e5f4e9f5d8 --key-hex $K t
  expect_status 0 && expect_stdout "t: OK"
  vershina mac -a hmac-streebog256 --length 33 --key-hex $K t && expect_status 2 && expect_error "at most 32 bytes"
  vershina mac -a hmac-streebog256 --kernel tables --allow-tables --key-hex $K t && expect_status 5
}

test_hmac_keys_of_any_length() {
  echo text > t
  printf abc > abc
  printf 616263 > abchex
  head -c 100000 /dev/zero > long
  head -c 1048577 /dev/zero > huge
  vershina mac -a hmac-streebog256 --key-hex 616263 t && expect_status 0 && cp .out want
  vershina mac -a hmac-streebog256 --key-file abc --key-format raw t && expect_status 0 && cmp .out want
  vershina mac -a hmac-streebog256 --key-file abchex --key-format hex t && expect_status 0 && cmp .out want
  vershina mac -a hmac-streebog256 --key-file long --key-format raw t && expect_status 0
  vershina mac -a hmac-streebog256 --key-file abc t && expect_status 2 &&
    expect_error "3 bytes" "--key-format raw or hex"
  vershina mac -a hmac-streebog256 --key-file huge --key-format raw t && expect_status 2 && expect_error "1 MiB"
  vershina mac -a hmac-streebog256 --key-hex "" t && expect_status 2 && expect_error "--key-hex is empty"
  vershina mac -a hmac-streebog256 --key-hex abc t && expect_status 2 && expect_error "odd number"
  vershina mac -a hmac-streebog256 --key-hex 6162zz t && expect_status 2 && expect_error "not a hexadecimal digit"
  echo "$KEY" > hexline # 32 bytes and 64 digits mean what they mean for ciphers
  vershina mac -a hmac-streebog256 --key-hex "$KEY" t && cp .out want
  vershina mac -a hmac-streebog256 --key-file hexline t && cmp .out want
  raw_key raw && vershina mac -a hmac-streebog256 --key-file raw t && cmp .out want
  vershina mac -a kuznyechik-mac --key-hex 616263 t && expect_status 2
}
