// OSSL_PARAM without libcrypto: a module that needs no symbol of the library that loads it runs in every program.
#pragma once

#include <openssl/core.h>
#include <vershina/vershina.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace vsh::openssl {

using Bytes = std::span<const uint8_t>;

// Returns the parameter of that name, or null. params may be null.
const OSSL_PARAM* find(const OSSL_PARAM* params, const char* key) noexcept;
inline OSSL_PARAM* find(OSSL_PARAM* params, const char* key) noexcept {
  return const_cast<OSSL_PARAM*>(find(static_cast<const OSSL_PARAM*>(params), key));
}

// The parameters of a cipher in CMS, as DER: the name up to OpenSSL 3.3, and the one from 3.4 on. A program built for
// either queries one or both, independent of the provider's headers.
inline constexpr const char* kParamCms[] = {"alg_id_param", "algorithm-id-params"};
inline const OSSL_PARAM* find_cms(const OSSL_PARAM* params) noexcept {
  const OSSL_PARAM* const p = find(params, kParamCms[1]);
  return p ? p : find(params, kParamCms[0]);
}

// Returns false if the parameter is not of that kind, or does not fit.
bool read(const OSSL_PARAM& p, size_t& value) noexcept;  // an integer of 1 to 8 bytes, not negative
bool read(const OSSL_PARAM& p, Bytes& value) noexcept;
bool read(const OSSL_PARAM& p, std::string_view& value) noexcept;
bool read(const OSSL_PARAM& p, vsh_sbox& value) noexcept;  // by name or object identifier

// Number and suite of TLS records, by the names and forms of the GOST engine's patch of OpenSSL. That patch turns
// EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_TLSTREE, argument, seq) into an octet string whose length is the argument, 0 or 1,
// not that of the data. So for these parameters alone a length of 0 with a pointer stands for the data's own length.
inline constexpr const char *kParamTlsTree = "tlstree", *kParamTlsTreeMode = "tlstree_mode";
// 8 bytes, big-endian. takes_next: a length of 1 means that seqnum is one less than the number in the 8 bytes, which
// OpenSSL's TLS 1.2 has already counted on (gostprov: "decrement").
bool read_seqnum(const OSSL_PARAM& p, uint64_t& seqnum, bool takes_next) noexcept;
// "light" or "strong".
bool read_tlstree_mode(const OSSL_PARAM& p, bool& strong) noexcept;

// Returns true without a parameter (p is null) and if the caller only queries the size; false if there is no room.
bool write(OSSL_PARAM* p, size_t value) noexcept;
bool write(OSSL_PARAM* p, Bytes value) noexcept;
bool write(OSSL_PARAM* p, const char* value) noexcept;  // static storage

// Entries of the tables of supported parameters.
constexpr OSSL_PARAM describe(const char* key, unsigned type, size_t size = 0) noexcept {
  return {key, type, nullptr, size, 0};
}
constexpr OSSL_PARAM size_param(const char* key) noexcept {
  return describe(key, OSSL_PARAM_UNSIGNED_INTEGER, sizeof(size_t));
}
constexpr OSSL_PARAM uint_param(const char* key) noexcept {
  return describe(key, OSSL_PARAM_UNSIGNED_INTEGER, sizeof(unsigned));
}
constexpr OSSL_PARAM bytes_param(const char* key) noexcept { return describe(key, OSSL_PARAM_OCTET_STRING); }
constexpr OSSL_PARAM text_param(const char* key) noexcept { return describe(key, OSSL_PARAM_UTF8_STRING); }
constexpr OSSL_PARAM text_pointer_param(const char* key) noexcept { return describe(key, OSSL_PARAM_UTF8_PTR); }
inline constexpr OSSL_PARAM kEndOfParams = {nullptr, 0, nullptr, 0, 0};

}  // namespace vsh::openssl
