// Pseudorandom functions of protocols over HMAC-Streebog: RFC 7836 4.2, R 50.1.113-2016 4.2.
#pragma once

#include "keys/hmac.hpp"

namespace vsh::keys {

// PRF_TLS_GOSTR3411_2012_256 and _512 (by the HMAC's size): P_hash of RFC 5246 section 5 over label | seed.
void prf_tls(Hmac& secret, uint8_t* out, size_t len, Bytes label, Bytes seed) noexcept;

// PRF_IPSEC_KEYMAT_GOSTR3411_2012_256 and _512: T1 | T2 | …, T1 = HMAC(K, S), Ti = HMAC(K, T(i-1) | S), the keying material
// of IKEv1 (RFC 2409 5.5).
void prf_ipsec_keymat(Hmac& key, uint8_t* out, size_t len, Bytes seed) noexcept;

// PRF_IPSEC_PRFPLUS_GOSTR3411_2012_256 and _512: prf+ of IKEv2 (RFC 7296 2.13), Ti = HMAC(K, T(i-1) | S | i) with i a
// byte, so at most 255 times the HMAC's size.
void prf_ipsec_prfplus(Hmac& key, uint8_t* out, size_t len, Bytes seed) noexcept;
constexpr size_t prfplus_max_len(size_t hmac_size) noexcept { return 255 * hmac_size; }

}  // namespace vsh::keys
