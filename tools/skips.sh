#!/usr/bin/env bash
# Names what tests skipped, by reason. A skip is expected if the registry says that this processor lacks what it names
# (tests/dispatch/processor.cpp), or if a line of tests/skips.txt explains it on this system. Fails if one is not.
#   tools/skips.sh BUILD [FEATURE…]
# BUILD/Testing/Temporary/LastTest.log is ctest's. FEATURE…: a processor with these alone; tests of this script.
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1
shift
log=$build/Testing/Temporary/LastTest.log

# Tests whether a condition of tests/skips.txt holds here.
holds() {
  case $1 in
    always | any) ;;
    other-cpu) grep -qE '^(CMAKE_TOOLCHAIN_FILE:|VSH_ARCH:[A-Z]*=e2k)' "$build/CMakeCache.txt" ;;
    short) [[ -z ${VERSHINA_TEST_LONG:-} ]] ;;
    gpu) compgen -G '/dev/nvidia[0-9]*' > /dev/null ;;
    no-gpu) ! holds gpu ;;
    no-sys) [[ ! -e /sys/devices/system/cpu ]] ;;
    no-opencl) holds no-sys || ! compgen -G '/etc/OpenCL/vendors/*.icd' > /dev/null ;;
    root) ((EUID == 0)) ;;
    user) ((EUID != 0)) ;;
    no-pty) ! script -qec true /dev/null > /dev/null 2>&1 < /dev/null ;;
    off:*) grep -q "^${1#*:}:[A-Z]*=OFF" "$build/CMakeCache.txt" ;;
    sanitized) grep -q '^VSH_SANITIZE:[A-Z]*=.' "$build/CMakeCache.txt" ;;
    not-optimised) holds sanitized || ! grep -q '^CMAKE_BUILD_TYPE:[A-Z]*=Release' "$build/CMakeCache.txt" ;;
    # Optional packages of tools/setup.sh.
    no-package) ! dpkg-query -W libgcrypt20-dev libbotan-2-dev nettle-dev libengine-gost-openssl opencl-c-headers \
      > /dev/null 2>&1 ;;
    other-openssl) [[ $(openssl version) != "OpenSSL 3.0."* ]] ;;
    no-index)
      local work status=0
      work=$(mktemp -d)
      "${PYTHON:-python3}" -m venv "$work/venv" > /dev/null 2>&1 && "$work/venv/bin/pip" download --quiet --no-deps \
        --dest "$work" nanobind > /dev/null 2>&1 || status=1
      rm -rf "$work"
      ((status != 0))
      ;;
    without:*/*) [[ ! -e ${1#*:} ]] ;;
    # Neither a program nor a library nor a package has this name.
    without:*)
      ! command -v "${1#*:}" > /dev/null && [[ $(/sbin/ldconfig -p) != *[[:space:]]"${1#*:}".so* ]] &&
        [[ $(dpkg-query -W -f '${Status}' "${1#*:}" 2> /dev/null) != *' installed' ]]
      ;;
    *) printf 'tests/skips.txt: no condition %s\n' "$1" >&2; exit 2 ;;
  esac
}

# Prints a reason per line, from any form of report: GoogleTest in the line after "Skipped", the others in one.
reasons() {
  awk '
    function reason(text) { print text; given = 1 }
    /^[0-9]+\/[0-9]+ Testing: / { given = 0; name = $NF }
    /^Test Skipped/ && !given { reason(name " says no reason") }
    next_is { reason($0); next_is = 0; next }
    /: Skipped$/ { next_is = 1 }
    / \.\.\. skipped / { sub(/.* \.\.\. skipped ./, ""); sub(/.$/, ""); reason($0) }
    /^SKIPPED \[[0-9]+\] / || /^SKIPPED [^ ]+: / { sub(/^SKIPPED [^ ]+( [^ ]+:[0-9]+:)? /, ""); reason($0); next }
    /^skipped: / || /^SKIPPED: / { sub(/^[^ ]* /, ""); reason($0); next }
    /^skip[: ]/ || /SKIPPED: / { reason($0) }
  ' "$log" | sed -E 's/^skip  ([0-9]+ cases)/\1/'
}

# The registry of the build that was tested, in the same emulator.
emulator=$(sed -nE 's/^CMAKE_CROSSCOMPILING_EMULATOR:[A-Z]*=//p' "$build/CMakeCache.txt")
IFS=';' read -ra processor <<< "${emulator:+$emulator;}$build/tests/processor"
declare -A lacks=()
answer=$("${processor[@]}" "$@") || { printf 'skips: %s failed\n' "${processor[*]}" >&2; exit 2; }
while read -r line; do [[ -z $line ]] || lacks[$line]=yes; done <<< "$answer"

# Tests whether the registry says so: for a row in these words, for anything else that each feature is absent.
is_lacking() {
  local feature
  [[ $1 =~ ^(.*):\ this\ CPU\ has\ no\ (.+)$ ]] || return 1
  [[ ${BASH_REMATCH[1]} != 'row '* ]] || { [[ -n ${lacks[$1]:-} ]]; return; }
  for feature in ${BASH_REMATCH[2]}; do
    [[ -n ${lacks["feature: this CPU has no $feature"]:-} ]] || return 1
  done
}

declare -A count=() allowed=() first=() others=() rows=()
unexplained=0
while read -r reason; do
  rule=
  if is_lacking "$reason"; then
    rows[${reason%%:*}]=yes
    continue
  fi
  while read -r where pattern; do
    [[ $where != '#'* && $reason =~ ^$pattern$ ]] || continue
    where=${where/%@/${BASH_REMATCH[-1]}}
    if [[ -z ${allowed[$where]:-} ]]; then
      if holds "$where"; then allowed[$where]=yes; else allowed[$where]=no; fi
    fi
    [[ ${allowed[$where]} == yes ]] || continue
    rule="$where $pattern"
    count[$rule]=$((${count[$rule]:-0} + 1))
    : "${first[$rule]:=$reason}"
    [[ $reason == "${first[$rule]}" ]] || others[$rule]=', and the like'
    break
  done < tests/skips.txt
  if [[ -z $rule ]]; then
    printf 'SKIPPED, and nothing of tests/skips.txt explains it here: %s\n' "$reason"
    unexplained=$((unexplained + 1))
  fi
done < <(reasons)

if ((${#rows[@]} > 0)); then
  printf 'skipped, for this processor lacks the instructions:\n'
  printf '%s\n' "${!rows[@]}" | sed 's/^row //' | sort | fmt -w 110 | sed 's/^/  /'
fi
for rule in "${!count[@]}"; do
  printf 'skipped %4d: %s%s (%s)\n' "${count[$rule]}" "${first[$rule]}" "${others[$rule]:-}" "${rule%% *}"
done | sort
((unexplained == 0))
