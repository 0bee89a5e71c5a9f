// Checks keys and S-boxes, and makes a CipherKey of them.
#pragma once

#include "api/arguments/options.hpp"
#include "keys/cipher_key.hpp"

namespace vsh::api {

// Returns ARGUMENT or KEY_LENGTH if key is not 32 bytes.
vsh_status check_key(const uint8_t* key, size_t key_len) noexcept;

// Returns SBOX if the set is unknown, its rows are not permutations, or the algorithm takes none; ARGUMENT if rows are
// missing. No branch or address depends on a row's values before the verdict.
vsh_status check_sbox(Algorithm algorithm, const Options& options) noexcept;

// The arguments have been validated.
keys::CipherParameters cipher_parameters(Algorithm algorithm, const Options& options) noexcept;

// key: 32 bytes. row: of the algorithm's family, or null.
inline keys::CipherKey cipher_key(Algorithm algorithm, const uint8_t* key, const Options& options,
                                  const BlockKernel* row = nullptr) noexcept {
  return keys::CipherKey(cipher_parameters(algorithm, options), key, row);
}

}  // namespace vsh::api
