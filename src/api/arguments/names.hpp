// Tables of ciphers, modes, hashes and message authentication codes, and their sizes.
#pragma once

#include <string_view>

#include "api/arguments/context.hpp"

namespace vsh::api {

// ---- Tables of names: each row has a name, and an algorithm if the ABI has a number for it. -------------------------

// Returns null for an unknown name or a null pointer.
template <class Row, size_t kSize>
const Row* find_name(const Row (&rows)[kSize], const char* name) noexcept {
  if (!name) return nullptr;
  for (const Row& row : rows)
    if (std::string_view(row.name) == name) return &row;
  return nullptr;
}

// Returns null for an unknown number.
template <class Row, size_t kSize>
const Row* find_algorithm(const Row (&rows)[kSize], unsigned algorithm) noexcept {
  for (const Row& row : rows)
    if (row.algorithm == algorithm) return &row;
  return nullptr;
}

// vsh_..._by_name: ARGUMENT for an unknown name or a null pointer.
template <class Row, size_t kSize>
vsh_status algorithm_by_name(const Row (&rows)[kSize], decltype(Row::algorithm)* algorithm, const char* name) noexcept {
  const Row* row = find_name(rows, name);
  if (!row || !algorithm) return VSH_E_ARGUMENT;
  *algorithm = row->algorithm;
  return VSH_OK;
}

// vsh_..._name: null past the last row.
template <class Row, size_t kSize>
const char* name_at(const Row (&rows)[kSize], size_t i) noexcept {
  return i < kSize ? rows[i].name : nullptr;
}

// ---- Existing algorithms---------------------------------------------------------------------------------------------
// ---------------------------------------------------------------------------------------------

// Returns the block in bytes; 0 for an unknown number.
size_t block_len(unsigned cipher_algorithm) noexcept;

// Returns the digest in bytes; 0 for an unknown number.
size_t hash_len(unsigned hash_algorithm) noexcept;

// Returns whether the mode exists for the algorithm; any numbers.
bool is_cipher(unsigned cipher_algorithm, unsigned mode) noexcept;

struct MacName {
  const char* name;
  vsh_mac_algorithm algorithm;
  Algorithm over;       // a cipher, or the hash of HMAC
  size_t hash_len = 0;  // bytes

  size_t max_len() const noexcept { return hash_len ? hash_len : block_size(over); }
};

// Returns null for an unknown number.
const MacName* find_mac(unsigned mac_algorithm) noexcept;

struct AeadName {
  const char* name;
  vsh_aead_algorithm algorithm;
  Algorithm cipher;
  size_t nonce_len;  // bytes

  size_t max_tag_len() const noexcept { return block_size(cipher); }
};

// Returns null for an unknown number.
const AeadName* find_aead(unsigned aead_algorithm) noexcept;

// For a vsh_cipher_algorithm that exists.
Algorithm algorithm_of(unsigned cipher_algorithm) noexcept;

}  // namespace vsh::api
