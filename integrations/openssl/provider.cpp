// OSSL_provider_init: the module's interface to OpenSSL, its configuration and its errors.
#include "provider.hpp"

#include <openssl/core_names.h>

#include <cstdarg>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "cms_parameters.hpp"
#include "params.hpp"

namespace vsh::openssl {
namespace {

constexpr auto kNoSbox = static_cast<vsh_sbox>(VSH_SBOX_CUSTOM + 1);
constexpr unsigned kNumStatuses = VSH_E_RANDOM + 1;

struct OwnReason {
  Reason id;
  const char* text;
};
constexpr OwnReason kReasons[] = {
    {kNoKey, "no key is set"},
    {kNoIv, "no IV is set"},
    {kNoTag, "no tag is set, or there is none yet"},
    {kFirstBit,
     "the first bit of an MGM nonce is 1 (RFC 9058 has it 0): ignore-first-bit = yes in vershina's section of the "
     "configuration ignores it, as gostprov does"},
    {kInMessage, "this cannot be changed within a message"},
    {kOverlap, "output overlaps input that is still to be read"},
    {kParameter, "a parameter has the wrong type, or a value that is not allowed"},
    {kCmsParameters, "the AlgorithmIdentifier's parameters are not those of this algorithm"},
    {kConfiguration, "vershina's section of the configuration has a value that is not allowed"},
    {kNoTlsTreeMode, "tlstree needs tlstree_mode, light or strong, to be set before it"},
    {kNoUpdatedIv,
     "there is no IV with which an init goes on here: within a block, in counter modes, or with key meshing"},
    {kNoSeqnum, "no record's sequence number (tlstree) is set under this key"},
};

const OSSL_ITEM* reason_strings(void*) noexcept {
  static OSSL_ITEM items[kNumStatuses + std::size(kReasons)];
  static const OSSL_ITEM* const filled = [] {
    OSSL_ITEM* next = items;
    for (unsigned status = 1; status < kNumStatuses; ++status)
      *next++ = {status, const_cast<char*>(vsh_status_message(static_cast<vsh_status>(status)))};
    for (const OwnReason& r : kReasons) *next++ = {r.id, const_cast<char*>(r.text)};
    return items;
  }();
  return filled;
}

void raise(const Provider& provider, unsigned reason, const char* format, ...) noexcept {
  va_list arguments;
  va_start(arguments, format);
  provider.vset_error(provider.core, reason, format, arguments);
  va_end(arguments);
}

void take_functions(Provider& p, const OSSL_DISPATCH* in) noexcept {
  for (; in->function_id; ++in) switch (in->function_id) {
      case OSSL_FUNC_CORE_GET_PARAMS: p.get_params = OSSL_FUNC_core_get_params(in); break;
      case OSSL_FUNC_CORE_NEW_ERROR: p.new_error = OSSL_FUNC_core_new_error(in); break;
      case OSSL_FUNC_CORE_SET_ERROR_DEBUG: p.set_error_debug = OSSL_FUNC_core_set_error_debug(in); break;
      case OSSL_FUNC_CORE_VSET_ERROR: p.vset_error = OSSL_FUNC_core_vset_error(in); break;
      case OSSL_FUNC_CRYPTO_ZALLOC: p.zalloc = OSSL_FUNC_CRYPTO_zalloc(in); break;
      case OSSL_FUNC_CRYPTO_CLEAR_FREE: p.clear_free = OSSL_FUNC_CRYPTO_clear_free(in); break;
      case OSSL_FUNC_OPENSSL_CLEANSE: p.cleanse = OSSL_FUNC_OPENSSL_cleanse(in); break;
      default: break;
    }
}

bool has_functions(const Provider& p) noexcept {
  return p.get_params && p.new_error && p.set_error_debug && p.vset_error && p.zalloc && p.clear_free && p.cleanse;
}

bool read_flag(const char* text, bool& flag) noexcept {
  flag = std::string_view(text) == "yes";
  return flag || std::string_view(text) == "no";
}

bool read_threads(const char* text, unsigned& threads) noexcept {
  threads = 0;
  for (; *text; ++text) {
    if (*text < '0' || *text > '9' || threads > 1000) return false;
    threads = 10 * threads + static_cast<unsigned>(*text - '0');
  }
  return true;
}

// The words of the provider's section, all optional. Returns 0 and raises an error for an invalid value.
int read_configuration(Provider& p) noexcept {
  struct Flag {
    const char* word;
    bool& value;
  } const flags[] = {{"public-input", p.input_is_public},
                     {"allow-tables", p.allows_tables},
                     {"ignore-first-bit", p.ignores_first_bit}};
  const auto value_of = [&p](const char* word, char*& value) {
    OSSL_PARAM words[] = {{word, OSSL_PARAM_UTF8_PTR, &value, 0, 0}, kEndOfParams};
    return p.get_params(p.core, words) ? 1 : p.fail(kConfiguration);
  };
  for (const Flag& flag : flags) {
    char* value = nullptr;
    if (!value_of(flag.word, value)) return 0;
    if (value && !read_flag(value, flag.value)) return p.refuse_word(flag.word, value, "yes or no");
  }
  char* threads = nullptr;
  if (!value_of("threads", threads)) return 0;
  if (threads && (!*threads || !read_threads(threads, p.threads)))
    return p.refuse_word("threads", threads, "a number, 0 for all processors");
  return 1;
}

const OSSL_ALGORITHM* query(void*, int operation, int* no_cache) noexcept {
  *no_cache = 0;
  switch (operation) {
    case OSSL_OP_CIPHER: return ciphers();
    case OSSL_OP_DIGEST: return digests();
    case OSSL_OP_MAC: return macs();
    case OSSL_OP_KDF: return kdfs();
    default: return nullptr;
  }
}

const OSSL_PARAM* gettable_params(void*) noexcept {
  static constexpr OSSL_PARAM kParams[] = {
      text_pointer_param(OSSL_PROV_PARAM_NAME), text_pointer_param(OSSL_PROV_PARAM_VERSION),
      text_pointer_param(OSSL_PROV_PARAM_BUILDINFO), uint_param(OSSL_PROV_PARAM_STATUS), kEndOfParams};
  return kParams;
}

int get_params(void*, OSSL_PARAM params[]) noexcept {
  return write(find(params, OSSL_PROV_PARAM_NAME), "Vershina: Russian symmetric cryptography") &&
         write(find(params, OSSL_PROV_PARAM_VERSION), vsh_version()) &&
         write(find(params, OSSL_PROV_PARAM_BUILDINFO), vsh_version()) &&
         write(find(params, OSSL_PROV_PARAM_STATUS), size_t{1});
}

void teardown(void* provider) noexcept { delete static_cast<Provider*>(provider); }

}  // namespace

vsh_options Provider::options() const noexcept {
  vsh_options o = VSH_OPTIONS_INIT;
  o.flags = (input_is_public ? VSH_INPUT_IS_PUBLIC : 0u) | (allows_tables ? VSH_ALLOW_TABLES : 0u);
  o.threads = threads;
  return o;
}

int Provider::fail(unsigned reason, Place at) const noexcept {
  new_error(core);
  set_error_debug(core, at.file, at.line, at.function);
  raise(*this, reason, nullptr);
  return 0;
}

int Provider::refuse_word(const char* word, const char* value, const char* wanted) const noexcept {
  new_error(core);
  raise(*this, kConfiguration, "%s = %s in vershina's section of the configuration: it must be %s", word, value,
        wanted);
  return 0;
}

}  // namespace vsh::openssl

extern "C" __attribute__((visibility("default"))) int OSSL_provider_init(const OSSL_CORE_HANDLE* core,
                                                                         const OSSL_DISPATCH* in,
                                                                         const OSSL_DISPATCH** out, void** context) {
  using namespace vsh::openssl;
  static const OSSL_DISPATCH kFunctions[] = {entry(OSSL_FUNC_PROVIDER_TEARDOWN, teardown),
                                             entry(OSSL_FUNC_PROVIDER_GETTABLE_PARAMS, gettable_params),
                                             entry(OSSL_FUNC_PROVIDER_GET_PARAMS, get_params),
                                             entry(OSSL_FUNC_PROVIDER_QUERY_OPERATION, query),
                                             entry(OSSL_FUNC_PROVIDER_GET_REASON_STRINGS, reason_strings),
                                             {0, nullptr}};
  std::unique_ptr<Provider> provider(new (std::nothrow) Provider);
  if (!provider) return 0;
  provider->core = core;
  take_functions(*provider, in);
  if (!has_functions(*provider)) return 0;
  if (const char* const set = secure_getenv("CRYPT_PARAMS"); set && *set && !find_sbox(set, provider->crypt_params))
    provider->crypt_params = kNoSbox;
  if (!read_configuration(*provider)) return 0;
  *out = kFunctions;
  *context = provider.release();
  return 1;
}
