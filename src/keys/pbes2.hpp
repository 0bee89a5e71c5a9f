// The AlgorithmIdentifier of PBES2 (RFC 8018 A.4) with PBKDF2 by HMAC-Streebog-512 and a GOST cipher: RFC 9337
// sections 5 and 7, R 50.1.111-2016 and R 50.1.112-2016.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace vsh::keys {

enum class Pbes2Cipher : uint8_t {
  magma_ctr_acpkm,
  magma_ctr_acpkm_omac,
  kuznyechik_ctr_acpkm,
  kuznyechik_ctr_acpkm_omac,
  gost28147_cfb
};
inline constexpr unsigned kNumPbes2Ciphers = 5;

// Parameter sets of GOST 28147-89 that have an OID for ciphers: RFC 4357 section 10.2, RFC 7836 appendix C.
enum class Pbes2Sbox : uint8_t { tc26_z, cryptopro_a, cryptopro_b, cryptopro_c, cryptopro_d, test };
inline constexpr unsigned kNumPbes2Sboxes = 6;

struct Pbes2 {
  static constexpr size_t kMinSalt = 8, kMaxSalt = 64, kMaxIv = 16, kMaxDer = 192;

  Pbes2Cipher cipher;
  Pbes2Sbox sbox;  // of gost28147_cfb
  uint32_t iterations;
  size_t salt_len, iv_len;
  uint8_t salt[kMaxSalt], iv[kMaxIv];
};

enum class Pbes2Status { ok, format, unknown, bounds };

// Returns the length of the IV of GOST 28147-89, or of the `ukm` of the others.
size_t pbes2_iv_len(Pbes2Cipher cipher) noexcept;

// Returns whether lengths and counts are in range.
bool pbes2_in_bounds(const Pbes2& parameters) noexcept;

// der: kMaxDer bytes. Returns how many of them were written. The parameters are in bounds.
size_t pbes2_encode(uint8_t* der, const Pbes2& parameters) noexcept;

// Accepts hostile input; the parameters are in range if the result is ok.
Pbes2Status pbes2_decode(Pbes2& parameters, std::span<const uint8_t> der) noexcept;

}  // namespace vsh::keys
