#!/bin/bash
# Tests of the program by real invocations. Usage: run.sh BINARY [FILTER [FOLDER]]
# Every function test_* of the *.sh files in this folder, or in FOLDER, is a test, run in its own shell and empty
# directory. Lines that begin with "counted: " are shown although the test passed.
# FILTER is a regular expression for "file/test". A test ends with 77 (see `skip`) when it cannot run here.
set -u
if [ $# -lt 1 ] || [ ! -x "$1" ]; then
  echo "usage: run.sh BINARY [FILTER [FOLDER]]" >&2
  exit 2
fi
VERSHINA=$(realpath "$1")
filter=${2:-.}
TESTS=$(dirname "$(realpath "$0")")
folder=$(realpath "${3:-$TESTS}")
export VERSHINA TESTS
export LC_ALL=C.UTF-8 TERM=xterm
unset VERSHINA_KERNEL CRYPT_PARAMS LANGUAGE
export VERSHINA_TUNE=off # ignore measurements of this machine

scratch=$(mktemp -d)
chmod 711 "$scratch" # for tests that run as another user
umask 022 # files of costs that others may write are not read
trap 'chmod -R u+rwX "$scratch"; rm -rf "$scratch"' EXIT
passed=0 failed=0 skipped=0

for file in "$folder"/*.sh; do
  group=$(basename "$file" .sh)
  case $group in run | lib) continue ;; esac
  for test in $(sed -n 's/^\(test_[a-z0-9_]*\)() {.*/\1/p' "$file"); do
    name=$group/${test#test_}
    [[ $name =~ $filter ]] || continue
    mkdir "$scratch/work"
    log=$scratch/log
    (
      cd "$scratch/work" || exit 1
      # shellcheck disable=SC1090,SC1091
      . "$TESTS/lib.sh" && . "$file" || exit 1
      set -eu
      "$test"
    ) > "$log" 2>&1 < /dev/null
    case $? in
      0)
        passed=$((passed + 1))
        sed -n "s|^counted: |$name: |p" "$log"
        ;;
      77)
        skipped=$((skipped + 1))
        echo "SKIPPED $name: $(tail -n 1 "$log")"
        ;;
      *)
        failed=$((failed + 1))
        echo "FAILED  $name"
        sed 's/^/    /' "$log"
        ;;
    esac
    chmod -R u+rwX "$scratch/work"
    rm -rf "$scratch/work"
  done
done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ] && [ $((passed + skipped)) -gt 0 ]
