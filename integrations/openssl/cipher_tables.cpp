// The dispatch tables of all ciphers. OpenSSL creates a context without naming the algorithm, so each has its own
// function for that; all others are shared by the family.
#include <openssl/core_names.h>

#include <array>
#include <utility>

#include "aead.hpp"
#include "cipher.hpp"
#include "wrap.hpp"

namespace vsh::openssl {
namespace {

template <class Context, class Info>
struct Family {
  static int get_params(const Info& info, OSSL_PARAM params[]) noexcept {
    return write(find(params, OSSL_CIPHER_PARAM_MODE), size_t{info.evp_mode}) &&
           write(find(params, OSSL_CIPHER_PARAM_KEYLEN), size_t{info.key_len}) &&
           write(find(params, OSSL_CIPHER_PARAM_IVLEN), size_t{info.iv_len}) &&
           write(find(params, OSSL_CIPHER_PARAM_BLOCK_SIZE), size_t{info.block}) &&
           write(find(params, OSSL_CIPHER_PARAM_AEAD), size_t{info.is_aead}) &&
           write(find(params, OSSL_CIPHER_PARAM_CUSTOM_IV), size_t{0}) &&
           write(find(params, OSSL_CIPHER_PARAM_CTS), size_t{0}) &&
           write(find(params, OSSL_CIPHER_PARAM_TLS1_MULTIBLOCK), size_t{0}) &&
           write(find(params, OSSL_CIPHER_PARAM_HAS_RAND_KEY), size_t{0});
  }
  static const OSSL_PARAM* gettable_params(void*) noexcept {
    static constexpr OSSL_PARAM kParams[] = {
        uint_param(OSSL_CIPHER_PARAM_MODE),         size_param(OSSL_CIPHER_PARAM_KEYLEN),
        size_param(OSSL_CIPHER_PARAM_IVLEN),        size_param(OSSL_CIPHER_PARAM_BLOCK_SIZE),
        uint_param(OSSL_CIPHER_PARAM_AEAD),         uint_param(OSSL_CIPHER_PARAM_CUSTOM_IV),
        uint_param(OSSL_CIPHER_PARAM_CTS),          uint_param(OSSL_CIPHER_PARAM_TLS1_MULTIBLOCK),
        uint_param(OSSL_CIPHER_PARAM_HAS_RAND_KEY), kEndOfParams};
    return kParams;
  }

  static Context& of(void* c) noexcept { return *static_cast<Context*>(c); }
  static void freectx(void* c) noexcept { destroy(static_cast<Context*>(c)); }
  static void* dupctx(void* c) noexcept { return of(c).copy(); }
  static int encrypt_init(void* c, const unsigned char* key, size_t key_len, const unsigned char* iv, size_t iv_len,
                          const OSSL_PARAM params[]) noexcept {
    return of(c).init(key, key_len, iv, iv_len, params, true);
  }
  static int decrypt_init(void* c, const unsigned char* key, size_t key_len, const unsigned char* iv, size_t iv_len,
                          const OSSL_PARAM params[]) noexcept {
    return of(c).init(key, key_len, iv, iv_len, params, false);
  }
  static int update(void* c, unsigned char* out, size_t* out_len, size_t capacity, const unsigned char* in,
                    size_t in_len) noexcept {
    return of(c).update(out, out_len, capacity, in, in_len);
  }
  static int final(void* c, unsigned char* out, size_t* out_len, size_t capacity) noexcept {
    return of(c).final(out, out_len, capacity);
  }
  static int cipher(void* c, unsigned char* out, size_t* out_len, size_t capacity, const unsigned char* in,
                    size_t in_len) noexcept {
    return of(c).cipher(out, out_len, capacity, in, in_len);
  }
  static int get_ctx_params(void* c, OSSL_PARAM params[]) noexcept { return of(c).get(params); }
  static int set_ctx_params(void* c, const OSSL_PARAM params[]) noexcept { return of(c).set(params); }
  static const OSSL_PARAM* gettable_ctx_params(void*, void*) noexcept { return Context::gettable(); }
  static const OSSL_PARAM* settable_ctx_params(void*, void*) noexcept { return Context::settable(); }
};

template <class Context, const auto& kInfos, size_t i>
const OSSL_ALGORITHM& algorithm() noexcept {
  using F = Family<Context, std::remove_cvref_t<decltype(kInfos[i])>>;
  static const OSSL_DISPATCH kFunctions[] = {
      entry(
          OSSL_FUNC_CIPHER_NEWCTX,
          +[](void* provider) noexcept -> void* {
            return make<Context>(*static_cast<Provider*>(provider), kInfos[i]);
          }),
      entry(OSSL_FUNC_CIPHER_FREECTX, F::freectx),
      entry(OSSL_FUNC_CIPHER_DUPCTX, F::dupctx),
      entry(OSSL_FUNC_CIPHER_ENCRYPT_INIT, F::encrypt_init),
      entry(OSSL_FUNC_CIPHER_DECRYPT_INIT, F::decrypt_init),
      entry(OSSL_FUNC_CIPHER_UPDATE, F::update),
      entry(OSSL_FUNC_CIPHER_FINAL, F::final),
      entry(OSSL_FUNC_CIPHER_CIPHER, F::cipher),
      entry(
          OSSL_FUNC_CIPHER_GET_PARAMS, +[](OSSL_PARAM params[]) noexcept { return F::get_params(kInfos[i], params); }),
      entry(OSSL_FUNC_CIPHER_GETTABLE_PARAMS, F::gettable_params),
      entry(OSSL_FUNC_CIPHER_GET_CTX_PARAMS, F::get_ctx_params),
      entry(OSSL_FUNC_CIPHER_GETTABLE_CTX_PARAMS, F::gettable_ctx_params),
      entry(OSSL_FUNC_CIPHER_SET_CTX_PARAMS, F::set_ctx_params),
      entry(OSSL_FUNC_CIPHER_SETTABLE_CTX_PARAMS, F::settable_ctx_params),
      {0, nullptr}};
  static const OSSL_ALGORITHM kAlgorithm = {kInfos[i].names, "provider=vershina", kFunctions, nullptr};
  return kAlgorithm;
}

template <class Context, const auto& kInfos>
OSSL_ALGORITHM* append(OSSL_ALGORITHM* to) noexcept {
  [&]<size_t... i>(std::index_sequence<i...>) { ((*to++ = algorithm<Context, kInfos, i>()), ...); }
  (std::make_index_sequence<std::size(kInfos)>());
  return to;
}

}  // namespace

const OSSL_ALGORITHM* ciphers() noexcept {
  static const auto all = [] {
    std::array<OSSL_ALGORITHM, std::size(kCiphers) + std::size(kAeads) + std::size(kWraps) + 1> table{};
    append<Wrap, kWraps>(append<Aead, kAeads>(append<Cipher, kCiphers>(table.data())));
    return table;
  }();
  return all.data();
}

}  // namespace vsh::openssl
