// Key wraps of GOST 28147-89: RFC 4357 6.1 to 6.5 (and KExp28147 of RFC 9189 8.2.2), RFC 7836 4.6. They differ only in
// how the key encryption key is diversified.
#pragma once

#include "core/registry.hpp"
#include "magma/round_keys.hpp"

namespace vsh::keys {

inline constexpr size_t kUkmLen = 8;       // bytes that begin the IMIT
inline constexpr size_t kMaxSeedLen = 16;  // RFC 7836: 8 to 16, of which the first 8 begin the IMIT
inline constexpr size_t kWrapTagLen = 4;   // bytes of CEK_MAC
inline constexpr size_t kMaxWrappedKey = 64;

// Holds a key encryption key on a one-block kernel that has IMIT (magma::ImitRounds::choose_kernel).
struct WrapKey {
  const magma::RoundKeys& round_keys;
  const BlockKernel& kernel;
};

// K(UKM), the CryptoPro KEK Diversification Algorithm (RFC 4357 6.5): replaces the key of `kek`. ukm: kUkmLen bytes.
void diversify_cryptopro(magma::RoundKeys& kek, const BlockKernel& kernel, const uint8_t* ukm) noexcept;

// out = CEK_ENC || CEK_MAC = ECB(KEK, CEK) || IMIT(UKM, KEK, CEK), cek_len + kWrapTagLen bytes. ukm: kUkmLen bytes.
// cek_len: a multiple of 8, at most kMaxWrappedKey. No overlap.
void wrap_gost28147(WrapKey kek, uint8_t* out, const uint8_t* ukm, const uint8_t* cek, size_t cek_len) noexcept;

// Unwraps in constant time. Returns false, and leaves `cek` untouched, if CEK_MAC is wrong. cek == in allowed.
bool unwrap_gost28147(WrapKey kek, uint8_t* cek, size_t cek_len, const uint8_t* ukm, const uint8_t* in) noexcept;

}  // namespace vsh::keys
