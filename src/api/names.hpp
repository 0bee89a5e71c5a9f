// Which ciphers, modes, hashes and message authentication codes there are, and their sizes.
#pragma once

#include "api/context.hpp"

namespace vsh::api {

// Blocks in bytes; 0 for a number that names no algorithm.
size_t block_len(unsigned cipher_algorithm) noexcept;

// Digests in bytes; 0 for a number that names no algorithm.
size_t hash_len(unsigned hash_algorithm) noexcept;

// True where the mode exists for the algorithm; any numbers.
bool is_cipher(unsigned cipher_algorithm, unsigned mode) noexcept;

struct AeadName {
  const char* name;
  vsh_aead_algorithm algorithm;
  size_t nonce_len, max_tag_len;  // bytes
};

// Null for a number that names no algorithm.
const AeadName* find_aead(unsigned aead_algorithm) noexcept;

// For a vsh_cipher_algorithm that exists.
Algorithm algorithm_of(unsigned cipher_algorithm) noexcept;

}  // namespace vsh::api
