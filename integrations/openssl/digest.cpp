// Digests: Streebog and GOST R 34.11-94.
#include <openssl/core_names.h>

#include <array>
#include <iterator>
#include <utility>

#include "params.hpp"
#include "provider.hpp"

namespace vsh::openssl {
namespace {

struct DigestInfo {
  const char* names;
  vsh_hash_algorithm algorithm;
  unsigned block, size;  // bytes
};

constexpr DigestInfo kDigests[] = {
    {"md_gost12_256:streebog256:id-tc26-gost3411-12-256:1.2.643.7.1.1.2.2", VSH_STREEBOG256, 64, 32},
    {"md_gost12_512:streebog512:id-tc26-gost3411-12-512:1.2.643.7.1.1.2.3", VSH_STREEBOG512, 64, 64},
    {"md_gost94:id-GostR3411-94:1.2.643.2.2.9", VSH_GOST94_CRYPTOPRO, 32, 32},
};

struct Digest {
  Digest(const Provider& provider, const DigestInfo& info) noexcept : provider(provider), info(info) {}
  const Provider& provider;
  const DigestInfo& info;
  Owned<vsh_hash> work;
};

Digest& of(void* c) noexcept { return *static_cast<Digest*>(c); }

void freectx(void* c) noexcept { destroy(static_cast<Digest*>(c)); }

void* dupctx(void* from) noexcept {
  const Digest& c = of(from);
  vsh_hash* twin = nullptr;
  if (c.work) {
    if (const vsh_status s = vsh_hash_copy(&twin, c.work.get())) return c.provider.fail(s), nullptr;
  }
  Digest* const copy = make<Digest>(c.provider, c.info);
  if (!copy) return vsh_hash_free(twin), nullptr;
  copy->work.reset(twin);
  return copy;
}

int init(void* context, const OSSL_PARAM[]) noexcept {
  Digest& c = of(context);
  if (c.work) return c.provider.done(vsh_hash_reset(c.work.get()));
  const vsh_options o = c.provider.options();
  vsh_hash* made = nullptr;
  const vsh_status status = vsh_hash_new(&made, c.info.algorithm, &o);
  c.work.reset(made);
  return c.provider.done(status);
}

int update(void* context, const unsigned char* in, size_t in_len) noexcept {
  Digest& c = of(context);
  return c.provider.done(vsh_hash_update(c.work.get(), in, in_len));
}

int final(void* context, unsigned char* out, size_t* out_len, size_t capacity) noexcept {
  Digest& c = of(context);
  if (capacity < c.info.size) return c.provider.fail(VSH_E_CAPACITY);
  if (const vsh_status s = vsh_hash_final(c.work.get(), out, c.info.size)) return c.provider.fail(s);
  *out_len = c.info.size;
  return 1;
}

const OSSL_PARAM* gettable_params(void*) noexcept {
  static constexpr OSSL_PARAM kParams[] = {size_param(OSSL_DIGEST_PARAM_BLOCK_SIZE), size_param(OSSL_DIGEST_PARAM_SIZE),
                                           uint_param(OSSL_DIGEST_PARAM_XOF), uint_param(OSSL_DIGEST_PARAM_ALGID_ABSENT),
                                           kEndOfParams};
  return kParams;
}

int get_params(const DigestInfo& info, OSSL_PARAM params[]) noexcept {
  return write(find(params, OSSL_DIGEST_PARAM_BLOCK_SIZE), size_t{info.block}) &&
         write(find(params, OSSL_DIGEST_PARAM_SIZE), size_t{info.size}) &&
         write(find(params, OSSL_DIGEST_PARAM_XOF), size_t{0}) &&
         write(find(params, OSSL_DIGEST_PARAM_ALGID_ABSENT), size_t{0});
}

template <size_t i>
const OSSL_ALGORITHM& algorithm() noexcept {
  static const OSSL_DISPATCH kFunctions[] = {
      entry(OSSL_FUNC_DIGEST_NEWCTX,
            +[](void* provider) noexcept -> void* { return make<Digest>(*static_cast<Provider*>(provider), kDigests[i]); }),
      entry(OSSL_FUNC_DIGEST_FREECTX, freectx),
      entry(OSSL_FUNC_DIGEST_DUPCTX, dupctx),
      entry(OSSL_FUNC_DIGEST_INIT, init),
      entry(OSSL_FUNC_DIGEST_UPDATE, update),
      entry(OSSL_FUNC_DIGEST_FINAL, final),
      entry(OSSL_FUNC_DIGEST_GET_PARAMS, +[](OSSL_PARAM params[]) noexcept { return get_params(kDigests[i], params); }),
      entry(OSSL_FUNC_DIGEST_GETTABLE_PARAMS, gettable_params),
      {0, nullptr}};
  static const OSSL_ALGORITHM kAlgorithm = {kDigests[i].names, "provider=vershina", kFunctions, nullptr};
  return kAlgorithm;
}

}  // namespace

const OSSL_ALGORITHM* digests() noexcept {
  static const auto all = []<size_t... i>(std::index_sequence<i...>) {
    return std::array<OSSL_ALGORITHM, sizeof...(i) + 1>{algorithm<i>()..., OSSL_ALGORITHM{}};
  }(std::make_index_sequence<std::size(kDigests)>());
  return all.data();
}

}  // namespace vsh::openssl
