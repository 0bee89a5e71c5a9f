#!/usr/bin/env bash
# Makes tests/programs/disk/guest/volumes.tar.xz anew: what a Linux with dm-crypt and Debian's kernel module wrote.
#   tests/programs/disk/guest/make_volumes.sh [FOLDER]      FOLDER keeps the guest; default: a temporary one
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
guest=${1:-$scratch/guest}
"$here/guest.sh" build "$guest"
truncate -s 544K "$scratch/luks2.img" # 288 KiB of header, 256 of volume
truncate -s 512K "$scratch/plain.img"
"$here/guest.sh" run "$guest" "$here/inside_make.sh" "$scratch/luks2.img" "$scratch/plain.img" | tee "$scratch/log.txt"
tar -C "$scratch" --sort=name --owner=0 --group=0 --numeric-owner --mtime=@0 -c log.txt luks2.img plain.img |
  xz -9e > "$here/volumes.tar.xz"
ls -l "$here/volumes.tar.xz"
