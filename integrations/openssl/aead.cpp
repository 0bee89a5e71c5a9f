#include "aead.hpp"

#include <openssl/core_names.h>

#include <algorithm>
#include <cstring>

#include "cms_parameters.hpp"

namespace vsh::openssl {

int Aead::init(const uint8_t* new_key, size_t key_len, const uint8_t* iv, size_t iv_len, const OSSL_PARAM* params,
               bool encrypt) noexcept {
  if (new_key && key_len != sizeof key) return provider.fail(VSH_E_KEY_LENGTH);
  if (iv && iv_len != info.iv_len) return provider.fail(VSH_E_IV_LENGTH);
  is_started = false;
  has_tag = false;
  encrypts = encrypt;
  if (new_key) {
    std::memcpy(key, new_key, sizeof key);
    has_key = true;
    is_keyed = false;
    records.forget();
  }
  return set_records(params) && (!iv || take_nonce(iv)) && set_others(params);
}

// RFC 9058 section 4.1: the first bit is not part of MGM's nonce. Ignoring it, as in the GOST engine's provider, maps
// two IVs to one nonce, so that is off by default. In TLS records it is always ignored: RFC 9367 4.1.1 clears it in the
// sum of a static IV and the record's number, whose last bits tell the records apart.
int Aead::take_nonce(const uint8_t* iv) noexcept {
  has_nonce = false;
  if (info.is_mgm && iv[0] & 0x80 && !provider.ignores_first_bit && !records.suite) return provider.fail(kFirstBit);
  std::memcpy(nonce, iv, info.iv_len);
  if (info.is_mgm) nonce[0] &= 0x7f;
  return has_nonce = true;
}

// Called at the first byte of a message. A nonce is used once.
int Aead::begin() noexcept {
  if (!has_key) return provider.fail(kNoKey);
  if (!has_nonce) return provider.fail(kNoIv);
  if (records.lack_seqnum()) return provider.fail(kNoSeqnum);
  if (!is_keyed) {
    vsh_options o = provider.options();
    o.section_len = section_len;
    vsh_aead* made = nullptr;
    const uint8_t* const k = records.suite ? records.key : key;
    if (const vsh_status s = vsh_aead_new(&made, info.algorithm, k, sizeof key, tag_len, &o)) return provider.fail(s);
    work.reset(made);
    is_keyed = true;
  }
  if (const vsh_status s = vsh_aead_begin(work.get(), nonce, info.iv_len)) return provider.fail(s);
  has_nonce = false;
  return is_started = true;
}

int Aead::update(uint8_t* out, size_t* out_len, size_t capacity, const uint8_t* in, size_t in_len) noexcept {
  *out_len = 0;
  if (!is_started && !begin()) return 0;
  if (!out) {
    const vsh_status status = vsh_aead_add_data(work.get(), in, in_len);
    if (status == VSH_OK) *out_len = in_len;
    return provider.done(status);
  }
  if (capacity < in_len) return provider.fail(VSH_E_CAPACITY);
  // Required by EVP: decrypted data are not verified before EVP_DecryptFinal.
  const vsh_status status = encrypts ? vsh_aead_encrypt(work.get(), out, in, in_len)
                                     : vsh_aead_decrypt_unverified(work.get(), out, in, in_len);
  if (status == VSH_OK) *out_len = in_len;
  return provider.done(status);
}

int Aead::final(uint8_t*, size_t* out_len, size_t) noexcept {
  *out_len = 0;
  if (!is_started && !begin()) return 0;
  if (!encrypts && !has_tag) return provider.fail(kNoTag);
  is_started = false;
  if (!encrypts) {
    has_tag = false;
    return provider.done(vsh_aead_verify(work.get(), tag, tag_len));
  }
  const vsh_status status = vsh_aead_final(work.get(), tag, tag_len);
  has_tag = status == VSH_OK;
  return provider.done(status);
}

int Aead::cipher(uint8_t* out, size_t* out_len, size_t capacity, const uint8_t* in, size_t in_len) noexcept {
  return in ? update(out, out_len, capacity, in, in_len) : final(out, out_len, capacity);
}

Aead* Aead::copy() const noexcept {
  vsh_aead* twin = nullptr;
  if (work) {
    if (const vsh_status s = vsh_aead_copy(&twin, work.get())) return provider.fail(s), nullptr;
  }
  Aead* const c = make<Aead>(provider, info);
  if (!c) return vsh_aead_free(twin), nullptr;
  static_cast<AeadState&>(*c) = *this;
  c->records.copy_from(records);
  c->work.reset(twin);
  return c;
}

const OSSL_PARAM* Aead::gettable() noexcept {
  static constexpr OSSL_PARAM kParams[] = {size_param(OSSL_CIPHER_PARAM_KEYLEN),
                                           size_param(OSSL_CIPHER_PARAM_IVLEN),
                                           bytes_param(OSSL_CIPHER_PARAM_IV),
                                           bytes_param(OSSL_CIPHER_PARAM_UPDATED_IV),
                                           bytes_param(OSSL_CIPHER_PARAM_AEAD_TAG),
                                           size_param(OSSL_CIPHER_PARAM_AEAD_TAGLEN),
                                           bytes_param(kParamCms[0]),
                                           bytes_param(kParamCms[1]),
                                           kEndOfParams};
  return kParams;
}

const OSSL_PARAM* Aead::settable() noexcept {
  static constexpr OSSL_PARAM kParams[] = {size_param(OSSL_CIPHER_PARAM_KEYLEN),
                                           size_param(OSSL_CIPHER_PARAM_IVLEN),
                                           bytes_param(OSSL_CIPHER_PARAM_AEAD_TAG),
                                           bytes_param(kParamCms[0]),
                                           bytes_param(kParamCms[1]),
                                           size_param(kParamKeyMesh),
                                           bytes_param(kParamTlsTreeMode),
                                           bytes_param(kParamTlsTree),
                                           kEndOfParams};
  return kParams;
}

int Aead::get(OSSL_PARAM* params) noexcept {
  const Bytes iv{nonce, info.iv_len};
  if (!write(find(params, OSSL_CIPHER_PARAM_KEYLEN), sizeof key) ||
      !write(find(params, OSSL_CIPHER_PARAM_IVLEN), size_t{info.iv_len}) ||
      !write(find(params, OSSL_CIPHER_PARAM_AEAD_TAGLEN), tag_len) || !write(find(params, OSSL_CIPHER_PARAM_IV), iv) ||
      !write(find(params, OSSL_CIPHER_PARAM_UPDATED_IV), iv))
    return provider.fail(kParameter);
  if (OSSL_PARAM* const p = find(params, OSSL_CIPHER_PARAM_AEAD_TAG)) {
    if (!encrypts || !has_tag) return provider.fail(kNoTag);
    // RFC 9058 section 4: a tag of S bits is the first S of the longest one.
    const size_t len = p->data ? std::min(p->data_size, tag_len) : tag_len;
    if (len < std::min<size_t>(tag_len, 8) || !write(p, Bytes{tag, len})) return provider.fail(VSH_E_TAG_LENGTH);
  }
  for (const char* const name : kParamCms) {
    OSSL_PARAM* const p = find(params, name);
    if (!p) continue;
    uint8_t der[kMaxCmsParameters];
    if (info.is_mgm || !write(p, Bytes{der, write_gostr3412_parameters(der, iv)})) return provider.fail(kParameter);
  }
  return 1;
}

int Aead::set(const OSSL_PARAM* params) noexcept { return set_records(params) && set_others(params); }

int Aead::set_records(const OSSL_PARAM* params) noexcept {
  if (const OSSL_PARAM* const p = find(params, kParamTlsTreeMode)) {
    bool is_strong;
    if (!info.is_mgm) return provider.fail(kParameter);
    if (is_started) return records.expect(), provider.fail(kInMessage);
    if (!read_tlstree_mode(*p, is_strong)) return records.expect(), provider.fail(kParameter);
    const vsh_tlstree_suite suite = is_strong ? info.strong : info.light;
    if (suite != records.suite) is_keyed = false;
    records.choose(suite);
  }
  const OSSL_PARAM* const p = find(params, kParamTlsTree);
  return p ? set_seqnum(*p) : 1;
}

// A number that is refused leaves none, so that the last record's key is not used for this one.
int Aead::set_seqnum(const OSSL_PARAM& p) noexcept {
  if (!info.is_mgm) return provider.fail(kParameter);
  records.expect();
  if (is_started) return provider.fail(kInMessage);
  uint64_t seqnum;
  if (!read_seqnum(p, seqnum, false)) return provider.fail(kParameter);
  if (!has_key) return provider.fail(kNoKey);
  if (!records.suite) return provider.fail(kNoTlsTreeMode);
  bool is_new;
  if (!records.set(seqnum, key, is_new)) return 0;
  if (is_new) is_keyed = false;
  return 1;
}

int Aead::set_others(const OSSL_PARAM* params) noexcept {
  size_t value;
  if (const OSSL_PARAM* const p = find(params, OSSL_CIPHER_PARAM_KEYLEN)) {
    if (!read(*p, value) || value != sizeof key) return provider.fail(VSH_E_KEY_LENGTH);
  }
  if (const OSSL_PARAM* const p = find(params, OSSL_CIPHER_PARAM_IVLEN)) {
    if (!read(*p, value) || value != info.iv_len) return provider.fail(VSH_E_IV_LENGTH);
  }
  if (const OSSL_PARAM* const p = find(params, kParamKeyMesh)) {
    if (!read(*p, value) || info.is_mgm || !value || value % info.tag_len) return provider.fail(VSH_E_SECTION);
    if (is_started) return provider.fail(kInMessage);
    section_len = value;
    is_keyed = false;
  }
  if (const OSSL_PARAM* const p = find_cms(params)) {
    if (!set_cms(*p)) return 0;
  }
  const OSSL_PARAM* const p = find(params, OSSL_CIPHER_PARAM_AEAD_TAG);
  return p ? set_tag(*p) : 1;
}

// Sets the tag to compare with, or only its length, as EVP_CTRL_AEAD_SET_TAG with a null pointer.
int Aead::set_tag(const OSSL_PARAM& p) noexcept {
  if (p.data_type != OSSL_PARAM_OCTET_STRING) return provider.fail(kParameter);
  if (!set_tag_len(p.data_size)) return 0;
  if (!p.data) return 1;
  if (encrypts) return provider.fail(VSH_E_TAG_LENGTH);
  std::memcpy(tag, p.data, p.data_size);
  return has_tag = true;
}

int Aead::set_tag_len(size_t len) noexcept {
  if (len == tag_len) return 1;
  if (len < 8 || len > info.tag_len) return provider.fail(VSH_E_TAG_LENGTH);
  if (is_started) return provider.fail(kInMessage);
  tag_len = len;
  is_keyed = has_tag = false;
  return 1;
}

int Aead::set_cms(const OSSL_PARAM& p) noexcept {
  Bytes der;
  uint8_t ukm[VSH_AEAD_MAX_NONCE_LEN];
  if (!read(p, der)) return provider.fail(kParameter);
  if (is_started) return provider.fail(kInMessage);
  if (info.is_mgm || !read_gostr3412_parameters(der, ukm, info.iv_len)) return provider.fail(kCmsParameters);
  return take_nonce(ukm);
}

}  // namespace vsh::openssl
