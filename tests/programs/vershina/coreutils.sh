# shellcheck shell=bash
# The same invocations of sha256sum and `vershina hash`: the same words, the same exit status.

# Digests, the program's name, the algorithm's name and the hint after usage errors differ; nothing else may.
normalise() {
  sed -E -e 's/[0-9a-f]{64}/HEX/g' -e 's/^sha256sum: /vershina: /' -e 's/SHA256 (\(|checksum)/\1/g' \
    -e 's/Streebog(-256)? (\(|checksum)/\2/g' -e '/^Try .*--help/d' -e 's/: see `vershina .*//'
}

# both LIST-FOR-SHA256SUM LIST-FOR-VERSHINA ARGUMENTS...: the word LIST in the arguments stands for the list.
both() {
  local sha_list=$1 our_list=$2 sha_status=0 our_status=0
  shift 2
  cp "$sha_list" LIST
  sha256sum "$@" < "$sha_list" > .sha.out 2> .sha.err || sha_status=$?
  cp "$our_list" LIST
  "$VERSHINA" hash "$@" < "$our_list" > .our.out 2> .our.err || our_status=$?
  local stream
  for stream in out err; do
    normalise < .sha.$stream > .sha.norm
    normalise < .our.$stream > .our.norm
    diff .sha.norm .our.norm || fail "$stream differs for: $*"
  done
  [ "$sha_status" -eq "$our_status" ] || fail "status $sha_status and $our_status for: $*"
}

test_same_words() {
  need sha256sum
  local name arguments
  for name in a b 'with space' $'new\nline' 'back\slash' "quote'd" 'co:lon' 'файл' $'bad\xff' $'tab\there'; do
    echo "$name" > "$name"
  done
  mkdir dir
  # coreutils before 9.2 does not escape a lone backslash in "NAME: OK": that name is not in the lists.
  GLOBIGNORE='back*:.*'
  sha256sum -- * > .sha 2> /dev/null || true
  "$VERSHINA" hash -- * > .our 2> /dev/null || true
  sha256sum --tag -- * > .sha.tag 2> /dev/null || true
  "$VERSHINA" hash --tag -- * > .our.tag 2> /dev/null || true

  both .sha .our -- a b 'with space' $'new\nline' 'back\slash' "quote'd"
  both .sha .our missing 'missing too' $'mis\nsing' '' dir 'mis:sing' $'\x01ctl'
  both .sha .our -b a b
  both .sha .our --tag a $'new\nline'
  both .sha .our -z a $'new\nline'
  both .sha .our
  both .sha .our -
  for arguments in "" --quiet --status --strict --warn --ignore-missing "--quiet --warn --strict"; do
    # shellcheck disable=SC2086
    both .sha .our --check $arguments LIST
    # shellcheck disable=SC2086
    both .sha.tag .our.tag --check $arguments
  done
  both .sha .our --check LIST missing
  both .sha .our --tag --check LIST
  both .sha .our --zero --check LIST
  both .sha .our --binary --check LIST
  both .sha .our --quiet a
  both .sha .our --status a
  both .sha .our --warn a
  both .sha .our --strict a
  both .sha .our --ignore-missing a

  echo changed > a
  rm b
  echo "garbage line" | tee -a .sha >> .our
  for arguments in "" --quiet --status --strict --warn --ignore-missing "--ignore-missing --quiet --strict"; do
    # shellcheck disable=SC2086
    both .sha .our --check $arguments LIST
  done
}
