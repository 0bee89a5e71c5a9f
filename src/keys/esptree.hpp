// ESPTREE, the keys of ESP packets: RFC 9227.
#pragma once

#include "keys/key_tree.hpp"

namespace vsh::keys {

class EspTree {
 public:
  // root: 32 bytes.
  EspTree(const HashKernel* kernel, Bytes root) noexcept : tree_(kernel, root) {}

  // Returns the key of all packets whose IV begins with these: 32 bytes, valid until the next call.
  const uint8_t* key(uint8_t i1, uint16_t i2, uint16_t i3) noexcept {
    const uint8_t seed[KeyTree::kLevels][2] = {{0, i1},
                                               {static_cast<uint8_t>(i2 >> 8), static_cast<uint8_t>(i2)},
                                               {static_cast<uint8_t>(i3 >> 8), static_cast<uint8_t>(i3)}};
    return tree_.key({seed[0], seed[1], seed[2]});
  }

 private:
  KeyTree tree_;
};

}  // namespace vsh::keys
