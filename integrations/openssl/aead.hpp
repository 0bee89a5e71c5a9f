// Authenticated encryption: MGM, and CTR-ACPKM with OMAC as in CMS.
#pragma once

#include <openssl/evp.h>

#include "params.hpp"
#include "provider.hpp"
#include "record_keys.hpp"

namespace vsh::openssl {

struct AeadInfo {
  const char* names;
  vsh_aead_algorithm algorithm;
  unsigned evp_mode;
  unsigned iv_len;   // bytes, of the whole nonce
  unsigned tag_len;  // bytes of the longest tag
  bool is_mgm;
  vsh_tlstree_suite light, strong;  // of RFC 9367; none for CMS
  static constexpr unsigned block = 1, key_len = VSH_KEY_LEN;
  static constexpr bool is_aead = true;
};

// MGM's object identifiers are those of the GOST engine's patch of OpenSSL.
// OMAC's nonce is the UKM of CMS. (The GOST engine takes only the IV and draws the rest at random, invisible to EVP.)
inline constexpr AeadInfo kAeads[] = {
    {"kuznyechik-mgm:1.2.643.7.1.1.5.2.3", VSH_KUZNYECHIK_MGM, EVP_CIPH_STREAM_CIPHER, 16, 16, true,
     VSH_TLSTREE_KUZNYECHIK_MGM_L, VSH_TLSTREE_KUZNYECHIK_MGM_S},
    {"magma-mgm:1.2.643.7.1.1.5.1.3", VSH_MAGMA_MGM, EVP_CIPH_STREAM_CIPHER, 8, 8, true, VSH_TLSTREE_MAGMA_MGM_L,
     VSH_TLSTREE_MAGMA_MGM_S},
    {"kuznyechik-ctr-acpkm-omac:1.2.643.7.1.1.5.2.2",
     VSH_KUZNYECHIK_CTR_ACPKM_OMAC,
     EVP_CIPH_CTR_MODE,
     16,
     16,
     false,
     {},
     {}},
    {"magma-ctr-acpkm-omac:1.2.643.7.1.1.5.1.2", VSH_MAGMA_CTR_ACPKM_OMAC, EVP_CIPH_CTR_MODE, 12, 8, false, {}, {}},
};

struct AeadState {
  bool is_keyed = false;    // the library's context has this key and tag length
  bool is_started = false;  // and is within a message
  bool encrypts = true, has_key = false, has_nonce = false;
  bool has_tag = false;  // to be compared with, or of the message that was encrypted last
  size_t tag_len = 0;
  size_t section_len = 0;
  uint8_t key[VSH_KEY_LEN] = {};
  uint8_t nonce[VSH_AEAD_MAX_NONCE_LEN] = {};
  uint8_t tag[VSH_AEAD_MAX_TAG_LEN] = {};
};

struct Aead : AeadState {
  Aead(const Provider& provider, const AeadInfo& info) noexcept : provider(provider), info(info), records(provider) {
    tag_len = info.tag_len;
  }

  const Provider& provider;
  const AeadInfo& info;
  RecordKeys records;  // once tlstree_mode is set, messages are TLS 1.3 records and `key` is the root of the tree
  Owned<vsh_aead> work;

  int init(const uint8_t* new_key, size_t key_len, const uint8_t* iv, size_t iv_len, const OSSL_PARAM* params,
           bool encrypt) noexcept;
  // Associated data if out is null.
  int update(uint8_t* out, size_t* out_len, size_t capacity, const uint8_t* in, size_t in_len) noexcept;
  int final(uint8_t* out, size_t* out_len, size_t capacity) noexcept;
  int cipher(uint8_t* out, size_t* out_len, size_t capacity, const uint8_t* in, size_t in_len) noexcept;
  int get(OSSL_PARAM* params) noexcept;
  int set(const OSSL_PARAM* params) noexcept;
  Aead* copy() const noexcept;

  static const OSSL_PARAM* gettable() noexcept;
  static const OSSL_PARAM* settable() noexcept;

 private:
  int begin() noexcept;
  int take_nonce(const uint8_t* iv) noexcept;
  int set_tag(const OSSL_PARAM& p) noexcept;
  int set_tag_len(size_t len) noexcept;
  int set_cms(const OSSL_PARAM& p) noexcept;
  int set_records(const OSSL_PARAM* params) noexcept;
  int set_seqnum(const OSSL_PARAM& p) noexcept;
  int set_others(const OSSL_PARAM* params) noexcept;
};

}  // namespace vsh::openssl
