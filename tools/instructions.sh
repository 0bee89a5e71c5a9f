#!/usr/bin/env bash
# Instructions per byte of the aarch64 kernels, counted one by one under qemu: two passes minus one.
#   tools/instructions.sh            needs aarch64-linux-gnu-g++ and qemu-aarch64 (tools/setup.sh large foreign)
set -euo pipefail
cd "$(dirname "$0")/.."
compiler=aarch64-linux-gnu-g++
qemu=$(command -v qemu-aarch64 || command -v qemu-aarch64-static)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

printf '%s, encryption\n%-12s %-10s %12s %8s\n' "$($compiler --version | head -1)" family kernel instructions 'per byte'
for family in kuznyechik magma; do
  for variant in portable neon neon_sha3; do
    tag=$(sed -nE "s/^VSH_BLOCK_KERNEL\($family, $variant, (.*)\)/\1/p" src/kernels.def)
    read -ra flags < <(sed -nE "s/^VSH_ISA\($tag, [^\"]*\"([^\"]*)\".*/\1/p" src/isa.def) || true
    "$compiler" -std=c++20 -O3 -Isrc "${flags[@]}" -c -o "$work/kernel.o" "src/$family/kernel_$variant.cpp"
    "$compiler" -std=c++20 -O2 -static -Isrc -DVSH_ROW="vsh_kernel_${family}_$variant" -o "$work/run" \
      tools/instructions.cpp src/core/wipe.cpp "$work/kernel.o"
    for count in 1 2; do
      "$qemu" -cpu max -singlestep -d nochain,exec -D "$work/log$count" "$work/run" $count
    done
    lanes=128
    [[ $variant != portable ]] || lanes=64
    block=16
    [[ $family != magma ]] || block=8
    pass=$(($(wc -l < "$work/log2") - $(wc -l < "$work/log1")))
    printf '%-12s %-10s %12d %8s\n' $family $variant $pass \
      "$(awk "BEGIN { printf \"%.2f\", $pass / ($lanes * $block) }")"
  done
done
