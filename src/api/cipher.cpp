// vsh_cipher: the modes of encryption behind one context.
#include <memory>
#include <optional>
#include <variant>

#include "api/arguments/keys.hpp"
#include "api/arguments/mode_arguments.hpp"
#include "api/arguments/names.hpp"
#include "api/arguments/operations.hpp"
#include "modes/acpkm.hpp"
#include "modes/cbc.hpp"
#include "modes/cfb.hpp"
#include "modes/cnt.hpp"
#include "modes/ctr.hpp"
#include "modes/ecb.hpp"
#include "modes/key_meshing.hpp"
#include "modes/ofb.hpp"
#include "modes/padded.hpp"

namespace vsh::api {
namespace {

using modes::Direction;
using modes::End;
using modes::Padding;

using Ecb = modes::Padded<modes::Ecb>;
using Cbc = modes::Padded<modes::Cbc>;
using Ctr = modes::Stream<modes::Ctr>;
using CtrAcpkm = modes::Stream<modes::CtrAcpkm>;
using Cnt = modes::Stream<modes::Cnt>;
using Ofb = modes::Stream<modes::Ofb>;
using Cfb = modes::Stream<modes::Cfb>;
using MeshedCbc = modes::Padded<modes::MeshedCbc>;
using MeshedCnt = modes::Stream<modes::MeshedCnt>;
using MeshedCfb = modes::Stream<modes::MeshedCfb>;
using Cipher = std::variant<BlockEngine, modes::SectionedCipher>;  // under one key, or with changes of it
using Mode = std::variant<Ecb, Cbc, Ctr, CtrAcpkm, Cnt, Ofb, Cfb, MeshedCbc, MeshedCnt, MeshedCfb>;

static_assert(VSH_MAX_REGISTER == modes::kMaxRegister && VSH_MAX_BLOCK_LEN == modes::kMaxBlock);

// Purpose of a context. All lengths in bytes.
struct Parameters {
  unsigned algorithm, mode;  // vsh_cipher_algorithm, vsh_mode; checked
  Direction direction;
  Padding padding;
  size_t segment_len;
  KeyChanges key_changes;
};

vsh_status read_padding(Parameters& p, const Options& options) {
  p.padding = Padding::none;
  switch (options.padding) {
    case VSH_PADDING_NONE: return VSH_OK;
    case VSH_PADDING_DEFAULT:
      if (pads(p.mode)) p.padding = Padding::procedure2;
      return VSH_OK;
    case VSH_PADDING_1: p.padding = Padding::procedure1; break;
    case VSH_PADDING_2: p.padding = Padding::procedure2; break;
    case VSH_PADDING_PKCS7: p.padding = Padding::pkcs7; break;
    default: return VSH_E_PADDING;
  }
  return pads(p.mode) ? VSH_OK : VSH_E_PADDING;
}

vsh_status status_of(End::Verdict verdict) {
  switch (verdict) {
    case End::Verdict::ok: return VSH_OK;
    case End::Verdict::data_length: return VSH_E_DATA_LENGTH;
    case End::Verdict::bad_padding: return VSH_E_BAD_PADDING;
  }
  return VSH_E_STATE;
}

}  // namespace
}  // namespace vsh::api

using namespace vsh;
using namespace vsh::api;

struct vsh_cipher : ErasedOnFree {
  vsh_cipher(const Parameters& p, const BlockChoice& kernels, const keys::CipherKey& key, unsigned threads)
      : parameters(p), cipher(make_cipher(p, kernels, key, threads)) {}

  vsh_cipher(const vsh_cipher& other)
      : parameters(other.parameters), cipher(other.cipher), mode(other.mode), ended(other.ended) {
    std::visit(
        [this](auto& m) {  // not of both: that makes a unique symbol (tests/symbols.sh)
          using Sectioned = modes::SectionedCipher;
          if constexpr (requires(Sectioned & c) { m.set_engine(c); }) m.set_engine(std::get<Sectioned>(cipher));
          else m.set_engine(std::get<BlockEngine>(cipher));
        },
        *mode);
  }

  // Begins a message; to be called before anything else. The IV has been checked.
  void start(const uint8_t* iv, size_t iv_len) {
    ended = false;
    std::visit([&](auto& c) { start(c, iv, iv_len); }, cipher);
  }

  const Ladder& ladder() const {
    if (const auto* const engine = std::get_if<BlockEngine>(&cipher)) return engine->ladder();
    return std::get<modes::SectionedCipher>(cipher).kernels.ladder;
  }

  Parameters parameters;
  Cipher cipher;
  std::optional<Mode> mode;  // refers to cipher
  bool ended = true;         // by final, or by an error in the middle of the message

 private:
  static Cipher make_cipher(const Parameters& p, const BlockChoice& kernels, const keys::CipherKey& key,
                            unsigned threads) {
    const size_t len = p.key_changes.section_len;
    if (len == 0) return Cipher(std::in_place_type<BlockEngine>, kernels, key, threads);
    const auto next_key = p.mode == VSH_CTR_ACPKM ? modes::acpkm : modes::mesh_key;
    return Cipher(std::in_place_type<modes::SectionedCipher>, kernels, key, next_key, len, threads);
  }

  template <class M, class... Args>
  void emplace(Args&&... args) {
    mode.emplace(std::in_place_type<M>, std::forward<Args>(args)...);
  }
  void start(BlockEngine& engine, const uint8_t* iv, size_t iv_len) {
    const Parameters& p = parameters;
    switch (p.mode) {
      case VSH_ECB: emplace<Ecb>(modes::Ecb(engine), p.direction, p.padding); break;
      case VSH_CBC: emplace<Cbc>(modes::Cbc(engine, iv, iv_len), p.direction, p.padding); break;
      case VSH_CTR: emplace<Ctr>(engine, iv, p.segment_len); break;
      case VSH_CNT: emplace<Cnt>(engine, iv, p.segment_len); break;
      case VSH_OFB: emplace<Ofb>(engine, iv, iv_len, p.segment_len); break;
      case VSH_CFB: emplace<Cfb>(engine, p.direction, iv, iv_len, p.segment_len); break;
    }
  }
  void start(modes::SectionedCipher& sectioned, const uint8_t* iv, size_t) {
    const Parameters& p = parameters;
    switch (p.mode) {
      case VSH_CTR_ACPKM: emplace<CtrAcpkm>(sectioned, iv, p.segment_len); break;
      case VSH_CBC: emplace<MeshedCbc>(modes::MeshedCbc(sectioned, iv), p.direction, p.padding); break;
      case VSH_CNT: emplace<MeshedCnt>(sectioned, iv, p.segment_len); break;
      case VSH_CFB: emplace<MeshedCfb>(sectioned, p.direction, iv); break;
    }
  }
};

namespace {

// Returns how much an update of in_len bytes writes.
size_t update_len(const vsh_cipher& c, size_t in_len) {
  return std::visit([&](const auto& mode) { return mode.update_len(in_len); }, *c.mode);
}

// Counter modes limit the length of a message; others do not.
bool within_limit(const vsh_cipher& c, size_t in_len) {
  return std::visit(
      [&](const auto& mode) {
        if constexpr (requires { mode.bytes_left(); }) return in_len <= mode.bytes_left();
        return true;
      },
      *c.mode);
}

// Checks, before anything is written, that `need` bytes fit out and that out is disjoint from in or, if allowed, equal
// to it.
vsh_status check_buffers(const vsh_cipher& c, const uint8_t* out, size_t out_capacity, size_t* out_len, size_t need,
                         const uint8_t* in, size_t in_len) {
  if (const vsh_status s = check_capacity(out_capacity, out_len, need)) return s;
  if (!is_buffer(out, need)) return VSH_E_ARGUMENT;
  const bool has_pending = std::visit([](const auto& mode) { return mode.has_pending(); }, *c.mode);
  if (out == in && !has_pending) return VSH_OK;
  return overlap(out, need, in, in_len) ? VSH_E_ARGUMENT : VSH_OK;
}

// Writes update_len bytes; everything has been checked.
void update(vsh_cipher& c, uint8_t* out, const uint8_t* in, size_t in_len) {
  c.ended = true;  // if a thread is refused in the middle, only a new message can follow
  std::visit([&](auto& mode) { mode.update(out, in, in_len); }, *c.mode);
  c.ended = false;
}

End finish(const vsh_cipher& c, uint8_t* last) {
  return std::visit([&](const auto& mode) { return mode.finish(last); }, *c.mode);
}

// Processes a message in one call: everything is known before the first byte is written.
vsh_status whole_message(vsh_cipher& c, uint8_t* out, size_t out_capacity, size_t* out_len, const uint8_t* in,
                         size_t in_len) {
  Wiped<uint8_t[modes::kMaxBlock]> last;
  End end = std::visit([&](const auto& mode) { return mode.end_of_message(last.value, in, in_len); }, *c.mode);
  if (end.verdict != End::Verdict::ok) return status_of(end.verdict);
  const size_t updated = update_len(c, in_len);
  if (updated > SIZE_MAX - end.len) return VSH_E_ARGUMENT;
  const size_t need = updated + end.len;
  if (const vsh_status s = check_buffers(c, out, out_capacity, out_len, need, in, in_len)) return s;
  update(c, out, in, in_len);
  if (c.parameters.direction == Direction::encrypt) end = finish(c, last.value);
  if (end.len) std::memcpy(out + updated, last.value, end.len);
  *out_len = need;
  return VSH_OK;
}

struct FreeCipher {
  void operator()(vsh_cipher* c) const { delete c; }
};

vsh_status one_shot(uint8_t* out, size_t out_capacity, size_t* out_len, vsh_cipher_algorithm algorithm, vsh_mode mode,
                    vsh_direction direction, const uint8_t* key, size_t key_len, const uint8_t* iv, size_t iv_len,
                    const uint8_t* in, size_t in_len, const vsh_options* options) {
  if (!out_len || !is_buffer(in, in_len)) return VSH_E_ARGUMENT;
  vsh_cipher* c = nullptr;
  if (const vsh_status s = vsh_cipher_new(&c, algorithm, mode, direction, key, key_len, iv, iv_len, options)) return s;
  const std::unique_ptr<vsh_cipher, FreeCipher> owner(c);
  return guarded([&] { return whole_message(*c, out, out_capacity, out_len, in, in_len); });
}

}  // namespace

vsh_status vsh_cipher_new(vsh_cipher** context, vsh_cipher_algorithm algorithm, vsh_mode mode, vsh_direction direction,
                          const uint8_t* key, size_t key_len, const uint8_t* iv, size_t iv_len,
                          const vsh_options* options) {
  if (!context || !is_cipher(number(algorithm), number(mode))) return VSH_E_ARGUMENT;
  if (number(direction) != VSH_ENCRYPT && number(direction) != VSH_DECRYPT) return VSH_E_ARGUMENT;
  Options o;
  Parameters p{number(algorithm),
               number(mode),
               number(direction) == VSH_ENCRYPT ? Direction::encrypt : Direction::decrypt,
               Padding::none,
               0,
               {}};
  const Algorithm a = algorithm_of(p.algorithm);
  if (const vsh_status s = read_options(o, options, DeviceUse::possible)) return s;
  if (const vsh_status s = check_key(key, key_len)) return s;
  if (const vsh_status s = check_iv(p.algorithm, p.mode, iv, iv_len)) return s;
  if (const vsh_status s = read_segment(p.segment_len, p.algorithm, p.mode, o)) return s;
  if (const vsh_status s = read_key_changes(p.key_changes, p.algorithm, p.mode, p.segment_len, o)) return s;
  if (const vsh_status s = read_padding(p, o)) return s;
  if (const vsh_status s = check_sbox(a, o)) return s;
  const BlockChoice kernels = choose_block_kernel(a, o.kernel, o.allow_tables, o.sbox == VSH_SBOX_CUSTOM);
  if (const vsh_status s = api::status_of(kernels.status)) return s;
  return guarded([&] {
    const keys::CipherKey expanded = cipher_key(a, key, o, &kernels.ladder.one());
    std::unique_ptr<vsh_cipher, FreeCipher> c(new vsh_cipher(p, kernels, expanded, o.threads));
    const Operation operation = operation_of(p.mode, p.direction == Direction::encrypt);
    const bool is_for_devices = !chained(operation) && p.key_changes.section_len == 0 && p.segment_len == block_size(a);
    auto accelerator = gpu::make_accelerator(o.device, {expanded, nullptr, {&operation, is_for_devices}});
    if (accelerator) std::get<BlockEngine>(c->cipher).set_accelerator(std::move(accelerator));
    c->start(iv, iv_len);
    *context = c.release();
    return VSH_OK;
  });
}

void vsh_cipher_free(vsh_cipher* context) { delete context; }

vsh_status vsh_cipher_copy(vsh_cipher** copy, const vsh_cipher* context) {
  if (!copy || !context) return VSH_E_ARGUMENT;
  return guarded([&] {
    *copy = new vsh_cipher(*context);
    return VSH_OK;
  });
}

vsh_status vsh_cipher_reset(vsh_cipher* context, const uint8_t* iv, size_t iv_len) {
  if (!context) return VSH_E_ARGUMENT;
  if (const vsh_status s = check_iv(context->parameters.algorithm, context->parameters.mode, iv, iv_len)) return s;
  return guarded([&] {
    context->start(iv, iv_len);
    return VSH_OK;
  });
}

size_t vsh_cipher_update_capacity(const vsh_cipher* context, size_t in_len) {
  return context ? update_len(*context, in_len) : 0;
}

vsh_status vsh_cipher_update(vsh_cipher* context, uint8_t* out, size_t out_capacity, size_t* out_len, const uint8_t* in,
                             size_t in_len) {
  if (!context || !out_len || !is_buffer(in, in_len)) return VSH_E_ARGUMENT;
  if (context->ended) return VSH_E_STATE;
  if (!within_limit(*context, in_len)) return VSH_E_LIMIT;
  const size_t need = update_len(*context, in_len);
  if (const vsh_status s = check_buffers(*context, out, out_capacity, out_len, need, in, in_len)) return s;
  return guarded([&] {
    update(*context, out, in, in_len);
    *out_len = need;
    return VSH_OK;
  });
}

vsh_status vsh_cipher_final(vsh_cipher* context, uint8_t* out, size_t out_capacity, size_t* out_len) {
  if (!context || !out_len) return VSH_E_ARGUMENT;
  if (context->ended) return VSH_E_STATE;
  return guarded([&] {
    Wiped<uint8_t[modes::kMaxBlock]> last;
    const End end = finish(*context, last.value);
    if (end.verdict == End::Verdict::ok) {
      if (const vsh_status s = check_buffers(*context, out, out_capacity, out_len, end.len, nullptr, 0)) return s;
      if (end.len) std::memcpy(out, last.value, end.len);
      *out_len = end.len;
    }
    context->ended = true;
    return status_of(end.verdict);
  });
}

vsh_status vsh_cipher_seek(vsh_cipher* context, uint64_t position) {
  if (!context) return VSH_E_ARGUMENT;
  if (context->ended) return VSH_E_STATE;
  return guarded([&] {
    return std::visit(
        [&](auto& mode) {
          if constexpr (requires { mode.seek(position); }) {
            if (position > mode.max_len()) return VSH_E_LIMIT;
            mode.seek(position);
            return VSH_OK;
          }
          return VSH_E_STATE;
        },
        *context->mode);
  });
}

const char* vsh_cipher_kernel(const vsh_cipher* context) {
  return context ? context->ladder().many().info.variant : "";
}

const char* vsh_cipher_kernel_one_block(const vsh_cipher* context) {
  return context ? context->ladder().one().info.variant : "";
}

vsh_status vsh_encrypt(uint8_t* out, size_t out_capacity, size_t* out_len, vsh_cipher_algorithm algorithm,
                       vsh_mode mode, const uint8_t* key, size_t key_len, const uint8_t* iv, size_t iv_len,
                       const uint8_t* in, size_t in_len, const vsh_options* options) {
  return one_shot(out, out_capacity, out_len, algorithm, mode, VSH_ENCRYPT, key, key_len, iv, iv_len, in, in_len,
                  options);
}

vsh_status vsh_decrypt(uint8_t* out, size_t out_capacity, size_t* out_len, vsh_cipher_algorithm algorithm,
                       vsh_mode mode, const uint8_t* key, size_t key_len, const uint8_t* iv, size_t iv_len,
                       const uint8_t* in, size_t in_len, const vsh_options* options) {
  return one_shot(out, out_capacity, out_len, algorithm, mode, VSH_DECRYPT, key, key_len, iv, iv_len, in, in_len,
                  options);
}
