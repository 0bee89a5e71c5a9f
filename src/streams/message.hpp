// A message of a batch of hashes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "streebog/constants.hpp"

namespace vsh::streams {

struct Message {
  const uint8_t* in;
  size_t len;
  uint8_t* digest;
  bool done = false;                // set by the run: false if memory or threads were exhausted
  const uint8_t* prefix = nullptr;  // a block of 64 bytes before `in`, or null: the key's of an HMAC

  uint64_t total_len() const noexcept { return uint64_t{len} + (prefix ? 64 : 0); }
};

// Returns the number of calls of the compression function for a message: its blocks, the last of which is padded and
// never full; N; Sigma (RFC 6986 section 9.3).
inline uint64_t num_calls(uint64_t len) noexcept { return len / streebog::kBlockSize + 3; }

}  // namespace vsh::streams
