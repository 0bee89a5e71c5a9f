// Streebog as described in the standard, one function for each of its transformations: slow, with secret-dependent
// look-ups, for tests only.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace vsh::streebog::reference {

// A vector of V_512. Element i is the byte a_i of a = a_63 || … || a_0: index 0 is the least significant
// byte, written last in the standard and first in memory.
using Vector512 = std::array<uint8_t, 64>;

// RFC 6986, section 7.
Vector512 X(const Vector512& k, const Vector512& a);  // X[k](a) = k ^ a
Vector512 S(const Vector512& a);                      // pi on every byte
Vector512 P(const Vector512& a);                      // a_tau(63) || … || a_tau(0)
Vector512 L(const Vector512& a);                      // l on every 64-bit word

// RFC 6986, section 8.
Vector512 E(const Vector512& k, const Vector512& m);
Vector512 g(const Vector512& n, const Vector512& h, const Vector512& m);

// Sum of two integers modulo 2^512.
Vector512 add(const Vector512& a, const Vector512& b);

// RFC 6986, section 9: the hash of `len` bytes, hash_bits 256 or 512, hash_bits/8 bytes written to `out`.
// Byte 0 of message and hash is the least significant byte of the standard's notation.
void hash(int hash_bits, uint8_t* out, const uint8_t* message, size_t len);

}  // namespace vsh::streebog::reference
