#!/usr/bin/env bash
# Configures, builds and tests one preset.
#   tools/run-tests.sh PRESET [-DOPTION=VALUE | -UOPTION…] [--folders "FOLDER…"] [ctest arguments…]
# --folders: build and run only the tests of these folders of tests/.
# What tests skipped, whole or inside themselves, is counted by reason before ctest's summary (tools/skips.sh);
# build/PRESET/junit.xml has the results for tools/tally.sh, and build/PRESET/seconds how long each step took.
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
  build=(--target "${folders[@]/#/tests_}")
  only=(--label-regex "^($(IFS='|' && echo "${folders[*]}"))\$")
fi
# A newer compiler's new warnings must not stop a user; here they are errors. (Sanitizers make GCC warn wrongly.)
if [[ ${CI:-} == true && $preset == release ]]; then options+=(-DVSH_WERROR=ON); fi

rm -f "$results" "build/$preset/seconds"
cmake --preset "$preset" "${options[@]}"
configured=$SECONDS
cmake --build --preset "$preset" -j "$jobs" "${build[@]}"
built=$SECONDS status=0
ctest --preset "$preset" -j "$jobs" --no-tests=error --output-junit "$PWD/$results" "${only[@]}" "$@" \
  > "build/$preset/ctest.log" 2>&1 || status=$?
tools/skips.sh "build/$preset" || status=1
cat "build/$preset/ctest.log"
printf '%d %s\n' "$configured" configuring $((built - configured)) building $((SECONDS - built)) tests \
  > "build/$preset/seconds"
tools/tally.sh "$results" || status=1
exit "$status"
