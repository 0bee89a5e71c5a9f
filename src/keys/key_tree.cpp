#include "keys/key_tree.hpp"

#include <cassert>
#include <cstring>

#include "core/wipe.hpp"

namespace vsh::keys {
namespace {

constexpr unsigned kHashBits = 256;
constexpr char kLabels[KeyTree::kLevels][7] = {"level1", "level2", "level3"};

}  // namespace

KeyTree::KeyTree(const HashKernel* kernel, Bytes root) noexcept
    : kdf_{{kernel, kHashBits, root}, {kernel, kHashBits, {}}, {kernel, kHashBits, {}}} {}

KeyTree::~KeyTree() { wipe(key_, sizeof key_); }

const uint8_t* KeyTree::key(const Bytes (&seeds)[kLevels]) noexcept {
  unsigned level = 0;
  while (level < valid_ && std::memcmp(seeds_[level], seeds[level].data(), seeds[level].size()) == 0) ++level;
  for (; level < kLevels; ++level) {
    assert(seeds[level].size() <= kMaxSeed);
    std::memcpy(seeds_[level], seeds[level].data(), seeds[level].size());
    const Bytes label(reinterpret_cast<const uint8_t*>(kLabels[level]), 6);
    kdf(kdf_[level], key_, label, seeds[level]);
    if (level + 1 < kLevels) kdf_[level + 1] = Hmac(kdf_[level].kernel(), kHashBits, key_);
  }
  valid_ = kLevels;
  return key_;
}

}  // namespace vsh::keys
