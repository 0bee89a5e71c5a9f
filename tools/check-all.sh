#!/usr/bin/env bash
# What is too slow for every change: sanitizers, other processors, other compilers, longer fuzzing.
#   tools/check-all.sh [--bounded] [STEP…]      default: all steps (<= 60 minutes on two cores)
# --bounded: the share that .ci/run takes. Each step prints its time; the last line adds the tests up.
set -euo pipefail
cd "$(dirname "$0")/.."

# Seconds for each of the fuzz targets.
: "${FUZZ_SECONDS:=120}"

all_steps=(asan tsan clang emulated aarch64 riscv64 s390x e2k-sim fuzz python)
bounded_steps=(asan aarch64 s390x)
# Under qemu everything is some ten to thirty times slower: what only drives the command line or the benchmark, or
# repeats what the kernels' and modes' own tests show, is left to the native runs.
emulated='kernels modes keys api vectors dispatch'

# The bounded run builds no benchmark, a fifth of all compiling (the option is given either way, because CMake
# remembers it). Of asan it leaves out the tests that wait, measure, have PoCL compile for minutes, start the program
# hundreds of times, or compare with other programs and libraries: the same code runs in the others. On aarch64 it runs
# what is NEON's own; all else is seen on another machine by s390x.
with_bench=-UVSH_WITH_BENCH
without=()
aarch64=$emulated
sets=(build test foreign check)
steps=()
for argument in "$@"; do
  case $argument in
    --bounded)
      steps+=("${bounded_steps[@]}") sets=(build test foreign)
      with_bench=-DVSH_WITH_BENCH=OFF
      without=(--exclude-regex '^(differential|cli\.(completion|device|encrypt|openssl|progress|rekey|seal.*|tune))$')
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

fuzz() {
  cmake --preset fuzz -DVSH_BUILD_TESTS=ON
  cmake --build --preset fuzz -j "${JOBS:-$(nproc)}" --target fuzz_targets
  ctest --preset fuzz --output-junit "$PWD/build/fuzz/junit.xml"
  local target corpus
  for target in cipher digest disk parsers; do
    corpus=build/fuzz/corpus/$target
    mkdir -p "$corpus" "build/fuzz/findings"
    printf '\nfuzz: %s for %s seconds\n' "$target" "$FUZZ_SECONDS"
    "build/fuzz/tests/fuzz/fuzz_$target" -max_total_time="$FUZZ_SECONDS" -max_len=4096 -print_final_stats=1 \
      -artifact_prefix="build/fuzz/findings/$target-" "$corpus" "tests/fuzz/corpus/$target" 2>&1 |
      grep -vE '^#[0-9]+.*(REDUCE|NEW|pulse)' # what is left is how it began, ended and why it failed
  done
}

run_step() {
  case $1 in
    fuzz) fuzz ;;
    python) integrations/python/tests/run.sh wheel "$PWD/build/python" ;; # from a source distribution, kernels included
    asan)
      ((${#without[@]} == 0)) ||
        echo "asan: left to unbounded runs: bench.*, differential," \
          "cli.completion, device, encrypt, openssl, progress, rekey, seal*, tune"
      tools/run-tests.sh asan "$with_bench" "${without[@]}"
      ;;
    tsan) tools/run-tests.sh tsan --folders 'modes api cli' ;; # what uses threads
    aarch64) tools/run-tests.sh aarch64 "$with_bench" --folders "$aarch64" ;;
    riscv64 | s390x) tools/run-tests.sh "$1" "$with_bench" --folders "$emulated" ;;
    *) tools/run-tests.sh "$1" ;;
  esac
}

results=() failed=() times=()
for step in "${steps[@]}"; do
  printf '\n==== %s ====\n' "$step"
  begin=$SECONDS
  rm -f "build/$step/junit.xml"
  # In a shell of its own, so that set -e holds inside although the status is looked at.
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
