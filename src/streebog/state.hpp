// The running state of a Streebog computation, GOST R 34.11-2012 clause 8 (RFC 6986 section 9).
#pragma once

#include <cstdint>

namespace vsh::streebog {

// Byte 0 is the least significant byte of each 512-bit number: the order in which a message lies in memory.
// (The standard writes the most significant byte first.)
struct alignas(64) State {
  uint8_t h[64];      // chaining value
  uint8_t n[64];      // N, message bits absorbed so far, modulo 2^512
  uint8_t sigma[64];  // Sigma, sum of the absorbed blocks, modulo 2^512
};

}  // namespace vsh::streebog
