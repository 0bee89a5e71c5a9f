// HMAC over Streebog: RFC 7836 4.1, R 50.1.113-2016 4.1; RFC 2104 with B = 64 bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "streebog/hash.hpp"

namespace vsh::keys {

using Bytes = std::span<const uint8_t>;

inline constexpr size_t kHmacBlock = streebog::kBlockSize;
inline constexpr uint8_t kInnerPad = 0x36, kOuterPad = 0x5c;

// Writes the key as one block: hashed if it is longer, filled up with zeros. block: kHmacBlock bytes.
void hmac_key_block(const HashKernel* kernel, unsigned hash_bits, uint8_t* block, Bytes key) noexcept;

// XORs the pad to every byte of a key block.
void hmac_pad(uint8_t* block, uint8_t pad) noexcept;

// One key; both keyed hash states are computed once. Copyable: a copy continues from the same state. Does not allocate;
// wipes itself when destroyed.
class Hmac {
 public:
  // hash_bits: 256 or 512. key: any length, 0 included. The kernel row must outlive the object.
  Hmac(const HashKernel* kernel, unsigned hash_bits, Bytes key) noexcept;

  // Begins a new message under the same key.
  void reset() noexcept { current_ = inner_; }
  void update(const uint8_t* data, size_t len) noexcept { current_.update(data, len); }
  void update(Bytes data) noexcept { current_.update(data.data(), data.size()); }
  void update(uint8_t byte) noexcept { current_.update(&byte, 1); }
  // Writes size() bytes. Afterwards only reset, destruction and assignment are allowed.
  void final(uint8_t* tag) noexcept;

  size_t size() const noexcept { return outer_.size(); }
  const HashKernel* kernel() const noexcept { return outer_.kernel(); }

 private:
  streebog::Hash inner_, outer_;  // after the key's block
  streebog::Hash current_;
};

}  // namespace vsh::keys
