#!/usr/bin/env bash
# Builds those parts of Botan 3 that the benchmark measures (`make peers BOTAN=SOURCE`).
#   programs/bench/peers/botan.sh SOURCE OUT      needs Python and the compiler that Botan's release asks for
set -euo pipefail
source=$(realpath "$1")
mkdir -p "$2"
out=$(realpath "$2")

# With the modules for instruction sets, each a directory below the algorithm's.
modules=$(cd "$source/src/lib/" && find hash/streebog hash/gost_3411 block/kuznyechik block/gost_28147 \
  -name info.txt -printf '%h\n' | xargs -n 1 basename)
build=$out/../botan
"$source/configure.py" --quiet --with-build-dir="$build" --build-targets=shared --minimized-build \
  --without-documentation --enable-modules="ffi,ctr,cbc,cfb,ofb,cmac,${modules//$'\n'/,}"
make -C "$build" -j "${JOBS:-1}" libs
cp "$build"/libbotan-3.so.* "$out"
