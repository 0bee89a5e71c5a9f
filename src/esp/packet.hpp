// A packet of a batch, in a buffer with room around it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace vsh::esp {

enum class Verdict : uint8_t {
  none,  // not processed: memory or threads were exhausted
  ok,
  no_association,  // seal: no outbound association of this number
  unknown_spi,
  no_room,
  bad_length,
  exhausted,  // sequence numbers, leaves or lifetime
  replayed,
  forged,
  bad_trailer,
};

struct Packet {
  uint8_t* at;        // seal: the payload; open: the packet
  size_t len;         // of it
  size_t head, tail;  // room before and behind
  size_t association;
  uint64_t sequence;
  uint8_t next_header;
  Verdict verdict;
};

}  // namespace vsh::esp
