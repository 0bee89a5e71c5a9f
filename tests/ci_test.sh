#!/usr/bin/env bash
# .ci/run with programs that play make and tools/check-all.sh: what it leaves out, its last lines; and the rules of
# commits that it asks for. Usage: ci_test.sh
set -euo pipefail
top=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/.ci" "$work/tools" "$work/bin"
cp "$top/.ci/run" "$work/.ci"
cp "$top/tools/tally.sh" "$work/tools"
printf '#!/bin/sh\n' | tee "$work/tools/commits.py" > "$work/tools/setup.sh"
cat > "$work/play" << 'SH'
#!/usr/bin/env bash
# play PRESET FAILURES: a result of two tests, unless they are only built.
echo "CI=$CI: $1"
if [[ ${BUILD_ONLY:-} == 1 ]]; then touch ahead; exit; fi
mkdir -p "build/$1"
printf '%s\n' '5 building 6' '7 tests 13' > "build/$1/seconds"
printf '<testsuite tests="2" failures="%d" disabled="0" skipped="0">\n' "$2" > "build/$1/junit.xml"
exit "$2"
SH
printf '#!/bin/sh\nexec ./play release "$FAILURES"\n' > "$work/bin/make"
printf '#!/bin/sh\nexec ./play asan 0\n' > "$work/tools/check-all.sh"
chmod +x "$work"/{play,bin/make,tools/check-all.sh,tools/setup.sh,tools/commits.py}

# expect STATUS FAILURES WORDS LAST: .ci/run where `make test` has so many failures.
expect() {
  local status=0
  [[ ! -d $work/build/asan ]] || touch "$work/build/asan/junit.xml" # of an earlier run
  env -u CI FAILURES="$2" PATH="$work/bin:$PATH" "$work/.ci/run" > "$work/out" 2>&1 || status=$?
  if [[ $status != "$1" || $(< "$work/out") != *"$3"* || $(tail -n 1 "$work/out") != "$4" ]]; then
    printf 'status %d, not %d, or not the words "%s" and "%s" in:\n%s\n' "$status" "$1" "$3" "$4" "$(< "$work/out")" >&2
    exit 1
  fi
}
expect 0 0 'release: building 5 (6), tests 7 (13); asan: building 5 (6), tests 7 (13);' \
  '4 passed, 0 failed, 0 skipped'
[[ $(grep -c '^CI=true: ' "$work/out") == 2 ]] || { echo 'CI is not set' >&2; exit 1; }
[[ -f $work/ahead ]] || { echo 'nothing was built ahead' >&2; exit 1; }
expect 1 1 'make test failed: asan aarch64 s390x are left out' '1 passed, 1 failed, 0 skipped'
[[ $(grep -c '^CI=' "$work/out") == 1 ]] || { echo 'a step was begun' >&2; exit 1; }

# commit SUBJECT [BODY]: commits the contents of the folder.
commit() {
  git -C "$work/repository" add -A
  git -C "$work/repository" -c user.name=a -c user.email=a@b commit -q --allow-empty "${@/#/-m}"
}
git init -q "$work/repository"
commit Base
seq 1001 > "$work/repository/one"
commit "Part: $(seq -s ' ' 30)" && commit 'Part: add this; change that' 'Why.'
mv "$work/repository"/{one,two} && sed -i 1d "$work/repository/two" && commit 'Part: move a file' 'Why.'
"$top/tools/commits.py" "$work/repository" HEAD~1 > /dev/null
if "$top/tools/commits.py" "$work/repository" HEAD~3 2> "$work/out" > /dev/null; then exit 1; fi
faults='1001 added lines a ; in the subject a subject of 86 characters no body that says why'
[[ $(sed 's/.*: //' "$work/out" | sort | xargs) == "$faults" ]] || { cat "$work/out"; exit 1; }
echo "2 runs, 3 commits"
