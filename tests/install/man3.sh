#!/usr/bin/env bash
# The manual pages of section 3: well-formed, one for each function that the libraries export, each link to a page.
#   tests/install/man3.sh PAGES NM LIBRARY...
set -euo pipefail
pages=$1 nm=$2
shift 2

fail() { printf 'FAIL: %s\n' "$*"; exit 1; }

[[ -d $pages ]] || fail "no pages in $pages: build the target man3"
functions=0 made=0 examples=0
while read -r function; do
  page=$pages/$function.3
  [[ -f $page ]] || fail "no manual page of $function"
  if target=$(sed -n '1s/^\.so man3\///p' "$page") && [[ -n $target ]]; then page=$pages/$target; fi
  grep -qx "\.Fo $function" "$page" || fail "${page##*/} does not show $function"
  functions=$((functions + 1))
done < <("$nm" -D --defined-only "$@" | awk '$3 ~ /^vsh_/ { sub("@.*", "", $3); print $3 }')
((functions > 100)) || fail "only $functions functions in $*"

for page in "$pages"/*.3; do
  if target=$(sed -n '1s/^\.so man3\///p' "$page") && [[ -n $target ]]; then
    [[ -f $pages/$target ]] || fail "${page##*/} leads to $target, which is not there"
    continue
  fi
  made=$((made + 1))
  grep -q '^\.Sh LIBRARY' "$page" || fail "${page##*/} does not name the library"
  if grep -q '^\.Sh EXAMPLES' "$page"; then examples=$((examples + 1)); fi
  # Statuses as a program writes them; what stands above in the header is not above on the page.
  if grep -nE 'Errors: [A-Z]|see above' "$page" | grep -v 'Errors: VSH_'; then fail "${page##*/}"; fi
  if command -v mandoc > /dev/null; then mandoc -T lint -W warning "$page" || fail "${page##*/}"; fi
  # A declaration or comment that lost its delimiters would be seen by these.
  if grep -nE '^[^ ].*\*/|/\* *$|extern "C"|#ifdef' "$page" | grep -v '/\*.*\*/'; then fail "${page##*/}"; fi
done
((examples == 5)) || fail "$examples pages have an example"
if command -v nroff > /dev/null; then
  # Newer ones underline the name by escape sequences.
  shown=$(nroff -mandoc "$pages/vershina-whole-messages.3" | sed -E 's/\x1b\[[0-9]*m//g' | sed -n '1p;$p')
  [[ $shown != *BSD* && $shown == *"VERSHINA-WHOLE-MESSAGES(3)"* ]] || fail "head and foot: $shown"
else
  echo "skip: install.man3: head and foot: nroff is not installed"
fi
command -v mandoc > /dev/null || { echo "skip: install.man3: mandoc is not installed"; exit 77; }
printf 'ok  %d functions on %d pages\n' "$functions" "$made"
