// Makes round keys and a choice of kernels from a key and options.
#pragma once

#include "api/arguments/options.hpp"
#include "core/kernel.hpp"
#include "kuznyechik/round_keys.hpp"
#include "magma/round_keys.hpp"

namespace vsh::api {

// Returns ARGUMENT or KEY_LENGTH if key is not 32 bytes.
vsh_status check_key(const uint8_t* key, size_t key_len) noexcept;

// Returns SBOX if the set is unknown, its rows are not permutations, or the algorithm takes none; ARGUMENT if rows are
// missing. No branch or address depends on a row's values before the verdict.
vsh_status check_sbox(Algorithm algorithm, const Options& options) noexcept;

// Round keys of GOST 28147-89 with the options' S-boxes. The arguments have been validated.
void expand_gost28147(magma::RoundKeys& round_keys, const uint8_t* key, const Options& options) noexcept;

// Canonical round keys of any of the ciphers, as BlockEngine takes them; erased at the end of scope.
class RoundKeys {
 public:
  // The arguments have been validated. key: 32 bytes. row: of the algorithm's family, or null; expands a key
  // of Kuznyechik if it can.
  RoundKeys(Algorithm algorithm, const uint8_t* key, const Options& options, const BlockKernel* row) noexcept;
  RoundKeys(const RoundKeys&) = delete;
  RoundKeys& operator=(const RoundKeys&) = delete;
  ~RoundKeys() { wipe(&keys_, sizeof keys_); }
  const void* get() const noexcept { return &keys_; }

 private:
  union {
    kuznyechik::RoundKeys kuznyechik;
    magma::RoundKeys magma;
  } keys_;
};

}  // namespace vsh::api
