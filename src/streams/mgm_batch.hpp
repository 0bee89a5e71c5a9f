// A batch of packets in MGM (RFC 9058), each under its own key: the cipher only encrypts counters, those of all packets
// together.
#pragma once

#include <span>

#include "streams/key_set.hpp"
#include "streams/selection.hpp"

namespace vsh::streams {

struct Packet {
  bool opens;
  bool done = false;     // set by the run: false if memory or threads were exhausted
  bool right = false;    // set by the run: of a packet to open, whether the tag is right
  uint32_t slot;         // of the key in the key set, or kNoSlot
  const uint8_t* key;    // 32 bytes
  const uint8_t* nonce;  // ICN in a whole block, whose first bit is 0
  const uint8_t* data;
  const uint8_t* in;  // len bytes of text; to open, tag_len of tag behind them
  uint8_t* out;       // len bytes; to seal, tag_len of tag behind them. out == in allowed
  size_t data_len, len, tag_len;
};

// Throws std::bad_alloc, or what threads throw. Nothing is left of a packet whose tag is wrong: it is not written, or a
// long one is erased, in place encrypted again (modes::Mgm::open).
void mgm_batch(const KeySet& keys, const ProductKernel& products, Selection<Packet> packets);

}  // namespace vsh::streams
