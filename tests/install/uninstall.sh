#!/usr/bin/env bash
# tools/install.sh: after install and uninstall a directory is as it was before; files of others stay; the running
# system is not touched by what undoes a staged installation.
#   tests/install/uninstall.sh BUILD
set -euo pipefail
build=$1
install=$(cd "$(dirname "$0")/../.." && pwd)/tools/install.sh
top=$(mktemp -d)
trap 'rm -rf "$top"' EXIT

fail() { printf 'FAIL: %s\n' "$*"; exit 1; }
run() { "$@" > "$top/log" 2>&1 || { cat "$top/log"; fail "$*"; }; }
listing() { (cd "$1" && find . -mindepth 1 | sort); }

# Into an empty directory.
stage=$top/stage
mkdir "$stage"
run env DESTDIR="$stage" "$install" install "$build" /usr/local
[[ -x $stage/usr/local/bin/vershina ]] || fail "nothing was installed"
run env DESTDIR="$stage" "$install" uninstall /usr/local
[[ -z $(listing "$stage") ]] || { listing "$stage"; fail "files or directories are left"; }

# Among the files of others, in their directories and in ours; again over itself; a blank in the path.
stage="$top/a stage"
mkdir -p "$stage/usr/bin" "$stage/usr/share/man/man1" "$stage/usr/share/doc"
touch "$stage/usr/bin/ls" "$stage/usr/share/man/man1/ls.1"
before=$(listing "$stage")
for _ in once again; do run env DESTDIR="$stage" "$install" install "$build" /usr; done
touch "$stage/usr/share/vershina/mine" "$stage/usr/include/vershina/mine.h"
run env DESTDIR="$stage" "$install" uninstall /usr
[[ -f $stage/usr/share/vershina/mine && -f $stage/usr/include/vershina/mine.h ]] || fail "files of others were removed"
rm -r "$stage/usr/share/vershina" "$stage/usr/include"
diff <(printf '%s\n' "$before") <(listing "$stage") || fail "not as before"

# A staged installation cannot be removed twice, nor without its DESTDIR.
if env DESTDIR="$stage" "$install" uninstall /usr > "$top/log" 2>&1; then fail "uninstalled without an installation"; fi
grep -q 'nothing was installed' "$top/log" || { cat "$top/log"; fail "no reason was given"; }

# Where all directories were there before, as after an older version, they stay.
stage=$top/upgraded
mkdir "$stage"
run env DESTDIR="$stage" "$install" install "$build" /usr
record=$stage/usr/share/vershina/installed
cp "$record" "$top/record"
find "$stage" -type f -delete
run env DESTDIR="$stage" "$install" install "$build" /usr
run env DESTDIR="$stage" "$install" uninstall /usr
[[ -z $(find "$stage" ! -type d) ]] || fail "files are left"

# A record that leads elsewhere is refused before anything is removed.
for line in relative '' /usr/../../victim /usr/share/..; do
  run env DESTDIR="$stage" "$install" install "$build" /usr
  touch "$top/victim"
  echo "$line" >> "$record"
  ! env DESTDIR="$stage" "$install" uninstall /usr > "$top/log" 2>&1 || fail "a record with '$line' was followed"
  [[ -f $top/victim && -x $stage/usr/bin/vershina ]] || fail "a record with '$line' removed something"
  cp "$top/record" "$record"
done

# A link in OpenSSL's folder goes if it leads to ours, and stays if it was given to another.
for leads_to in "$top/live/lib/vershina.so" /elsewhere/vershina.so; do
  run env DESTDIR="$top/live" "$install" install "$build" /opt/vershina
  mkdir -p "$top/live/modules"
  ln -sfn "$leads_to" "$top/live/modules/vershina.so"
  echo "/modules/vershina.so -> $top/live/lib/vershina.so" >> "$top/live/opt/vershina/share/vershina/installed"
  run env DESTDIR="$top/live" "$install" uninstall /opt/vershina
  if [[ $leads_to == /elsewhere/* ]]; then
    [[ -L $top/live/modules/vershina.so ]] || fail "a link of others was removed"
  else
    [[ ! -L $top/live/modules/vershina.so ]] || fail "the link is left"
  fi
done
[[ $(listing "$top/live") == $'./modules\n./modules/vershina.so' ]] || { listing "$top/live"; fail "files are left"; }
echo "ok  install, uninstall"
