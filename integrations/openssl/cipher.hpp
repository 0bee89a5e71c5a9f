// Messages, one after the other, in a mode without authentication.
#pragma once

#include "cipher_info.hpp"
#include "keystream_ahead.hpp"
#include "params.hpp"
#include "provider.hpp"
#include "record_keys.hpp"

namespace vsh::openssl {

// EVP sets key, IV, direction and parameters in any order and any number of times; so they are kept here, and the
// library's context is created (or, under the same key, restarted) at the first byte.
struct CipherState {
  enum class Stage : uint8_t {
    fresh,   // the next byte begins a message
    within,  // a message
    ended,   // by final, in ECB and CBC: without an init the chain goes on, as in OpenSSL
    failed,  // an error, also of final, or final where keys are meshed: only an init helps
  };
  Stage stage = Stage::fresh;
  bool is_keyed = false;     // the library's context has this key, direction and parameters
  bool has_padding = false;  // and adds or removes padding
  bool encrypts = true, has_key = false;
  bool has_iv = false;        // in counter modes: an unused one
  bool was_given_iv = false;  // iv is the program's
  bool pads = true;           // PKCS #7, in ECB and CBC
  vsh_sbox sbox = VSH_SBOX_DEFAULT;
  vsh_key_meshing meshing = VSH_MESHING_NONE;
  size_t section_len = 0;
  size_t held = 0;  // bytes of input not yet output
  // TLS 1.2 as OpenSSL's record layer has it: decryption keeps the MAC at a record's end from the text.
  bool is_tls = false;
  size_t tls_mac_len = 0;
  uint8_t key[VSH_KEY_LEN] = {};
  uint8_t iv[VSH_MAX_BLOCK_LEN] = {};
  uint64_t position = 0;  // CFB and OFB: bytes of the message so far
  // ECB and CBC: the last two blocks of IV and ciphertext, and the last one of plaintext that is encrypted; held bytes
  // included.
  uint8_t history[2 * VSH_MAX_BLOCK_LEN] = {}, plaintext[VSH_MAX_BLOCK_LEN] = {};
  uint8_t updated_iv[VSH_MAX_BLOCK_LEN] = {};  // as found last: a program may ask for a pointer
  uint8_t seed[8] = {};                        // gostr3412: the part of the UKM after the IV; unused
};

struct Cipher : CipherState {
  Cipher(const Provider& provider, const CipherInfo& info) noexcept
      : provider(provider), info(info), records(provider), ahead(provider) {
    sbox = info.by_crypt_params ? provider.crypt_params : info.sbox;
    meshing = info.meshing;
  }

  const Provider& provider;
  const CipherInfo& info;
  RecordKeys records;  // once tlstree is set, messages are TLS 1.2 records, and `key` and `iv` those of the connection
  Owned<vsh_cipher> work;
  KeystreamAhead ahead;
  const uint8_t* tls_mac = nullptr;  // of the record decrypted last, in the program's memory

  bool is_block_mode() const noexcept { return info.block > 1; }
  bool is_counter_mode() const noexcept {
    return info.mode == VSH_CTR || info.mode == VSH_CTR_ACPKM || info.mode == VSH_CNT;
  }

  int init(const uint8_t* new_key, size_t key_len, const uint8_t* new_iv, size_t iv_len, const OSSL_PARAM* params,
           bool encrypt) noexcept;
  int update(uint8_t* out, size_t* out_len, size_t capacity, const uint8_t* in, size_t in_len) noexcept;
  int final(uint8_t* out, size_t* out_len, size_t capacity) noexcept;
  // EVP_Cipher: whole blocks in, as many out.
  int cipher(uint8_t* out, size_t* out_len, size_t capacity, const uint8_t* in, size_t in_len) noexcept;
  int get(OSSL_PARAM* params) noexcept;
  int set(const OSSL_PARAM* params) noexcept;
  Cipher* copy() const noexcept;

  static const OSSL_PARAM* gettable() noexcept;
  static const OSSL_PARAM* settable() noexcept;

 private:
  int begin(bool padded) noexcept;
  int prepare(bool padded, uint8_t* out, size_t* out_len, size_t capacity, const uint8_t* in, size_t in_len) noexcept;
  int restart(bool padded, const uint8_t* first) noexcept;
  int skip_to_block() noexcept;
  int process(uint8_t* out, size_t* out_len, size_t capacity, const uint8_t* in, size_t in_len) noexcept;
  int process_shifted(uint8_t* out, size_t* out_len, size_t capacity, const uint8_t* in, size_t in_len) noexcept;
  int set_sbox(const OSSL_PARAM& p) noexcept;
  int set_key_mesh(const OSSL_PARAM& p) noexcept;
  int set_cms(const OSSL_PARAM& p) noexcept;
  int set_seqnum(const OSSL_PARAM& p) noexcept;
  int set_tls(const OSSL_PARAM* params) noexcept;
  void first_iv(uint8_t* out) const noexcept;
  int get_cms(OSSL_PARAM& p) noexcept;
  const uint8_t* chained() const noexcept { return history + info.block - (encrypts ? 0 : held); }
  int get_updated_iv(OSSL_PARAM& p) noexcept;
  int find_register() noexcept;
  size_t num() const noexcept;
  // Sets a parameter of the library's context; not within a message.
  template <class T>
  int change(T& parameter, T value) noexcept {
    if (parameter == value) return 1;
    if (stage == Stage::within) return provider.fail(kInMessage);
    parameter = value;
    is_keyed = false;
    return 1;
  }
};

}  // namespace vsh::openssl
