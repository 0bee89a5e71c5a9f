#include "wrap.hpp"

#include <openssl/core_names.h>

#include <cstring>

namespace vsh::openssl {

int Wrap::init(const uint8_t* key, size_t key_len, const uint8_t* new_iv, size_t iv_len, const OSSL_PARAM* params,
               bool encrypt) noexcept {
  if (key && key_len != sizeof kek) return provider.fail(VSH_E_KEY_LENGTH);
  if (new_iv && iv_len != info.iv_len) return provider.fail(VSH_E_IV_LENGTH);
  encrypts = encrypt;
  if (key) {
    std::memcpy(kek, key, sizeof kek);
    has_key = true;
  }
  if (new_iv) {
    std::memcpy(iv, new_iv, info.iv_len);
    has_iv = true;
  }
  return set(params);
}

int Wrap::update(uint8_t* out, size_t* out_len, size_t capacity, const uint8_t* in, size_t in_len) noexcept {
  *out_len = 0;
  if (!has_key) return provider.fail(kNoKey);
  if (!has_iv) return provider.fail(kNoIv);
  if (!out) {
    *out_len = encrypts ? vsh_wrapped_len(info.algorithm, info.iv_len, in_len) : in_len;
    return 1;
  }
  const vsh_options o = provider.options();
  has_iv = !encrypts;  // an IV is for one key
  return provider.done(
      encrypts ? vsh_wrap(out, capacity, out_len, info.algorithm, kek, sizeof kek, iv, info.iv_len, in, in_len, &o)
               : vsh_unwrap(out, capacity, out_len, info.algorithm, kek, sizeof kek, iv, info.iv_len, in, in_len, &o));
}

int Wrap::final(uint8_t*, size_t* out_len, size_t) noexcept {
  *out_len = 0;
  return 1;
}

int Wrap::cipher(uint8_t* out, size_t* out_len, size_t capacity, const uint8_t* in, size_t in_len) noexcept {
  return in ? update(out, out_len, capacity, in, in_len) : final(out, out_len, capacity);
}

Wrap* Wrap::copy() const noexcept {
  Wrap* const c = make<Wrap>(provider, info);
  if (c) static_cast<WrapState&>(*c) = *this;
  return c;
}

const OSSL_PARAM* Wrap::gettable() noexcept {
  static constexpr OSSL_PARAM kParams[] = {size_param(OSSL_CIPHER_PARAM_KEYLEN), size_param(OSSL_CIPHER_PARAM_IVLEN),
                                           bytes_param(OSSL_CIPHER_PARAM_IV), kEndOfParams};
  return kParams;
}

const OSSL_PARAM* Wrap::settable() noexcept {
  static constexpr OSSL_PARAM kParams[] = {size_param(OSSL_CIPHER_PARAM_KEYLEN), kEndOfParams};
  return kParams;
}

int Wrap::get(OSSL_PARAM* params) noexcept {
  return write(find(params, OSSL_CIPHER_PARAM_KEYLEN), sizeof kek) &&
                 write(find(params, OSSL_CIPHER_PARAM_IVLEN), size_t{info.iv_len}) &&
                 write(find(params, OSSL_CIPHER_PARAM_IV), Bytes{iv, info.iv_len})
             ? 1
             : provider.fail(kParameter);
}

int Wrap::set(const OSSL_PARAM* params) noexcept {
  size_t value;
  const OSSL_PARAM* const p = find(params, OSSL_CIPHER_PARAM_KEYLEN);
  return !p || (read(*p, value) && value == sizeof kek) ? 1 : provider.fail(VSH_E_KEY_LENGTH);
}

}  // namespace vsh::openssl
