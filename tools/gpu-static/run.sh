#!/usr/bin/env bash
# The device programs through NVIDIA's compiler, on a machine without a GPU: the step `gpu-static` of `make check-all`.
#   run.sh check BUILD   all programs of the build: bounds, secrets, the tables of programs/bench/notes/gpu.md
#   run.sh write BUILD   the same, and the tables are renewed
#   run.sh all BUILD     every parameter set for every architecture, leaks in each
#   run.sh test BUILD    tests of the tools: deliberate leaks, known counts
# Compiler and disassembler come from PyPI into an environment under BUILD. Exit status 77 with a reason: skipped,
# because they are not available here.
set -euo pipefail
what=$1 folder=$(realpath -m "$2")
top=$(cd "$(dirname "$0")/../.." && pwd)
tools=$top/tools/gpu-static
export GPU_STATIC_CUBINS=$folder/gpu-static/cubins
work=$folder/gpu-static venv=$folder/gpu-static/venv
mkdir -p "$work"

skip() {
  printf 'skip: gpu.static: %s\n' "$*"
  exit 77
}

exec 9> "$work/lock"
flock 9 # concurrent runs create one environment
if ! cmp -s "$tools/requirements.txt" "$venv/installed"; then
  rm -rf "$venv"
  "${PYTHON:-python3}" -m venv "$venv" > "$work/log" 2>&1 ||
    { cat "$work/log"; skip "no virtual environment (package python3-venv)"; }
  "$venv/bin/pip" install --quiet --disable-pip-version-check -r "$tools/requirements.txt" > "$work/log" 2>&1 ||
    { tail -5 "$work/log"; skip "pip cannot get NVIDIA's compiler"; }
  cp "$tools/requirements.txt" "$venv/installed"
fi
exec 9>&-

note=$top/programs/bench/notes/gpu.md
case $what in
  check) "$venv/bin/python" -B "$tools/check.py" "$folder/generated/gpu_programs.inc" "$note" ;;
  write) "$venv/bin/python" -B "$tools/check.py" "$folder/generated/gpu_programs.inc" "$note" --write ;;
  all) "$venv/bin/python" -B "$tools/check.py" "$folder/generated/gpu_programs.inc" "$note" --all ;;
  test) PYTHONPATH=$tools "$venv/bin/python" -B "$top/tests/gpu/static/static_test.py" ;;
  *) echo "run.sh: check, write, all or test" >&2; exit 2 ;;
esac
