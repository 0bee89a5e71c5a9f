// OSSL_provider_init: what OpenSSL sees of the module, its configuration and its errors.
#include "provider.hpp"

#include <openssl/core_names.h>

#include <cstdarg>
#include <cstring>
#include <string_view>

#include "params.hpp"

namespace vsh::openssl {
namespace {

constexpr unsigned kNumStatuses = VSH_E_RANDOM + 1;

struct OwnReason {
  Reason id;
  const char* text;
};
constexpr OwnReason kReasons[] = {
    {kNoKey, "no key is set"},
    {kNoIv, "no IV is set"},
    {kNoTag, "no tag is set, or there is none yet"},
    {kInMessage, "this cannot be changed within a message"},
    {kOverlap, "output overlaps input that is still to be read"},
    {kParameter, "a parameter has the wrong type, or a value that is not allowed"},
    {kConfiguration, "vershina's section of the configuration has a value that is not allowed"},
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
  const std::string_view word = text;
  flag = word == "yes" || word == "true" || word == "on" || word == "1";
  return flag || word == "no" || word == "false" || word == "off" || word == "0";
}

bool read_threads(const char* text, unsigned& threads) noexcept {
  threads = 0;
  for (; *text; ++text) {
    if (*text < '0' || *text > '9' || threads > 1000) return false;
    threads = 10 * threads + static_cast<unsigned>(*text - '0');
  }
  return true;
}

// The words of the provider's section, all optional.
bool read_configuration(Provider& p) noexcept {
  char *input = nullptr, *tables = nullptr, *threads = nullptr;
  const auto word = [](const char* key, char** value) {
    return OSSL_PARAM{key, OSSL_PARAM_UTF8_PTR, value, 0, 0};
  };
  OSSL_PARAM words[] = {word("public-input", &input), word("allow-tables", &tables), word("threads", &threads), kEndOfParams};
  if (!p.get_params(p.core, words)) return false;
  if (input && !read_flag(input, p.input_is_public)) return false;
  if (tables && !read_flag(tables, p.allows_tables)) return false;
  if (threads && (!*threads || !read_threads(threads, p.threads))) return false;
  return true;
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

int Provider::fail(unsigned reason, std::source_location at) const noexcept {
  new_error(core);
  set_error_debug(core, at.file_name(), static_cast<int>(at.line()), at.function_name());
  raise(*this, reason, nullptr);
  return 0;
}

}  // namespace vsh::openssl

extern "C" __attribute__((visibility("default"))) int OSSL_provider_init(const OSSL_CORE_HANDLE* core,
                                                                         const OSSL_DISPATCH* in,
                                                                         const OSSL_DISPATCH** out,
                                                                         void** context) {
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
  if (!read_configuration(*provider)) return provider->fail(kConfiguration);
  *out = kFunctions;
  *context = provider.release();
  return 1;
}
