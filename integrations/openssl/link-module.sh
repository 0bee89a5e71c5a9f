#!/bin/bash
# Links the installed vershina.so into OpenSSL's directory of providers, unless it is there already.
#   integrations/openssl/link-module.sh INSTALL_MANIFEST
set -eu
module=$(grep '/vershina\.so$' "$1") || exit 0
modules=$(openssl version -m 2> /dev/null | sed -n 's/^MODULESDIR: "\(.*\)"$/\1/p') || exit 0
if [ -d "$modules" ] && [ ! "$module" -ef "$modules/vershina.so" ]; then
  ln -sfn "$module" "$modules/vershina.so"
  echo "-- Linked: $modules/vershina.so"
fi
