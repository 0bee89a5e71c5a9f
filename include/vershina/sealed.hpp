// Sealed files: one safe way to protect a file (docs/sealed-format.md). Part of vershina.hpp.
//
//   vershina::Sealer sealer;
//   sealer.add_passphrase("correct horse battery staple", 500'000);
//   append(sealer.header()); append(sealer.update(plaintext)); append(sealer.final());
//
// SPDX-License-Identifier: Apache-2.0
#ifndef VERSHINA_SEALED_HPP
#define VERSHINA_SEALED_HPP

#include <vershina/vershina.hpp>

#include <optional>

namespace vershina {

// A secret that opens a sealed file; refers to the caller's bytes, which must outlive it.
// label: NULL, or the recipient's name as vsh_recipient has it.
inline vsh_recipient passphrase(View secret, uint32_t iterations = 0, const char* label = nullptr) noexcept {
  return {VSH_RECIPIENT_PASSPHRASE, secret.data(), secret.size(), iterations, label};
}
inline vsh_recipient sealing_key(View secret, const char* label = nullptr) noexcept {
  return {VSH_RECIPIENT_KEY, secret.data(), secret.size(), 0, label};
}

// vsh_sealer. Movable, not copyable.
class Sealer {
 public:
  // chunk_len: 0 means the default.
  explicit Sealer(size_t chunk_len = 0, const Options& options = {}) {
    vsh_sealer* s = nullptr;
    check(vsh_sealer_new(&s, chunk_len, &options));
    sealer_.reset(s);
  }

  // Call before adding recipients.
  void set_content(vsh_sealed_content content) { check(vsh_sealer_set_content(sealer_.get(), content)); }
  void add(const vsh_recipient& recipient) { check(vsh_sealer_add_recipient(sealer_.get(), &recipient)); }
  void add_passphrase(std::string_view secret, uint32_t iterations) { add(passphrase(bytes(secret), iterations)); }
  void add_key(View secret) { add(sealing_key(secret)); }
  // Passphrases that are added with 0 iterations are derived by argon2id; nothing: no longer.
  void set_argon2id(std::optional<vsh_argon2id> cost) {
    check(vsh_sealer_set_argon2id(sealer_.get(), cost ? &*cost : nullptr));
  }

  // vsh_sealer_set_slot_len.
  void set_slot_len(size_t slot_len) { check(vsh_sealer_set_slot_len(sealer_.get(), slot_len)); }

  Bytes header() {
    Bytes out(vsh_sealer_header_len(sealer_.get()));
    check(vsh_sealer_header(sealer_.get(), out.data(), out.size()));
    return out;
  }

  size_t update_capacity(size_t in_len) const noexcept { return vsh_sealer_update_capacity(sealer_.get(), in_len); }
  size_t final_capacity() const noexcept { return vsh_sealer_final_capacity(sealer_.get()); }
  size_t update(Room out, View in) {
    size_t len = 0;
    check(vsh_sealer_update(sealer_.get(), out.data(), out.size(), &len, in.data(), in.size()));
    return len;
  }
  Bytes update(View in) {
    Bytes out(update_capacity(in.size()));
    out.resize(update(out, in));
    return out;
  }
  size_t final(Room out) {
    size_t len = 0;
    check(vsh_sealer_final(sealer_.get(), out.data(), out.size(), &len));
    return len;
  }
  Bytes final() {
    Bytes out(final_capacity());
    out.resize(final(out));
    return out;
  }

 private:
  struct Free {
    void operator()(vsh_sealer* s) const noexcept { vsh_sealer_free(s); }
  };
  std::unique_ptr<vsh_sealer, Free> sealer_;
};

// vsh_sealed_inspect: the header's information, not yet authentic.
inline vsh_sealed_info inspect_sealed(View header) {
  vsh_sealed_info info;
  check(vsh_sealed_inspect(&info, header.data(), header.size()));
  return info;
}

// vsh_opener. Movable, not copyable.
class Opener {
 public:
  // header: the first VSH_SEALED_MAX_HEADER_LEN bytes of the file, or the whole file. max_iterations: 0 means
  // VSH_SEALED_MAX_ITERATIONS.
  explicit Opener(View header, uint64_t max_iterations = 0, const Options& options = {}) {
    vsh_opener* o = nullptr;
    check(vsh_opener_new(&o, header.data(), header.size(), max_iterations, &options));
    opener_.reset(o);
  }

  // vsh_opener_limit_argon2id: KiB; 0 means the default.
  void limit_argon2id(uint64_t max_memory, uint64_t max_work) {
    check(vsh_opener_limit_argon2id(opener_.get(), max_memory, max_work));
  }
  // As in Sealer, for rekey.
  void set_argon2id(std::optional<vsh_argon2id> cost) {
    check(vsh_opener_set_argon2id(opener_.get(), cost ? &*cost : nullptr));
  }

  // Returns false if the secret is wrong: try another.
  [[nodiscard]] bool unlock(const vsh_recipient& recipient) {
    const vsh_status status = vsh_opener_unlock(opener_.get(), &recipient);
    if (status != VSH_E_WRONG_KEY) check(status);
    return status == VSH_OK;
  }
  vsh_sealed_info inspect() const {
    vsh_sealed_info info;
    check(vsh_opener_inspect(opener_.get(), &info));
    return info;
  }
  // Returns the number of the recipient that the secret opened.
  size_t recipient() const {
    size_t index = 0;
    check(vsh_opener_recipient(opener_.get(), &index));
    return index;
  }

  // Returns the offset of the payload.
  size_t header_len() const noexcept { return vsh_opener_header_len(opener_.get()); }

  size_t update_capacity(size_t in_len) const noexcept { return vsh_opener_update_capacity(opener_.get(), in_len); }
  size_t final_capacity() const noexcept { return vsh_opener_final_capacity(opener_.get()); }
  // Returns how many bytes of `out` were written. Throws if a chunk is damaged; the chunks before it in the same call
  // are then lost, unlike in vsh_opener_update.
  size_t update(Room out, View in) {
    size_t len = 0;
    check(vsh_opener_update(opener_.get(), out.data(), out.size(), &len, in.data(), in.size()));
    return len;
  }
  Bytes update(View in) {
    Bytes out(update_capacity(in.size()));
    out.resize(update(out, in));
    return out;
  }
  // The output of update is the whole file only if this returned.
  size_t final(Room out) {
    size_t len = 0;
    check(vsh_opener_final(opener_.get(), out.data(), out.size(), &len));
    return len;
  }
  Bytes final() {
    Bytes out(final_capacity());
    out.resize(final(out));
    return out;
  }
  // Returns the number of the damaged chunk, from 0, else of the next one.
  uint64_t chunk() const noexcept { return vsh_opener_chunk(opener_.get()); }
  void rewind() { check(vsh_opener_rewind(opener_.get())); }

  uint64_t plain_len(uint64_t file_len) const {
    uint64_t len = 0;
    check(vsh_opener_plain_len(opener_.get(), &len, file_len));
    return len;
  }
  vsh_sealed_span locate(uint64_t position, uint64_t len, uint64_t file_len) const {
    vsh_sealed_span span;
    check(vsh_opener_locate(opener_.get(), &span, position, len, file_len));
    return span;
  }
  // Returns the plaintext of the span's chunks; in: the span's bytes of the file.
  Bytes read(const vsh_sealed_span& span, View in) {
    Bytes out(span.out_len);
    size_t len = 0;
    check(vsh_opener_read(opener_.get(), out.data(), out.size(), &len, nullptr, &span, in.data(), in.size()));
    return out;
  }

  // A slot of the header and where to write it first. slot_len: as in vsh_opener_rekey; 0: the file's.
  struct Slot {
    Bytes bytes;
    size_t first = 0;
  };
  Slot rekey(std::span<const vsh_recipient> add, std::span<const size_t> remove, size_t slot_len = 0) const {
    Slot slot{Bytes(slot_len ? slot_len : header_len() / VSH_SEALED_NUM_SLOTS)};
    check(vsh_opener_rekey(opener_.get(), slot.bytes.data(), slot.bytes.size(), &slot.first, add.data(), add.size(),
                           remove.data(), remove.size()));
    return slot;
  }

 private:
  struct Free {
    void operator()(vsh_opener* o) const noexcept { vsh_opener_free(o); }
  };
  std::unique_ptr<vsh_opener, Free> opener_;
};

}  // namespace vershina

#endif
