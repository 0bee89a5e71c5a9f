#!/usr/bin/env bash
# Checks the hardening by compiler and linker in the installed files.
#   tests/hardening.sh READELF NM OBJDUMP ARCHITECTURE STATIC_LIBRARY [PROGRAM_OR_SHARED_LIBRARY…]
# - All objects of the library are marked for landing pads and, where the processor supports them, shadow stacks (IBT
#   and SHSTK on x86-64, BTI and PAC on AArch64). Linked files are marked only if the system's start files are.
# - Linked files are bound at start, read-only after that, without an executable stack; lengths of the C library's
#   calls are checked (_FORTIFY_SOURCE); large frames are touched page by page (-fstack-clash-protection). None reads
#   the environment by getenv(), which obeys the caller of a set-user-ID program; secure_getenv() does not.
set -euo pipefail
readelf=$1 nm=$2 objdump=$3 architecture=$4 static=$5
shift 5
failures=0 touched=0
fail() { printf 'FAIL: %s\n' "$*"; failures=$((failures + 1)); }

case $architecture in
  x86_64) marks='IBT, SHSTK' ;;
  aarch64) marks='BTI, PAC' ;;
  *) marks='' ;;
esac
if [ -z "$marks" ]; then
  echo "skipped: no landing pads on $architecture"
else
  # Each member: the line `File: …(name)`, and then its notes, if it has any.
  unmarked=$("$readelf" --notes --wide "$static" |
    awk -v marks="$marks" '/^File: / { if (name != "" && !marked) print name; name = $0; marked = 0 }
      index($0, marks) { marked = 1 }
      END { if (name != "" && !marked) print name }')
  [ -z "$unmarked" ] || fail "without $marks:"$'\n'"$unmarked"
  "$readelf" --notes --wide "$static" | grep "$marks" > /dev/null || fail "no object of $static has $marks"
fi

for file in "$@"; do
  dynamic=$("$readelf" --dynamic --wide "$file")
  grep -qE 'BIND_NOW|Flags: .*NOW' <<< "$dynamic" || fail "$file is bound lazily"
  segments=$("$readelf" --program-headers --wide "$file")
  grep -q GNU_RELRO <<< "$segments" || fail "$file has no read-only relocations"
  grep -qE 'GNU_STACK .* RW  ' <<< "$segments" || fail "$file has an executable stack"
  symbols=$("$nm" --dynamic --undefined-only "$file")
  grep -q '__stack_chk_fail' <<< "$symbols" || fail "$file has no stack protector"
  # A library that only copies and reads into memory of lengths that the compiler does not know has nothing to check.
  grep -E '__[a-z]+_chk(@|$)' <<< "$symbols" > /dev/null ||
    ! grep -qE ' (v?(f|s|sn)?printf|fread|fgets|recv|str(n?cpy|n?cat)|readlink|getcwd)(@|$)' <<< "$symbols" ||
    fail "$file: no call of the C library is checked"
  ! grep -qE ' getenv(@|$)' <<< "$symbols" || fail "$file calls getenv"
  # shellcheck disable=SC2016
  if [ "$architecture" = x86_64 ]; then
    # As GNU's objdump writes it: a page is allocated and touched (sub $0x1000,%rsp; orq $0x0,(%rsp) or the like); no
    # frame takes more in one step. Sixteen digits are a negative number, which frees.
    code=$("$objdump" --disassemble --no-show-raw-insn "$file" | grep -A1 -E 'sub +\$0x[0-9a-f]{4,15},%rsp') || true
    ! grep -E 'sub +\$0x[0-9a-f]{4,15},%rsp' <<< "$code" | grep -vF '$0x1000,' > /dev/null ||
      fail "$file: a large frame is not touched page by page"
    touched=$((touched + $(grep -cE '(or|mov)q? +\$0x0,' <<< "$code" || true)))
  fi
done
[[ $architecture != x86_64 ]] || ((touched > 0)) || fail "no large frame is touched page by page"
((failures == 0)) || exit 1
echo "hardened: $(basename "$static") $(printf '%s ' "${@##*/}")"
