// vsh_sealer: writes sealed files.
#include <algorithm>
#include <bit>
#include <memory>

#include "api/sealed/pieces.hpp"
#include "core/random.hpp"

using namespace vsh;
using namespace vsh::api;
using sealed::kEndLen;
using sealed::kTagLen;

struct vsh_sealer : ErasedOnFree {
  vsh_sealer(const sealed::Suite& s, unsigned chunk_log2) : suite(s), layout(chunk_log2, 0), pieces(layout, true) {
    slot.chunk_log2 = chunk_log2;
    slot.len = sealed::kMinSlotLen;
  }
  size_t slot_len() const noexcept { return std::max(slot.len, sealed::slot_len_for(slot.num_recipients)); }
  void set_preamble(uint8_t content) noexcept {
    slot.preamble = sealed::make_preamble(slot.chunk_log2, content);
    sealed::make_file_id(suite.hash, slot.preamble.data() + sealed::at::file_id, slot.preamble.data(), key);
  }

  sealed::Suite suite;
  sealed::Layout layout;  // of chunks; the caller places them
  Pieces pieces;
  sealed::FileKey key;
  sealed::Slot slot{};
  sealed::Argon2idCost argon2id{};
  std::optional<sealed::Payload> payload;  // once the header is written
  uint64_t plain_len = 0;
};

vsh_status vsh_sealer_new(vsh_sealer** sealer, size_t chunk_len, const vsh_options* options) {
  if (!sealer) return VSH_E_ARGUMENT;
  if (chunk_len == 0) chunk_len = VSH_SEALED_DEFAULT_CHUNK_LEN;
  if (!std::has_single_bit(chunk_len) || chunk_len < VSH_SEALED_MIN_CHUNK_LEN || chunk_len > VSH_SEALED_MAX_CHUNK_LEN)
    return VSH_E_PARAMETERS;
  sealed::Suite suite;
  if (const vsh_status s = read_suite(suite, options)) return s;
  return guarded([&] {
    const auto chunk_log2 = static_cast<unsigned>(std::countr_zero(chunk_len));
    std::unique_ptr<vsh_sealer> made(new vsh_sealer(suite, chunk_log2));
    if (!random_bytes(made->key->data(), made->key->size())) return VSH_E_RANDOM;
    made->set_preamble(sealed::kContentBytes);
    made->slot.generation = 1;
    *sealer = made.release();
    return VSH_OK;
  });
}

void vsh_sealer_free(vsh_sealer* sealer) { delete sealer; }

vsh_status vsh_sealer_set_content(vsh_sealer* s, vsh_sealed_content content) {
  if (!s || (number(content) != VSH_SEALED_BYTES && number(content) != VSH_SEALED_DIRECTORY)) return VSH_E_ARGUMENT;
  if (s->slot.num_recipients > 0) return VSH_E_STATE;
  return guarded([&] {
    s->set_preamble(static_cast<uint8_t>(content));
    return VSH_OK;
  });
}

vsh_status vsh_sealer_set_slot_len(vsh_sealer* s, size_t slot_len) {
  if (!s) return VSH_E_ARGUMENT;
  if (s->payload) return VSH_E_STATE;
  if (slot_len == 0) slot_len = sealed::kMinSlotLen;
  if (!is_slot_len(slot_len)) return VSH_E_PARAMETERS;
  s->slot.len = slot_len;
  return VSH_OK;
}

vsh_status vsh_sealer_set_argon2id(vsh_sealer* s, const vsh_argon2id* argon2id) {
  if (!s) return VSH_E_ARGUMENT;
  return s->payload ? VSH_E_STATE : read_cost(s->argon2id, argon2id);
}

vsh_status vsh_sealer_add_recipient(vsh_sealer* s, const vsh_recipient* recipient) {
  if (!s) return VSH_E_ARGUMENT;
  if (s->payload) return VSH_E_STATE;
  return guarded([&] { return add_recipient(s->suite, s->slot, s->key, recipient, WorkBounds{}, s->argon2id); });
}

size_t vsh_sealer_header_len(const vsh_sealer* s) { return s ? sealed::kNumSlots * s->slot_len() : 0; }

vsh_status vsh_sealer_header(vsh_sealer* s, uint8_t* out, size_t out_capacity) {
  if (!s) return VSH_E_ARGUMENT;
  if (s->payload || s->slot.num_recipients == 0) return VSH_E_STATE;
  const size_t slot_len = s->slot_len();
  if (out_capacity < sealed::kNumSlots * slot_len) return VSH_E_CAPACITY;
  if (!is_buffer(out, sealed::kNumSlots * slot_len)) return VSH_E_ARGUMENT;
  return guarded([&] {
    s->slot.len = slot_len;
    s->payload.emplace(s->suite, s->key, s->slot);
    sealed::seal_slot(s->suite.hash, out, s->slot, s->key);
    std::copy_n(out, slot_len, out + slot_len);
    return VSH_OK;
  });
}

size_t vsh_sealer_update_capacity(const vsh_sealer* s, size_t in_len) {
  return s ? s->pieces.update_capacity(in_len) : 0;
}

size_t vsh_sealer_final_capacity(const vsh_sealer* s) { return s ? s->layout.sealed_chunk_len() + kEndLen : 0; }

vsh_status vsh_sealer_update(vsh_sealer* s, uint8_t* out, size_t out_capacity, size_t* out_len, const uint8_t* in,
                             size_t in_len) {
  if (!s || !out_len || !is_buffer(in, in_len)) return VSH_E_ARGUMENT;
  if (!s->payload || s->pieces.ended()) return VSH_E_STATE;
  if (in_len > sealed::kMaxPlainLen - s->plain_len) return VSH_E_LIMIT;
  const auto seal = [&](uint8_t* to, const sealed::Run& run) {
    s->payload->seal(to, run);
    return run.num;
  };
  const vsh_status status = s->pieces.update(out, out_capacity, out_len, in, in_len, seal);
  if (status == VSH_OK) s->plain_len += in_len;
  return status;
}

vsh_status vsh_sealer_final(vsh_sealer* s, uint8_t* out, size_t out_capacity, size_t* out_len) {
  if (!s || !out_len) return VSH_E_ARGUMENT;
  if (!s->payload || s->pieces.ended()) return VSH_E_STATE;
  const size_t last_len = s->pieces.held_len(), need = last_len + kTagLen + kEndLen;
  return s->pieces.final(out, out_capacity, out_len, need, last_len, [&](uint8_t* to, const sealed::Run& run) {
    s->payload->seal(to, run);
    std::copy_n(reinterpret_cast<const uint8_t*>(sealed::kEndMark), kEndLen, to + last_len + kTagLen);
    return run.num;
  });
}
