#!/usr/bin/env bash
# What object files and libraries show to a linker.
#   tests/symbols.sh NM SHARED_LIBRARY STATIC_LIBRARY KERNEL_OBJECT…
# - A kernel object defines one global symbol, vsh_kernel_<family>_<variant>, and no weak one: a std:: template or an
#   inline function instantiated under -mavx2 would be a weak symbol that the linker may hand to an old CPU.
# - The shared library exports vsh_* and nothing else; no library has ifuncs (`i`) or unique globals (`u`), which
#   would run code before main or tie copies of the library together.
set -euo pipefail
nm=$1 shared=$2 static=$3
shift 3
failures=0
fail() { printf 'FAIL: %s\n' "$*"; failures=$((failures + 1)); }

(($# > 0)) || fail "no kernel objects given"
for object in "$@"; do
  # …/src/<family>/kernel_<variant>.cpp.o
  variant=$(basename "$object")
  variant=${variant#kernel_}
  variant=${variant%%.*}
  family=$(basename "$(dirname "$object")")
  # Types: capitals are global, V, v, W, w weak, u unique, i ifunc. C++ may wrap the name as _ZN3vsh<length><name>E.
  symbols=$("$nm" --defined-only --format=posix "$object" | awk '$2 ~ /^[A-Zuvwi]$/ { print $1, $2 }')
  if [[ ! $symbols =~ ^(_ZN3vsh[0-9]+)?vsh_kernel_${family}_${variant}E?\ [DRBS]$ ]]; then
    fail "$object: one symbol vsh_kernel_${family}_${variant} is allowed, there are:"$'\n'"$(c++filt <<< "$symbols")"
  fi
done

exported=$("$nm" --dynamic --defined-only --format=posix "$shared" |
  awk '{ print $1, $2 }' | sed 's/@@*VERSHINA_[0-9]* / /')
if others=$(grep -vE '^vsh_[a-z0-9_]+ T$|^VERSHINA_[0-9]+ A$' <<< "$exported"); then
  fail "$shared exports more than vsh_*:"$'\n'"$(c++filt <<< "$others")"
fi
# Every function of the public header is there.
header=$(cd "$(dirname "$0")/.." && pwd)/include/vershina/vershina.h
while read -r name; do
  grep -q "^$name T" <<< "$exported" || fail "$shared lacks $name, which vershina.h declares"
done < <(grep -oE '^VSH_API [^(]*\(' "$header" | grep -oE 'vsh_[a-z0-9_]+\($' | tr -d '(')

for library in "$shared" "$static"; do
  if ifuncs=$("$nm" --defined-only --format=posix "$library" 2> /dev/null | awk '$2 == "i" || $2 == "u"' | grep .); then
    fail "$library has ifuncs or unique symbols:"$'\n'"$(c++filt <<< "$ifuncs")"
  fi
done

((failures == 0)) || exit 1
printf '%d kernel objects, %d exported functions\n' $# "$(grep -c ' T$' <<< "$exported")"
