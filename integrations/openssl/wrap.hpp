// Key wrapping: KExp15 and KImp15.
#pragma once

#include <openssl/evp.h>

#include "params.hpp"
#include "provider.hpp"

namespace vsh::openssl {

inline constexpr size_t kMaxKek = 64;

struct WrapInfo {
  const char* names;
  vsh_wrap_algorithm algorithm;
  unsigned block;  // bytes; a wrapped key is longer by this
  unsigned iv_len;
  static constexpr unsigned key_len = kMaxKek, evp_mode = EVP_CIPH_WRAP_MODE;
  static constexpr bool is_aead = false;
};

inline constexpr WrapInfo kWraps[] = {
    {"kuznyechik-kexp15:1.2.643.7.1.1.7.2.1", VSH_KEXP15_KUZNYECHIK, 16, 8},
    {"magma-kexp15:1.2.643.7.1.1.7.1.1", VSH_KEXP15_MAGMA, 8, 4},
};

struct WrapState {
  bool encrypts = true, has_key = false, has_iv = false;
  uint8_t kek[kMaxKek] = {};  // K_Exp_MAC, K_Exp_ENC
  uint8_t iv[8] = {};
};

struct Wrap : WrapState {
  Wrap(const Provider& provider, const WrapInfo& info) noexcept : provider(provider), info(info) {}

  const Provider& provider;
  const WrapInfo& info;

  int init(const uint8_t* key, size_t key_len, const uint8_t* new_iv, size_t iv_len, const OSSL_PARAM* params,
           bool encrypt) noexcept;
  // Wraps or unwraps a whole key; returns the length of the result if out is null.
  int update(uint8_t* out, size_t* out_len, size_t capacity, const uint8_t* in, size_t in_len) noexcept;
  int final(uint8_t* out, size_t* out_len, size_t capacity) noexcept;
  int cipher(uint8_t* out, size_t* out_len, size_t capacity, const uint8_t* in, size_t in_len) noexcept;
  int get(OSSL_PARAM* params) noexcept;
  int set(const OSSL_PARAM* params) noexcept;
  Wrap* copy() const noexcept;

  static const OSSL_PARAM* gettable() noexcept;
  static const OSSL_PARAM* settable() noexcept;
};

}  // namespace vsh::openssl
