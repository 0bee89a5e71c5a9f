#!/usr/bin/env bash
# Runs README's two commands like a new user: in a bare root of a system, with an empty environment and only git and
# make, in a clone of HEAD. Prints the processor, the time and the result of each, and removes the root.
#   tools/fresh-root.sh debian12|debian13|ubuntu24.04 [OPTION…] [-- COMMAND…]
# COMMAND is run in the clone instead of the two.
#   --mirror URL     the archive of packages; without it this machine's own, if it has packages of the same distribution
#   --keyring FILE   whose signatures the archive must have (default: the distribution's, where it is installed)
#   --jobs N         JOBS=N for the commands
#   --without pts|sys|shm   (again for a second) the root has no /dev/pts, no /sys, no /dev/shm
#   --put FOLDER     a folder of the work tree that git does not have goes into the clone, at the same place
#   --get FOLDER     a folder of the clone comes back to the same place of the work tree, if the commands succeeded
#   --keep           the root stays, and its name is printed
# Exit status: 0; 1 a command failed; 2 wrong usage, no root; 77 NOT RUN, with the reason: the root could not be made.
# Needs root, debootstrap, some 5 GB under ${TMPDIR:-/var/tmp}. Mounts and processes are in separate namespaces.
# shellcheck disable=SC2317  # functions are called in the namespaces
set -euo pipefail
cd "$(dirname "$0")/.."

say() { printf 'fresh-root: %s\n' "$*" >&2; }
usage() { say "$*; usage: tools/fresh-root.sh debian12|debian13|ubuntu24.04 [OPTION…] [-- COMMAND…]"; exit 2; }
not_run() { printf 'fresh-root: %s: NOT RUN: %s\n' "$system" "$*"; exit 77; }

system=${1:-}
case $system in
  debian12) suite=bookworm origin=Debian components=main ;;
  debian13) suite=trixie origin=Debian components=main ;;
  ubuntu24.04) suite=noble origin=Ubuntu components=main,universe ;;
  *) usage "no system '$system'" ;;
esac
shift
mirror='' jobs='' without='' put='' get='' keep='' keyring=/usr/share/keyrings/${origin,,}-archive-keyring.gpg
while (($# > 0)) && [[ $1 != -- ]]; do
  case $1 in
    --keep) keep=yes ;;
    --mirror | --keyring | --jobs | --without | --put | --get)
      (($# > 1)) || usage "$1 wants a value"
      case $1 in
        --mirror) mirror=$2 ;;
        --keyring) keyring=$2 ;;
        --jobs) jobs=$2 ;;
        --put) put=$2; [[ -d $put ]] || usage "--put: no folder '$put'" ;;
        --get) get=$2 ;;
        --without) [[ $2 =~ ^(pts|sys|shm)$ ]] || usage "--without: no '$2'"; without+=" $2" ;;
      esac
      shift
      ;;
    *) usage "unknown option $1" ;;
  esac
  shift
done
(($# == 0)) || shift # the --

if ((EUID != 0)); then say "it must be run as root: it makes a root and mounts /proc in it"; exit 2; fi
command -v debootstrap > /dev/null || not_run "debootstrap is not installed"
[[ -r $keyring ]] || not_run "no keyring $keyring: name one with --keyring FILE"
[[ -z $(git status --porcelain) ]] || say "the work tree has changes that are not committed: they are not part of this"

# The package source: from apt, in any format of its configuration.
sources=
if [[ -n $mirror ]]; then
  sources="deb $mirror $suite ${components/,/ }"$'\n'"deb $mirror $suite-updates ${components/,/ }"$'\n'
else
  # shellcheck source=/dev/null
  here=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
  # shellcheck disable=SC2016  # apt puts values there
  while read -r uri from codename; do
    [[ $from == "$origin" && -n $here && $codename == "$here"* ]] || continue
    sources+="deb $uri $suite${codename#"$here"} ${components/,/ }"$'\n'
    [[ $codename != "$here" ]] || mirror=$uri
  done < <(apt-get indextargets --format '$(REPO_URI) $(ORIGIN) $(CODENAME)' 'Created-By: Packages' | sort -u)
  [[ -n $mirror ]] || not_run "apt has no packages of $origin here: name an archive with --mirror URL"
fi
apt_settings=$(apt-config dump | grep -E '^Acquire::(https?|Check)' || true)
proxy=$(apt-config shell proxy Acquire::http::Proxy) && eval "$proxy"
[[ -z ${proxy:-} ]] || export http_proxy=$proxy

root=$(mktemp -d "${TMPDIR:-/var/tmp}/fresh-root.XXXXXX")
chmod 755 "$root"
child=
finish() {
  trap '' INT TERM HUP
  # Killing the first process of its namespace ends all others, and then the mounts disappear.
  if [[ -n $child ]]; then kill -KILL "$child" 2> /dev/null || true; wait "$child" 2> /dev/null || true; fi
  rm -f "$root.log" "$root.results"
  if [[ -n $keep ]]; then say "the root is $root; rm -rf --one-file-system it yourself"; return; fi
  local mounted
  for _ in {1..50}; do
    mounted=$(findmnt --noheadings --output TARGET | grep -F "$root" || true)
    [[ -n $mounted ]] || break
    sleep 0.1
  done
  if [[ -n $mounted ]]; then say "still mounted, not removed: $mounted"; return; fi
  rm -rf --one-file-system "$root"
}
trap finish EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

# In the namespaces: the system, the clone, the commands.
make_root() {
  local script=$suite
  # An older debootstrap lacks the names of newer systems; all of a distribution are made alike.
  if [[ ! -e /usr/share/debootstrap/scripts/$suite ]]; then
    script=sid
    [[ $origin == Debian ]] || script=gutsy
  fi
  debootstrap --variant=minbase --include=git,make,ca-certificates --components="$components" --keyring="$keyring" \
    "$suite" "$root" "$mirror" "$script" > "$root.log" 2>&1
  printf '%s' "$sources" > "$root/etc/apt/sources.list"
  printf '%s\n' "$apt_settings" > "$root/etc/apt/apt.conf.d/90this-machine"
  rm -f "$root"/var/lib/apt/lists/*_*
  # This machine's additional certificate authorities.
  cp /usr/local/share/ca-certificates/*.crt "$root/usr/local/share/ca-certificates/" 2> /dev/null || true
  inside update-ca-certificates > "$root.log" 2>&1
  mountpoint -q "$root/proc" || mount -t proc proc "$root/proc"
  if mountpoint -q "$root/sys"; then umount "$root/sys"; fi
  [[ " $without " == *" sys "* ]] || mount --bind /sys "$root/sys"
  [[ " $without " == *" pts "* ]] || mount -t devpts -o newinstance,mode=620,ptmxmode=666 devpts "$root/dev/pts"
  [[ " $without " == *" shm "* ]] || mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
  git bundle create --quiet "$root/tmp/head.bundle" HEAD > "$root.log" 2>&1
  inside git -c advice.detachedHead=false clone --quiet /tmp/head.bundle /vershina
  rm "$root/tmp/head.bundle"
  if [[ -n $put ]]; then carry "$PWD" "$put" "$root/vershina"; fi
}
carry() { # FROM FOLDER TO
  mkdir -p "$3/$2"
  cp -r "$1/$2/." "$3/$2"
}
inside() {
  chroot "$root" env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 \
    ${jobs:+JOBS="$jobs"} "$@" < /dev/null
}
timed() {
  local begin=$SECONDS status=0
  printf '\n== %s: %s\n' "$system" "$*"
  inside sh -c 'cd /vershina && exec "$@"' sh "$@" || status=$?
  printf '== %s: %s: exit status %d, %d min %02d s\n' "$system" "$*" "$status" \
    $(((SECONDS - begin) / 60)) $(((SECONDS - begin) % 60)) | tee -a "$root.results"
  ((status == 0))
}
in_namespaces() {
  local begin=$SECONDS command status=0
  set -E
  trap 'tail -n 5 "$root.log" >&2; exit 77' ERR
  make_root
  trap - ERR
  printf '%s (%s) on %s: bare root and clone of %s, %d s\n' "$system" "$(inside cat /etc/debian_version)" \
    "$processor" "$(git rev-parse --short HEAD)" $((SECONDS - begin)) | tee "$root.results"
  if (($# > 0)); then
    timed "$@" || status=1
  else
    while read -ra command; do
      timed "${command[@]}" || status=1
    done <<< "$commands"
  fi
  if [[ -n $get ]] && ((status == 0)); then carry "$root/vershina" "$get" "$PWD"; fi
  printf '\n'
  cat "$root.results"
  exit "$status"
}
commands=$(sed -nE '/^## Install/,/^## ./s/^(make (run|test))( .*)?$/\1/p' README.md)
(($(wc -l <<< "$commands") == 2)) || { say "README.md's two commands are not where they were: $commands"; exit 1; }

# Tests skip what it cannot run.
processor=$(awk -F '\t*: ' '/^cpu family/ { family = $2 } /^model\t/ { model = $2 }
  /^model name/ { print $2 ", family " family ", model " model; exit }' /proc/cpuinfo)
: "${processor:=$(uname -m)}"

export system processor suite origin components mirror keyring sources apt_settings without jobs put get root commands
export -f make_root carry inside timed in_namespaces
status=0
unshare --mount --pid --fork --kill-child bash -euo pipefail -c 'in_namespaces "$@"' in_namespaces "$@" < /dev/null &
child=$!
wait "$child" || status=$?
child=
((status != 77)) || not_run "the root could not be made"
exit "$status"
