// vsh_aead: authenticated encryption behind one context.
#include <memory>

#include "api/aead_keys.hpp"
#include "api/arguments/mode_arguments.hpp"
#include "api/arguments/names.hpp"

using namespace vsh;
using namespace vsh::api;

struct vsh_aead : ErasedOnFree {
  template <class T, class... Args>
  vsh_aead(std::in_place_type_t<T> type, const AeadName& name, size_t tag_bytes, Args&&... args)
      : nonce_len(name.nonce_len), tag_len(tag_bytes), key(type, std::forward<Args>(args)...) {}

  // State of a message in pieces: what may come next.
  enum class State { none, data, encrypting, decrypting };

  size_t nonce_len, tag_len;
  State state = State::none;
  AeadKey key;
};

namespace {

using State = vsh_aead::State;

template <class F>
auto visit(vsh_aead& c, F&& f) {
  return std::visit(std::forward<F>(f), c.key);
}

vsh_status check_nonce(const vsh_aead& c, const uint8_t* nonce, size_t nonce_len) {
  if (nonce_len != c.nonce_len) return VSH_E_IV_LENGTH;
  if (!is_buffer(nonce, nonce_len)) return VSH_E_ARGUMENT;
  return std::visit([&](const auto& key) { return key.check_nonce(nonce); }, c.key);
}

// A step of a message in pieces: `next` is the state that it leads to.
vsh_status check_piece(vsh_aead* c, State next, const uint8_t* out, const uint8_t* in, size_t in_len) {
  if (!c || !is_buffer(in, in_len)) return VSH_E_ARGUMENT;
  if (c->state != State::data && c->state != next) return VSH_E_STATE;
  if (out && !same_or_apart(out, in_len, in, in_len)) return VSH_E_ARGUMENT;
  return visit(*c, [&](auto& key) {
    const uint64_t data_len = key.mode.data_len(), text_len = key.mode.text_len();
    // Two lengths below 2^61 and one below 2^64: an overflowing sum is far beyond every limit.
    const uint64_t before = next == State::data ? data_len : text_len;
    if (before + in_len < before) return VSH_E_LIMIT;
    return next == State::data ? key.check_limit(data_len + in_len, text_len, false)
                               : key.check_limit(data_len, text_len + in_len, next == State::encrypting);
  });
}

// Runs f on the mode. If a thread is refused in the middle, only a new message can follow.
template <class F>
vsh_status process(vsh_aead& c, State next, F&& f) {
  c.state = State::none;
  return guarded([&] {
    visit(c, [&](auto& key) {
      f(key.mode);
      if (next == State::encrypting) key.note_encrypted(key.mode.data_len(), key.mode.text_len());
    });
    c.state = next;
    return VSH_OK;
  });
}

// Calls f(mode) for the next piece: text to out, or no output.
template <class F>
vsh_status piece(vsh_aead* c, State next, const uint8_t* out, const uint8_t* in, size_t in_len, F&& f) {
  if (const vsh_status s = check_piece(c, next, out, in, in_len)) return s;
  return process(*c, next, std::forward<F>(f));
}

// Input of a whole message: plaintext or ciphertext, without a tag.
struct Message {
  const uint8_t* nonce;
  size_t nonce_len;
  const uint8_t* data;
  size_t data_len;
  const uint8_t* text;
  size_t text_len;

  bool overlaps_beside_text(const uint8_t* out, size_t out_len) const {
    return overlap(out, out_len, nonce, nonce_len) || overlap(out, out_len, data, data_len);
  }
};

vsh_status check_whole(vsh_aead* c, const uint8_t* out, size_t out_len, const Message& m, bool encrypts) {
  if (m.nonce_len != c->nonce_len) return VSH_E_IV_LENGTH;
  if (!is_buffer(out, out_len) || !is_buffer(m.data, m.data_len) || !is_buffer(m.text, m.text_len))
    return VSH_E_ARGUMENT;
  if (!same_or_apart(out, out_len, m.text, m.text_len) || m.overlaps_beside_text(out, out_len)) return VSH_E_ARGUMENT;
  if (const vsh_status s = check_nonce(*c, m.nonce, m.nonce_len)) return s;
  return visit(*c, [&](auto& key) {
    key.begin();
    if (const vsh_status s = key.check_limit(m.data_len, m.text_len, encrypts)) return s;
    const vsh_status s = key.check_content(m.data_len, m.text_len);
    return s && !encrypts ? VSH_E_TAG : s;  // such a message cannot have been sealed
  });
}

// The arguments have been validated.
vsh_status seal(vsh_aead& c, uint8_t* out, uint8_t* tag, const Message& m) {
  c.state = State::none;
  return guarded([&] {
    Wiped<uint8_t[modes::kMaxBlock]> whole;
    visit(c, [&](auto& key) {
      key.mode.seal(out, whole.value, m.nonce, m.data, m.data_len, m.text, m.text_len);
      key.note_encrypted(m.data_len, m.text_len);
    });
    std::memcpy(tag, whole.value, c.tag_len);
    return VSH_OK;
  });
}

vsh_status open(vsh_aead& c, uint8_t* out, const uint8_t* tag, const Message& m) {
  c.state = State::none;
  return guarded([&] {
    const bool right = visit(c, [&](auto& key) {
      return key.mode.open(out, tag, c.tag_len, m.nonce, m.data, m.data_len, m.text, m.text_len);
    });
    return right ? VSH_OK : VSH_E_TAG;
  });
}

vsh_status check_tag(const vsh_aead* c, const uint8_t* tag, size_t tag_len) {
  if (!c || !is_buffer(tag, tag_len)) return VSH_E_ARGUMENT;
  return tag_len == c->tag_len ? VSH_OK : VSH_E_TAG_LENGTH;
}

// Options that authenticated encryption does not use.
vsh_status check_options(const Options& o) {
  if (o.segment_len) return VSH_E_SEGMENT;
  if (o.padding != VSH_PADDING_DEFAULT && o.padding != VSH_PADDING_NONE) return VSH_E_PADDING;
  return VSH_OK;
}

// MGM under the key. The arguments have been validated.
vsh_status new_mgm(vsh_aead** context, const AeadName& name, size_t tag_len, const BlockChoice& kernels, Algorithm a,
                   const uint8_t* key, const Options& o) {
  const ProductChoice products = choose_product_kernel();
  if (const vsh_status s = status_of(products.status)) return s;
  return guarded([&] {
    const keys::CipherKey expanded = cipher_key(a, key, o, &kernels.ladder.one());
    std::unique_ptr<vsh_aead> c(
        new vsh_aead(std::in_place_type<MgmKey>, name, tag_len, kernels, expanded, o.threads, *products.row));
    using enum Operation;
    static constexpr Operation kNeeded[] = {mgm_encrypt, mgm_decrypt, mgm_authenticate};
    std::get<MgmKey>(c->key).set_accelerator(gpu::make_accelerator(o.device, {expanded, nullptr, kNeeded}));
    *context = c.release();
    return VSH_OK;
  });
}

// CTR-ACPKM with OMAC. The key goes through the hash: table kernels are never allowed there.
vsh_status new_cms(vsh_aead** context, const AeadName& name, size_t tag_len, const BlockChoice& kernels, Algorithm a,
                   const uint8_t* key, const Options& o, size_t section_len) {
  const HashChoice hash = choose_hash_kernel({}, false);
  if (const vsh_status s = status_of(hash.status)) return s;
  return guarded([&] {
    *context =
        new vsh_aead(std::in_place_type<CmsKey>, name, tag_len, kernels, a, hash.row, key, section_len, o.threads);
    return VSH_OK;
  });
}

}  // namespace

vsh_status vsh_aead_new(vsh_aead** context, vsh_aead_algorithm algorithm, const uint8_t* key, size_t key_len,
                        size_t tag_len, const vsh_options* options) {
  const AeadName* const name = find_aead(number(algorithm));
  if (!context || !name) return VSH_E_ARGUMENT;
  Options o;
  const bool is_mgm = name->algorithm == VSH_KUZNYECHIK_MGM || name->algorithm == VSH_MAGMA_MGM;
  const Algorithm a = name->cipher;
  if (tag_len == 0) tag_len = name->max_tag_len();
  if (const vsh_status s = read_options(o, options, is_mgm ? DeviceUse::possible : DeviceUse::none)) return s;
  if (const vsh_status s = check_key(key, key_len)) return s;
  if (!is_tag_len(tag_len, name->max_tag_len(), o.allow_short_tags)) return VSH_E_TAG_LENGTH;
  if (const vsh_status s = check_options(o)) return s;
  KeyChanges changes;
  if (const vsh_status s = read_aead_key_changes(changes, name->algorithm, o)) return s;
  if (const vsh_status s = check_sbox(a, o)) return s;
  const BlockChoice kernels = choose_block_kernel(a, o.kernel, o.allow_tables);
  if (const vsh_status s = status_of(kernels.status)) return s;
  return is_mgm ? new_mgm(context, *name, tag_len, kernels, a, key, o)
                : new_cms(context, *name, tag_len, kernels, a, key, o, changes.section_len);
}

vsh_status vsh_aead_copy(vsh_aead** copy, const vsh_aead* context) {
  if (!copy || !context) return VSH_E_ARGUMENT;
  return guarded([&] {
    *copy = new vsh_aead(*context);
    return VSH_OK;
  });
}

void vsh_aead_free(vsh_aead* context) { delete context; }

size_t vsh_aead_tag_len(const vsh_aead* context) { return context ? context->tag_len : 0; }

const char* vsh_aead_kernel(const vsh_aead* context) {
  return context ? std::visit([](const auto& key) { return key.kernel(); }, context->key) : "";
}

vsh_status vsh_aead_seal(vsh_aead* context, uint8_t* out, size_t out_capacity, size_t* out_len, const uint8_t* nonce,
                         size_t nonce_len, const uint8_t* data, size_t data_len, const uint8_t* in, size_t in_len) {
  if (!context || !out_len || in_len > SIZE_MAX - context->tag_len) return VSH_E_ARGUMENT;
  const size_t need = in_len + context->tag_len;
  const Message m{nonce, nonce_len, data, data_len, in, in_len};
  if (const vsh_status s = check_capacity(out_capacity, out_len, need)) return s;
  if (const vsh_status s = check_whole(context, out, need, m, true)) return s;
  const vsh_status status = seal(*context, out, out + in_len, m);
  if (status == VSH_OK) *out_len = need;
  return status;
}

vsh_status vsh_aead_open(vsh_aead* context, uint8_t* out, size_t out_capacity, size_t* out_len, const uint8_t* nonce,
                         size_t nonce_len, const uint8_t* data, size_t data_len, const uint8_t* in, size_t in_len) {
  if (!context || !out_len || !is_buffer(in, in_len)) return VSH_E_ARGUMENT;
  if (in_len < context->tag_len) return VSH_E_TAG;
  const size_t need = in_len - context->tag_len;
  const Message m{nonce, nonce_len, data, data_len, in, need};
  if (const vsh_status s = check_capacity(out_capacity, out_len, need)) return s;
  if (const vsh_status s = check_whole(context, out, need, m, false)) return s;
  const vsh_status status = open(*context, out, in + need, m);
  if (status == VSH_OK) *out_len = need;
  return status;
}

vsh_status vsh_aead_seal_apart(vsh_aead* context, uint8_t* out, uint8_t* tag, size_t tag_len, const uint8_t* nonce,
                               size_t nonce_len, const uint8_t* data, size_t data_len, const uint8_t* in,
                               size_t text_len) {
  const Message m{nonce, nonce_len, data, data_len, in, text_len};
  if (const vsh_status s = check_tag(context, tag, tag_len)) return s;
  if (const vsh_status s = check_whole(context, out, text_len, m, true)) return s;
  if (overlap(tag, tag_len, out, text_len) || overlap(tag, tag_len, in, text_len) ||
      m.overlaps_beside_text(tag, tag_len))
    return VSH_E_ARGUMENT;
  return seal(*context, out, tag, m);
}

vsh_status vsh_aead_open_apart(vsh_aead* context, uint8_t* out, const uint8_t* nonce, size_t nonce_len,
                               const uint8_t* data, size_t data_len, const uint8_t* in, size_t text_len,
                               const uint8_t* tag, size_t tag_len) {
  const Message m{nonce, nonce_len, data, data_len, in, text_len};
  if (const vsh_status s = check_tag(context, tag, tag_len)) return s;
  if (const vsh_status s = check_whole(context, out, text_len, m, false)) return s;
  if (overlap(out, text_len, tag, tag_len)) return VSH_E_ARGUMENT;
  return open(*context, out, tag, m);
}

vsh_status vsh_aead_begin(vsh_aead* context, const uint8_t* nonce, size_t nonce_len) {
  if (!context) return VSH_E_ARGUMENT;
  if (const vsh_status s = check_nonce(*context, nonce, nonce_len)) return s;
  visit(*context, [](auto& key) { key.begin(); });
  return process(*context, State::data, [&](auto& mode) { mode.start(nonce); });
}

vsh_status vsh_aead_add_data(vsh_aead* context, const uint8_t* data, size_t data_len) {
  return piece(context, State::data, nullptr, data, data_len, [&](auto& mode) { mode.add_data(data, data_len); });
}

vsh_status vsh_aead_encrypt(vsh_aead* context, uint8_t* out, const uint8_t* in, size_t in_len) {
  if (!is_buffer(out, in_len)) return VSH_E_ARGUMENT;
  return piece(context, State::encrypting, out, in, in_len, [&](auto& mode) { mode.encrypt(out, in, in_len); });
}

vsh_status vsh_aead_authenticate(vsh_aead* context, const uint8_t* in, size_t in_len) {
  return piece(context, State::decrypting, nullptr, in, in_len, [&](auto& mode) { mode.authenticate(in, in_len); });
}

vsh_status vsh_aead_decrypt_unverified(vsh_aead* context, uint8_t* out, const uint8_t* in, size_t in_len) {
  if (!is_buffer(out, in_len)) return VSH_E_ARGUMENT;
  return piece(context, State::decrypting, out, in, in_len, [&](auto& mode) { mode.decrypt(out, in, in_len); });
}

vsh_status vsh_aead_final(vsh_aead* context, uint8_t* tag, size_t tag_len) {
  if (const vsh_status s = check_tag(context, tag, tag_len)) return s;
  if (context->state != State::data && context->state != State::encrypting) return VSH_E_STATE;
  Wiped<uint8_t[modes::kMaxBlock]> whole;
  const vsh_status content = visit(*context, [&](auto& key) {
    const uint64_t data = key.mode.data_len(), text = key.mode.text_len();
    if (const vsh_status s = key.check_limit(data, text, true)) return s;
    if (const vsh_status s = key.check_content(data, text)) return s;
    key.note_encrypted(data, text);
    return VSH_OK;
  });
  if (content) return content;
  const vsh_status status = process(*context, State::none, [&](auto& mode) { mode.final(whole.value); });
  if (status == VSH_OK) std::memcpy(tag, whole.value, tag_len);
  return status;
}

vsh_status vsh_aead_verify(vsh_aead* context, const uint8_t* tag, size_t tag_len) {
  if (const vsh_status s = check_tag(context, tag, tag_len)) return s;
  if (context->state != State::data && context->state != State::decrypting) return VSH_E_STATE;
  Wiped<uint8_t[modes::kMaxBlock]> whole;
  const bool empty =
      visit(*context, [](auto& key) { return key.check_content(key.mode.data_len(), key.mode.text_len()) != VSH_OK; });
  if (const vsh_status s = process(*context, State::none, [&](auto& mode) { mode.final(whole.value); })) return s;
  return equal_constant_time(whole.value, tag, tag_len) && !empty ? VSH_OK : VSH_E_TAG;
}
