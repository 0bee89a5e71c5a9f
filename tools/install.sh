#!/usr/bin/env bash
# `make install` and `make uninstall`: installs a build, keeps a record of the installed files with them, removes those.
#   tools/install.sh install BUILD PREFIX      DESTDIR in the environment: a staged installation, below that directory
#   tools/install.sh uninstall PREFIX
# The record, PREFIX/share/vershina/installed, names files as they are called without DESTDIR, directories (with /
# at the end) that were not there before, and the link in OpenSSL's folder with what it leads to. Uninstalling goes by
# it only: no build is needed, another DESTDIR has another record, and what others put there stays.
set -euo pipefail
what=${1:-} stage=${DESTDIR:-}
top=$(cd "$(dirname "$0")/.." && pwd)

say() { printf -- '-- %s\n' "$*"; }
fail() { printf 'install: %s\n' "$*" >&2; exit 1; }

# Updates the loader's cache; a staged or unprivileged installation cannot.
update_loader() { [[ -n $stage ]] || ((EUID != 0)) || ldconfig; }

put_in() {
  local build=$1 prefix=$2 record trial files line folder
  record=$stage$prefix/share/vershina/installed
  # Installed aside first: only before the files are in place can be seen which directories are new.
  trial=$(mktemp -d)
  # shellcheck disable=SC2064  # the directory of now
  trap "rm -rf '$trial'" EXIT
  DESTDIR=$trial cmake --install "$build" --prefix "$prefix" > /dev/null
  files=$(find "$trial" ! -type d -printf '/%P\n' | sort)
  {
    [[ ! -f $record ]] || cat "$record"
    printf '%s\n' "$files" "$prefix/share/vershina/installed"
    while read -r line; do
      folder=${line%/*}
      while [[ -n $folder && ! -d $stage$folder ]]; do
        printf '%s/\n' "$folder"
        folder=${folder%/*}
      done
    done <<< "$files"
  } | sort -u > "$trial/record"
  DESTDIR=$stage cmake --install "$build" --prefix "$prefix"
  install -m 644 "$trial/record" "$record"
  update_loader
  # OpenSSL searches only one directory for providers.
  if [[ -z $stage ]] && ((EUID == 0)); then
    "$top/integrations/openssl/link-module.sh" "$build/install_manifest.txt" | tee "$trial/linked"
    sed -n 's/^-- Linked: //p' "$trial/linked" | while read -r line; do
      printf '%s -> %s\n' "$line" "$(readlink "$line")" >> "$record"
    done
  fi
}

take_out() {
  local prefix=$1 record lines line link target
  record=$stage$prefix/share/vershina/installed
  [[ -f $record ]] || fail "nothing was installed by 'make install' in $stage$prefix: there is no $record"
  # As root it removes the files named there: nothing before each is known to be a path without a way up.
  if line=$(grep -m1 -E '^([^/]|$)|/\.\.(/|$)' "$record"); then fail "$record: not a path of an installation: $line"; fi
  mapfile -t lines < "$record"
  for line in "${lines[@]}"; do
    case $line in
      /*' -> '/*)
        link=$stage${line%% -> *} target=${line##* -> }
        # Another one may have taken its place.
        [[ $(readlink "$link") != "$target" ]] || rm "$link"
        ;;
      /*/) ;;
      *) rm -f "$stage$line" ;;
    esac
  done
  # The deepest first; directories with files of others stay.
  printf '%s\n' "${lines[@]}" | sort -r | while read -r line; do
    [[ $line != */ || ! -d $stage$line ]] || rmdir --ignore-fail-on-non-empty "$stage$line"
  done
  update_loader
  say "Removed: the installation in $stage$prefix"
}

case $what:$# in
  install:3) put_in "$2" "${3%/}" ;;
  uninstall:2) take_out "${2%/}" ;;
  *) fail "usage: tools/install.sh install BUILD PREFIX, or uninstall PREFIX" ;;
esac
