// vsh_mac: MAC of GOST R 34.13-2015 over a block cipher, the same with changing keys, IMIT of GOST 28147-89, and HMAC
// over Streebog.
#include "modes/mac.hpp"

#include <variant>

#include "api/arguments/keys.hpp"
#include "api/arguments/mode_arguments.hpp"
#include "api/arguments/names.hpp"
#include "keys/hmac.hpp"
#include "modes/imit.hpp"
#include "modes/omac_acpkm.hpp"

using namespace vsh;
using namespace vsh::api;

namespace {

struct BlockMac {
  BlockMac(const BlockChoice& kernels, const keys::CipherKey& key) : engine(kernels, key, 1), mac(engine) {}
  BlockMac(const BlockMac& other) : engine(other.engine), mac(other.mac) { mac.set_engine(engine); }
  BlockEngine engine;
  modes::Mac mac;  // refers to engine
};

struct AcpkmMac {
  AcpkmMac(const BlockChoice& kernels, const keys::CipherKey& key, const KeyChanges& changes)
      : master(kernels, key, modes::acpkm, changes.master_section_len, 1), mac(master, changes.section_len) {}
  AcpkmMac(const AcpkmMac& other) : master(other.master), mac(other.mac) { mac.set_engine(master); }
  modes::SectionedCipher master;
  modes::OmacAcpkm mac;  // refers to master
};

struct Gost28147Imit {
  Gost28147Imit(const keys::CipherKey& key, const BlockKernel& kernel, bool key_meshing)
      : mac(*key.magma(), kernel, key_meshing) {}
  modes::Imit mac;
};

struct StreebogHmac {
  StreebogHmac(const HashKernel* kernel, unsigned hash_bits, keys::Bytes key) : mac(kernel, hash_bits, key) {}
  keys::Hmac mac;
};

constexpr size_t kMaxTag = 64;  // HMAC-Streebog-512 has the longest

}  // namespace

struct vsh_mac : ErasedOnFree {
  template <class T, class... Args>
  vsh_mac(std::in_place_type_t<T> type, vsh_mac_algorithm algorithm, const Args&... args)
      : max_len(vsh_mac_max_len(algorithm)), over(type, args...) {}

  size_t max_len;  // bytes of the longest tag
  bool ended = false;
  std::variant<BlockMac, AcpkmMac, Gost28147Imit, StreebogHmac> over;
};
static_assert(alignof(vsh_mac) <= static_cast<size_t>(ErasedOnFree::kAlignment));

namespace {

void compute(vsh_mac& c, uint8_t* tag) {
  c.ended = true;
  std::visit([&](auto& over) { over.mac.final(tag); }, c.over);
}

vsh_status check_tag(const vsh_mac* c, const uint8_t* tag, size_t tag_len) {
  if (!c || !tag || tag_len == 0 || tag_len > c->max_len || !is_buffer(tag, tag_len)) return VSH_E_ARGUMENT;
  return c->ended ? VSH_E_STATE : VSH_OK;
}

// Every bit of the secret key goes through the hash: table kernels are never allowed.
vsh_status new_hmac(vsh_mac** context, vsh_mac_algorithm algorithm, const uint8_t* key, size_t key_len,
                    const Options& o) {
  if (key_len == 0) return VSH_E_KEY_LENGTH;
  if (!is_buffer(key, key_len)) return VSH_E_ARGUMENT;
  if (const vsh_status s = check_sbox(Algorithm::streebog, o)) return s;
  const HashChoice choice = choose_hash_kernel(o.kernel, false);
  if (const vsh_status s = status_of(choice.status)) return s;
  return guarded([&] {
    const unsigned hash_bits = 8 * static_cast<unsigned>(vsh_mac_max_len(algorithm));
    *context =
        new vsh_mac(std::in_place_type<StreebogHmac>, algorithm, choice.row, hash_bits, keys::Bytes(key, key_len));
    return VSH_OK;
  });
}

}  // namespace

vsh_status vsh_mac_new(vsh_mac** context, vsh_mac_algorithm algorithm, const uint8_t* key, size_t key_len,
                       const vsh_options* options) {
  if (!context) return VSH_E_ARGUMENT;
  Options o;
  if (const vsh_status s = read_options(o, options)) return s;
  KeyChanges changes;
  if (const vsh_status s = read_mac_key_changes(changes, number(algorithm), o)) return s;
  const MacName* const name = find_mac(number(algorithm));
  if (!name) return VSH_E_ARGUMENT;
  const Algorithm a = name->over;
  if (a == Algorithm::streebog) return new_hmac(context, algorithm, key, key_len, o);
  if (const vsh_status s = check_key(key, key_len)) return s;
  if (const vsh_status s = check_sbox(a, o)) return s;
  if (a == Algorithm::gost28147) {
    // IMIT has 16 rounds instead of 32 and is serial: only one-block kernels have it. VERSHINA_KERNEL is for the cipher
    // and does not choose it, but must still be valid.
    const auto kernel = magma::ImitRounds::choose_kernel(o.kernel, o.allow_tables);
    if (const vsh_status s = status_of(kernel.status)) return s;
    if (o.kernel.empty() && choose_block_kernel(a, {}, true).status == Choice::unknown) return VSH_E_KERNEL_UNKNOWN;
    return guarded([&] {
      *context = new vsh_mac(std::in_place_type<Gost28147Imit>, algorithm, cipher_key(a, key, o), *kernel.row,
                             o.key_meshing == VSH_MESHING_CRYPTOPRO);
      return VSH_OK;
    });
  }
  BlockChoice kernels = choose_block_kernel(a, o.kernel, o.allow_tables);
  if (const vsh_status s = status_of(kernels.status)) return s;
  kernels.ladder = kernels.ladder.for_single_blocks();  // a MAC is serial
  return guarded([&] {
    const keys::CipherKey expanded = cipher_key(a, key, o, &kernels.ladder.one());
    *context = changes.section_len ? new vsh_mac(std::in_place_type<AcpkmMac>, algorithm, kernels, expanded, changes)
                                   : new vsh_mac(std::in_place_type<BlockMac>, algorithm, kernels, expanded);
    return VSH_OK;
  });
}

void vsh_mac_free(vsh_mac* context) { delete context; }

vsh_status vsh_mac_copy(vsh_mac** copy, const vsh_mac* context) {
  if (!copy || !context) return VSH_E_ARGUMENT;
  return guarded([&] {
    *copy = new vsh_mac(*context);
    return VSH_OK;
  });
}

vsh_status vsh_mac_reset(vsh_mac* context) {
  if (!context) return VSH_E_ARGUMENT;
  std::visit([](auto& over) { over.mac.reset(); }, context->over);
  context->ended = false;
  return VSH_OK;
}

vsh_status vsh_mac_update(vsh_mac* context, const uint8_t* in, size_t in_len) {
  if (!context || !is_buffer(in, in_len)) return VSH_E_ARGUMENT;
  if (context->ended) return VSH_E_STATE;
  const SecretWork scope;
  std::visit([&](auto& over) { over.mac.update(in, in_len); }, context->over);
  return VSH_OK;
}

vsh_status vsh_mac_final(vsh_mac* context, uint8_t* tag, size_t tag_len) {
  if (const vsh_status s = check_tag(context, tag, tag_len)) return s;
  const SecretWork scope;
  Wiped<uint8_t[kMaxTag]> whole;
  compute(*context, whole.value);
  std::memcpy(tag, whole.value, tag_len);
  return VSH_OK;
}

vsh_status vsh_mac_verify(vsh_mac* context, const uint8_t* tag, size_t tag_len) {
  if (const vsh_status s = check_tag(context, tag, tag_len)) return s;
  const SecretWork scope;
  Wiped<uint8_t[kMaxTag]> whole;
  compute(*context, whole.value);
  return equal_constant_time(whole.value, tag, tag_len) ? VSH_OK : VSH_E_TAG;
}

int vsh_equal(const void* a, const void* b, size_t len) { return equal_constant_time(a, b, len); }

const char* vsh_mac_kernel(const vsh_mac* context) {
  if (!context) return "";
  return std::visit(
      [](const auto& over) -> const char* {
        if constexpr (requires { over.mac.kernel()->info; }) return over.mac.kernel()->info.variant;
        else return over.mac.kernel().info.variant;
      },
      context->over);
}
