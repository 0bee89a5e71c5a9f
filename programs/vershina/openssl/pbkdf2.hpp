// PBKDF2 with the digests of `openssl enc -pbkdf2 -md`.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace vsh::cli {

struct OpensslDigest {
  const char* name;
  // RFC 8018 5.2 with the HMAC of the digest. out: a key and an IV. Throws Failure.
  void (*pbkdf2)(std::span<uint8_t> out, std::span<const uint8_t> passphrase, std::span<const uint8_t> salt,
                 uint32_t iterations);
};

// "md_gost12_512" (this program's default), "md_gost12_256", "sha256" (OpenSSL's default).
std::vector<std::string> openssl_digest_names();
const OpensslDigest& openssl_digest(const std::string& name);  // throws Failure

}  // namespace vsh::cli
