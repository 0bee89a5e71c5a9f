// Hashes a batch of messages: Streebog in lanes, one compression function call of every message at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/registry.hpp"
#include "streams/selection.hpp"

namespace vsh::streams {

struct Message {
  const uint8_t* in;
  size_t len;
  uint8_t* digest;
  bool done = false;                // set by the run: false if memory or threads were exhausted
  const uint8_t* prefix = nullptr;  // a block of 64 bytes before `in`, or null: the key's of an HMAC

  uint64_t total_len() const noexcept { return uint64_t{len} + (prefix ? 64 : 0); }
};

// hash_bits: 256 or 512. lanes: empty: one message after the other. Throws std::bad_alloc, or what threads throw.
void hash_batch(const HashKernel& one, std::span<const HashLanesKernel* const> lanes, unsigned hash_bits,
                Selection<Message> messages, unsigned threads);

}  // namespace vsh::streams
