// Hello: the message by which two ends prove that they are there now and compare their sequence numbers. Authenticated
// by HMAC, which has no nonce that could repeat; it holds nothing secret. Big-endian:
//     control SPI 4, zeros 4, challenge 16, echo of the peer's challenge 16, sent 8, seen 8, HMAC 32
#pragma once

#include <array>
#include <cstdint>

#include "programs/tunnel/key_file.hpp"

namespace vsh::tunnel {

using Challenge = std::array<uint8_t, 16>;

struct Hello {
  static constexpr size_t kLen = 88;

  Challenge challenge, echo;
  uint64_t sent;  // no number above it has been sent
  uint64_t seen;  // the highest number that was received, or was `sent` in a hello
};

void write_hello(uint8_t* message, const DirectionKeys& keys, const Hello& hello);
// Returns false for a message that is not authentic.
bool read_hello(Hello& hello, const DirectionKeys& keys, const uint8_t* message, size_t len);

}  // namespace vsh::tunnel
