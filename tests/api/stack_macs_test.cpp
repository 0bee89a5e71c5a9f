// No secret of a MAC stays on the stack: stack.hpp.
#include "api/support/stack.hpp"
#include "vershina/keys.h"

namespace {

using namespace vsh::test;

TEST(StackMacs, Macs) {
  SKIP_UNLESS_OPTIMISED();
  const Bytes key = Random(4).bytes(32);
  for (const vsh_cipher_algorithm a : {VSH_KUZNYECHIK, VSH_MAGMA, VSH_GOST28147})
    for (const Row& row : rows(a)) {
      Secrets secrets;
      row.add_key(secrets, "the key", key);
      for (const vsh_mac_algorithm mac :
           {VSH_KUZNYECHIK_MAC, VSH_KUZNYECHIK_OMAC_ACPKM, VSH_MAGMA_MAC, VSH_MAGMA_OMAC_ACPKM, VSH_GOST28147_IMIT}) {
        const bool kuznyechik = mac == VSH_KUZNYECHIK_MAC || mac == VSH_KUZNYECHIK_OMAC_ACPKM;
        if (a != (kuznyechik ? VSH_KUZNYECHIK : mac == VSH_GOST28147_IMIT ? VSH_GOST28147 : VSH_MAGMA)) continue;
        check_mac(row.name(), mac, key, row.options(), secrets);
      }
    }
}

}  // namespace
