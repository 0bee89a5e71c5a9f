// Key derivation: KDF_TREE_GOSTR3411_2012_256 (RFC 7836 4.4) and TLSTREE (RFC 9189 8.1, RFC 9367 4.1.2).
//
//   KDF-TREE   key, label, seed (octets), r: bytes of the counter, 1 (the default) to 4
//   TLSTREE    key (32 bytes), suite ("kuznyechik-ctr-omac", ...: vsh_tlstree_name), seqnum: the record's number
#include <openssl/core_names.h>

#include <array>
#include <cstring>
#include <memory>

#include "params.hpp"
#include "provider.hpp"

namespace vsh::openssl {
namespace {

constexpr const char *kParamLabel = "label", *kParamCounterLen = "r", *kParamSuite = "suite", *kParamSeqnum = "seqnum";

// Octets that EVP sets at any time before the derivation. Erased on destruction.
struct Octets {
  explicit Octets(const Provider& provider) noexcept : provider(provider) {}
  Octets(const Octets&) = delete;
  Octets& operator=(const Octets&) = delete;
  ~Octets() { clear(); }

  void clear() noexcept {
    provider.clear_free(data, len, __FILE__, __LINE__);
    data = nullptr;
    len = 0;
    given = false;
  }
  int set(Bytes bytes) noexcept {
    auto* const fresh = static_cast<uint8_t*>(provider.zalloc(bytes.size() + 1, __FILE__, __LINE__));
    if (!fresh) return provider.fail(VSH_E_MEMORY);
    if (!bytes.empty()) std::memcpy(fresh, bytes.data(), bytes.size());
    clear();
    data = fresh;
    len = bytes.size();
    return given = true;
  }

  const Provider& provider;
  uint8_t* data = nullptr;
  size_t len = 0;
  bool given = false;
};

struct Kdf {
  explicit Kdf(const Provider& provider) noexcept : provider(provider) {}
  const Provider& provider;
  Octets key{provider}, label{provider}, seed{provider};
  size_t counter_len = 1;
  size_t seqnum = 0;
  vsh_tlstree_suite suite = VSH_TLSTREE_KUZNYECHIK_CTR_OMAC;
};

Kdf& of(void* c) noexcept { return *static_cast<Kdf*>(c); }

void* newctx(void* provider) noexcept { return make<Kdf>(*static_cast<Provider*>(provider)); }
void freectx(void* c) noexcept { destroy(static_cast<Kdf*>(c)); }

void reset(void* context) noexcept {
  Kdf& c = of(context);
  for (Octets* octets : {&c.key, &c.label, &c.seed}) octets->clear();
  c.counter_len = 1;
  c.seqnum = 0;
  c.suite = VSH_TLSTREE_KUZNYECHIK_CTR_OMAC;
}

void* dupctx(void* from) noexcept {
  const Kdf& c = of(from);
  Kdf* const copy = make<Kdf>(c.provider);
  if (!copy) return nullptr;
  for (Octets Kdf::*octets : {&Kdf::key, &Kdf::label, &Kdf::seed}) {
    const Octets& o = c.*octets;
    if (o.given && !(copy->*octets).set({o.data, o.len})) return destroy(copy), nullptr;
  }
  copy->counter_len = c.counter_len;
  copy->seqnum = c.seqnum;
  copy->suite = c.suite;
  return copy;
}

int set_octets(Octets& octets, const OSSL_PARAM* p) noexcept {
  if (!p) return 1;
  Bytes bytes;
  return read(*p, bytes) ? octets.set(bytes) : octets.provider.fail(kParameter);
}

int set_size(const Provider& provider, size_t& value, const OSSL_PARAM* p) noexcept {
  return !p || read(*p, value) ? 1 : provider.fail(kParameter);
}

int set_suite(Kdf& c, const OSSL_PARAM* p) noexcept {
  if (!p) return 1;
  std::string_view text;
  char name[64] = {};
  if (!read(*p, text) || text.size() >= sizeof name) return c.provider.fail(kParameter);
  std::memcpy(name, text.data(), text.size());
  return c.provider.done(vsh_tlstree_by_name(&c.suite, name));
}

int set_ctx_params(void* context, const OSSL_PARAM params[]) noexcept {
  Kdf& c = of(context);
  return set_octets(c.key, find(params, OSSL_KDF_PARAM_KEY)) && set_octets(c.label, find(params, kParamLabel)) &&
         set_octets(c.seed, find(params, OSSL_KDF_PARAM_SEED)) &&
         set_size(c.provider, c.counter_len, find(params, kParamCounterLen)) &&
         set_size(c.provider, c.seqnum, find(params, kParamSeqnum)) && set_suite(c, find(params, kParamSuite));
}

int derive_tree(void* context, unsigned char* out, size_t out_len, const OSSL_PARAM params[]) noexcept {
  Kdf& c = of(context);
  if (!set_ctx_params(context, params)) return 0;
  if (!c.key.given) return c.provider.fail(kNoKey);
  if (c.counter_len > 4) return c.provider.fail(VSH_E_PARAMETERS);
  const vsh_options o = c.provider.options();
  return c.provider.done(vsh_kdf_tree(out, out_len, c.key.data, c.key.len, static_cast<unsigned>(c.counter_len),
                                      c.label.data, c.label.len, c.seed.data, c.seed.len, &o));
}

int derive_tlstree(void* context, unsigned char* out, size_t out_len, const OSSL_PARAM params[]) noexcept {
  Kdf& c = of(context);
  if (!set_ctx_params(context, params)) return 0;
  if (!c.key.given) return c.provider.fail(kNoKey);
  const vsh_options o = c.provider.options();
  vsh_tlstree* tree = nullptr;
  if (const vsh_status s = vsh_tlstree_new(&tree, c.suite, c.key.data, c.key.len, &o)) return c.provider.fail(s);
  const Owned<vsh_tlstree> owner(tree);
  return c.provider.done(vsh_tlstree_key(tree, out, out_len, c.seqnum));
}

const OSSL_PARAM* settable_tree(void*, void*) noexcept {
  static constexpr OSSL_PARAM kParams[] = {bytes_param(OSSL_KDF_PARAM_KEY), bytes_param(kParamLabel),
                                           bytes_param(OSSL_KDF_PARAM_SEED), size_param(kParamCounterLen),
                                           kEndOfParams};
  return kParams;
}
const OSSL_PARAM* settable_tlstree(void*, void*) noexcept {
  static constexpr OSSL_PARAM kParams[] = {bytes_param(OSSL_KDF_PARAM_KEY), text_param(kParamSuite),
                                           size_param(kParamSeqnum), kEndOfParams};
  return kParams;
}

const OSSL_PARAM* gettable_ctx_params(void*, void*) noexcept {
  static constexpr OSSL_PARAM kParams[] = {size_param(OSSL_KDF_PARAM_SIZE), kEndOfParams};
  return kParams;
}
// The most bytes that can be derived.
template <size_t kSize>
int get_ctx_params(void*, OSSL_PARAM params[]) noexcept {
  return write(find(params, OSSL_KDF_PARAM_SIZE), kSize);
}

template <class Derive, class Settable, class Get>
std::array<OSSL_DISPATCH, 10> functions(Derive derive, Settable settable, Get get) noexcept {
  return {entry(OSSL_FUNC_KDF_NEWCTX, newctx),
          entry(OSSL_FUNC_KDF_FREECTX, freectx),
          entry(OSSL_FUNC_KDF_DUPCTX, dupctx),
          entry(OSSL_FUNC_KDF_RESET, reset),
          entry(OSSL_FUNC_KDF_DERIVE, derive),
          entry(OSSL_FUNC_KDF_SET_CTX_PARAMS, set_ctx_params),
          entry(OSSL_FUNC_KDF_SETTABLE_CTX_PARAMS, settable),
          entry(OSSL_FUNC_KDF_GET_CTX_PARAMS, get),
          entry(OSSL_FUNC_KDF_GETTABLE_CTX_PARAMS, gettable_ctx_params),
          OSSL_DISPATCH{0, nullptr}};
}

}  // namespace

const OSSL_ALGORITHM* kdfs() noexcept {
  static const auto tree = functions(derive_tree, settable_tree, get_ctx_params<SIZE_MAX>);
  static const auto tlstree = functions(derive_tlstree, settable_tlstree, get_ctx_params<VSH_KDF_LEN>);
  static const OSSL_ALGORITHM all[] = {
      {"KDF-TREE:KDF_TREE_GOSTR3411_2012_256", "provider=vershina", tree.data(), nullptr},
      {"TLSTREE", "provider=vershina", tlstree.data(), nullptr},
      {nullptr, nullptr, nullptr, nullptr}};
  return all;
}

}  // namespace vsh::openssl
