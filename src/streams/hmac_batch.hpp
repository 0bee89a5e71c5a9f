// Computes many HMACs: the inner hashes run as one batch, the outer ones as another.
#pragma once

#include "core/registry.hpp"
#include "keys/hmac.hpp"

namespace vsh::keys {

struct HmacJob {
  Bytes key, in;
  uint8_t* tag;
  size_t tag_len;     // 1 .. bytes of the hash
  bool done = false;  // set by the run: false if memory or threads were exhausted
};

// one, lanes: as streams::hash_batch takes them; both constant-time. Throws std::bad_alloc, or what threads throw.
void hmac_batch(const HashKernel& one, std::span<const HashLanesKernel* const> lanes, unsigned hash_bits,
                std::span<HmacJob> jobs, unsigned threads);

}  // namespace vsh::keys
