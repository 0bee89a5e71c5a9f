#!/usr/bin/env bash
# Configures, builds and tests one preset.
#   tools/run-tests.sh PRESET [-DOPTION=VALUE | -UOPTION…] [--folders "FOLDER…"] [ctest arguments…]
# --folders: build and run the tests of these folders of tests/ alone.
# What single tests skipped inside themselves (a kernel row that this CPU cannot run) is listed before ctest's summary;
# build/PRESET/junit.xml has the results for tools/tally.sh.
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
# A newer compiler's new warnings must not stop a user; here they must be seen. (Sanitizers make GCC warn wrongly.)
if [[ ${CI:-} == true && $preset == release ]]; then options+=(-DVSH_WERROR=ON); fi

cmake --preset "$preset" "${options[@]}"
cmake --build --preset "$preset" -j "$jobs" "${build[@]}"
rm -f "$results"
status=0
ctest --preset "$preset" -j "$jobs" --no-tests=error --output-junit "$PWD/$results" "${only[@]}" "$@" \
  > "build/$preset/ctest.log" 2>&1 || status=$?
# Skips first, so that the summary closes the output.
grep -hE '^(skip|SKIP)|\[  SKIPPED \] [^0-9]' "build/$preset/Testing/Temporary/LastTest.log" |
  sed 's/ ([0-9]* ms)$//' | sort -u || true
cat "build/$preset/ctest.log"
exit "$status"
