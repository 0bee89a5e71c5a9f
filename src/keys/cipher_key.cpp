#include "keys/cipher_key.hpp"

namespace vsh::keys {

CipherParameters::CipherParameters(Algorithm cipher, tables::MagmaSbox sbox) noexcept : algorithm_(cipher) {
  if (cipher == Algorithm::magma) magma_ = magma::magma_parameters();
  if (cipher == Algorithm::gost28147) magma_ = magma::gost28147_parameters(sbox);
}

CipherParameters::CipherParameters(const uint8_t* rows) noexcept
    : algorithm_(Algorithm::gost28147), magma_(magma::gost28147_parameters(rows)) {}

CipherKey::CipherKey(const CipherParameters& cipher) noexcept {
  if (const magma::Parameters* const parameters = cipher.magma())
    round_keys_.emplace<magma::RoundKeys>(magma::RoundKeys{*parameters, {}});
}

void CipherKey::change(const uint8_t* key, const BlockKernel* row) noexcept {
  if (auto* const round_keys = std::get_if<magma::RoundKeys>(&round_keys_)) magma::change_key(*round_keys, key);
  else kuznyechik::expand_key_by(row, std::get<kuznyechik::RoundKeys>(round_keys_), key);
}

Algorithm CipherKey::algorithm() const noexcept {
  if (!magma()) return Algorithm::kuznyechik;
  return magma()->little_endian ? Algorithm::gost28147 : Algorithm::magma;
}

CipherKey::operator RoundKeysView() const noexcept {
  return magma() ? RoundKeysView(*magma()) : RoundKeysView(*kuznyechik());
}

}  // namespace vsh::keys
