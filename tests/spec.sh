#!/bin/bash
# The RPM spec builds with the options of the Debian packages and lists their programs, libraries, modules and units;
# that its lists are complete only rpmbuild knows (tools/packages.sh rpm). Usage: spec.sh SOURCE_DIRECTORY
set -euf
cd "$1/packaging"

options() { grep -o 'VSH_WITH_[A-Z_0-9]*=ON' "$1"; }
missing=$(options debian/rules | grep -vxFf <(options vershina.spec.in) || true)
# As their lines in the spec end; a star at the end is for the rest of a name.
files=$(set +f && cat debian/*.install |
  sed -n 's,\.,\\.,g; s,\*$,.*,; s,^usr/lib/.*/,/,p; s,^usr/bin/,%{_bindir}/,p' | grep -v '\*.' | sort -u)
listed=$(grep -v '^%exclude\|^#' vershina.spec.in)
count=$(wc -w <<< "$files")
((count > 12)) || { echo "only $count files of the Debian packages found" >&2; exit 1; }
for file in $files; do
  grep -q -- "$file\$" <<< "$listed" || missing+=" $file"
done
[[ -z $missing ]] || { echo "vershina.spec.in lacks:$missing" >&2; exit 1; }
echo "$count files"
