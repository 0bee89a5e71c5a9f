#!/usr/bin/env bash
# Reads every source, tests too, with this system's GCC, and with its newest clang over libc++: what a header brings
# along differs between standard libraries and their versions. Usage: includes.sh
set -euo pipefail
cd "$(dirname "$0")/.."
tools/setup.sh build test large includes
clang=$(printf '%s\n' /usr/bin/clang-[0-9]* | sort -V | tail -n 1)
status=0
tools/syntax.py build/syntax-gcc gcc g++ -Werror || status=1
tools/syntax.py build/syntax-clang "$clang" "${clang/clang/clang++}" -stdlib=libc++ || status=1
exit "$status"
