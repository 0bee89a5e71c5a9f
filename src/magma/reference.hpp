// Magma and GOST 28147-89 as written in the standards; slow, not constant-time, for tests only.
#pragma once

#include <array>
#include <cstdint>

namespace vsh::magma::reference {

using Rows = const uint8_t (*)[16];  // rows[i] is pi_i

// GOST R 34.12-2015 clause 5.2.
uint32_t t(Rows rows, uint32_t a);
uint32_t g(Rows rows, uint32_t k, uint32_t a);

// Clause 5.3 (Magma) and RFC 5830 clause 5 (GOST 28147-89): K_1 .. K_32.
std::array<uint32_t, 32> key_schedule_magma(const std::array<uint8_t, 32>& key);
std::array<uint32_t, 32> key_schedule_gost28147(const std::array<uint8_t, 32>& key);

// Clause 5.4 on a_1 || a_0 as a 64-bit number.
uint64_t E(Rows rows, const std::array<uint32_t, 32>& k, uint64_t a);
uint64_t D(Rows rows, const std::array<uint32_t, 32>& k, uint64_t a);

}  // namespace vsh::magma::reference
