#!/usr/bin/env bash
# The packages of build/packages for this release of the system, as their users meet them: installed, used, purged; the
# wheel that fits this Python, where there is no compiler. Changes the system that it runs in: for bare roots only,
#   tools/fresh-root.sh debian12 --put build/packages -- packaging/check.sh
set -euo pipefail
cd "$(dirname "$0")/.."
packages=$PWD/build/packages
[[ -d $packages && ! -e build/release ]] || { echo "check: for a bare root with build/packages"; exit 2; }
# shellcheck source=/dev/null
system=$(. /etc/os-release && echo "$ID$VERSION_ID")
export DEBIAN_FRONTEND=noninteractive
work=$(mktemp -d)
cd "$work"

fail() { printf 'FAIL: %s\n' "$*"; exit 1; }
say() { printf 'ok  %s\n' "$*"; }
quietly() { "$@" > "$work/log" 2>&1 || { tail -n 30 "$work/log"; fail "$*"; }; }
install() { quietly apt-get install -y --no-install-recommends "$@"; }
# Every file of the system and its size; not what dpkg and apt write down themselves.
# Without /dev, where libdevmapper makes nodes.
listing() {
  find / -xdev \( -path "$work" -o -path /vershina -o -path /var/lib/dpkg -o -path /var/lib/apt -o -path /var/cache \
    -o -path /var/log -o -path /tmp -o -path /dev -o -path /root -o -path /etc/ld.so.cache \) -prune \
    -o ! -type d -printf '%p %s\n' -o -printf '%p/\n' | sort
}
# shellcheck disable=SC2016  # dpkg puts a value there
names() { dpkg-deb --showformat='${Package}\n' --show "$1"; }

mapfile -t debs < <(find "$packages" -name "*~${system}_*.deb")
((${#debs[@]} >= 5)) || fail "only ${#debs[@]} packages for $system in build/packages"
mapfile -t ours < <(for file in "${debs[@]}"; do names "$file"; done)
quietly apt-get update

if command -v cc c++ gcc > /dev/null; then fail "there is a compiler here: this root is not bare"; fi
begin=$SECONDS
quietly apt-get install -y "$packages"/vershina_*~"${system}"_*.deb # with what it recommends
head -c 3000000 /dev/urandom > report
echo 'correct horse battery staple' > passphrase
vershina seal --passphrase-file passphrase report -o report.sealed
vershina open --passphrase-file passphrase --verify report.sealed
vershina open --passphrase-file passphrase report.sealed -o again
cmp report again || fail "seal, open"
say "vershina: from apt install to a sealed and verified file in $((SECONDS - begin)) s"
mkdir folder
echo text > folder/file
vershina seal --passphrase-file passphrase folder -o folder.sealed
rm -r folder
vershina open --passphrase-file passphrase folder.sealed -o folder
[[ $(< folder/file) == text ]] || fail "seal, open of a directory"
if vershina bench --quick > log 2>&1; then fail "vershina bench without vershina-bench"; fi
grep -q 'package vershina-bench' log || { cat log; fail "no word of the package vershina-bench"; }
if vershina tomo phantom -o scan.h5 > log 2>&1; then fail "vershina tomo without vershina-tomo"; fi
grep -q 'package vershina-tomo' log || { cat log; fail "no word of the package vershina-tomo"; }

# A wheel for this Python, in an environment of its own.
install python3-venv
if command -v cc > /dev/null; then fail "python3-venv brought a compiler"; fi
tag=$(python3 -c 'import sys; v = "cp3%d" % sys.version_info[1]; print(v if sys.version_info < (3, 12) else "cp312")')
wheel=$(find "$packages" -name "vershina-*-$tag-*.whl")
if [[ -n $wheel ]]; then
  python3 -m venv clean
  quietly clean/bin/pip install --no-index "$wheel"
  clean/bin/python -c 'import vershina, vershina._tomography; vershina.selftest(); print("ok  wheel:", vershina.__version__)'
else
  printf 'skip: packages: no wheel for %s in build/packages\n' "$tag"
fi

# Once more, with their dependencies installed before, so that all that is left after purging is theirs.
quietly apt-get purge -y vershina
apt-get install -s --no-install-recommends "${debs[@]}" | sed -n 's/^Inst \([^ ]*\).*/\1/p' |
  grep -vxF "$(printf '%s\n' "${ours[@]}")" > needed || true
mapfile -t needed < needed
install gcc libc6-dev pkg-config openssl "${needed[@]}"
apt-get install -y --no-install-recommends dcmtk > log 2>&1 ||
  printf 'skip: packages: DICOM images are not opened by another program: %s\n' "$(grep -m 1 '^E:' log)"
listing > before
install "${debs[@]}"
python3 -c 'import vershina, vershina._tomography; vershina.selftest(); print("ok  python3-vershina:", vershina.__version__)'
# The digest of an empty message, GOST R 34.11-2012 (256 bits).
empty=3f539a213e97c802cc229d474c6aa32a825a360b2a933a949fd925208d9ce1bb
digest=$(OPENSSL_CONF=/usr/share/vershina/provider.cnf openssl dgst -r -md_gost12_256 /dev/null)
[[ $digest == "$empty"* ]] || fail "openssl dgst says $digest"
say "vershina-openssl"
vershina bench --help > log || fail "vershina bench with vershina-bench"
vershina tomo tune --help > log || fail "vershina tomo tune with vershina-bench"
say "vershina-bench"
quietly vershina tomo phantom --object shepp-logan-3d --size 64 --rows 8 --volume true.h5 -o scan.h5
for algorithm in fbp dfr hfbp; do
  quietly vershina tomo reconstruct scan.h5 -a $algorithm -o $algorithm.h5
  vershina tomo compare --circle --json $algorithm.h5 true.h5 > log
  python3 -c 'import json, sys; sys.exit(json.load(sys.stdin)["rmse"] > 0.06)' < log || { cat log; fail "$algorithm"; }
done
quietly vershina tomo reconstruct scan.h5 --pixel 0.5 --window=0:1 --format dicom -o series
for number in 1 2 3 4 5 6 7 8; do
  [[ $(head -c 132 series/slice000$number.dcm | tail -c 4) == DICM ]] || fail "no DICOM image $number"
done
if command -v dcmdump > log; then
  # DCMTK reads the images, and their pixels are the volume's values.
  quietly vershina tomo reconstruct scan.h5 -o series.nii
  dcmdump -q +P Rows +P Columns +P PixelSpacing series/* | awk 'NF { print $NF, $3 }' | sort | uniq -c > log
  [[ $(tr -s ' \n' ' ' < log) == ' 8 Columns 64 8 PixelSpacing [0.5\0.5] 8 Rows 64 ' ]] ||
    { cat log; fail "dcmdump: other images"; }
  quietly python3 - << 'END'
import array, subprocess
voxels = array.array("f", open("series.nii", "rb").read()[352:])
for z in range(8):
    # Stored values: DCMTK makes whole numbers of those that they stand for.
    words = subprocess.run(["dcm2pnm", "-q", "--no-modality", "--min-max-window", "--write-16-bit-pnm",
                            f"series/slice000{z + 1}.dcm"], stdout=subprocess.PIPE, check=True).stdout.split()
    assert words[:4] == [b"P2", b"64", b"64", b"65535"] and len(words) == 4 + 64 * 64, words[:4]
    values = [min(max(v, 0), 1) for v in voxels[64 * 64 * z:64 * 64 * (z + 1)]]
    least, most = min(values), max(values)
    for word, value in zip(words[4:], values):
        assert abs(int(word) - 65535 * (value - least) / (most - least)) < 4, (z, word, value)
END
  say "vershina-tomo: DICOM images in dcmtk"
fi
say "vershina-tomo"
quietly nbdkit vershina --dump-plugin
grep -qx 'name=vershina' log || { cat log; fail "nbdkit does not find the plugin"; }
quietly vershina disk create --size 1M --pbkdf-memory 32K --pbkdf-passes 4 --passphrase-file passphrase volume.img
quietly vershina disk info volume.img
grep -q 'served .*vershina disk serve' log || { cat log; fail "vershina disk serve has not what it needs"; }
say "vershina-disk"
# shellcheck disable=SC2046  # words are meant
cc -Wall -Werror /usr/share/doc/vershina/examples/hash.c -o hash $(pkg-config --cflags --libs vershina)
[[ $(./hash "") == "$empty"* ]] || fail "examples/hash.c says $(./hash "")"
grep -q "libvershina\.so\.0\.[0-9]" <(ldd ./hash) || fail "hash does not run with the shared library"
for page in 1:vershina 1:vershina-seal 1:vershina-bench 3:vershina 3:vsh_hash_digest; do
  [[ -e /usr/share/man/man${page%:*}/${page#*:}.${page%:*}.gz ]] || fail "no manual page ${page#*:}(${page%:*})"
done
[[ -e /usr/share/man/ru/man1/vershina-seal.1.gz && -e /usr/share/locale/ru/LC_MESSAGES/vershina.mo ]] ||
  fail "nothing in Russian"
say "libvershina-dev"
quietly apt-get purge -y "${ours[@]}"
listing > after
diff before after > left || { cat left; fail "purging leaves files behind, or removes others"; }
say "purged: nothing is left"
