#include "peer.hpp"

namespace vsh::bench {

Peers load_peers(const PeerPaths& paths) {
  struct Adapter {
    const char* name;
    std::unique_ptr<Peer> (*load)(const PeerPaths&);
  };
  constexpr Adapter kAdapters[] = {
      {"OpenSSL", load_openssl}, {"libgcrypt", load_gcrypt},      {"Nettle", load_nettle},
      {"Botan", load_botan},     {"RustCrypto", load_rustcrypto},
  };
  Peers peers;
  for (const Adapter& adapter : kAdapters) {
    try {
      peers.found.push_back(adapter.load(paths));
    } catch (const Absent& absent) {
      peers.missing.push_back({adapter.name, absent.why});
    }
  }
  return peers;
}

}  // namespace vsh::bench
