// SHA-256 of FIPS 180-4, only for `openssl enc -pbkdf2`, whose default digest it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "programs/common/system/secret_buffer.hpp"

namespace vsh::cli {

// Hashes a message in pieces. The state is erased at the end of the scope.
class Sha256 {
 public:
  static constexpr size_t kLen = 32, kBlock = 64;  // bytes

  Sha256() = default;
  Sha256(const Sha256&) = default;
  Sha256& operator=(const Sha256&) = default;
  ~Sha256() {
    wipe(state_, sizeof state_);
    wipe(block_, sizeof block_);
  }

  void update(std::span<const uint8_t> in);
  // Ends the message.
  void final(uint8_t (&digest)[kLen]);

 private:
  void compress();

  uint32_t state_[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  uint8_t block_[kBlock] = {};
  uint64_t len_ = 0;  // bytes so far
};

// HMAC-SHA-256 (RFC 2104) under one key of any length.
class HmacSha256 {
 public:
  static constexpr size_t kLen = Sha256::kLen;
  explicit HmacSha256(std::span<const uint8_t> key);

  // tag: of first || second. It may be one of them.
  void operator()(uint8_t (&tag)[kLen], std::span<const uint8_t> first, std::span<const uint8_t> second) const;

 private:
  Sha256 inner_, outer_;  // after the key's block
};

}  // namespace vsh::cli
