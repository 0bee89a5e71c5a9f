#!/bin/sh
# Runs in the guest: opens two volumes that `vershina disk create` made, checks and changes the ext4 in them, and makes
# a third one.
printf 'correct horse' > /tmp/passphrase
for disk in a b; do
  cryptsetup luksDump /dev/vd$disk | grep -A 3 'Data segments'
  cryptsetup open --key-file /tmp/passphrase /dev/vd$disk volume
  e2fsck -f -n /dev/mapper/volume
  mount /dev/mapper/volume /mnt
  sha256sum /mnt/ours
  i=0
  while [ $i -lt 20000 ]; do echo "$disk: line $i"; i=$((i + 1)); done > /mnt/theirs
  umount /mnt
  cryptsetup close volume
done
cryptsetup luksFormat --batch-mode --type luks2 --cipher kuznyechik-xts-plain64 --key-size 512 --pbkdf argon2id \
  --pbkdf-memory 32 --pbkdf-force-iterations 4 --pbkdf-parallel 1 /dev/vdc /tmp/passphrase
cryptsetup open --key-file /tmp/passphrase /dev/vdc volume
mkfs.ext4 -q /dev/mapper/volume
mount /dev/mapper/volume /mnt
i=0
while [ $i -lt 20000 ]; do echo "c: line $i"; i=$((i + 1)); done > /mnt/theirs
umount /mnt
cryptsetup close volume
