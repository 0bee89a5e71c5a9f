// Vershina for C++20: spans and RAII over vershina.h. Header only; it calls the C ABI, so a program built with it keeps
// working with later versions of the library.
//
//   vershina::Cipher cipher(VSH_KUZNYECHIK, VSH_CTR, VSH_ENCRYPT, key, iv);
//   std::vector<uint8_t> ciphertext = cipher.update(plaintext);
//
// The rules of vershina.h on lengths, order, in-place work and threads apply. Errors are thrown as vershina::Error by
// this header, in the caller's code: no exception crosses the ABI.
//
// SPDX-License-Identifier: Apache-2.0
#ifndef VERSHINA_VERSHINA_HPP
#define VERSHINA_VERSHINA_HPP

#include <vershina/vershina.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace vershina {

using Bytes = std::vector<uint8_t>;
using View = std::span<const uint8_t>;  // input
using Room = std::span<uint8_t>;        // output

// Converts strings, std::byte and similar to bytes.
inline View bytes(std::string_view text) noexcept {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}
inline View bytes(std::span<const std::byte> data) noexcept {
  return {reinterpret_cast<const uint8_t*>(data.data()), data.size()};
}

class Error : public std::runtime_error {
 public:
  explicit Error(vsh_status status) : std::runtime_error(vsh_status_message(status)), status_(status) {}
  vsh_status status() const noexcept { return status_; }
  const char* name() const noexcept { return vsh_status_name(status_); }  // "VSH_E_NONCE"

 private:
  vsh_status status_;
};

inline void check(vsh_status status) {
  if (status != VSH_OK) throw Error(status);
}

// vsh_options with defaults; the members are those of the C struct.
struct Options : vsh_options {
  Options() noexcept : vsh_options VSH_OPTIONS_INIT {}
};

// Encryption or decryption of a message in pieces: vsh_cipher. Movable; clone() copies the state.
class Cipher {
 public:
  // key: 32 bytes. iv: as vsh_mode documents, empty for ECB.
  Cipher(vsh_cipher_algorithm algorithm, vsh_mode mode, vsh_direction direction, View key, View iv,
         const Options& options = {}) {
    vsh_cipher* c = nullptr;
    check(vsh_cipher_new(&c, algorithm, mode, direction, key.data(), key.size(), iv.data(), iv.size(), &options));
    context_.reset(c);
  }

  Cipher clone() const {
    vsh_cipher* c = nullptr;
    check(vsh_cipher_copy(&c, context_.get()));
    return Cipher(c);
  }
  // Begins a new message under the same key.
  void reset(View iv) { check(vsh_cipher_reset(context_.get(), iv.data(), iv.size())); }

  // Returns how many bytes of `out` were written, at most update_capacity(in.size()).
  size_t update(Room out, View in) {
    size_t len = 0;
    check(vsh_cipher_update(context_.get(), out.data(), out.size(), &len, in.data(), in.size()));
    return len;
  }
  Bytes update(View in) {
    Bytes out(update_capacity(in.size()));
    out.resize(update(out, in));
    return out;
  }
  size_t update_capacity(size_t in_len) const noexcept { return vsh_cipher_update_capacity(context_.get(), in_len); }

  // Ends the message: pads, or checks and removes the padding. VSH_FINAL_CAPACITY bytes are always enough.
  size_t final(Room out) {
    size_t len = 0;
    check(vsh_cipher_final(context_.get(), out.data(), out.size(), &len));
    return len;
  }
  Bytes final() {
    Bytes out(VSH_FINAL_CAPACITY);
    out.resize(final(out));
    return out;
  }

  // Continues at this byte of the message (CTR and CNT).
  void seek(uint64_t position) { check(vsh_cipher_seek(context_.get(), position)); }

  std::string_view kernel() const noexcept { return vsh_cipher_kernel(context_.get()); }
  std::string_view kernel_one_block() const noexcept { return vsh_cipher_kernel_one_block(context_.get()); }

 private:
  explicit Cipher(vsh_cipher* context) noexcept : context_(context) {}
  struct Free {
    void operator()(vsh_cipher* c) const noexcept { vsh_cipher_free(c); }
  };
  std::unique_ptr<vsh_cipher, Free> context_;
};

// Message authentication: vsh_mac. Movable; clone() copies the state.
class Mac {
 public:
  // key: 32 bytes; for HMAC 1 byte or more.
  Mac(vsh_mac_algorithm algorithm, View key, const Options& options = {}) : max_len_(vsh_mac_max_len(algorithm)) {
    vsh_mac* c = nullptr;
    check(vsh_mac_new(&c, algorithm, key.data(), key.size(), &options));
    context_.reset(c);
  }

  Mac clone() const {
    vsh_mac* c = nullptr;
    check(vsh_mac_copy(&c, context_.get()));
    return Mac(c, max_len_);
  }
  void reset() { check(vsh_mac_reset(context_.get())); }
  Mac& update(View in) {
    check(vsh_mac_update(context_.get(), in.data(), in.size()));
    return *this;
  }
  // tag_len: 1 .. max_len() bytes; 0 means max_len().
  Bytes final(size_t tag_len = 0) {
    Bytes tag(tag_len ? tag_len : max_len_);
    check(vsh_mac_final(context_.get(), tag.data(), tag.size()));
    return tag;
  }
  // Returns whether the tag is right, in constant time.
  [[nodiscard]] bool verify(View tag) {
    const vsh_status status = vsh_mac_verify(context_.get(), tag.data(), tag.size());
    if (status != VSH_E_TAG) check(status);
    return status == VSH_OK;
  }

  size_t max_len() const noexcept { return max_len_; }
  std::string_view kernel() const noexcept { return vsh_mac_kernel(context_.get()); }

 private:
  Mac(vsh_mac* context, size_t max_len) noexcept : max_len_(max_len), context_(context) {}
  struct Free {
    void operator()(vsh_mac* c) const noexcept { vsh_mac_free(c); }
  };
  size_t max_len_;
  std::unique_ptr<vsh_mac, Free> context_;
};

// Hashing: vsh_hash. Movable; clone() copies the state.
class Hash {
 public:
  explicit Hash(vsh_hash_algorithm algorithm, const Options& options = {}) : len_(vsh_hash_len(algorithm)) {
    vsh_hash* c = nullptr;
    check(vsh_hash_new(&c, algorithm, &options));
    context_.reset(c);
  }

  Hash clone() const {
    vsh_hash* c = nullptr;
    check(vsh_hash_copy(&c, context_.get()));
    return Hash(c, len_);
  }
  void reset() { check(vsh_hash_reset(context_.get())); }
  Hash& update(View in) {
    check(vsh_hash_update(context_.get(), in.data(), in.size()));
    return *this;
  }
  Bytes final() {
    Bytes digest(len_);
    check(vsh_hash_final(context_.get(), digest.data(), digest.size()));
    return digest;
  }

  size_t len() const noexcept { return len_; }
  std::string_view kernel() const noexcept { return vsh_hash_kernel(context_.get()); }

 private:
  Hash(vsh_hash* context, size_t len) noexcept : len_(len), context_(context) {}
  struct Free {
    void operator()(vsh_hash* c) const noexcept { vsh_hash_free(c); }
  };
  size_t len_;
  std::unique_ptr<vsh_hash, Free> context_;
};

// Batches of many messages side by side: vsh_streams. Movable, not copyable. A const object may run several batches
// at once.
class Streams {
 public:
  // keys: prepared for all batches, 32 bytes each, side by side; may be empty.
  explicit Streams(vsh_cipher_algorithm algorithm, View keys = {}, const Options& options = {}) {
    if (keys.size() % VSH_KEY_LEN != 0) throw Error(VSH_E_KEY_LENGTH);
    vsh_streams* s = nullptr;
    check(vsh_streams_new(&s, algorithm, keys.data(), keys.size() / VSH_KEY_LEN, &options));
    streams_.reset(s);
  }

  // Returns false if a job failed: see each job's status.
  [[nodiscard]] bool run(std::span<vsh_stream_job> jobs) const {
    const vsh_status status = vsh_streams_run(streams_.get(), jobs.data(), jobs.size());
    if (status != VSH_E_JOB) check(status);
    return status == VSH_OK;
  }

  size_t lanes() const noexcept { return vsh_streams_lanes(streams_.get()); }
  std::string_view kernel() const noexcept { return vsh_streams_kernel(streams_.get()); }

 private:
  struct Free {
    void operator()(vsh_streams* s) const noexcept { vsh_streams_free(s); }
  };
  std::unique_ptr<vsh_streams, Free> streams_;
};

// The same for hashes.
[[nodiscard]] inline bool hash_all(vsh_hash_algorithm algorithm, std::span<vsh_hash_job> jobs,
                                   const Options& options = {}) {
  const vsh_status status = vsh_streams_hash(algorithm, jobs.data(), jobs.size(), &options);
  if (status != VSH_E_JOB) check(status);
  return status == VSH_OK;
}

// Whole messages in one call.

inline Bytes encrypt(vsh_cipher_algorithm algorithm, vsh_mode mode, View key, View iv, View in,
                     const Options& options = {}) {
  if (in.size() > SIZE_MAX - VSH_FINAL_CAPACITY) throw Error(VSH_E_ARGUMENT);
  Bytes out(in.size() + VSH_FINAL_CAPACITY);
  size_t len = 0;
  check(vsh_encrypt(out.data(), out.size(), &len, algorithm, mode, key.data(), key.size(), iv.data(), iv.size(),
                    in.data(), in.size(), &options));
  out.resize(len);
  return out;
}

inline Bytes decrypt(vsh_cipher_algorithm algorithm, vsh_mode mode, View key, View iv, View in,
                     const Options& options = {}) {
  Bytes out(in.size());
  size_t len = 0;
  check(vsh_decrypt(out.data(), out.size(), &len, algorithm, mode, key.data(), key.size(), iv.data(), iv.size(),
                    in.data(), in.size(), &options));
  out.resize(len);
  return out;
}

inline Bytes hash(vsh_hash_algorithm algorithm, View in, const Options& options = {}) {
  Bytes digest(vsh_hash_len(algorithm));
  check(vsh_hash_digest(digest.data(), digest.size(), algorithm, in.data(), in.size(), &options));
  return digest;
}

// tag_len: 0 means the longest tag.
inline Bytes mac(vsh_mac_algorithm algorithm, View key, View in, size_t tag_len = 0, const Options& options = {}) {
  return Mac(algorithm, key, options).update(in).final(tag_len);
}

}  // namespace vershina

#include <vershina/aead.hpp>
#include <vershina/device.hpp>
#include <vershina/disk.hpp>
#include <vershina/esp.hpp>
#include <vershina/keys.hpp>
#include <vershina/sealed.hpp>

#endif
