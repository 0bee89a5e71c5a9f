// First, correct and rather large networks for the S-boxes, from which the search starts.

#pragma once

#include <cstdint>
#include <vector>

#include "network.hpp"
#include "resubstitution.hpp"

namespace vsh::search {

// A small network for a function of four variables: `table[x]` holds the output bits for input x.
// Starts from the algebraic normal form or from Shannon expansion and shrinks it for a moment.
Network nibble_function(const std::vector<std::uint8_t>& table, int num_outputs, int arity, long moves, Random& random);

// pi or its inverse through the TU decomposition of Biryukov, Perrin and Udovenko ("Reverse-Engineering the S-Box of
// Streebog, Kuznyechik and STRIBOBr1", EUROCRYPT 2016), in a random one of the forms equivalent under a change of basis
// of GF(16) and scaling by its elements.
Network kuznyechik_seed(bool inverse, int arity, long component_moves, Random& random);

// The functions that a circuit must compute, from src/circuits/sbox_tables.hpp.
std::vector<TruthTable> byte_tables(const std::uint8_t (&table)[256]);
std::vector<TruthTable> nibble_tables(const std::uint8_t (&table)[16]);

}  // namespace vsh::search
