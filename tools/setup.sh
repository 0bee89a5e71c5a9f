#!/usr/bin/env bash
# Installs missing packages for the build or the checks: Debian 12 and 13, Ubuntu 24.04.
#   tools/setup.sh [build] [test] [large] [foreign] [check] [includes] [peers] [model] [packages] [wheels]
# By default `build`.
# If nothing is missing, the package manager is not called. Without root and sudo, and on other systems, it prints the
# packages to install and fails; VSH_SKIP_SETUP=1 skips it (if you have installed everything).
set -euo pipefail
export LC_ALL=C PATH="$PATH:/usr/sbin:/sbin"

# `large` is a gigabyte for single tests of `make test`, which say what they lack; CI installs it, too.
# A word is a package; a|b: the one that the release has; a trailing ?: not in every release, checks that need it are
# then skipped with the reason.
declare -A sets=(
  [build]="g++ make cmake ninja-build pkg-config python3 libtbb-dev libtomlplusplus-dev nlohmann-json3-dev
           libarchive-dev libssl-dev gettext nbdkit-plugin-dev? libcryptsetup-dev? libblkid-dev?
           libnbd-dev? libhdf5-dev? libtiff-dev? libpng-dev? libmicrohttpd-dev?"
  [test]="libgtest-dev valgrind libzydis-dev? openssl libengine-gost-openssl|libengine-gost-openssl1.1?
          libgcrypt20-dev nettle-dev? mandoc python3-venv python3-dev shellcheck zsh?
          rhash? locales? libargon2-1 ocl-icd-libopencl1 iproute2 iputils-ping? iperf3?
          nbdkit? cryptsetup-bin? libnbd-bin? nbdfuse?
          python3-libnbd? qemu-utils? e2fsprogs? fuse2fs? fuse3?
          python3-h5py? python3-tifffile? python3-pydicom? python3-pil?"
  [large]="pocl-opencl-icd? opencl-c-headers? qemu-user-static|qemu-user libbotan-2-dev? clang-format-14? fio? fish?
           python3-nibabel? python3-zarr? dicom3tools?"
  [foreign]="googletest g++-aarch64-linux-gnu g++-s390x-linux-gnu"
  [check]="g++-riscv64-linux-gnu clang libclang-rt-dev|libclang-rt-18-dev libsimde-dev
           qemu-system-x86? busybox-static? cpio? chromium? chromium-driver? debootstrap?
           openvpn?"
  [includes]="clang-22|clang-19 libc++-22-dev|libc++-19-dev"
  [peers]="cargo"
  [model]="python3 llvm"
  [packages]="build-essential debhelper dh-python lintian pkg-config python3 python3-dev python3-venv git"
  [wheels]="python3 python3-dev python3-venv"
)

say() { printf 'setup: %s\n' "$*" >&2; }

if [[ ${VSH_SKIP_SETUP:-} == 1 ]]; then exit 0; fi

wanted=()
for name in "${@:-build}"; do
  [[ -n ${sets[$name]:-} ]] || { say "unknown set '$name'; there are: ${!sets[*]}"; exit 2; }
  # shellcheck disable=SC2206  # splitting into words is intended
  wanted+=(${sets[$name]})
done

if ! command -v dpkg-query > /dev/null; then
  say "this system has no dpkg; install the equivalents of these Debian packages yourself:"
  say "  ${wanted[*]}"
  say "then run make with VSH_SKIP_SETUP=1"
  exit 1
fi

installed() { [[ $(dpkg-query -W -f='${db:Status-Status}' "$1" 2> /dev/null) == installed ]]; }

missing=()
for word in "${wanted[@]}"; do
  found=no
  IFS='|' read -ra alternatives <<< "${word%\?}"
  for package in "${alternatives[@]}"; do
    if installed "$package"; then found=yes; fi
  done
  if [[ $found == no ]]; then missing+=("$word"); fi
done
if ((${#missing[@]} == 0)); then exit 0; fi

run_as_root=()
if ((EUID != 0)); then
  if command -v sudo > /dev/null && { [[ -t 0 ]] || sudo -n true 2> /dev/null; }; then
    run_as_root=(sudo)
  else
    run_as_root=(none)
  fi
fi
may_install() { [[ ${run_as_root[0]:-} != none ]]; }
apt() { "${run_as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q "$@" < /dev/null; }
# An unknown name is a pattern to apt, so its answer may be of other packages: g++ is found in many names.
candidate() {
  awk -v name="$1:" '/^[^ ]/ { this = $0 == name } this && /Candidate: [^(]/ { found = 1 } END { exit !found }' \
    < <(apt-cache policy "$1" 2> /dev/null)
}

# A fresh container has no package lists at all.
if ! candidate g++ && may_install; then apt update; fi

packages=()
for word in "${missing[@]}"; do
  chosen=
  IFS='|' read -ra alternatives <<< "${word%\?}"
  for package in "${alternatives[@]}"; do
    if [[ -z $chosen ]] && candidate "$package"; then chosen=$package; fi
  done
  if [[ -n $chosen ]]; then
    packages+=("$chosen")
  elif [[ $word == *\? ]]; then
    say "not in this release, what needs it is skipped: ${word%\?}"
  else
    packages+=("${alternatives[0]}") # apt will report why it is unavailable
  fi
done
if ((${#packages[@]} == 0)); then exit 0; fi

command="apt-get install -y --no-install-recommends ${packages[*]}"
if ! may_install; then
  say "packages are missing and there is neither root nor sudo here; run this as root, then try again:"
  say "  apt-get update && $command"
  exit 1
fi
say "$command"
# Prints the download size first: apt reports it, without installing.
apt install --assume-no --no-install-recommends "${packages[@]}" 2> /dev/null |
  sed -n 's/^\(Need to get\|After this operation\)/setup: &/p' >&2 || true
# Package lists older than the archive name files that it no longer has: update and try again.
apt install -y --no-install-recommends "${packages[@]}" || {
  apt update
  apt install -y --no-install-recommends "${packages[@]}"
}
