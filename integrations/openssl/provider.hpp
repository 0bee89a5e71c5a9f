// Shared by the parts of the provider: the core's functions, the configuration, errors, and memory for contexts.
#pragma once

#include <openssl/core.h>
#include <openssl/core_dispatch.h>
#include <vershina/vershina.h>

#include <memory>
#include <new>

namespace vsh::openssl {

// The provider's own reasons; lower values are vsh_status.
enum Reason {
  kNoKey = 100,
  kNoIv,
  kNoTag,
  kFirstBit,
  kInMessage,
  kOverlap,
  kParameter,
  kCmsParameters,
  kConfiguration,
  kNoTlsTreeMode,
  kNoSeqnum,
  kNoUpdatedIv,
};

// A place in the sources. (Clang 14 has no std::source_location.)
struct Place {
  const char* file;
  int line;
  const char* function;
  static constexpr Place here(const char* file = __builtin_FILE(), int line = __builtin_LINE(),
                              const char* function = __builtin_FUNCTION()) noexcept {
    return {file, line, function};
  }
};

// One for each library context that has loaded the module.
struct Provider {
  const OSSL_CORE_HANDLE* core = nullptr;
  OSSL_FUNC_core_get_params_fn* get_params = nullptr;
  OSSL_FUNC_core_new_error_fn* new_error = nullptr;
  OSSL_FUNC_core_set_error_debug_fn* set_error_debug = nullptr;
  OSSL_FUNC_core_vset_error_fn* vset_error = nullptr;
  OSSL_FUNC_CRYPTO_zalloc_fn* zalloc = nullptr;
  OSSL_FUNC_CRYPTO_clear_free_fn* clear_free = nullptr;
  OSSL_FUNC_OPENSSL_cleanse_fn* cleanse = nullptr;

  // The provider's section of the configuration file.
  unsigned threads = 1;
  bool input_is_public = false;
  bool allows_tables = false;
  bool ignores_first_bit = false;  // of MGM's nonces
  // CRYPT_PARAMS of the environment, which selects the S-boxes of gost89 and gost89-cbc, as in the GOST engine's
  // provider. An unknown name selects no set, so that these ciphers fail.
  vsh_sbox crypt_params = VSH_SBOX_TC26_Z;

  // Returns options for the library's functions.
  vsh_options options() const noexcept;

  // Raises an error in the core's queue; reason: a vsh_status or a Reason. Returns 0, for use in a return statement.
  int fail(unsigned reason, Place at = Place::here()) const noexcept;
  // Likewise for a word of the configuration. OpenSSL has no texts of reasons before the provider is loaded.
  int refuse_word(const char* word, const char* value, const char* wanted) const noexcept;
  // Returns 1 for VSH_OK, else fail().
  int done(vsh_status status, Place at = Place::here()) const noexcept {
    return status == VSH_OK ? 1 : fail(status, at);
  }
};

// Contexts lie in memory of the core, which erases it when it is freed. They have a member Provider& provider.
template <class Context, class... Args>
Context* make(const Provider& provider, Args&&... args) noexcept {
  void* const p = provider.zalloc(sizeof(Context), __FILE__, __LINE__);
  if (!p) provider.fail(VSH_E_MEMORY);
  return p ? new (p) Context(provider, static_cast<Args&&>(args)...) : nullptr;
}

template <class Context>
void destroy(Context* c) noexcept {
  if (!c) return;
  const Provider& provider = c->provider;
  c->~Context();
  provider.clear_free(c, sizeof(Context), __FILE__, __LINE__);
}

// Owning pointers to the library's contexts.
struct Free {
  void operator()(vsh_cipher* c) const noexcept { vsh_cipher_free(c); }
  void operator()(vsh_aead* c) const noexcept { vsh_aead_free(c); }
  void operator()(vsh_mac* c) const noexcept { vsh_mac_free(c); }
  void operator()(vsh_hash* c) const noexcept { vsh_hash_free(c); }
  void operator()(vsh_tlstree* c) const noexcept { vsh_tlstree_free(c); }
};
template <class T>
using Owned = std::unique_ptr<T, Free>;

// Parameters without a name in OpenSSL, named as in the GOST engine's provider, and that of the S-box set.
inline constexpr const char* kParamKeyMesh = "key-mesh";
inline constexpr const char* kParamCipherKeyMesh = "cipher-key-mesh";
inline constexpr const char* kParamSbox = "sbox";  // "cryptopro-a", or the id-... name: vsh_sbox_by_name

// Entries of dispatch tables: OpenSSL stores functions of all types as one type.
template <class Function>
OSSL_DISPATCH entry(int id, Function* function) noexcept {
  return {id, reinterpret_cast<void (*)()>(function)};
}

// The algorithms of each operation, terminated by a null name.
const OSSL_ALGORITHM* ciphers() noexcept;
const OSSL_ALGORITHM* digests() noexcept;
const OSSL_ALGORITHM* macs() noexcept;
const OSSL_ALGORITHM* kdfs() noexcept;

}  // namespace vsh::openssl
