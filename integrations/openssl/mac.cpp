// Message authentication codes: those of GOST R 34.13-2015, GOST 28147-89, and OMAC-ACPKM. (HMAC is OpenSSL's own, over
// this provider's digests.)
#include <openssl/core_names.h>

#include <array>
#include <cstring>
#include <iterator>
#include <utility>

#include "params.hpp"
#include "provider.hpp"
#include "record_keys.hpp"

namespace vsh::openssl {
namespace {

struct MacInfo {
  const char* names;
  vsh_mac_algorithm algorithm;
  unsigned block, size;  // bytes; size: default length of a tag
  vsh_sbox sbox = VSH_SBOX_DEFAULT;
  vsh_key_meshing meshing = VSH_MESHING_NONE;
  vsh_tlstree_suite tls = {};  // of RFC 9189
};

constexpr MacInfo kMacs[] = {
    {"kuznyechik-mac", VSH_KUZNYECHIK_MAC, 16, 16, VSH_SBOX_DEFAULT, VSH_MESHING_NONE, VSH_TLSTREE_KUZNYECHIK_CTR_OMAC},
    {"magma-mac", VSH_MAGMA_MAC, 8, 8, VSH_SBOX_DEFAULT, VSH_MESHING_NONE, VSH_TLSTREE_MAGMA_CTR_OMAC},
    {"gost-mac:1.2.643.2.2.22", VSH_GOST28147_IMIT, 8, 4, VSH_SBOX_CRYPTOPRO_A, VSH_MESHING_CRYPTOPRO},
    {"gost-mac-12", VSH_GOST28147_IMIT, 8, 4, VSH_SBOX_TC26_Z, VSH_MESHING_CRYPTOPRO},
    // OMAC-ACPKM is named after its cipher, as in the GOST engine's provider.
    {"kuznyechik-ctr-acpkm-omac:kuznyechik-omac-acpkm:1.2.643.7.1.1.5.2.2", VSH_KUZNYECHIK_OMAC_ACPKM, 16, 16},
    {"magma-ctr-acpkm-omac:magma-omac-acpkm:1.2.643.7.1.1.5.1.2", VSH_MAGMA_OMAC_ACPKM, 8, 8},
};

struct MacState {
  size_t size = 0;
  vsh_sbox sbox = VSH_SBOX_DEFAULT;
  vsh_key_meshing meshing = VSH_MESHING_NONE;
  size_t section_len = 0, master_section_len = 0;
  bool has_key = false, is_started = false;
  uint8_t key[VSH_KEY_LEN] = {};
};

// Key and parameters are set in any order before the first byte, which creates the library's context.
struct Mac : MacState {
  Mac(const Provider& provider, const MacInfo& info) noexcept : provider(provider), info(info), records(provider) {
    size = info.size;
    sbox = info.sbox;
    meshing = info.meshing;
  }
  const Provider& provider;
  const MacInfo& info;
  RecordKeys records;   // once tlstree is set, messages are of TLS 1.2 records and `key` is the root of the tree
  Owned<vsh_mac> work;  // under this key, with these parameters; none before they are used

  bool is_acpkm() const noexcept {
    return info.algorithm == VSH_KUZNYECHIK_OMAC_ACPKM || info.algorithm == VSH_MAGMA_OMAC_ACPKM;
  }
  int begin() noexcept;
  int set_key(Bytes bytes) noexcept;
  int set(const OSSL_PARAM* params) noexcept;
  int set_key_mesh(const OSSL_PARAM* params, const OSSL_PARAM& p) noexcept;
  int set_seqnum(const OSSL_PARAM& p) noexcept;
};

Mac& of(void* c) noexcept { return *static_cast<Mac*>(c); }

int Mac::begin() noexcept {
  if (!has_key) return provider.fail(kNoKey);
  if (records.lack_seqnum()) return provider.fail(kNoSeqnum);
  if (work) {
    if (const vsh_status s = vsh_mac_reset(work.get())) return provider.fail(s);
    return is_started = true;
  }
  vsh_options o = provider.options();
  o.sbox = sbox;
  o.key_meshing = meshing;
  o.section_len = section_len;
  o.master_section_len = master_section_len;
  vsh_mac* made = nullptr;
  const uint8_t* const k = records.suite ? records.key : key;
  if (const vsh_status s = vsh_mac_new(&made, info.algorithm, k, sizeof key, &o)) return provider.fail(s);
  work.reset(made);
  return is_started = true;
}

int Mac::set_key(Bytes bytes) noexcept {
  if (bytes.size() != sizeof key) return provider.fail(VSH_E_KEY_LENGTH);
  std::memcpy(key, bytes.data(), sizeof key);
  has_key = true;
  is_started = false;
  records.choose({});
  work.reset();
  return 1;
}

// A number that is refused leaves none.
int Mac::set_seqnum(const OSSL_PARAM& p) noexcept {
  if (!info.tls) return provider.fail(kParameter);
  records.expect();
  if (is_started) return provider.fail(kInMessage);
  uint64_t seqnum;
  if (!read_seqnum(p, seqnum, false)) return provider.fail(kParameter);
  if (!has_key) return provider.fail(kNoKey);
  if (records.suite != info.tls) work.reset();
  records.choose(info.tls);
  bool is_new;
  if (!records.set(seqnum, key, is_new)) return 0;
  if (is_new) work.reset();
  return 1;
}

// The section's length of OMAC-ACPKM (and, with cipher-key-mesh, the master key's); of GOST 28147-89 0 or 1.
int Mac::set_key_mesh(const OSSL_PARAM* params, const OSSL_PARAM& p) noexcept {
  size_t value, master = 0;
  if (!read(p, value)) return provider.fail(kParameter);
  if (const OSSL_PARAM* const m = find(params, kParamCipherKeyMesh)) {
    if (!is_acpkm() || !read(*m, master)) return provider.fail(kParameter);
  }
  if (is_started) return provider.fail(kInMessage);
  if (info.algorithm == VSH_GOST28147_IMIT && value <= 1) {
    meshing = value ? VSH_MESHING_CRYPTOPRO : VSH_MESHING_NONE;
  } else {
    if (!is_acpkm() || !value || value % info.block || master % info.block) return provider.fail(VSH_E_SECTION);
    section_len = value;
    if (master) master_section_len = master;
  }
  work.reset();
  return 1;
}

int Mac::set(const OSSL_PARAM* params) noexcept {
  // Also if a parameter before it is refused.
  if (info.tls && find(params, kParamTlsTree)) records.expect();
  if (const OSSL_PARAM* const p = find(params, OSSL_MAC_PARAM_SIZE)) {
    size_t value;
    if (!read(*p, value) || value < 1 || value > vsh_mac_max_len(info.algorithm))
      return provider.fail(VSH_E_TAG_LENGTH);
    size = value;
  }
  if (const OSSL_PARAM* const p = find(params, kParamKeyMesh)) {
    if (!set_key_mesh(params, *p)) return 0;
  }
  if (const OSSL_PARAM* const p = find(params, kParamSbox)) {
    if (info.algorithm != VSH_GOST28147_IMIT || !read(*p, sbox)) return provider.fail(VSH_E_SBOX);
    if (is_started) return provider.fail(kInMessage);
    work.reset();
  }
  if (const OSSL_PARAM* const p = find(params, OSSL_MAC_PARAM_KEY)) {
    Bytes bytes;
    if (!read(*p, bytes)) return provider.fail(kParameter);
    if (!set_key(bytes)) return 0;
  }
  const OSSL_PARAM* const p = find(params, kParamTlsTree);
  return p ? set_seqnum(*p) : 1;
}

void freectx(void* c) noexcept { destroy(static_cast<Mac*>(c)); }

void* dupctx(void* from) noexcept {
  const Mac& c = of(from);
  vsh_mac* twin = nullptr;
  if (c.work) {
    if (const vsh_status s = vsh_mac_copy(&twin, c.work.get())) return c.provider.fail(s), nullptr;
  }
  Mac* const copy = make<Mac>(c.provider, c.info);
  if (!copy) return vsh_mac_free(twin), nullptr;
  static_cast<MacState&>(*copy) = c;
  copy->records.copy_from(c.records);
  copy->work.reset(twin);
  return copy;
}

int init(void* context, const unsigned char* key, size_t key_len, const OSSL_PARAM params[]) noexcept {
  Mac& c = of(context);
  c.is_started = false;
  return (!key || c.set_key({key, key_len})) && c.set(params);
}

int update(void* context, const unsigned char* in, size_t in_len) noexcept {
  Mac& c = of(context);
  if (!c.is_started && !c.begin()) return 0;
  return c.provider.done(vsh_mac_update(c.work.get(), in, in_len));
}

int final(void* context, unsigned char* out, size_t* out_len, size_t capacity) noexcept {
  Mac& c = of(context);
  *out_len = c.size;
  if (!out) return 1;
  if (capacity < c.size) return c.provider.fail(VSH_E_CAPACITY);
  if (!c.is_started && !c.begin()) return 0;
  c.is_started = false;
  return c.provider.done(vsh_mac_final(c.work.get(), out, c.size));
}

const OSSL_PARAM* gettable_params(void*) noexcept {
  static constexpr OSSL_PARAM kParams[] = {size_param(OSSL_MAC_PARAM_SIZE), size_param(OSSL_MAC_PARAM_BLOCK_SIZE),
                                           size_param("keylen"), kEndOfParams};
  return kParams;
}
const OSSL_PARAM* gettable_ctx_params(void*, void*) noexcept { return gettable_params(nullptr); }

int get(const MacInfo& info, size_t size, OSSL_PARAM params[]) noexcept {
  return write(find(params, OSSL_MAC_PARAM_SIZE), size) &&
         write(find(params, OSSL_MAC_PARAM_BLOCK_SIZE), size_t{info.block}) &&
         write(find(params, "keylen"), size_t{VSH_KEY_LEN});
}
int get_ctx_params(void* c, OSSL_PARAM params[]) noexcept { return get(of(c).info, of(c).size, params); }

const OSSL_PARAM* settable_ctx_params(void*, void*) noexcept {
  static constexpr OSSL_PARAM kParams[] = {size_param(OSSL_MAC_PARAM_SIZE),
                                           bytes_param(OSSL_MAC_PARAM_KEY),
                                           size_param(kParamKeyMesh),
                                           size_param(kParamCipherKeyMesh),
                                           text_param(kParamSbox),
                                           bytes_param(kParamTlsTree),
                                           kEndOfParams};
  return kParams;
}
int set_ctx_params(void* c, const OSSL_PARAM params[]) noexcept { return of(c).set(params); }

template <size_t i>
const OSSL_ALGORITHM& algorithm() noexcept {
  static const OSSL_DISPATCH kFunctions[] = {
      entry(
          OSSL_FUNC_MAC_NEWCTX,
          +[](void* provider) noexcept -> void* { return make<Mac>(*static_cast<Provider*>(provider), kMacs[i]); }),
      entry(OSSL_FUNC_MAC_FREECTX, freectx),
      entry(OSSL_FUNC_MAC_DUPCTX, dupctx),
      entry(OSSL_FUNC_MAC_INIT, init),
      entry(OSSL_FUNC_MAC_UPDATE, update),
      entry(OSSL_FUNC_MAC_FINAL, final),
      entry(
          OSSL_FUNC_MAC_GET_PARAMS, +[](OSSL_PARAM params[]) noexcept { return get(kMacs[i], kMacs[i].size, params); }),
      entry(OSSL_FUNC_MAC_GETTABLE_PARAMS, gettable_params),
      entry(OSSL_FUNC_MAC_GET_CTX_PARAMS, get_ctx_params),
      entry(OSSL_FUNC_MAC_GETTABLE_CTX_PARAMS, gettable_ctx_params),
      entry(OSSL_FUNC_MAC_SET_CTX_PARAMS, set_ctx_params),
      entry(OSSL_FUNC_MAC_SETTABLE_CTX_PARAMS, settable_ctx_params),
      {0, nullptr}};
  static const OSSL_ALGORITHM kAlgorithm = {kMacs[i].names, "provider=vershina", kFunctions, nullptr};
  return kAlgorithm;
}

}  // namespace

const OSSL_ALGORITHM* macs() noexcept {
  static const auto all = []<size_t... i>(std::index_sequence<i...>) {
    return std::array<OSSL_ALGORITHM, sizeof...(i) + 1>{algorithm<i>()..., OSSL_ALGORITHM{}};
  }
  (std::make_index_sequence<std::size(kMacs)>());
  return all.data();
}

}  // namespace vsh::openssl
