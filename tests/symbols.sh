#!/usr/bin/env bash
# Checks the symbols of object files and libraries.
#   tests/symbols.sh NM CC CXX MACRO SHARED_LIBRARY STATIC_LIBRARY KERNEL_OBJECT…
# MACRO marks the library's functions in the headers: VSH_API, or tomography's VSH_TOMO_API.
# - Every public header compiles without others, C headers as C11 and as C++20.
# - A kernel object defines one global symbol, vsh_kernel_<family>_<variant>, and no weak one: a std:: template or an
#   inline function instantiated under -mavx2 would be a weak symbol that the linker may hand to an old CPU.
# - The shared library exports the functions that the headers declare and nothing else; no library has
#   ifuncs (`i`) or unique globals (`u`), which would run code before main or tie copies of the library together.
set -euo pipefail
nm=$1 cc=$2 cxx=$3 macro=$4 shared=$5 static=$6
shift 6
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
  if [[ ! $symbols =~ ^(_ZN3vsh(10tomography)?[0-9]+)?vsh_kernel_${family}_${variant}E?\ [DRBS]$ ]]; then
    fail "$object: one symbol vsh_kernel_${family}_${variant} is allowed, there are:"$'\n'"$(c++filt <<< "$symbols")"
  fi
done

exported=$("$nm" --dynamic --defined-only --format=posix "$shared" |
  awk '{ print $1, $2 }' | sed 's/@@*VERSHINA_[A-Z0-9_]* / /')
if others=$(grep -vE '^vsh_[a-z0-9_]+ T$|^VERSHINA_[A-Z0-9_]+ A$' <<< "$exported"); then
  fail "$shared exports more than vsh_*:"$'\n'"$(c++filt <<< "$others")"
fi
include=$(cd "$(dirname "$0")/.." && pwd)/include
mapfile -t headers < <(grep -lw "$macro" "$include"/vershina/*.h)
for header in "${headers[@]}"; do
  [[ ! -f ${header}pp ]] || headers+=("${header}pp")
done
for header in "${headers[@]}"; do
  alone=(-fsyntax-only -Wall -Wextra -Wpedantic -Werror "-I$include" -include "$header" /dev/null)
  [[ $header == *.hpp ]] || "$cc" -std=c11 -x c "${alone[@]}" || fail "$header, alone, is no C11"
  "$cxx" -std=c++20 -x c++ "${alone[@]}" || fail "$header, alone, is no C++20"
done
declared=$(sed -nE "s/^$macro [^(]*\b(vsh_[a-z0-9_]+)\(.*/\1/p" "${headers[@]}" | sort)
if differences=$(diff <(echo "$declared") <(sed -n 's/ T$//p' <<< "$exported" | sort)); then :; else
  fail "the headers' functions (<) are not those that $shared exports (>):"$'\n'"$differences"
fi

for library in "$shared" "$static"; do
  if ifuncs=$("$nm" --defined-only --format=posix "$library" 2> /dev/null | awk '$2 == "i" || $2 == "u"' | grep .); then
    fail "$library has ifuncs or unique symbols:"$'\n'"$(c++filt <<< "$ifuncs")"
  fi
done

((failures == 0)) || exit 1
printf '%d kernel objects, %d headers, %d functions declared and exported\n' $# \
  "${#headers[@]}" "$(wc -l <<< "$declared")"
