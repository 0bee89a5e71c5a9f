# shellcheck shell=bash
# Every option of every command with invalid values: refused by name, before any work.

# Texts that are not numbers.
NO_NUMBER=(' ' -1 +1 -4096 0x10 0b1 1e3 '1 ' ' 1' 1_000 18446744073709551616 36893488147419103232
  115792089237316195423570985008687907853269984665640564039457584007913129639936 abc 1KiBx 1KB K - -- $'1\n' $'\n1'
  $'\xff' １ 1٣ '[1]' '{}' '%%' inf nan)
NO_NAME=(' ' -1 nonsense $'none\n' ' none' $'\xff' '[none]' '{}')
NO_HEX=(' ' -1 +1 0x10 123 'ab cd' ab:cd $'abcd\n' $'abcd\r' ' abcd' $'\xef\xbb\xbfabcd' $'\xff\xff' '{}')

# values_of TYPE: sets $values to texts that an option of that type must refuse, besides the empty one.
values_of() {
  case $1 in
    N | BITS | SIZE | SECONDS) values=("${NO_NUMBER[@]}") ;;
    HEX) values=("${NO_HEX[@]}") ;;
    CIPHER | HASH | MAC | NAME | SBOX | DIGEST | PADDING | FORMAT | WHICH | DEVICE) values=("${NO_NAME[@]}") ;;
    SUFFIX) values=(' ' -1 sealed . / .a/b) ;;
    RANGE) values=("${NO_NUMBER[@]}" 5-3 1-2-3 +5) ;;
    FILE | OUT | DIR | TEXT) values=() ;; # any text
    KERNEL) values=() ;;                  # checked later, with its own status
    *) fail "options of a type that this test does not know: $1" ;;
  esac
}

# A choice of those texts for the other programs' options, which the same reader reads.
companion_values_of() { # OPTION TYPE
  case $2 in
    N | SIZE | SECONDS | BYTES | MS | MM | P | SIGMA | KEV | RATIO | S | L | W | C | WATER | LEVEL)
      values=(-1 ' ' 0x10 1e30 18446744073709551616)
      ;;
    DEGREES | BIN | BINS | ROW | ROWS | BIN?auto | AIR | T) values=(+1 -- 0x10 1e30 nan) ;;
    FIRST:END) values=(-1 5:5 1:2:3 0x1:2) ;;
    LOW:HIGH) values=(1 1:1 a:b 1:) ;;
    KIND | METHOD | FORMAT | LENGTH) values=(' ' nonsense) ;;
    NAME*)
      case $1 in
        --transform | --algorithm | --filter | --interpolation | --padding | --quality | --weights)
          values=(' ' nonsense)
          ;;
        --cipher | --entry | --kernel | --object | --patient-name | --labels | --tun | --user) # checked later
          values=()
          ;;
        *) fail "a name that this test does not know: $1" ;;
      esac
      ;;
    UUID | ADDRESS:PORT | FD) values=() ;;                             # checked later
    FILE | OUT | SCAN | PLAIN | PATH | MASK | PROGRAM | TEXT | ID) values=() ;; # any text
    *) fail "options of a type that this test does not know: $1 $2" ;;
  esac
}

# The options of a command as in its help: "--name TYPE", or "--name" without a value.
options_of() {
  "$VERSHINA" "$@" --help |
    sed -nE 's/^  (-[^ ]*) ([A-Z]+([:|][A-Za-z]+)?)( .*)?$/\1 \2/p; t; s/^  (-[^ ]*)( .*)?$/\1/p' |
    sed -E 's/^(-[a-zA-Z],)?(--[a-z0-9-]+)(,--[a-z0-9-]+)*/\2/; /^-h/d'
}

expect_refused() { # COMMAND OPTION VALUE: the command may have two words
  local command=$1 option=$2 value=$3 want=2 words
  [ "$command" != hash ] || want=1
  echo "$command $option='$value'" # shown on failure
  read -ra words <<< "$command"
  vershina "${words[@]}" "$option=$value" && expect_status "$want" && expect_error "$option"
  [ ! -s .out ] || fail "$command $option='$value': something on stdout"
}

test_every_option() {
  local command option type value num=0
  local -a values
  for command in $("$VERSHINA" completion --candidates -- '' | cut -f 1); do
    options_of "$command" > options
    for option in $("$VERSHINA" completion --candidates -- "$command" -- | cut -f 1); do
      case $option in --version | --help) continue ;; esac
      grep -qE "^$option( |\$)" options || grep -q -- ",$option" <("$VERSHINA" "$command" --help) ||
        fail "$command: $option is offered, but not found in its help"
    done
    while read -r option type; do
      values=()
      if [ -n "$type" ]; then values_of "$type"; else values=(1); fi
      for value in '' "${values[@]}"; do
        [ -n "$type$value" ] || continue
        expect_refused "$command" "$option" "$value"
        num=$((num + 1))
      done
    done < options
  done
  [ $num -gt 1000 ] || fail "only $num values"
  echo "counted: $num values"
}

# Each option once for a program whose commands share it, of the programs that are here.
test_every_option_of_the_other_programs() {
  local program command option type value num=0 wanted=0
  local -a values
  local -A seen=()
  for program in disk tunnel tomo; do
    [ -x "$(dirname "$VERSHINA")/vershina-$program" ] || continue
    wanted=$((wanted + 10))
    for command in $("$VERSHINA" completion --candidates -- "$program" '' | cut -f 1); do
      case $command in -* | completion) continue ;; esac
      options_of "$program" "$command" > options
      [ -s options ] || fail "$program $command has no options"
      while read -r option type; do
        [ -z "${seen[$program $option $type]:-}" ] || continue
        seen[$program $option $type]=yes
        values=(1)
        [ -z "$type" ] || companion_values_of "$option" "$type"
        for value in '' "${values[@]}"; do
          [ -n "$type$value" ] || continue
          expect_refused "$program $command" "$option" "$value"
          num=$((num + 1))
        done
      done < options
    done
  done
  [ $num -ge $wanted ] || fail "only $num values"
  echo "counted: $num values"
}

# One invalid value among several: in a list of `bench`, and in an option that may be repeated.
test_lists() {
  "$VERSHINA" bench --help > .help 2>&1 || skip "this build has no bench, whose options are named"
  local value
  for value in '16,,32' '16,-1' ',16' '16,' '16 ,32'; do
    vershina bench --sizes "$value" && expect_status 2 && expect_error --sizes
  done
  for value in 'ctr,' 'ctr,nonsense'; do
    vershina bench --modes "$value" && expect_status 2 && expect_error --modes
  done
  make_secrets
  vershina rekey --remove 1 --remove -1 x && expect_status 2 && expect_error "--remove"
  vershina seal --passphrase-fd 3 --passphrase-fd 03 pw 3< pw && expect_status 2 && expect_error "same descriptor twice"
}

test_what_is_said() {
  echo a > a
  local args=(encrypt -c kuznyechik-ctr-acpkm --key-hex "$KEY" --iv-hex "$IV8" a -o x)
  vershina "${args[@]}" --section -4096 && expect_status 2 &&
    expect_error "--section: -4096 has a sign: give a whole number from 1 to 2^64 - 1, in bytes or with K, M, G or T"
  vershina "${args[@]}" --section 36893488147419103232 && expect_status 2 && expect_error "is too large"
  vershina "${args[@]}" --section 18014398509481984K && expect_status 2 && expect_error "481984K is too large"
  vershina "${args[@]}" --section 0 && expect_status 2 && expect_error "0 is too small"
  vershina "${args[@]}" --section 4KB && expect_status 2 && expect_error "4KB has an unknown unit"
  vershina "${args[@]}" --section 5000 && expect_status 2 && expect_error "a multiple of 16 bytes"
  vershina "${args[@]}" --key-meshing '' && expect_status 2 && expect_error "--key-meshing is empty"
  vershina "${args[@]}" --threads all && expect_status 2 &&
    expect_error "--threads: all is not a whole number: give a whole number from 0 to 4096 (0: all processors)"
  expect_no_file x
  vershina seal --chunk 5000 a && expect_status 2 &&
    expect_error "--chunk: 5000 is not a power of two: give a power of two from 4096 to 16777216"
  vershina encrypt -c kuznyechik-xts --sector-size 1000 && expect_status 2 &&
    expect_error "--sector-size: 1000 is not a multiple of 512: give a multiple of 512 from 512 to 4096"
  vershina tune --min-time 0.0001 && expect_status 2 && expect_error "is too small" "from 0.001 to 60"
}

# Leading zeros change nothing, and units are powers of 1024: expect_same OPTION ONE OTHER COMMAND...
expect_same() {
  local option=$1 one=$2 other=$3
  shift 3
  vershina "$@" "$option" "$one" && expect_status 0 && cp .out want
  vershina "$@" "$option" "$other" && expect_status 0 && expect_silent
  cmp .out want || fail "$option $one and $other differ"
}

test_decimal_numbers_and_units() {
  make_secrets
  make_data 20000 data
  expect_same --length 10 010 mac -a kuznyechik-mac --key-file k data
  expect_same --length 1024 1K kdf -a kdf-tree --counter-length 2 --key-file k --label a
  expect_same --iterations 1000 01000 kdf -a pbkdf2 --salt-hex 00 --passphrase-file pw
  expect_same --seqnum 100 0100 kdf -a tlstree --suite kuznyechik-mgm-l --key-file k
  local acpkm=(encrypt -c kuznyechik-ctr-acpkm --key-file k --iv-hex "$IV8" data -o -)
  expect_same --section 4096 4KiB "${acpkm[@]}"
  expect_same --section 4096 4K "${acpkm[@]}"
  expect_same --first-sector 10 010 encrypt -c kuznyechik-xts --stealing --key-hex "$KEY${KEY//0/f}" data -o -
  expect_same --sector-size 4096 4KiB encrypt -c kuznyechik-xts --stealing --key-hex "$KEY${KEY//0/f}" data -o -
  seal -k k --chunk 8KiB data -o sealed && expect_status 0
  vershina inspect sealed && expect_stdout_has 8192
}
