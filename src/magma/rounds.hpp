// The order of the round keys, shared by all kernels of the family.
#pragma once

#include "magma/round_keys.hpp"

namespace vsh::magma {
namespace {

inline constexpr int kNumRounds = 32;

// GOST R 34.12-2015 clause 5.3 (RFC 5830 clause 5.1): K_1..K_8 three times forwards, once backwards; decryption
// (5.4) the other way round. Index into RoundKeys::k for round i = 0..31.
template <bool kDecrypt>
constexpr int key_of_round(int i) {
  return (i < (kDecrypt ? 8 : 24)) ? i % 8 : 7 - i % 8;
}

// Purpose of the rounds. The last round of a cipher does not swap the halves (GOST R 34.12-2015 clause 5.4);
// IMIT's step is rounds 1 to 16 as they are (RFC 5830 clause 8).
struct Encryption {
  static constexpr int kRounds = kNumRounds;
  static constexpr bool kDecrypt = false;
  static constexpr bool kSwapsAtEnd = false;
};
struct Decryption {
  static constexpr int kRounds = kNumRounds;
  static constexpr bool kDecrypt = true;
  static constexpr bool kSwapsAtEnd = false;
};
struct ImitStep {
  static constexpr int kRounds = kNumRounds / 2;
  static constexpr bool kDecrypt = false;
  static constexpr bool kSwapsAtEnd = true;
};

}  // namespace
}  // namespace vsh::magma
