#!/bin/bash
# No line of the sources has more than 120 characters, which .clang-format has for C++, nor has the prose of docs, where
# tables and blocks of code are not counted. Usage: lines.sh SOURCE_DIRECTORY
# Circuits come from a generator. A run of 64 hexadecimal digits or more, a test vector, cannot be broken: not counted.
set -eu
cd "$1"
export LC_ALL=C.UTF-8

sources=$(find ARCHITECTURE.md CHANGELOG.md CMakeLists.txt cmake examples include integrations measure programs src \
  tests tomography tools -path '*/generated' -prune -o -type f \( -name '*.[ch]' -o -name '*.[ch]pp' \
  -o -name '*.sh' -o -name '*.py' -o -name '*.cmake' -o -name CMakeLists.txt \
  -o -name ARCHITECTURE.md -o -name CHANGELOG.md \) -print)
count=$(wc -l <<< "$sources")
((count > 500)) || { echo "only $count sources under $PWD: is it the source directory?" >&2; exit 1; }
long=$(
  xargs -d '\n' grep -HnE '.{121}' <<< "$sources" | sed -E 's/[[:xdigit:]]{64,}//g' |
    grep -E '^[^:]+:[0-9]+:.{121}' || true
  for page in docs/*.md docs/ru/*.md; do
    sed -E '/^ *\x60{3}/,/^ *\x60{3}/s/.*//; /^ *\|/s/.*//' "$page" | grep -nE '.{121}' | sed "s|^|$page:|"
  done
)
[ -z "$long" ] || { printf 'longer than 120 characters:\n%s\n' "$long" >&2; exit 1; }
echo "$count sources"
