#include "keys/tlstree.hpp"

#include "core/bytes.hpp"

namespace vsh::keys {

// Divers_j takes STR_8(i & C_j).
const uint8_t* TlsTree::key(uint64_t seqnum) noexcept {
  uint8_t seed[KeyTree::kLevels][8];
  for (unsigned level = 0; level < KeyTree::kLevels; ++level) store_be64(seed[level], seqnum & set_.mask[level]);
  return tree_.key({seed[0], seed[1], seed[2]});
}

}  // namespace vsh::keys
