#!/bin/sh
# shellcheck disable=SC2059,SC2086  # bytes by printf, options by words
# Runs in the guest: volumes that its dm-crypt writes. /dev/vda: LUKS2; /dev/vdb: plain volumes, 64 KiB each.
printf 'guest passphrase' > /tmp/passphrase
cryptsetup luksFormat --batch-mode --type luks2 --cipher kuznyechik-xts-plain64 --key-size 512 --sector-size 4096 \
  --pbkdf argon2id --pbkdf-memory 32 --pbkdf-force-iterations 4 --pbkdf-parallel 1 --luks2-metadata-size 16k \
  --luks2-keyslots-size 252k --offset 576 --uuid 01234567-89ab-cdef-0123-456789abcdef --label guest \
  /dev/vda /tmp/passphrase
cryptsetup open --key-file /tmp/passphrase /dev/vda volume
mkfs.ext4 -q -b 4096 -N 16 -O ^has_journal,^metadata_csum -E nodiscard,lazy_itable_init=1 -m 0 /dev/mapper/volume
mount /dev/mapper/volume /mnt
i=0
while [ $i -lt 300 ]; do echo "line $i, written by dm-crypt"; i=$((i + 1)); done > /mnt/file
sha256sum /mnt/file | sed 's/ .*//;s/^/content: /'
umount /mnt
cryptsetup close volume

# Sectors of each size, numbered in both ways, from numbers beyond 32 bits too. Each holds two sectors of text.
i=0
while [ $i -lt 64 ]; do printf '%02x' $((i * 37 % 256)); i=$((i + 1)); done | sed 's/../\\x&/g' > /tmp/escaped
printf "$(cat /tmp/escaped)" > /tmp/key
place=0
for options in '512' '1024' '2048' '4096' '4096 --iv-large-sectors' '1024 --iv-large-sectors --skip 8' \
  '512 --skip 8589934599' '4096 --skip 8589934600'; do
  cryptsetup open --type plain --cipher kuznyechik-xts-plain64 --key-size 512 --key-file /tmp/key --offset \
    $((place * 128)) --size 16 --sector-size $options /dev/vdb plain
  i=0
  while [ $i -lt 500 ]; do echo "$options: line $i"; i=$((i + 1)); done | head -c 8192 > /dev/mapper/plain
  sync
  echo "plain: $place --sector-size $options"
  cryptsetup close plain
  place=$((place + 1))
done
