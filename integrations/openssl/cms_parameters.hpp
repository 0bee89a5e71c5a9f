// The parameters of an AlgorithmIdentifier in CMS, in DER.
#pragma once

#include "params.hpp"
#include "provider.hpp"

namespace vsh::openssl {

inline constexpr size_t kMaxCmsParameters = 32;  // bytes of DER

// Finds an S-box set by its name (vsh_sbox_by_name) or object identifier.
bool find_sbox(std::string_view name, vsh_sbox& sbox) noexcept;

// GOST 28147-89, RFC 4490 section 4.1: SEQUENCE { iv OCTET STRING, encryptionParamSet OBJECT IDENTIFIER }. Writes to
// der (kMaxCmsParameters bytes) and returns the length; 0 for a set that has no identifier.
size_t write_gost28147_parameters(uint8_t* der, Bytes iv, vsh_sbox sbox) noexcept;
// Returns false if der is not exactly this, the IV's length is not iv_len, or the set is unknown.
bool read_gost28147_parameters(Bytes der, uint8_t* iv, size_t iv_len, vsh_sbox& sbox) noexcept;

// GOST R 34.12-2015, R 1323565.1.025-2019: SEQUENCE { ukm OCTET STRING }.
size_t write_gostr3412_parameters(uint8_t* der, Bytes ukm) noexcept;
bool read_gostr3412_parameters(Bytes der, uint8_t* ukm, size_t ukm_len) noexcept;

}  // namespace vsh::openssl
