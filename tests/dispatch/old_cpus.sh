#!/usr/bin/env bash
# One binary on CPUs from 2003 on: qemu-user emulates a CPU model, with an illegal instruction for any that it lacks. On
# each: the chosen kernels are the expected ones, the self-test passes, a real message has the same result, and a kernel
# beyond the model is refused with exit code 5.
#   tests/dispatch/old_cpus.sh VERSHINA QEMU
set -euo pipefail
vershina=$1 qemu=$2 models=${0%/*}/models.txt
export VERSHINA_TUNE=off # ignore measurements of this one
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
fail() { printf 'FAIL: %s\n' "$*"; failures=$((failures + 1)); }

key=8899aabbccddeeff0011223344556677fedcba98765432100123456789abcdef
encrypt() { "$@" encrypt -c kuznyechik-ctr --key-hex $key --iv-hex 1234567890abcef0 --force "$work/in" -o "$work/out"; }
head -c 100003 "$vershina" > "$work/in"
encrypt "$vershina"
mv "$work/out" "$work/expected"

while read -r model expected refused what; do
  emulated=("$qemu" -cpu "$model" "$vershina")
  # qemu reports on stderr the features of the model that it cannot emulate: irrelevant for this test.
  if ! "${emulated[@]}" kernels > "$work/kernels" 2> "$work/errors"; then
    fail "$model: $(tail -n 2 "$work/errors")"
    continue
  fi
  for family in kuznyechik magma streebog; do
    chosen=$(awk -v family="$family" '
      $1 == family && /(yes|and more)$/ && $6 == "yes" && NF > 6 && $2 !~ /^lanes_/ { print $2 }' "$work/kernels")
    [[ $chosen == "$expected" ]] || fail "$model ($what): $family runs '$chosen', expected '$expected'"
  done
  "${emulated[@]}" selftest > /dev/null 2> "$work/errors" || fail "$model: selftest: $(tail -n 2 "$work/errors")"
  encrypt "${emulated[@]}" 2> "$work/errors" || fail "$model: encrypt: $(tail -n 2 "$work/errors")"
  cmp "$work/expected" "$work/out" || fail "$model: another result"
  if [[ $refused != - ]]; then
    status=0
    VERSHINA_KERNEL=kuznyechik:$refused encrypt "${emulated[@]}" 2> "$work/errors" || status=$?
    [[ $status == 5 ]] || fail "$model: the kernel $refused ended with $status, expected 5"
  fi
  printf 'ok  %-16s %-9s %s\n' "$model" "$expected" "$what"
done < <(grep -v '^#' "$models")
exit $((failures > 0))
