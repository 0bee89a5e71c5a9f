// Authenticated encryption with associated data: MGM, and CTR-ACPKM with OMAC as in CMS. Part of vershina.hpp.
//
// SPDX-License-Identifier: Apache-2.0
#ifndef VERSHINA_AEAD_HPP
#define VERSHINA_AEAD_HPP

#include <vershina/vershina.hpp>

#include <optional>

namespace vershina {

// A key for authenticated messages: vsh_aead. Movable; clone() copies the state.
//
//   vershina::Aead aead(VSH_KUZNYECHIK_MGM, key);
//   vershina::Bytes sealed = aead.seal(nonce, plaintext, header);
//   std::optional<vershina::Bytes> opened = aead.open(nonce, sealed, header);  // empty if anything was changed
class Aead {
 public:
  // key: 32 bytes. tag_len: bytes; 0 means the longest.
  Aead(vsh_aead_algorithm algorithm, View key, size_t tag_len = 0, const Options& options = {}) {
    vsh_aead* c = nullptr;
    check(vsh_aead_new(&c, algorithm, key.data(), key.size(), tag_len, &options));
    context_.reset(c);
  }

  Aead clone() const {
    vsh_aead* c = nullptr;
    check(vsh_aead_copy(&c, context_.get()));
    return Aead(c);
  }
  size_t tag_len() const noexcept { return vsh_aead_tag_len(context_.get()); }
  std::string_view kernel() const noexcept { return vsh_aead_kernel(context_.get()); }

  // Returns the ciphertext, then the tag.
  Bytes seal(View nonce, View in, View data = {}) {
    if (in.size() > SIZE_MAX - tag_len()) throw Error(VSH_E_ARGUMENT);
    Bytes out(in.size() + tag_len());
    size_t len = 0;
    check(vsh_aead_seal(context_.get(), out.data(), out.size(), &len, nonce.data(), nonce.size(), data.data(),
                        data.size(), in.data(), in.size()));
    return out;
  }
  // Returns nothing if verification fails.
  [[nodiscard]] std::optional<Bytes> open(View nonce, View in, View data = {}) {
    Bytes out(in.size());
    size_t len = 0;
    const vsh_status status = vsh_aead_open(context_.get(), out.data(), out.size(), &len, nonce.data(), nonce.size(),
                                            data.data(), data.size(), in.data(), in.size());
    if (status == VSH_E_TAG) return std::nullopt;
    check(status);
    out.resize(len);
    return out;
  }

  // A message in pieces. out: as long as in.
  void begin(View nonce) { check(vsh_aead_begin(context_.get(), nonce.data(), nonce.size())); }
  void add_data(View data) { check(vsh_aead_add_data(context_.get(), data.data(), data.size())); }
  void encrypt(Room out, View in) {
    if (out.size() != in.size()) throw Error(VSH_E_CAPACITY);
    check(vsh_aead_encrypt(context_.get(), out.data(), in.data(), in.size()));
  }
  Bytes final() {
    Bytes tag(tag_len());
    check(vsh_aead_final(context_.get(), tag.data(), tag.size()));
    return tag;
  }
  void authenticate(View in) { check(vsh_aead_authenticate(context_.get(), in.data(), in.size())); }
  void decrypt_unverified(Room out, View in) {
    if (out.size() != in.size()) throw Error(VSH_E_CAPACITY);
    check(vsh_aead_decrypt_unverified(context_.get(), out.data(), in.data(), in.size()));
  }
  // Returns whether the tag is right, in constant time.
  [[nodiscard]] bool verify(View tag) {
    const vsh_status status = vsh_aead_verify(context_.get(), tag.data(), tag.size());
    if (status != VSH_E_TAG) check(status);
    return status == VSH_OK;
  }

 private:
  explicit Aead(vsh_aead* context) noexcept : context_(context) {}
  struct Free {
    void operator()(vsh_aead* c) const noexcept { vsh_aead_free(c); }
  };
  std::unique_ptr<vsh_aead, Free> context_;
};

}  // namespace vershina

#endif
