#include "cipher.hpp"

#include <openssl/core_names.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "cms_parameters.hpp"

namespace vsh::openssl {
namespace {

// Keeps the last `room` bytes of the old content followed by the new.
void append(uint8_t* to, size_t room, const uint8_t* bytes, size_t len) noexcept {
  const size_t added = std::min(len, room);
  if (added == 0) return;
  std::memmove(to, to + added, room - added);
  std::memcpy(to + room - added, bytes + len - added, added);
}

}  // namespace

int Cipher::init(const uint8_t* new_key, size_t key_len, const uint8_t* new_iv, size_t iv_len, const OSSL_PARAM* params,
                 bool encrypt) noexcept {
  if (new_key && key_len != VSH_KEY_LEN) return provider.fail(VSH_E_KEY_LENGTH);
  if (new_iv && info.iv_len && iv_len != info.iv_len) return provider.fail(VSH_E_IV_LENGTH);
  stage = Stage::fresh;
  if (is_counter_mode()) encrypts = encrypt;  // the same operation, so the keystream continues
  else if (!change(encrypts, encrypt)) return 0;
  if (new_key) {
    std::memcpy(key, new_key, sizeof key);
    has_key = true;
    is_keyed = false;
    records.choose({});
  }
  if (new_iv && info.iv_len) {
    std::memcpy(iv, new_iv, info.iv_len);
    has_iv = was_given_iv = true;
    records.has_seqnum = false;
  }
  held = 0;
  if (is_block_mode()) append(history, 2 * info.block, iv, info.iv_len);
  return set(params);
}

// Called at the first byte of a message. In counter modes an IV begins one keystream: as in OpenSSL's CTR, an init
// without IV continues it at the next whole block. If the key or a parameter changed, that is a missing IV.
int Cipher::begin(bool padded) noexcept {
  if (stage == Stage::failed) return provider.fail(VSH_E_STATE);
  if (!has_key) return provider.fail(kNoKey);
  if (records.lack_seqnum()) return provider.fail(kNoSeqnum);  // nor does a former record go on
  if (is_counter_mode() && !has_iv && is_keyed) {
    if (!skip_to_block()) return 0;
    stage = Stage::within;
    return 1;
  }
  if (info.iv_len && !has_iv) return provider.fail(kNoIv);
  ahead.drop();
  position = 0;
  uint8_t first[VSH_MAX_BLOCK_LEN];
  if (stage == Stage::ended) std::memcpy(first, chained(), info.iv_len);
  else first_iv(first);
  if (!restart(padded, first)) return 0;
  has_iv = !is_counter_mode();
  stage = Stage::within;
  return 1;
}

int Cipher::restart(bool padded, const uint8_t* first) noexcept {
  if (is_keyed && has_padding == padded) return provider.done(vsh_cipher_reset(work.get(), first, info.iv_len));
  vsh_options o = provider.options();
  o.sbox = sbox;
  o.key_meshing = meshing;
  o.section_len = section_len;
  if (is_block_mode()) o.padding = padded ? VSH_PADDING_PKCS7 : VSH_PADDING_NONE;
  vsh_cipher* made = nullptr;
  const vsh_status status = vsh_cipher_new(&made, info.algorithm, info.mode, encrypts ? VSH_ENCRYPT : VSH_DECRYPT,
                                           records.suite ? records.key : key, sizeof key, first, info.iv_len, &o);
  if (status) return provider.fail(status);
  work.reset(made);
  has_padding = padded;
  return is_keyed = true;
}

// Begins a message if none is begun, and changes the padding within one, as OpenSSL's own ciphers do: the rest, held
// bytes first, goes through another context under the chained IV. That may write a block.
int Cipher::prepare(bool padded, uint8_t* out, size_t* out_len, size_t capacity, const uint8_t* in,
                    size_t in_len) noexcept {
  if (is_block_mode() && in_len) {
    const auto to = reinterpret_cast<uintptr_t>(out), from = reinterpret_cast<uintptr_t>(in);
    if (to + held > from && to < from + in_len && (held || to != from)) return provider.fail(kOverlap);
  }
  if (stage != Stage::within) return begin(padded);
  if (has_padding == padded) return 1;
  if (meshing != VSH_MESHING_NONE) return provider.fail(kInMessage);  // the key may be another by now
  uint8_t bytes[VSH_MAX_BLOCK_LEN];
  std::memcpy(bytes, encrypts ? plaintext + info.block - held : history + 2 * info.block - held, held);
  const int ok =
      restart(padded, chained()) && provider.done(vsh_cipher_update(work.get(), out, capacity, out_len, bytes, held));
  provider.cleanse(bytes, sizeof bytes);
  held = ok ? held - *out_len : 0;
  if (!ok) stage = Stage::failed;
  return ok;
}

// RFC 9189 4.3.5: a record's IV is the sum of the connection's and the record's number, modulo 2^(n/2).
void Cipher::first_iv(uint8_t* out) const noexcept {
  std::memcpy(out, iv, info.iv_len);
  if (!records.suite) return;
  unsigned carry = 0;
  for (size_t i = 0; i < info.iv_len; ++i) {
    uint8_t& byte = out[info.iv_len - 1 - i];
    carry += byte + static_cast<uint8_t>(records.seqnum >> 8 * i);
    byte = static_cast<uint8_t>(carry);
    carry >>= 8;
  }
}

int Cipher::skip_to_block() noexcept {
  uint8_t rest[VSH_MAX_BLOCK_LEN] = {};
  const size_t block = vsh_block_len(info.algorithm), used = ahead.message_len() % block;
  const vsh_status status = used ? ahead.process(work.get(), rest, rest, block - used) : VSH_OK;
  provider.cleanse(rest, sizeof rest);
  return provider.done(status);
}

int Cipher::update(uint8_t* out, size_t* out_len, size_t capacity, const uint8_t* in, size_t in_len) noexcept {
  *out_len = 0;
  size_t begun = 0;
  if (!prepare(is_block_mode() && pads, out, &begun, capacity, in, in_len)) return 0;
  const size_t mac_len = is_tls && !encrypts ? tls_mac_len : 0;
  if (in_len < mac_len) return provider.fail(VSH_E_DATA_LENGTH);
  if (!process(out + begun, out_len, capacity - begun, in, in_len)) return 0;
  *out_len += begun - mac_len;
  if (mac_len) tls_mac = out + *out_len;
  return 1;
}

int Cipher::process(uint8_t* out, size_t* out_len, size_t capacity, const uint8_t* in, size_t in_len) noexcept {
  const auto to = reinterpret_cast<uintptr_t>(out), from = reinterpret_cast<uintptr_t>(in);
  const bool is_block = is_block_mode();
  if (is_block && to < from && from - to < capacity) return process_shifted(out, out_len, capacity, in, in_len);
  if (is_counter_mode()) {
    if (capacity < in_len) return provider.fail(VSH_E_CAPACITY);
    if (to != from && to - from + in_len < 2 * in_len) return provider.fail(kOverlap);
    const vsh_status status = ahead.process(work.get(), out, in, in_len);
    if (status == VSH_OK) *out_len = in_len;
    return provider.done(status);
  }
  if (is_block) append(encrypts ? plaintext : history, encrypts ? info.block : 2 * info.block, in, in_len);
  if (const vsh_status s = vsh_cipher_update(work.get(), out, capacity, out_len, in, in_len)) {
    if (is_block) stage = Stage::failed;  // the copy kept here differs from the library's by now
    return provider.fail(s);
  }
  if (is_block && encrypts) append(history, 2 * info.block, out, *out_len);
  if (is_block) held += in_len - *out_len;
  else position += in_len;
  return 1;
}

// EVP works in place although output lags behind input by the bytes held back. Pieces of the input are copied before
// output overwrites them.
int Cipher::process_shifted(uint8_t* out, size_t* out_len, size_t capacity, const uint8_t* in, size_t in_len) noexcept {
  uint8_t piece[1024];
  size_t written = 0;
  int ok = 1;
  for (size_t len; ok && in_len; in += len, in_len -= len) {
    len = std::min(in_len, sizeof piece);
    std::memcpy(piece, in, len);
    size_t more = 0;
    ok = process(out + written, &more, capacity - written, piece, len);
    written += more;
  }
  provider.cleanse(piece, sizeof piece);
  *out_len = written;
  return ok;
}

int Cipher::final(uint8_t* out, size_t* out_len, size_t capacity) noexcept {
  *out_len = 0;
  if (!has_key) return provider.fail(kNoKey);
  if (!is_block_mode()) return 1;  // nothing is held back, and the message may continue
  size_t begun = 0;
  if (!prepare(pads, out, &begun, capacity, nullptr, 0)) return 0;
  const vsh_status status = vsh_cipher_final(work.get(), out + begun, capacity - begun, out_len);
  if (encrypts && status == VSH_OK) append(history, 2 * info.block, out, *out_len);
  *out_len += begun;
  held = 0;
  stage = status == VSH_OK && meshing == VSH_MESHING_NONE ? Stage::ended : Stage::failed;
  return provider.done(status);
}

int Cipher::cipher(uint8_t* out, size_t* out_len, size_t capacity, const uint8_t* in, size_t in_len) noexcept {
  *out_len = 0;
  if (!in) return final(out, out_len, capacity);
  if (is_block_mode() && in_len % info.block) return provider.fail(VSH_E_DATA_LENGTH);
  if (held) return provider.fail(kInMessage);
  size_t begun = 0;  // nothing is written before
  return prepare(false, out, &begun, capacity, in, in_len) && process(out, out_len, capacity, in, in_len);
}

Cipher* Cipher::copy() const noexcept {
  vsh_cipher* twin = nullptr;
  if (work) {
    if (const vsh_status s = vsh_cipher_copy(&twin, work.get())) return provider.fail(s), nullptr;
  }
  Cipher* const c = make<Cipher>(provider, info);
  if (!c) return vsh_cipher_free(twin), nullptr;
  static_cast<CipherState&>(*c) = *this;
  c->records.copy_from(records);
  c->work.reset(twin);
  if (!c->ahead.copy_from(ahead)) return provider.fail(VSH_E_MEMORY), destroy(c), nullptr;
  return c;
}

const OSSL_PARAM* Cipher::gettable() noexcept {
  static constexpr OSSL_PARAM kParams[] = {size_param(OSSL_CIPHER_PARAM_KEYLEN),
                                           size_param(OSSL_CIPHER_PARAM_IVLEN),
                                           uint_param(OSSL_CIPHER_PARAM_PADDING),
                                           uint_param(OSSL_CIPHER_PARAM_NUM),
                                           bytes_param(OSSL_CIPHER_PARAM_IV),
                                           bytes_param(OSSL_CIPHER_PARAM_UPDATED_IV),
                                           bytes_param(kParamCms[0]),
                                           bytes_param(kParamCms[1]),
                                           describe(OSSL_CIPHER_PARAM_TLS_MAC, OSSL_PARAM_OCTET_PTR),
                                           kEndOfParams};
  return kParams;
}

const OSSL_PARAM* Cipher::settable() noexcept {
  static constexpr OSSL_PARAM kParams[] = {size_param(OSSL_CIPHER_PARAM_KEYLEN),
                                           uint_param(OSSL_CIPHER_PARAM_PADDING),
                                           bytes_param(kParamCms[0]),
                                           bytes_param(kParamCms[1]),
                                           size_param(kParamKeyMesh),
                                           text_param(kParamSbox),
                                           bytes_param(kParamTlsTree),
                                           uint_param(OSSL_CIPHER_PARAM_TLS_VERSION),
                                           size_param(OSSL_CIPHER_PARAM_TLS_MAC_SIZE),
                                           kEndOfParams};
  return kParams;
}

int Cipher::get(OSSL_PARAM* params) noexcept {
  if (!write(find(params, OSSL_CIPHER_PARAM_KEYLEN), sizeof key) ||
      !write(find(params, OSSL_CIPHER_PARAM_IVLEN), size_t{info.iv_len}) ||
      !write(find(params, OSSL_CIPHER_PARAM_PADDING), size_t{pads}) ||
      !write(find(params, OSSL_CIPHER_PARAM_NUM), num()) ||
      !write(find(params, OSSL_CIPHER_PARAM_IV), Bytes{iv, info.iv_len}))
    return provider.fail(kParameter);
  if (OSSL_PARAM* const p = find(params, OSSL_CIPHER_PARAM_UPDATED_IV); p && !get_updated_iv(*p)) return 0;
  if (OSSL_PARAM* const p = find(params, OSSL_CIPHER_PARAM_TLS_MAC)) {
    // A pointer only: the program's memory is not read after the call that wrote it.
    if (p->data_type != OSSL_PARAM_OCTET_PTR || !write(p, Bytes{tls_mac, tls_mac ? tls_mac_len : 0}))
      return provider.fail(kParameter);
  }
  for (const char* const name : kParamCms) {
    if (OSSL_PARAM* const cms = find(params, name); cms && !get_cms(*cms)) return 0;
  }
  return 1;
}

// Returns the bytes of the message's last, partial block, as OpenSSL's own stream modes have them.
size_t Cipher::num() const noexcept {
  if (is_block_mode() || stage != Stage::within) return 0;
  return (is_counter_mode() ? ahead.message_len() : position) % vsh_block_len(info.algorithm);
}

// The IV with which an init goes on where the message is. There is none within a block; in counter modes, whose IV is
// half a counter, or enciphered; and with key meshing, which counts from the beginning.
int Cipher::get_updated_iv(OSSL_PARAM& p) noexcept {
  if (stage == Stage::failed) return provider.fail(VSH_E_STATE);
  if (info.iv_len && !was_given_iv) return provider.fail(kNoIv);
  const uint8_t* updated = iv;
  if (info.mode == VSH_CBC && meshing == VSH_MESHING_NONE) {
    updated = chained();
  } else if (is_counter_mode()) {
    if (!has_iv && (!is_keyed || ahead.message_len())) return provider.fail(kNoUpdatedIv);
  } else if (stage == Stage::within && (position || is_block_mode())) {
    if (num() || meshing != VSH_MESHING_NONE) return provider.fail(kNoUpdatedIv);
    if (!find_register()) return 0;
    updated = updated_iv;
  }
  return write(&p, Bytes{updated, info.iv_len}) ? 1 : provider.fail(kParameter);
}

// CFB and OFB, at a whole block: the next block of keystream is the encrypted register.
int Cipher::find_register() noexcept {
  vsh_cipher* twin = nullptr;
  if (const vsh_status s = vsh_cipher_copy(&twin, work.get())) return provider.fail(s);
  const Owned<vsh_cipher> owner(twin);
  uint8_t keystream[VSH_MAX_BLOCK_LEN] = {};
  size_t len = info.iv_len;
  vsh_options o = provider.options();
  o.sbox = sbox;
  o.padding = VSH_PADDING_NONE;
  vsh_status status = vsh_cipher_update(twin, keystream, len, &len, keystream, len);
  if (status == VSH_OK)
    status = vsh_decrypt(updated_iv, sizeof updated_iv, &len, info.algorithm, VSH_ECB, key, sizeof key, nullptr, 0,
                         keystream, len, &o);
  provider.cleanse(keystream, sizeof keystream);
  return provider.done(status);
}

int Cipher::set(const OSSL_PARAM* params) noexcept {
  const OSSL_PARAM* const seqnum = find(params, kParamTlsTree);
  if (seqnum && info.tls) {  // the last record ends also if a parameter before it is refused
    stage = Stage::fresh;
    has_iv = false;
    records.expect();
  }
  if (const OSSL_PARAM* const p = find(params, OSSL_CIPHER_PARAM_PADDING)) {
    size_t value;
    if (!read(*p, value)) return provider.fail(kParameter);
    pads = value != 0;
  }
  if (const OSSL_PARAM* const p = find(params, OSSL_CIPHER_PARAM_KEYLEN)) {
    size_t value;
    if (!read(*p, value) || value != sizeof key) return provider.fail(VSH_E_KEY_LENGTH);
  }
  if (const OSSL_PARAM* const p = find(params, kParamKeyMesh)) {
    if (!set_key_mesh(*p)) return 0;
  }
  if (const OSSL_PARAM* const p = find(params, kParamSbox)) {
    if (!set_sbox(*p)) return 0;
  }
  if (const OSSL_PARAM* const p = find_cms(params)) {
    if (!set_cms(*p)) return 0;
  }
  if (!set_tls(params)) return 0;
  return seqnum ? set_seqnum(*seqnum) : 1;
}

// Takes the parameters that OpenSSL's record layer sets for TLS before 1.3. Other modes ignore them, as all unknown
// ones.
int Cipher::set_tls(const OSSL_PARAM* params) noexcept {
  if (!info.tls) return 1;
  size_t version, len;
  const OSSL_PARAM* const p = find(params, OSSL_CIPHER_PARAM_TLS_VERSION);
  const OSSL_PARAM* const q = find(params, OSSL_CIPHER_PARAM_TLS_MAC_SIZE);
  if ((p && !read(*p, version)) || (q && (!read(*q, len) || len > VSH_MAX_BLOCK_LEN))) return provider.fail(kParameter);
  if (p) is_tls = version != 0;
  if (q) tls_mac_len = len;
  if (p || q) tls_mac = nullptr;
  return 1;
}

// Begins a record, wherever the last one ended: counter modes have no end of a message. A number that is refused leaves
// none.
int Cipher::set_seqnum(const OSSL_PARAM& p) noexcept {
  if (!info.tls) return provider.fail(kParameter);
  if (records.suite != info.tls) is_keyed = false;
  uint64_t seqnum;
  if (!read_seqnum(p, seqnum, true)) return provider.fail(kParameter);
  if (!has_key) return provider.fail(kNoKey);
  if (!was_given_iv) return provider.fail(kNoIv);
  records.choose(info.tls);
  bool is_new;
  if (!records.set(seqnum, key, is_new)) return 0;
  if (is_new) is_keyed = false;
  return has_iv = true;
}

// GOST 28147-89: key meshing, 0 or 1; ACPKM: the section's length.
int Cipher::set_key_mesh(const OSSL_PARAM& p) noexcept {
  size_t value;
  if (!read(p, value)) return provider.fail(kParameter);
  if (info.algorithm == VSH_GOST28147 && info.mode != VSH_ECB && value <= 1)
    return change(meshing, value ? VSH_MESHING_CRYPTOPRO : VSH_MESHING_NONE);
  if (info.mode != VSH_CTR_ACPKM || !value || value % vsh_block_len(info.algorithm))
    return provider.fail(VSH_E_SECTION);
  return change(section_len, value);
}

int Cipher::set_sbox(const OSSL_PARAM& p) noexcept {
  vsh_sbox set;
  if (!read(p, set) || info.algorithm != VSH_GOST28147) return provider.fail(VSH_E_SBOX);
  return change(sbox, set);
}

int Cipher::set_cms(const OSSL_PARAM& p) noexcept {
  Bytes der;
  if (!read(p, der)) return provider.fail(kParameter);
  if (stage == Stage::within) return provider.fail(kInMessage);
  uint8_t ukm[sizeof iv + sizeof seed];
  vsh_sbox set = sbox;
  switch (info.cms) {
    case CmsParameters::none: return provider.fail(kParameter);
    case CmsParameters::gost28147:
      if (!read_gost28147_parameters(der, iv, info.iv_len, set)) return provider.fail(kCmsParameters);
      break;
    case CmsParameters::gostr3412:
      if (!read_gostr3412_parameters(der, ukm, info.iv_len + sizeof seed)) return provider.fail(kCmsParameters);
      std::memcpy(iv, ukm, info.iv_len);
      std::memcpy(seed, ukm + info.iv_len, sizeof seed);
      break;
  }
  has_iv = was_given_iv = true;
  records.has_seqnum = false;
  return change(sbox, set) && change(section_len, size_t{info.cms_section});
}

// CMS reads them before the first byte; from then on its sections are in force.
int Cipher::get_cms(OSSL_PARAM& p) noexcept {
  uint8_t der[kMaxCmsParameters], ukm[sizeof iv + sizeof seed];
  size_t len = 0;
  switch (info.cms) {
    case CmsParameters::none: return provider.fail(kParameter);
    case CmsParameters::gost28147: len = write_gost28147_parameters(der, {iv, info.iv_len}, sbox); break;
    case CmsParameters::gostr3412:
      std::memcpy(ukm, iv, info.iv_len);
      std::memcpy(ukm + info.iv_len, seed, sizeof seed);
      len = write_gostr3412_parameters(der, {ukm, info.iv_len + sizeof seed});
      if (!change(section_len, size_t{info.cms_section})) return 0;
      break;
  }
  if (len == 0) return provider.fail(VSH_E_SBOX);
  return write(&p, Bytes{der, len}) ? 1 : provider.fail(kParameter);
}

}  // namespace vsh::openssl
