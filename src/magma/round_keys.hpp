// Canonical round keys of Magma (GOST R 34.12-2015 clause 5.3, RFC 8891) and GOST 28147-89 (RFC 5830 clause 5): the
// same 32 rounds with a different byte order and a choice of S-boxes.
#pragma once

#include <cstdint>

#include "circuits/sbox_tables.hpp"

namespace vsh::magma {

// Parameters of a cipher of the family besides its key.
struct Parameters {
  bool little_endian;  // GOST 28147-89: blocks are little-endian numbers; Magma: big-endian
  bool custom;         // use `rows` on the generic circuit; else the named set
  tables::MagmaSbox set;
  uint8_t rows[8][16];  // the S-boxes as data, row i for nibble i, 0 least significant; filled for named sets too
};

struct RoundKeys : Parameters {
  static constexpr const char* kFamily = "magma";
  uint32_t k[8];  // K_1 .. K_8, the keys of rounds 1 to 8; 9-24 repeat them, 25-32 run backwards
};

// Magma: key bytes are big-endian words, S-boxes id-tc26-gost-28147-param-Z.
Parameters magma_parameters() noexcept;
// GOST 28147-89: little-endian words.
Parameters gost28147_parameters(tables::MagmaSbox set) noexcept;
// rows: 8 of 16 values; the caller has checked that each is a permutation.
Parameters gost28147_parameters(const uint8_t* rows) noexcept;

// Sets the key, 32 bytes; S-boxes and byte order stay.
void change_key(RoundKeys& round_keys, const uint8_t* key) noexcept;
inline void expand_key(RoundKeys& round_keys, const Parameters& parameters, const uint8_t* key) noexcept {
  static_cast<Parameters&>(round_keys) = parameters;
  change_key(round_keys, key);
}

}  // namespace vsh::magma
