#!/usr/bin/env bash
# Configures, builds and tests one preset.
#   tools/run-tests.sh PRESET [-DOPTION=VALUE | -UOPTION…] [--folders "FOLDER…"] [ctest arguments…]
# --folders: build and run only the tests of these folders of tests/.
# BUILD_ONLY=1: ends before the tests; the next run's seconds begin with those of this one.
# After ctest's lines comes what tests skipped, whole or inside themselves, a line for each reason (tools/skips.sh); an
# unexpected reason fails the run only where CI=true, as in tools/check-all.sh: a user's machine is his own. At the end
# comes the summary (tools/tally.sh), for which build/PRESET/junit.xml has the results, and build/PRESET/seconds
# what each phase took. build/PRESET/ctest.log has all that ctest printed.
set -euo pipefail
cd "$(dirname "$0")/.."
preset=$1
shift
jobs=${JOBS:-$(nproc)}
results=build/$preset/junit.xml

options=(-DVSH_BUILD_TESTS=ON)
while [[ ${1:-} == -[DU]* ]]; do
  options+=("$1")
  shift
done
build=() only=()
if [[ ${1:-} == --folders ]]; then
  read -ra folders <<< "$2"
  shift 2
  build=(--target processor "${folders[@]/#/tests_}")
  only=(--label-regex "^($(IFS='|' && echo "${folders[*]}"))\$")
fi
# A newer compiler's new warnings must not stop a user; here they are errors. (Sanitizers make GCC warn wrongly.)
if [[ ${CI:-} == true && $preset == release ]]; then options+=(-DVSH_WERROR=ON); fi

# Adds a line to build/PRESET/seconds: seconds since the last one, the phase that ends here, processor seconds.
last=(0 0)
phase() {
  local now=("$SECONDS")
  times > "build/$preset/times" # of this shell, so not in a substitution
  now[1]=$(awk '{ gsub(/[ms]/, " "); for (i = 1; i < NF; i += 2) sum += 60 * $i + $(i + 1) }
    END { printf "%d", sum }' "build/$preset/times")
  printf '%d %s %d\n' $((now[0] - last[0])) "$1" $((now[1] - last[1])) >> "build/$preset/seconds"
  last=("${now[@]}")
}

mkdir -p "build/$preset"
rm -f "$results" "build/$preset/seconds"
if [[ -f build/$preset/seconds.ahead ]]; then mv "build/$preset/seconds.ahead" "build/$preset/seconds"; fi
cmake --preset "$preset" "${options[@]}"
phase configuring
cmake --build --preset "$preset" -j "$jobs" "${build[@]}"
phase building
if [[ ${BUILD_ONLY:-} == 1 ]]; then
  mv "build/$preset/seconds" "build/$preset/seconds.ahead"
  exit 0
fi
status=0
# Without a second line for each test, and without the list of those that are counted below. Not by awk: Debian 13 has
# one that shows nothing of a pipe before 4096 bytes are there.
shown='/^ +Start +[0-9]+: /d
  /^The following tests did not run:/,/^([^\t]|$)/ { /^(The following tests did not run:|\t|$)/d }'
# One more than there are processors: a third of the time tests wait for programs, sockets and clocks.
ctest --preset "$preset" -j $((jobs + 1)) --no-tests=error --output-junit "$PWD/$results" "${only[@]}" "$@" 2>&1 |
  tee "build/$preset/ctest.log" | sed -uE "$shown" || status=$?
phase tests
explained=yes
skips=$(tools/skips.sh "build/$preset") || explained=
[[ -z $skips ]] || printf '\nskips, by reason:\n%s\n' "$skips"
tools/tally.sh "$results" || status=1
if [[ -z $explained && ${CI:-} == true ]]; then
  echo "FAILED: tests were skipped for a reason that tests/skips.txt does not have: see above"
  status=1
fi
exit "$status"
