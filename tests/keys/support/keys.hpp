// HMAC and constructions over it, as defined in the documents, only from vsh_hash: the reference for the library's own
// ones (cached states, lanes, threads).
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "vershina/vershina.h"

namespace vsh::test {

using Bytes = std::vector<uint8_t>;

inline Bytes operator+(Bytes a, const Bytes& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

inline Bytes text_hash(unsigned bits, const Bytes& in) {
  Bytes digest(bits / 8);
  EXPECT_EQ(vsh_hash_digest(digest.data(), digest.size(), bits == 256 ? VSH_STREEBOG256 : VSH_STREEBOG512, in.data(),
                            in.size(), nullptr),
            VSH_OK);
  return digest;
}

// RFC 2104: H(K ^ opad | H(K ^ ipad | text)).
inline Bytes text_hmac(unsigned bits, Bytes key, const Bytes& text) {
  if (key.size() > 64) key = text_hash(bits, key);
  key.resize(64);
  Bytes inner = key, outer = key;
  for (uint8_t& byte : inner) byte ^= 0x36;
  for (uint8_t& byte : outer) byte ^= 0x5c;
  return text_hash(bits, outer + text_hash(bits, inner + text));
}

// RFC 8018 5.2 with HMAC-Streebog-512.
inline Bytes text_pbkdf2(const Bytes& password, const Bytes& salt, uint32_t iterations, size_t len) {
  Bytes out;
  for (uint8_t i = 1; out.size() < len; ++i) {
    Bytes u = text_hmac(512, password, salt + Bytes{0, 0, 0, i}), t = u;
    for (uint32_t j = 1; j < iterations; ++j) {
      u = text_hmac(512, password, u);
      for (size_t k = 0; k < t.size(); ++k) t[k] ^= u[k];
    }
    out = out + t;
  }
  out.resize(len);
  return out;
}

// Kernels of Streebog by the number of their lanes: one, or more.
inline std::vector<const char*> streebog_kernels(bool many) {
  std::vector<const char*> names;
  vsh_kernel_info info;
  for (size_t i = 0; vsh_kernel(i, &info) == VSH_OK; ++i)
    if (std::string(info.family) == "streebog" && info.runnable && info.constant_time && (info.lanes > 1) == many)
      names.push_back(info.variant);
  return names;
}

inline vsh_options options_for(const char* kernel, unsigned threads = 1) {
  vsh_options o = VSH_OPTIONS_INIT;
  o.kernel = kernel;
  o.threads = threads;
  return o;
}

}  // namespace vsh::test
