#!/usr/bin/env bash
# Every C and C++ source is as clang-format writes it from .clang-format. Usage: format.sh SOURCE_DIRECTORY [--fix]
# Releases of clang-format differ, so one is asked for: 14, Debian 12's. Exits with 77, skipped, where it is missing.
# Circuits come from a generator; tables that line up on purpose stand between clang-format off and on.
set -euo pipefail
cd "$1"

format=
for candidate in clang-format-14 clang-format; do
  if [[ $("$candidate" --version 2> /dev/null || true) == *" version 14."* ]]; then format=$candidate; break; fi
done
[[ -n $format ]] || { echo "skip: style.format: clang-format 14 is not installed"; exit 77; }

mapfile -t sources < <(find examples include integrations measure programs src tests tomography tools \
  -path '*/generated' -prune -o -type f \( -name '*.[ch]' -o -name '*.[ch]pp' \) -print)
((${#sources[@]} > 500)) || { echo "only ${#sources[@]} sources under $PWD: is it the source directory?" >&2; exit 1; }
if [[ ${2:-} == --fix ]]; then "$format" -i "${sources[@]}"; fi
"$format" --dry-run -Werror "${sources[@]}"
echo "${#sources[@]} sources"
