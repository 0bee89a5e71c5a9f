// KExp15 and KImp15, export and import of keys: R 1323565.1.017-2018, RFC 9189 8.2.1. The wraps of GOST R 34.12-2015 in
// CMS and TLS 1.2 (R 1323565.1.025, RFC 9189, RFC 9548) are these and a derivation of the two keys.
#pragma once

#include "core/block_engine.hpp"

namespace vsh::keys {

// Engines of one cipher under K_Exp_MAC and K_Exp_ENC, which must be independent. n: the cipher's block in bytes.
struct ExportKeys {
  const BlockEngine& mac;
  const BlockEngine& enc;
};

// out = CTR(K_Exp_ENC, IV, S || OMAC(K_Exp_MAC, IV || S)): secret_len + n bytes. iv: n / 2 bytes, never twice under the
// same keys. out == secret allowed.
void kexp15(ExportKeys keys, uint8_t* out, const uint8_t* iv, const uint8_t* secret, size_t secret_len);

// Unwraps secret_len bytes to `secret` from secret_len + n of `in`, which is read once. Constant time. Returns false,
// and leaves `secret` untouched (erases it if it is longer than 16 KiB and apart from in), if the check value is wrong.
// secret == in allowed.
bool kimp15(ExportKeys keys, uint8_t* secret, size_t secret_len, const uint8_t* iv, const uint8_t* in);

}  // namespace vsh::keys
