#!/usr/bin/env bash
# `cmake --install` to a temporary prefix; then a C and a C++ program are built against it through pkg-config and
# through find_package, with the shared and with the static library, and run; program and man pages are there.
#   tests/install/run.sh BUILD CMAKE CC CXX
set -euo pipefail
export LC_ALL=C.UTF-8
unset LANGUAGE
build=$1 cmake=$2 cc=$3 cxx=$4
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() { printf 'FAIL: %s\n' "$*"; exit 1; }

prefix="$work/a prefix/vershina" # a blank in the path on purpose
"$cmake" --install "$build" --prefix "$prefix" > "$work/log" || { cat "$work/log"; fail "cmake --install"; }

pc=$(find "$prefix" -name vershina.pc)
lib=$(dirname "$(dirname "$pc")")
version=$(sed -n 's/^Version: //p' "$pc")

# The expected files, and nothing outside the prefix.
for file in bin/vershina bin/vershina-bench include/vershina/vershina.h include/vershina/vershina.hpp \
  share/man/man1/vershina.1 share/man/ru/man1/vershina.1; do
  [[ -f $prefix/$file ]] || fail "$file is not installed"
done
for file in libvershina.so "libvershina.so.${version%.*}" "libvershina.so.$version" libvershina.a; do
  [[ -f $lib/$file ]] || fail "$file is not installed"
done

soname=libvershina.so.${version%.*} # below 1.0 with the minor version
[[ $(readelf -d "$lib/libvershina.so") == *"soname: [$soname]"* ]] || fail "the soname is not $soname"
[[ $("$prefix/bin/vershina" --version) == *"$version"* ]] || fail "vershina --version does not say $version"
# The programs find each other only where they are installed.
help=$(cd / && PATH=/usr/bin:/bin "$prefix/bin/vershina" tune --help) || fail "vershina tune --help"
[[ $help == *"Usage: vershina tune"* ]] || fail "vershina tune --help says $help"
# So is the catalogue of messages, if there is one.
if [[ -f $build/share/locale/ru/LC_MESSAGES/vershina.mo ]]; then
  [[ -f $prefix/share/locale/ru/LC_MESSAGES/vershina.mo ]] || fail "the Russian catalogue is not installed"
  if command -v localedef > /dev/null && localedef -i ru_RU -f UTF-8 "$work/ru_RU.UTF-8" 2> /dev/null; then
    help=$(cd / && LOCPATH=$work LC_ALL=ru_RU.UTF-8 "$prefix/bin/vershina" tune --help) || fail "vershina tune --help"
    [[ $help == *"Вызов: vershina tune"* ]] || fail "in Russian vershina tune --help says $help"
  fi
fi
# So is the plugin of disks, and the unit of systemd has the path of the installed program.
if [[ -f $prefix/bin/vershina-disk ]]; then
  [[ -f $lib/nbdkit/plugins/nbdkit-vershina-plugin.so ]] || fail "the plugin of nbdkit is not installed"
  truncate -s 17M "$work/image"
  "$prefix/bin/vershina" disk create -q --pbkdf-memory 32K --pbkdf-passes 4 --passphrase-fd 0 "$work/image" <<< x
  info=$(cd / && "$prefix/bin/vershina" disk info --json "$work/image") || fail "vershina disk info"
  [[ $info == *'"plugin":true'* || $info == *'"plugin": true'* ]] || fail "the plugin is not found: $info"
fi
unit=$prefix/lib/systemd/system/vershina-tunnel@.service
if [[ -f $prefix/bin/vershina-tunnel ]]; then
  grep -q "^ExecStart=$prefix/bin/vershina-tunnel " "$unit" || fail "the unit starts $(grep ^ExecStart "$unit")"
fi
if command -v man > /dev/null; then
  man -M "$prefix/share/man" -w vershina > /dev/null || fail "man does not find vershina(1)"
fi

# The provider, if it was built: its configuration works unchanged.
if [[ -f $build/ossl-modules/vershina.so ]]; then
  [[ -f $lib/ossl-modules/vershina.so ]] || fail "the OpenSSL provider is not installed"
  if command -v openssl > /dev/null; then
    hash=$(OPENSSL_CONF=$prefix/share/vershina/provider.cnf openssl dgst -r -md_gost12_256 /dev/null) ||
      fail "provider.cnf"
    [[ $hash == 3f539a213e97c802cc229d474c6aa32a825a360b2a933a949fd925208d9ce1bb* ]] || fail "openssl dgst says $hash"
  fi
fi

say() { printf 'ok  %s\n' "$*"; }
check_program() { # program: prints the Streebog-256 of "abc"-like input and its own verdict
  LD_LIBRARY_PATH=$lib "$1" > "$work/out" || { cat "$work/out"; fail "$2"; }
  say "$2"
}

export PKG_CONFIG_PATH=$lib/pkgconfig
# pkg-config escapes blanks for a shell; xargs reads them in the same way.
flags() { pkg-config "$@" vershina | xargs -n 1 printf '%s\n'; }
mapfile -t cflags < <(flags --cflags)
mapfile -t shared < <(flags --libs)
mapfile -t static < <(flags --static --libs)
# -lvershina means the archive if only the archive is found.
mkdir "$work/static"
cp "$lib/libvershina.a" "$work/static"

"$cc" -std=c11 -Wall -Wextra -Werror -pedantic "${cflags[@]}" "$here/use.c" -o "$work/c" "${shared[@]}"
check_program "$work/c" "C, pkg-config, shared"
"$cxx" -std=c++20 -Wall -Wextra -Werror "${cflags[@]}" "$here/use.cpp" -o "$work/cpp" "${shared[@]}"
check_program "$work/cpp" "C++, pkg-config, shared"
"$cc" -std=c11 "${cflags[@]}" "$here/use.c" -o "$work/c-static" "-L$work/static" "${static[@]}"
[[ $(readelf -d "$work/c-static") =~ NEEDED.*libvershina ]] && fail "the static program needs libvershina.so"
check_program "$work/c-static" "C, pkg-config --static"

"$cmake" -S "$here/consumer" -B "$work/consumer" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$cc" \
  -DCMAKE_CXX_COMPILER="$cxx" > "$work/log" 2>&1 || { cat "$work/log"; fail "find_package(vershina)"; }
"$cmake" --build "$work/consumer" > "$work/log" 2>&1 || { cat "$work/log"; fail "building with the CMake package"; }
check_program "$work/consumer/use_c" "C, find_package, shared"
check_program "$work/consumer/use_cpp_static" "C++, find_package, static"

# Tomography, if it was built.
if [[ -f $lib/libvershina-tomography.so ]]; then
  check_program "$work/consumer/use_tomography" "tomography, find_package, shared"
  check_program "$work/consumer/use_tomography_static" "tomography, find_package, static"
  mapfile -t tomography < <(pkg-config --cflags --libs vershina-tomography | xargs -n 1 printf '%s\n')
  "$cc" -std=c11 -Wall -Wextra -Werror "$here/use_tomography.c" -o "$work/tomography" "${tomography[@]}" -lm
  check_program "$work/tomography" "tomography, pkg-config, shared"
fi

# Not in the source tree: its files could replace those of the installed library.
cp -r "$here/../../examples" "$work/examples"
"$cmake" -S "$work/examples" -B "$work/examples/build" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$cc" \
  -DCMAKE_CXX_COMPILER="$cxx" > "$work/log" 2>&1 || { cat "$work/log"; fail "configuring examples/"; }
"$cmake" --build "$work/examples/build" > "$work/log" 2>&1 || { cat "$work/log"; fail "building examples/"; }
"$cmake" --build "$work/examples/build" --target test > "$work/log" 2>&1 ||
  { cat "$work/log"; fail "tests of examples/"; }
count=$(sed -n 's/^100% tests passed.* out of //p' "$work/log")
((${count:-0} >= 8)) || { cat "$work/log"; fail "tests of examples/: ${count:-none} ran"; }
say "examples/, $count tests"
