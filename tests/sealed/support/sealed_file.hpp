// Sealed files in memory, through the C ABI.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "vershina/vershina.h"

namespace vsh::test {

using Bytes = std::vector<uint8_t>;

struct FreeSealed {
  void operator()(vsh_sealer* s) const { vsh_sealer_free(s); }
  void operator()(vsh_opener* o) const { vsh_opener_free(o); }
};
using SealerPointer = std::unique_ptr<vsh_sealer, FreeSealed>;
using OpenerPointer = std::unique_ptr<vsh_opener, FreeSealed>;

inline Bytes counted(size_t len, unsigned first = 0) {
  Bytes bytes(len);
  for (size_t i = 0; i < len; ++i) bytes[i] = static_cast<uint8_t>(first + 7 * i);
  return bytes;
}

inline const Bytes kSealingKey = counted(32, 1), kOtherKey = counted(64, 2);
inline vsh_recipient key_recipient(const Bytes& key = kSealingKey) {
  return {VSH_RECIPIENT_KEY, key.data(), key.size(), 0, nullptr};
}
inline vsh_recipient passphrase_recipient(const Bytes& secret, uint32_t iterations = 0) {
  return {VSH_RECIPIENT_PASSPHRASE, secret.data(), secret.size(), iterations, nullptr};
}

inline vsh_options with_threads(unsigned threads) {
  vsh_options o = VSH_OPTIONS_INIT;
  o.threads = threads;
  return o;
}

// The slots of one or two recipients.
constexpr size_t kShortSlot = VSH_SEALED_MIN_SLOT_LEN, kShortHeader = 2 * kShortSlot;

// For a file whose slot 0 is intact.
inline size_t slot_len_of(const Bytes& file) { return size_t{1} << file[56]; }
inline size_t header_len_of(const Bytes& file) { return 2 * slot_len_of(file); }

// An attacker can compute the digest of a slot.
inline void write_digest(uint8_t* slot, size_t slot_len = kShortSlot) {
  vsh_hash_digest(slot + slot_len - 32, 32, VSH_STREEBOG256, slot, slot_len - 32, nullptr);
}

struct Outcome {
  vsh_status status = VSH_OK;
  Bytes bytes;
  uint64_t chunk = 0;  // vsh_opener_chunk
};

// Appends the output of the calls. piece: bytes per update.
inline vsh_status append_sealed(Bytes& out, vsh_sealer* sealer, const Bytes& plaintext, size_t piece = SIZE_MAX) {
  size_t len = 0;
  for (size_t i = 0; i < plaintext.size(); i += len) {
    len = std::min(piece, plaintext.size() - i);
    Bytes room(vsh_sealer_update_capacity(sealer, len));
    size_t got = 0;
    if (const vsh_status s = vsh_sealer_update(sealer, room.data(), room.size(), &got, &plaintext[i], len)) return s;
    out.insert(out.end(), room.begin(), room.begin() + static_cast<std::ptrdiff_t>(got));
  }
  Bytes room(vsh_sealer_final_capacity(sealer));
  size_t got = 0;
  if (const vsh_status s = vsh_sealer_final(sealer, room.data(), room.size(), &got)) return s;
  out.insert(out.end(), room.begin(), room.begin() + static_cast<std::ptrdiff_t>(got));
  return VSH_OK;
}

inline Outcome seal(const Bytes& plaintext, const std::vector<vsh_recipient>& recipients = {key_recipient()},
                    size_t chunk_len = 4096, size_t piece = SIZE_MAX, const vsh_options& options = with_threads(1),
                    size_t slot_len = 0) {
  Outcome r;
  vsh_sealer* made = nullptr;
  if ((r.status = vsh_sealer_new(&made, chunk_len, &options))) return r;
  const SealerPointer sealer(made);
  for (const vsh_recipient& recipient : recipients)
    if ((r.status = vsh_sealer_add_recipient(made, &recipient))) return r;
  if ((r.status = vsh_sealer_set_slot_len(made, slot_len))) return r;
  r.bytes.resize(vsh_sealer_header_len(made));
  if ((r.status = vsh_sealer_header(made, r.bytes.data(), r.bytes.size()))) return r;
  r.status = append_sealed(r.bytes, made, plaintext, piece);
  return r;
}

// The payload from front to end, with an unlocked opener; returns the released data and the status.
inline Outcome open_payload(vsh_opener* opener, const uint8_t* payload, size_t payload_len, size_t piece = SIZE_MAX) {
  Outcome r;
  size_t len = 0, got = 0;
  for (size_t i = 0; i < payload_len && r.status == VSH_OK; i += len) {
    len = std::min(piece, payload_len - i);
    const size_t before = r.bytes.size(), room = vsh_opener_update_capacity(opener, len);
    r.bytes.resize(before + room);
    r.status = vsh_opener_update(opener, r.bytes.data() + before, room, &got, payload + i, len);
    r.bytes.resize(before + got);
  }
  if (r.status == VSH_OK) {
    const size_t before = r.bytes.size();
    r.bytes.resize(before + vsh_opener_final_capacity(opener));
    got = 0;
    r.status = vsh_opener_final(opener, r.bytes.data() + before, r.bytes.size() - before, &got);
    r.bytes.resize(before + got);
  }
  r.chunk = vsh_opener_chunk(opener);
  return r;
}

inline vsh_status unlock(OpenerPointer& opener, const Bytes& file, const vsh_recipient& secret = key_recipient(),
                         const vsh_options& options = with_threads(1)) {
  vsh_opener* made = nullptr;
  const vsh_status status = vsh_opener_new(&made, file.data(), file.size(), 0, &options);
  opener.reset(made);
  return status ? status : vsh_opener_unlock(made, &secret);
}

inline Outcome open(const Bytes& file, const vsh_recipient& secret = key_recipient(), size_t piece = SIZE_MAX,
                    const vsh_options& options = with_threads(1)) {
  OpenerPointer opener;
  if (const vsh_status s = unlock(opener, file, secret, options)) return {s, {}, 0};
  const size_t header_len = vsh_opener_header_len(opener.get());
  return open_payload(opener.get(), file.data() + header_len, file.size() - header_len, piece);
}

}  // namespace vsh::test
