#!/usr/bin/env bash
# Checks too slow for every change: sanitizers, other processors, other compilers, longer fuzzing, packages.
#   tools/check-all.sh [--bounded] [STEP…]      default: all steps (docs/testing.md has their times)
# --bounded: the share of .ci/run; BUILD_ONLY=1: it is only built. Each step prints its time; the last line has the sum
# of the tests.
set -euo pipefail
cd "$(dirname "$0")/.."
export CI=true # a skip that nothing explains fails (tools/run-tests.sh)

# No step begins after this many seconds; steps left out are named.
: "${BEGIN_WITHIN:=1000000}"
# Seconds for each fuzz target.
: "${FUZZ_SECONDS:=120}"

all_steps=(asan tsan traced clang emulated aarch64 riscv64 s390x e2k-sim fuzz records openvpn soak tomography python
           gpu-static disks includes mutants packages)
bounded_steps=(asan aarch64 s390x)
# Under qemu everything is ten to thirty times slower: tests that only drive the command line or the benchmark, or
# repeat the kernels' and modes' own tests, are left to the native runs.
emulated='kernels modes keys api vectors dispatch'

# The bounded run builds no benchmark, a fifth of all compiling (the option is given either way, because CMake remembers
# it). With asan it builds and runs the folders in which hostile input meets memory, the parsers of the other programs
# among them (fuzz), without the tests that wait, measure, start the program hundreds of times, or compare with other
# programs and libraries: the same code runs in the others; kernels run up to unreadable pages in `make test`. On
# aarch64 it runs the NEON-specific tests; s390x covers the rest on a foreign machine.
with_bench=-UVSH_WITH_BENCH
# Where no test of devices runs, none is compiled.
no_devices=-DVSH_WITH_DEVICES=OFF
# Left to `make test`: what no compiler of ours and no sanitizer changes: sources, documents.
same_in_all='^(style|docs|install)\.'
asan=(--exclude-regex "$same_in_all")
aarch64="$emulated tomography" # of that the kernels, which have NEON rows
sets=(build test large foreign check)
steps=()
for argument in "$@"; do
  case $argument in
    --bounded)
      steps+=("${bounded_steps[@]}") sets=(build test large foreign)
      with_bench=-DVSH_WITH_BENCH=OFF
      scripts='bad_values|completion|device|encrypt|openssl|progress|rekey|seal.*|tune'
      asan=(--folders 'api disk esp fuzz keys modes openssl sealed streams vershina'
        --exclude-regex "^vershina\.($scripts)\$")
      aarch64='kernels vectors dispatch'
      ;;
    *)
      [[ " ${all_steps[*]} " == *" $argument "* ]] ||
        { echo "no step '$argument'; there are: ${all_steps[*]}" >&2; exit 2; }
      steps+=("$argument")
      ;;
  esac
done
((${#steps[@]} > 0)) || steps=("${all_steps[@]}")
tools/setup.sh "${sets[@]}"

# Runs one target; prints its start, its end and the reason of a failure.
fuzz_target() {
  local target=$1 status=0
  mkdir -p "build/fuzz/corpus/$target" build/fuzz/findings
  "build/fuzz/tests/fuzz/fuzz_$target" -max_total_time="$FUZZ_SECONDS" -print_final_stats=1 \
    -artifact_prefix="build/fuzz/findings/$target-" "build/fuzz/corpus/$target" "tests/fuzz/corpus/$target" \
    > "build/fuzz/$target.log" 2>&1 || status=$?
  printf '\nfuzz: %s for %s seconds: exit status %d\n' "$target" "$FUZZ_SECONDS" "$status"
  grep -vE '^#[0-9]+.*(REDUCE|NEW|pulse)' "build/fuzz/$target.log"
  return "$status"
}

fuzz() {
  local jobs=${JOBS:-$(nproc)}
  cmake --preset fuzz -DVSH_BUILD_TESTS=ON
  cmake --build --preset fuzz -j "$jobs" --target fuzz_targets
  ctest --preset fuzz --output-junit "$PWD/build/fuzz/junit.xml"
  export FUZZ_SECONDS
  export -f fuzz_target
  # All of them, in parallel as far as there are cores.
  xargs -P "$jobs" -I '{}' bash -c 'fuzz_target {}' < build/fuzz/tests/fuzz/targets
}

traced() {
  cmake --preset release -DVSH_BUILD_TESTS=ON
  cmake --build --preset release -j "${JOBS:-$(nproc)}" --target ct_trace
  local status=0
  build/release/tests/constant_time/ct_trace --all --secrets 5 | grep -v '^ok' || status=${PIPESTATUS[0]}
  ((status == 0 || status == 77)) # 77: all skipped, with the reason
}

# A million TLS records of each version through the provider, against the definition, and random programs of EVP calls.
records() {
  cmake --preset release -DVSH_BUILD_TESTS=ON
  cmake --build --preset release -j "${JOBS:-$(nproc)}" --target provider_test
  VERSHINA_TEST_SEED=${VERSHINA_TEST_SEED:-$(date +%s)} VERSHINA_TEST_LONG=1 OPENSSL_CONF=/dev/null \
    build/release/tests/openssl/provider_test \
    --gtest_filter='EvpTls1?Records.ManyAreTheDefinitionsAtAllLevels:EvpStates.*'
}

# OpenVPN over the provider in two network namespaces, the GOST engine's provider at the other end.
openvpn() {
  cmake --preset release -DVSH_BUILD_TESTS=ON
  cmake --build --preset release -j "${JOBS:-$(nproc)}" --target vershina_provider
  local status=0
  python3 -B tests/openssl/openvpn.py build/release || status=$?
  ((status == 0 || status == 77)) # 77: skipped, with the reason
}

# The tunnel under load for ten minutes, and its other tests.
soak() {
  cmake --preset release -DVSH_BUILD_TESTS=ON
  cmake --build --preset release -j "${JOBS:-$(nproc)}" --target vershina-tunnel
  local status=0
  VSH_SOAK_SECONDS=${SOAK_SECONDS:-600} \
    python3 tests/programs/tunnel/namespaces_test.py build/release/vershina-tunnel || status=$?
  # Its tests that need a load are left out then, and it succeeds.
  command -v iperf3 > /dev/null || echo "soak: skipped, the program iperf3 is missing"
  ((status == 0 || status == 77)) # 77: skipped, with the reason
}

# The viewer in Chromium; masks by ONNX Runtime and reconstructions against ASTRA and scikit-image, from PyPI into an
# environment of their own.
tomography() {
  local venv=build/release/tomography/venv status=0 runtime
  cmake --preset release -DVSH_BUILD_TESTS=ON
  cmake --build --preset release -j "${JOBS:-$(nproc)}" --target vershina_tomography_shared tests_tomo
  VERSHINA_BUILD=$PWD/build/release /usr/bin/python3 -B tests/programs/tomo/browser.py || status=$?
  ((status == 0 || status == 77)) || return 1 # 77: skipped, with the reason
  status=0
  python3 -m venv "$venv"
  # Only its library is used.
  if "$venv/bin/pip" install --quiet --disable-pip-version-check --no-deps onnxruntime; then
    runtime=$(printf '%s\n' "$venv"/lib/python3*/site-packages/onnxruntime/capi/libonnxruntime.so.*)
    VERSHINA_BUILD=$PWD/build/release VERSHINA_ONNXRUNTIME=$PWD/$runtime \
      /usr/bin/python3 -B tests/programs/tomo/segment_real.py || status=$?
    ((status == 0 || status == 77)) || return 1 # 77: skipped, with the reason
    status=0
  else
    echo "tomography: segment: skipped, pip cannot get onnxruntime"
  fi
  if ! "$venv/bin/pip" install --quiet --disable-pip-version-check -r programs/bench/tomography/requirements.txt; then
    echo "tomography: skipped, pip cannot get the peers"
    return 0
  fi
  "$venv/bin/python" programs/bench/tomography/peers.py build/release/libvershina-tomography.so || status=$?
  build/release/vershina-tomo bench --peers --python "$venv/bin/python" --size 255 --projections 180 || status=1
  ((status == 0 || status == 77)) # 77: ASTRA is missing
}

# The machine code of device programs: leaks that must be found, all architectures.
gpu_static() {
  cmake --preset release -DVSH_BUILD_TESTS=ON # writes the programs for check.py
  local status=0 what
  for what in test check; do
    ((status != 0)) || tools/gpu-static/run.sh "$what" build/release || status=$?
  done
  ((status == 0 || status == 77)) # 77: skipped, with the reason
}

# Volumes exchanged with the dm-crypt of a Linux in qemu, which a recipe makes.
disks() {
  cmake --preset release -DVSH_BUILD_TESTS=ON
  cmake --build --preset release -j "${JOBS:-$(nproc)}" --target tests_disk
  local status=0
  /usr/bin/python3 -B tests/programs/disk/guest/check.py build/release build/guest || status=$?
  ((status == 0 || status == 77)) # 77: skipped, with the reason
}

# Every source, tests too, by compilers and standard libraries that are not this machine's: in a bare Debian 13.
includes() {
  local status=0
  tools/fresh-root.sh debian13 --jobs "${JOBS:-$(nproc)}" -- tools/includes.sh || status=$?
  ((status == 0 || status == 77)) # 77: said why it was not run
}

# Debian packages of two releases, this machine's own made here, the other's in a bare root; then each used in a root
# where there is nothing but them.
packages() {
  local system here status
  # shellcheck source=/dev/null
  here=$(. /etc/os-release && echo "$ID$VERSION_ID")
  make packages wheels
  for system in debian12 debian13; do
    status=0
    if [[ $system != "$here" ]]; then
      tools/fresh-root.sh "$system" --jobs "${JOBS:-$(nproc)}" --get build/packages -- make packages || status=$?
    fi
    ((status != 0)) ||
      tools/fresh-root.sh "$system" --put build/packages -- packaging/check.sh || status=$?
    ((status == 0 || status == 77)) || return 1 # 77: said why it was not run
  done
}

run_step() {
  case $1 in
    packages) packages ;;
    gpu-static) gpu_static ;;
    fuzz) fuzz ;;
    records) records ;;
    openvpn) openvpn ;;
    disks) disks ;;
    includes) includes ;;
    mutants) tools/mutate.py run build/mutants ;;
    soak) soak ;;
    tomography) tomography ;;
    traced) traced ;;
    python) integrations/python/tests/run.sh wheel "$PWD/build/python" ;; # from a source distribution, kernels included
    asan)
      [[ ${asan[0]} != --folders ]] ||
        echo "asan: left to unbounded runs: all but ${asan[1]}; of vershina" \
          "bad_values, completion, device, encrypt, openssl, progress, rekey, seal*, tune"
      tools/run-tests.sh asan "$with_bench" "${asan[@]}"
      ;;
    tsan) # folders that use threads
      echo "tsan: left to asan: vershina.device, which takes a quarter of an hour, and vershina.device_lost, whose" \
        "fake driver does not wait for all its threads; left to asan and release: the tunnel's program, whose tests" \
        "limit the length of files, which ends a process of ThreadSanitizer, and need privileges"
      tools/run-tests.sh tsan --folders 'modes api esp tunnel vershina' \
        --exclude-regex '^(vershina\.device(_lost)?|tunnel\.(namespaces|program)_test)$'
      ;;
    aarch64)
      tools/run-tests.sh aarch64 "$with_bench" "$no_devices" --folders "$aarch64" \
        --exclude-regex '^tomography\.(abi|angles|batches|beams|displaced|filters|reconstruction|tree)_test$'
      ;;
    emulated) tools/run-tests.sh emulated "$no_devices" ;;
    clang) tools/run-tests.sh clang --exclude-regex "$same_in_all" ;;
    riscv64 | s390x) tools/run-tests.sh "$1" "$with_bench" "$no_devices" --folders "$emulated" ;;
    *) tools/run-tests.sh "$1" ;;
  esac
}

results=() failed=() times=()
for step in "${steps[@]}"; do
  printf '\n==== %s ====\n' "$step"
  begin=$SECONDS
  rm -f "build/$step/junit.xml"
  if ((begin >= BEGIN_WITHIN)); then
    printf 'skipped: it would begin after %d seconds, and may within %d\n' "$begin" "$BEGIN_WITHIN"
    times+=("$(printf '%-10s skipped: too late' "$step")")
    continue
  fi
  # In a subshell, so that set -e applies inside although the status is tested.
  status=0
  set +e
  (set -e; run_step "$step")
  status=$?
  set -e
  times+=("$(printf '%-10s %4d s%s' "$step" $((SECONDS - begin)) "$( ((status)) && echo '   FAILED')")")
  ((status == 0)) || failed+=("$step")
  [[ ! -f build/$step/junit.xml ]] || results+=("build/$step/junit.xml")
done

printf '\n==== times ====\n'
printf '%s\n' "${times[@]}"
if ((${#failed[@]} > 0)); then printf 'failed: %s\n' "${failed[*]}"; fi
tally=0
((${#results[@]} == 0)) || tools/tally.sh "${results[@]}" || tally=1
((${#failed[@]} == 0 && tally == 0))
