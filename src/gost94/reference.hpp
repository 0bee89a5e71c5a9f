// GOST R 34.11-94 as described in RFC 5831, one function for each of its transformations: slow, with look-ups at secret
// addresses, for tests only.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "magma/reference.hpp"

namespace vsh::gost94::reference {

// A word of V_256. Element i is the byte xi_(i+1) of xi_32 || ... || xi_1: index 0 is the least significant byte,
// written last in the standard and first in memory.
using Word = std::array<uint8_t, 32>;

Word A(const Word& x);                                                                      // section 5.1
Word P(const Word& x);                                                                      // section 5.1
std::array<Word, 4> keys(const Word& m, const Word& h);                                     // K[1] .. K[4], section 5.1
Word encrypt(magma::reference::Rows rows, const std::array<Word, 4>& keys, const Word& h);  // S, section 5.2
Word psi(const Word& x);                                                                    // section 5.3
Word chi(magma::reference::Rows rows, const Word& m, const Word& h);

// Section 6 with h_0 = 0: the hash of `len` bytes.
Word hash(magma::reference::Rows rows, const uint8_t* message, size_t len);

}  // namespace vsh::gost94::reference
