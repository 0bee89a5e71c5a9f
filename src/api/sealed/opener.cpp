// vsh_opener: reads sealed files and changes their recipients.
#include <algorithm>
#include <memory>

#include "api/sealed/pieces.hpp"

using namespace vsh;
using namespace vsh::api;
using sealed::kEndLen;
using sealed::kTagLen;

struct vsh_opener : ErasedOnFree {
  explicit vsh_opener(const sealed::Suite& s, uint64_t max) : suite(s) { bounds.iterations = max; }

  sealed::Suite suite;
  WorkBounds bounds;
  sealed::Argon2idCost argon2id{};  // of passphrases that rekey adds
  sealed::Header header;
  sealed::FileKey key;
  sealed::Unlocked unlocked{};
  // Once the opener is unlocked.
  std::optional<sealed::Payload> payload;
  std::optional<Pieces> pieces;

  const sealed::Slot& slot() const noexcept { return header.slots[header.newest]; }
  sealed::Layout layout() const noexcept { return sealed::Layout(slot().chunk_log2, header.len()); }
};

namespace {

bool is_end_mark(const uint8_t* p) noexcept { return std::memcmp(p, sealed::kEndMark, kEndLen) == 0; }

// Returns the span of chunks `first` to `first + num` of a file that can have that length, `num` at least 1.
vsh_sealed_span span_of(const sealed::Layout& layout, uint64_t first, uint64_t num, uint64_t file_len) noexcept {
  const uint64_t plain_len = *layout.plain_len(file_len);
  const bool ends = first + num == layout.num_chunks(plain_len);
  vsh_sealed_span span{};
  span.first_chunk = first, span.num_chunks = num;
  span.offset = layout.offset_in_file(first);
  span.in_len = (ends ? file_len : layout.offset_in_file(first + num)) - span.offset;
  span.out_len = (ends ? plain_len : (first + num) * layout.chunk_len()) - first * layout.chunk_len();
  span.file_len = file_len;
  return span;
}

// Returns whether vsh_opener_locate could have made the span.
bool is_span(const sealed::Layout& layout, const vsh_sealed_span& s) noexcept {
  const std::optional<uint64_t> plain_len = layout.plain_len(s.file_len);
  if (!plain_len) return false;
  const uint64_t num_chunks = layout.num_chunks(*plain_len);
  if (s.num_chunks == 0 || s.first_chunk >= num_chunks || s.num_chunks > num_chunks - s.first_chunk) return false;
  const vsh_sealed_span made = span_of(layout, s.first_chunk, s.num_chunks, s.file_len);
  return s.offset == made.offset && s.in_len == made.in_len && s.out_len == made.out_len;
}

}  // namespace

vsh_status vsh_opener_new(vsh_opener** opener, const uint8_t* header, size_t header_len, uint64_t max_iterations,
                          const vsh_options* options) {
  if (!opener || !is_buffer(header, header_len)) return VSH_E_ARGUMENT;
  sealed::Suite suite;
  if (const vsh_status s = read_suite(suite, options)) return s;
  return guarded([&] {
    const uint64_t bound = max_iterations ? max_iterations : sealed::kMaxIterations;
    std::unique_ptr<vsh_opener> made(new vsh_opener(suite, bound));
    const auto status = sealed::read_header(suite.hash, made->header, {header, header_len});
    if (status != sealed::HeaderStatus::ok) return api::status_of(status);
    if (made->slot().iterations() > bound) return VSH_E_PARAMETERS;
    *opener = made.release();
    return VSH_OK;
  });
}

void vsh_opener_free(vsh_opener* opener) { delete opener; }

vsh_status vsh_opener_limit_argon2id(vsh_opener* o, uint64_t max_memory, uint64_t max_work) {
  if (!o) return VSH_E_ARGUMENT;
  o->bounds.argon2id_memory = max_memory ? max_memory : sealed::kMaxArgon2idMemory;
  o->bounds.argon2id_work = max_work ? max_work : sealed::kMaxArgon2idWork;
  return VSH_OK;
}

vsh_status vsh_opener_set_argon2id(vsh_opener* o, const vsh_argon2id* argon2id) {
  return o ? read_cost(o->argon2id, argon2id) : VSH_E_ARGUMENT;
}

size_t vsh_opener_header_len(const vsh_opener* o) { return o ? o->header.len() : 0; }

vsh_status vsh_opener_unlock(vsh_opener* o, const vsh_recipient* recipient) {
  if (!o) return VSH_E_ARGUMENT;
  if (o->payload) return VSH_E_STATE;
  if (const vsh_status s = check_secret(recipient)) return s;
  if (recipient->iterations != 0) return VSH_E_ARGUMENT;
  if (number(recipient->kind) == VSH_RECIPIENT_PASSPHRASE && !o->bounds.allow_argon2id(o->slot()))
    return VSH_E_PARAMETERS;
  return guarded([&] {
    const sealed::Unlocked unlocked = sealed::unlock(o->suite, o->key, o->header, secret_of(*recipient));
    if (unlocked.status != sealed::Unlocking::ok) {
      wipe(&o->key.value, sizeof o->key.value);
      if (unlocked.status == sealed::Unlocking::misses_library) return VSH_E_LIBRARY;
      return unlocked.status == sealed::Unlocking::tampered ? VSH_E_FORMAT : VSH_E_WRONG_KEY;
    }
    o->pieces.emplace(o->layout(), false);
    o->unlocked = unlocked;
    o->payload.emplace(o->suite, o->key, o->slot());
    return VSH_OK;
  });
}

vsh_status vsh_opener_inspect_sized(const vsh_opener* o, vsh_sealed_info* info, size_t info_size) {
  if (!o) return VSH_E_ARGUMENT;
  if (!o->payload) return VSH_E_STATE;
  vsh_sealed_info described;
  describe(described, o->header, o->header.newest);
  return copy_info(info, info_size, described);
}

vsh_status vsh_opener_recipient(const vsh_opener* o, size_t* index) {
  if (!o || !index) return VSH_E_ARGUMENT;
  if (!o->payload) return VSH_E_STATE;
  *index = o->unlocked.recipient;
  return VSH_OK;
}

// ---- Front to end ---------------------------------------------------------------------------------------------------

size_t vsh_opener_update_capacity(const vsh_opener* o, size_t in_len) {
  return o && o->pieces ? o->pieces->update_capacity(in_len) : 0;
}

size_t vsh_opener_final_capacity(const vsh_opener* o) { return o ? o->layout().chunk_len() : 0; }

vsh_status vsh_opener_update(vsh_opener* o, uint8_t* out, size_t out_capacity, size_t* out_len, const uint8_t* in,
                             size_t in_len) {
  if (!o || !out_len || !is_buffer(in, in_len)) return VSH_E_ARGUMENT;
  if (!o->payload || o->pieces->ended()) return VSH_E_STATE;
  const auto open = [&](uint8_t* to, const sealed::Run& run) { return o->payload->open(to, run); };
  return o->pieces->update(out, out_capacity, out_len, in, in_len, open);
}

vsh_status vsh_opener_final(vsh_opener* o, uint8_t* out, size_t out_capacity, size_t* out_len) {
  if (!o || !out_len) return VSH_E_ARGUMENT;
  if (!o->payload || o->pieces->ended()) return VSH_E_STATE;
  const size_t held_len = o->pieces->held_len();
  if (held_len < kTagLen + kEndLen || !is_end_mark(o->pieces->held() + held_len - kEndLen)) {
    o->pieces->end();
    return VSH_E_TRUNCATED;
  }
  const size_t last_len = held_len - kTagLen - kEndLen;
  return o->pieces->final(out, out_capacity, out_len, last_len, last_len, [&](uint8_t* to, const sealed::Run& run) {
    if (last_len == 0 && run.first != 0) return size_t{0};  // an empty chunk is never written after another
    return o->payload->open(to, run);
  });
}

uint64_t vsh_opener_chunk(const vsh_opener* o) { return o && o->pieces ? o->pieces->next_chunk() : 0; }

vsh_status vsh_opener_rewind(vsh_opener* o) {
  if (!o) return VSH_E_ARGUMENT;
  if (!o->payload) return VSH_E_STATE;
  o->pieces->rewind();
  return VSH_OK;
}

// ---- Parts ----------------------------------------------------------------------------------------------------------

vsh_status vsh_opener_plain_len(const vsh_opener* o, uint64_t* plain_len, uint64_t file_len) {
  if (!o || !plain_len) return VSH_E_ARGUMENT;
  const std::optional<uint64_t> len = o->layout().plain_len(file_len);
  if (!len) return VSH_E_TRUNCATED;
  *plain_len = *len;
  return VSH_OK;
}

vsh_status vsh_opener_locate(const vsh_opener* o, vsh_sealed_span* span, uint64_t position, uint64_t len,
                             uint64_t file_len) {
  if (!o || !span) return VSH_E_ARGUMENT;
  const sealed::Layout layout = o->layout();
  const std::optional<uint64_t> plain_len = layout.plain_len(file_len);
  if (!plain_len) return VSH_E_TRUNCATED;
  if (position > *plain_len || len > *plain_len - position) return VSH_E_DATA_LENGTH;
  const uint64_t first = std::min(layout.chunk_at(position), layout.num_chunks(*plain_len) - 1);
  const uint64_t last = len == 0 ? first : layout.chunk_at(position + len - 1);
  *span = span_of(layout, first, last - first + 1, file_len);
  span->skip = position - first * layout.chunk_len();
  return VSH_OK;
}

vsh_status vsh_opener_read(vsh_opener* o, uint8_t* out, size_t out_capacity, size_t* out_len, uint64_t* damaged,
                           const vsh_sealed_span* span, const uint8_t* in, size_t in_len) {
  if (!o || !out_len || !span || !is_buffer(in, in_len)) return VSH_E_ARGUMENT;
  if (!o->payload) return VSH_E_STATE;
  const sealed::Layout layout = o->layout();
  if (!is_span(layout, *span) || in_len != span->in_len) return VSH_E_ARGUMENT;
  const size_t need = static_cast<size_t>(span->out_len);  // less than in_len
  if (const vsh_status status = check_output(out, out_capacity, out_len, need, in, in_len)) return status;
  const bool ends = span->offset + span->in_len == span->file_len;
  if (ends && !is_end_mark(in + in_len - kEndLen)) return VSH_E_TRUNCATED;
  return guarded([&] {
    const size_t num = static_cast<size_t>(span->num_chunks);
    const size_t last_len = need - (num - 1) * layout.chunk_len();
    const size_t num_good = o->payload->open(out, {span->first_chunk, num, in, num, nullptr, last_len, ends});
    *out_len = num_good == num ? need : num_good * layout.chunk_len();
    if (num_good == num) return VSH_OK;
    if (damaged) *damaged = span->first_chunk + num_good;
    return VSH_E_CHUNK;
  });
}

// ---- Other recipients -----------------------------------------------------------------------------------------------

vsh_status vsh_opener_rekey(const vsh_opener* o, uint8_t* slot, size_t slot_len, size_t* first,
                            const vsh_recipient* add, size_t num_add, const size_t* remove, size_t num_remove) {
  if (!o || !first || (num_add && !add) || (num_remove && !remove)) return VSH_E_ARGUMENT;
  if (!o->payload) return VSH_E_STATE;
  if (!is_slot_len(slot_len)) return VSH_E_PARAMETERS;
  if (!is_buffer(slot, slot_len)) return VSH_E_ARGUMENT;
  const sealed::Slot& old = o->slot();
  if (old.generation == UINT64_MAX || num_add > sealed::kMaxRecipients) return VSH_E_PARAMETERS;
  std::array<bool, sealed::kMaxRecipients> is_removed{};
  for (size_t i = 0; i < num_remove; ++i) {
    if (remove[i] >= old.num_recipients || is_removed[remove[i]]) return VSH_E_ARGUMENT;
    is_removed[remove[i]] = true;
  }
  return guarded([&] {
    sealed::Slot next = old;
    const StackEraser eraser;  // the stack below it
    next.num_recipients = 0;
    for (size_t i = 0; i < old.num_recipients; ++i)
      if (!is_removed[i]) next.recipients[next.num_recipients++] = old.recipients[i];
    for (size_t i = 0; i < num_add; ++i)
      if (const vsh_status s = add_recipient(o->suite, next, o->key, add + i, o->bounds, o->argon2id)) return s;
    if (next.num_recipients == 0) return VSH_E_ARGUMENT;
    if (next.num_recipients > sealed::room_for_recipients(slot_len)) return VSH_E_CAPACITY;
    next.len = slot_len;
    next.generation = old.generation + 1;
    sealed::seal_slot(o->suite.hash, slot, next, o->key);
    *first = 1 - o->header.newest;
    return VSH_OK;
  });
}
