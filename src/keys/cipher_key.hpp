// The key of any block cipher, expanded, and what a cipher has besides its key.
#pragma once

#include <variant>

#include "core/registry.hpp"
#include "core/round_keys.hpp"
#include "core/wipe.hpp"
#include "kuznyechik/round_keys.hpp"
#include "magma/round_keys.hpp"

namespace vsh::keys {

// CipherParameters describes a cipher except for its key. Wiped at its end: a user's S-boxes are secret.
class CipherParameters {
 public:
  // sbox: of GOST 28147-89; other ciphers have no choice.
  CipherParameters(Algorithm cipher, tables::MagmaSbox sbox = tables::MagmaSbox::tc26_z) noexcept;
  // GOST 28147-89 with a user's own S-boxes, as magma::gost28147_parameters takes them.
  explicit CipherParameters(const uint8_t* rows) noexcept;
  CipherParameters(const CipherParameters&) noexcept = default;
  CipherParameters& operator=(const CipherParameters&) noexcept = default;
  ~CipherParameters() { wipe(&magma_, sizeof magma_); }

  Algorithm algorithm() const noexcept { return algorithm_; }
  bool has_custom_sbox() const noexcept { return magma_.custom; }
  // Returns null for Kuznyechik, which has none.
  const magma::Parameters* magma() const noexcept { return algorithm_ == Algorithm::kuznyechik ? nullptr : &magma_; }

 private:
  Algorithm algorithm_;
  magma::Parameters magma_{};
};

// CipherKey holds canonical round keys and wipes them at its end.
class CipherKey {
 public:
  // Without a key: for change, and for kernels with a key per lane.
  explicit CipherKey(const CipherParameters& cipher) noexcept;
  // key: 32 bytes. row: of the cipher's family, or null; expands Kuznyechik's keys if it can.
  CipherKey(const CipherParameters& cipher, const uint8_t* key, const BlockKernel* row = nullptr) noexcept
      : CipherKey(cipher) {
    change(key, row);
  }
  CipherKey(const CipherKey&) noexcept = default;
  CipherKey& operator=(const CipherKey&) noexcept = default;
  ~CipherKey() { wipe(&round_keys_, sizeof round_keys_); }

  // Replaces the key; the parameters stay.
  void change(const uint8_t* key, const BlockKernel* row = nullptr) noexcept;

  Algorithm algorithm() const noexcept;
  operator RoundKeysView() const noexcept;
  // Return null for a cipher of the other family.
  const kuznyechik::RoundKeys* kuznyechik() const noexcept { return std::get_if<kuznyechik::RoundKeys>(&round_keys_); }
  const magma::RoundKeys* magma() const noexcept { return std::get_if<magma::RoundKeys>(&round_keys_); }

 private:
  std::variant<kuznyechik::RoundKeys, magma::RoundKeys> round_keys_;
};

}  // namespace vsh::keys
