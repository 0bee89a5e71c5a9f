#!/usr/bin/env bash
# A small Linux with dm-crypt and a kernel module for Kuznyechik, in qemu: Debian's kernel, Debian's package
# gost-crypto-dkms, busybox and this machine's cryptsetup and ext4 tools in an initramfs. Nothing is installed here.
#   guest.sh build FOLDER                  downloads packages, builds the module and the initramfs
#   guest.sh run FOLDER SCRIPT [DISK…]     boots it, runs SCRIPT in its shell; DISKs are /dev/vda, /dev/vdb, …
# `run` prints what SCRIPT prints, and ends with its status. 77: this machine cannot run it, with the reason.
# The module is licensed under GPL-2.0-or-later; nothing of it is kept.
set -euo pipefail
export LC_ALL=C PATH="$PATH:/usr/sbin:/sbin"

skip() {
  printf 'skip: disk.guest: %s\n' "$*"
  exit 77
}

need() {
  local name
  for name in "$@"; do
    command -v "$name" > /dev/null || skip "needs $name"
  done
}

# The modules that the guest loads, in this order where it matters; modprobe follows the dependencies.
modules=(virtio_pci virtio_blk dm-mod dm-crypt ecb xts algif_skcipher aesni-intel crc32c_generic ext4
  kuznyechik_generic)
programs=(cryptsetup mkfs.ext4 e2fsck)

copy_program() {
  local path library
  path=$(readlink -f "$(command -v "$1")")
  install -D "$path" "$2/bin/$1"
  ldd "$path" | grep -oE '/[^ ]+' | while read -r library; do
    [[ -e $2$library ]] || install -D "$(readlink -f "$library")" "$2$library"
  done
}

build() {
  need apt-get dpkg busybox cpio make gcc "${programs[@]}"
  [[ $(dpkg --print-architecture) == amd64 ]] || skip "the recipe is for Debian's amd64"
  local folder kernel headers module root name path package
  mkdir -p "$1"
  folder=$(cd "$1" && pwd)
  if [[ -f $folder/initramfs.gz ]]; then return; fi
  cd "$folder"

  # The kernel that linux-image-amd64 stands for today, with its headers.
  package=$(apt-cache depends linux-headers-amd64 | sed -n 's/ *Depends: //p')
  [[ $package == linux-headers-* ]] || skip "this system has no Debian kernel among its packages"
  kernel=${package#linux-headers-}
  apt-get download "linux-image-$kernel" "$package" "linux-headers-${kernel%-amd64}-common" gost-crypto-dkms \
    "$(apt-cache depends "$package" | sed -n 's/ *Depends: \(linux-kbuild-.*\)/\1/p')" 2> download.log ||
    skip "the packages cannot be downloaded: $(tail -n 1 download.log)"
  rm -rf packages
  for package in *.deb; do dpkg -x "$package" packages; done

  headers=$folder/packages/usr/src/linux-headers-$kernel
  sed -i "s|/usr/src/|$folder/packages/usr/src/|" "$headers/Makefile"
  module=$(echo packages/usr/src/gost-crypto-*)
  # Its Makefile takes its own folder from PWD, as dkms sets it.
  (cd "$module" && make -C "$headers" M="$folder/$module" PWD="$folder/$module" modules) > module.log 2>&1 ||
    { tail -n 20 module.log; echo "gost-crypto-dkms does not build against $kernel" >&2; exit 1; }

  root=$folder/root
  rm -rf "$root"
  mkdir -p "$root"/{bin,dev,proc,sys,run,tmp,mnt,etc}
  install "$(command -v busybox)" "$root/bin/busybox"
  for name in "${programs[@]}"; do copy_program "$name" "$root"; done
  path=$(gcc -print-file-name=libgcc_s.so.1) # loaded where a thread ends
  install -D "$(readlink -f "$path")" "$root/lib/x86_64-linux-gnu/libgcc_s.so.1"
  install -D "$module/kuznyechik_generic.ko" "$folder/packages/lib/modules/$kernel/extra/kuznyechik_generic.ko"
  busybox depmod -b packages "$kernel"
  for name in "${modules[@]}"; do # each with what it depends on: `PATH: PATH…`
    grep "/${name//-/[-_]}\.ko:" "packages/lib/modules/$kernel/modules.dep" | tr -d ':' | tr ' ' '\n'
  done | sort -u | while read -r path; do
    path=lib/modules/$kernel/${path#/lib/modules/"$kernel"/}
    install -D "packages/$path" "$root/$path"
  done
  busybox depmod -b "$root" "$kernel"
  cat > "$root/init" << END
#!/bin/busybox sh
/bin/busybox --install -s /bin
export PATH=/bin DM_DISABLE_UDEV=1
mount -t proc none /proc
mount -t sysfs none /sys
mount -t devtmpfs none /dev
mount -t tmpfs none /run
echo 3 > /proc/sys/kernel/printk
for module in ${modules[*]}; do modprobe \$module || true; done
echo "guest: begin \$(uname -r)"
sh -eu /script
echo "guest: status \$?"
sync
poweroff -f
END
  chmod +x "$root/init"
  cp "packages/boot/vmlinuz-$kernel" vmlinuz
  (cd "$root" && find . | cpio --quiet -o -H newc | gzip -1) > initramfs.new
  mv initramfs.new initramfs.gz
}

run() {
  need qemu-system-x86_64 cpio
  local folder=$1 script=$2 scratch disks=() image status
  shift 2
  scratch=$(mktemp -d)
  # shellcheck disable=SC2064  # this folder
  trap "rm -rf '$scratch'" EXIT
  cp "$script" "$scratch/script"
  # Archives of an initramfs may follow each other.
  (cat "$folder/initramfs.gz"; cd "$scratch" && echo script | cpio --quiet -o -H newc | gzip -1) > "$scratch/initramfs"
  for image in "$@"; do disks+=(-drive "file=$image,format=raw,if=virtio,cache=writeback"); done
  # Emulated: /dev/kvm of a machine that is virtual itself may be there and hang, and it boots in seconds anyway.
  timeout "${GUEST_SECONDS:-300}" qemu-system-x86_64 -cpu max -m 512 -nodefaults -no-reboot -display none \
    -serial stdio -kernel "$folder/vmlinuz" -initrd "$scratch/initramfs" \
    -append 'console=ttyS0 quiet panic=-1' "${disks[@]}" < /dev/null > "$scratch/log" 2>&1 ||
    { cat "$scratch/log"; echo "qemu has failed" >&2; exit 1; }
  tr -d '\r' < "$scratch/log" > "$scratch/text"
  sed '0,/guest: begin/d; /guest: status/,$d' "$scratch/text"
  status=$(sed -n 's/.*guest: status \([0-9]*\).*/\1/p' "$scratch/text")
  [[ -n $status ]] || { cat "$scratch/text"; echo "the guest has not ended as it should" >&2; exit 1; }
  exit "$status"
}

case ${1:-} in
  build) build "$2" ;;
  run) shift; run "$@" ;;
  *) sed -n '2,7s/^# \{0,1\}//p' "$0"; exit 2 ;;
esac
