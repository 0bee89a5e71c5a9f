#include "keys/hmac.hpp"

#include <cstring>

#include "core/wipe.hpp"

namespace vsh::keys {

void hmac_key_block(const HashKernel* kernel, unsigned hash_bits, uint8_t* block, Bytes key) noexcept {
  std::memset(block, 0, kHmacBlock);
  if (key.size() > kHmacBlock) {
    streebog::Hash hash(kernel, hash_bits);
    hash.update(key.data(), key.size());
    hash.final(block);
  } else if (!key.empty()) {
    std::memcpy(block, key.data(), key.size());
  }
}

void hmac_pad(uint8_t* block, uint8_t pad) noexcept {
  for (size_t i = 0; i < kHmacBlock; ++i) block[i] ^= pad;
}

Hmac::Hmac(const HashKernel* kernel, unsigned hash_bits, Bytes key) noexcept
    : inner_(kernel, hash_bits), outer_(kernel, hash_bits), current_(kernel, hash_bits) {
  Wiped<uint8_t[kHmacBlock]> block;
  hmac_key_block(kernel, hash_bits, block.value, key);
  hmac_pad(block.value, kInnerPad);
  inner_.update(block.value, kHmacBlock);
  hmac_pad(block.value, kInnerPad ^ kOuterPad);
  outer_.update(block.value, kHmacBlock);
  reset();
}

void Hmac::final(uint8_t* tag) noexcept {
  Wiped<uint8_t[streebog::kMaxHashBytes]> digest;
  current_.final(digest.value);
  current_ = outer_;
  current_.update(digest.value, size());
  current_.final(tag);
}

}  // namespace vsh::keys
