#!/usr/bin/env bash
# tools/setup.sh with programs that play dpkg and apt: a name that the release has not is a pattern to apt, whose answer
# is then of other packages.
set -euo pipefail
tool=$(cd "$(dirname "$0")/.." && pwd)/tools/setup.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for name in dpkg-query apt-cache apt-get sudo; do echo '#!/bin/sh' > "$work/$name"; done
cat >> "$work/dpkg-query" << 'SH' # nothing is installed
exit 1
SH
cat >> "$work/apt-cache" << 'SH' # policy NAME
if [ ! -e "$0.updated" ] || [ "$2" = nbdkit-plugin-dev ]; then
  printf '%s:\n  Installed: (none)\n  Candidate: 1.0\n' "other-$2"
  printf '%s:\n  Installed: (none)\n  Candidate: (none)\n' "$2"
else
  printf '%s:\n  Installed: (none)\n  Candidate: 1.0\n' "$2"
fi
SH
cat >> "$work/apt-get" << 'SH'
echo "$*" >> "$0.calls"
case " $* " in *" update "*) : > "${0%get}cache.updated" ;; esac
SH
cat >> "$work/sudo" << 'SH'
[ "$1" != -n ] || shift
exec "$@"
SH
chmod +x "$work"/*
env -u VSH_SKIP_SETUP PATH="$work:$PATH" "$tool" build 2> "$work/said"

mapfile -t calls < "$work/apt-get.calls"
[[ ${calls[0]} == "-q update" ]] || { echo "the lists of a bare system were not updated: ${calls[*]}" >&2; exit 1; }
[[ ${calls[-1]} == "-q install -y "*" libhdf5-dev "* && ${calls[-1]} != *nbdkit-plugin-dev* ]] ||
  { echo "what was installed: ${calls[-1]}" >&2; exit 1; }
grep -q 'skipped: nbdkit-plugin-dev' "$work/said" || { cat "$work/said" >&2; exit 1; }
echo "setup: updates, installs what the release has, names the rest"
