// vsh_wrap and vsh_unwrap: KExp15, and the key wraps of GOST 28147-89.
#include <algorithm>

#include "api/arguments/keys.hpp"
#include "api/arguments/names.hpp"
#include "keys/kdf.hpp"
#include "magma/imit_rounds.hpp"
#include "wraps/gost28147_wrap.hpp"
#include "wraps/kexp15.hpp"

using namespace vsh;
using namespace vsh::api;

namespace {

struct Wrap {
  const char* name;
  vsh_wrap_algorithm algorithm;
  Algorithm cipher;
  size_t kek_len, min_iv_len, max_iv_len;
  size_t tag_len;
  bool carries_iv;  // in front of the wrapped key

  bool is_kexp15() const { return cipher != Algorithm::gost28147; }
  bool takes_key(size_t len) const {
    if (is_kexp15()) return len > 0;
    return len == 32 || (len == 64 && algorithm == VSH_WRAP_RFC7836);
  }
  size_t overhead(size_t iv_len) const { return (carries_iv ? iv_len : 0) + tag_len; }
};

constexpr Wrap kWraps[] = {
    {"kexp15-kuznyechik", VSH_KEXP15_KUZNYECHIK, Algorithm::kuznyechik, 64, 8, 8, 16, false},
    {"kexp15-magma", VSH_KEXP15_MAGMA, Algorithm::magma, 64, 4, 4, 8, false},
    {"gost28147", VSH_WRAP_GOST28147, Algorithm::gost28147, 32, 8, 8, 4, true},
    {"cryptopro", VSH_WRAP_CRYPTOPRO, Algorithm::gost28147, 32, 8, 8, 4, true},
    {"rfc7836", VSH_WRAP_RFC7836, Algorithm::gost28147, 32, 8, keys::kMaxSeedLen, 4, true},
};

const Wrap* find(vsh_wrap_algorithm algorithm) noexcept { return find_algorithm(kWraps, number(algorithm)); }

// A request, with lengths and options checked.
struct Request {
  const Wrap* wrap = nullptr;
  Options options;
  const uint8_t *kek = nullptr, *iv = nullptr, *in = nullptr;
  size_t iv_len = 0, in_len = 0;
};

vsh_status read_request(Request& r, vsh_wrap_algorithm algorithm, const uint8_t* kek, size_t kek_len, const uint8_t* iv,
                        size_t iv_len, const uint8_t* in, size_t in_len, const vsh_options* options) noexcept {
  r.wrap = find(algorithm);
  if (!r.wrap) return VSH_E_ARGUMENT;
  if (const vsh_status s = read_options(r.options, options)) return s;
  if (kek_len != r.wrap->kek_len) return VSH_E_KEY_LENGTH;
  if (!kek || !is_buffer(iv, iv_len) || !is_buffer(in, in_len)) return VSH_E_ARGUMENT;
  // RFC 9189 8.2.1: K_Exp_MAC and K_Exp_ENC MUST be independent.
  if (r.wrap->is_kexp15() && equal_constant_time(kek, kek + 32, 32)) return VSH_E_ARGUMENT;
  r.kek = kek, r.iv = iv, r.in = in;
  r.iv_len = iv_len, r.in_len = in_len;
  return check_sbox(r.wrap->cipher, r.options);
}

// Checks that `need` bytes fit, and that the output equals the input or does not overlap it.
vsh_status check_out(uint8_t* out, size_t capacity, size_t* out_len, size_t need, const Request& r) noexcept {
  if (const vsh_status s = check_capacity(capacity, out_len, need)) return s;
  if (!is_buffer(out, need)) return VSH_E_ARGUMENT;
  return same_or_apart(out, need, r.in, r.in_len) ? VSH_OK : VSH_E_ARGUMENT;
}

// ---- KExp15 --------------------------------------------------------------------------------------------------------

// use(keys) returns whether the check value was right.
vsh_status with_export_keys(const Request& r, auto&& use) {
  const BlockChoice kernels = choose_block_kernel(r.wrap->cipher, r.options.kernel, r.options.allow_tables);
  if (const vsh_status s = status_of(kernels.status)) return s;
  return guarded([&] {
    const auto engine = [&](const uint8_t* key) {
      return BlockEngine(kernels, cipher_key(r.wrap->cipher, key, r.options, &kernels.ladder.one()), 1);
    };
    const BlockEngine mac = engine(r.kek), enc = engine(r.kek + 32);
    return use(keys::ExportKeys{mac, enc}) ? VSH_OK : VSH_E_TAG;
  });
}

vsh_status wrap_by_kexp15(const Request& r, uint8_t* out) noexcept {
  return with_export_keys(r, [&](keys::ExportKeys kek) {
    keys::kexp15(kek, out, r.iv, r.in, r.in_len);
    return true;
  });
}

// The counter of CTR has half a block.
bool within_limit(const Request& r, size_t len) noexcept {
  return r.wrap->cipher != Algorithm::magma || uint64_t{len} / 8 < uint64_t{1} << 32;
}

// ---- GOST 28147-89 -------------------------------------------------------------------------------------------------

// RFC 7836 4.6: KEK_e(K_e, seed).
vsh_status derive_kek(uint8_t* derived, const Request& r, const uint8_t* seed) noexcept {
  static constexpr uint8_t kLabel[] = {0x26, 0xbd, 0xb8, 0x78};
  const HashChoice hash = choose_hash_kernel({}, false);
  if (const vsh_status s = status_of(hash.status)) return s;
  keys::Hmac hmac(hash.row, 256, {r.kek, r.wrap->kek_len});
  keys::kdf(hmac, derived, kLabel, {seed, r.iv_len});
  return VSH_OK;
}

// use(key) returns whether the check value was right. ukm: r.iv_len bytes.
vsh_status with_wrap_key(const Request& r, const uint8_t* ukm, auto&& use) noexcept {
  const auto kernel = magma::ImitRounds::choose_kernel(r.options.kernel, r.options.allow_tables);
  if (const vsh_status s = status_of(kernel.status)) return s;
  const SecretWork scope;
  Wiped<uint8_t[32]> derived;
  const bool derives = r.wrap->algorithm == VSH_WRAP_RFC7836;
  if (derives)
    if (const vsh_status s = derive_kek(derived.value, r, ukm)) return s;
  Wiped<magma::RoundKeys> kek;
  const keys::CipherParameters parameters = cipher_parameters(r.wrap->cipher, r.options);
  magma::expand_key(*kek, *parameters.magma(), derives ? derived.value : r.kek);
  if (r.wrap->algorithm == VSH_WRAP_CRYPTOPRO) keys::diversify_cryptopro(kek.value, *kernel.row, ukm);
  return use(keys::WrapKey{kek.value, *kernel.row}) ? VSH_OK : VSH_E_TAG;
}

vsh_status wrap_under_gost28147(const Request& r, uint8_t* out, size_t out_len) noexcept {
  return with_wrap_key(r, r.iv, [&](keys::WrapKey kek) {
    uint8_t wrapped[keys::kMaxSeedLen + keys::kMaxWrappedKey + keys::kWrapTagLen];  // out may be the key
    std::memcpy(wrapped, r.iv, r.iv_len);
    keys::wrap_gost28147(kek, wrapped + r.iv_len, r.iv, r.in, r.in_len);
    std::memcpy(out, wrapped, out_len);
    return true;
  });
}

// Checks the prefix of a wrapped key, which the caller may have given; false if it is invalid.
bool find_iv(Request& r, size_t& key_len) noexcept {
  const Wrap& w = *r.wrap;
  for (const size_t len : {size_t{32}, size_t{64}}) {
    if (!w.takes_key(len) || r.in_len < len + w.tag_len) continue;
    const size_t iv_len = r.in_len - len - w.tag_len;
    if (iv_len < w.min_iv_len || iv_len > w.max_iv_len) continue;
    key_len = len;
    if (r.iv_len == 0) r.iv_len = iv_len, r.iv = r.in;
    return true;
  }
  return false;
}

}  // namespace

vsh_status vsh_wrap_by_name(vsh_wrap_algorithm* algorithm, const char* name) {
  return algorithm_by_name(kWraps, algorithm, name);
}

const char* vsh_wrap_name(size_t i) { return name_at(kWraps, i); }

size_t vsh_wrap_kek_len(vsh_wrap_algorithm algorithm) {
  const Wrap* w = find(algorithm);
  return w ? w->kek_len : 0;
}

size_t vsh_wrap_iv_len(vsh_wrap_algorithm algorithm) {
  const Wrap* w = find(algorithm);
  return w ? w->min_iv_len : 0;
}

size_t vsh_wrapped_len(vsh_wrap_algorithm algorithm, size_t iv_len, size_t key_len) {
  const Wrap* w = find(algorithm);
  if (!w || iv_len < w->min_iv_len || iv_len > w->max_iv_len || !w->takes_key(key_len)) return 0;
  return key_len > SIZE_MAX - w->overhead(iv_len) ? 0 : key_len + w->overhead(iv_len);
}

vsh_status vsh_wrap(uint8_t* out, size_t out_capacity, size_t* out_len, vsh_wrap_algorithm algorithm,
                    const uint8_t* kek, size_t kek_len, const uint8_t* iv, size_t iv_len, const uint8_t* key,
                    size_t key_len, const vsh_options* options) {
  if (!out_len) return VSH_E_ARGUMENT;
  Request r;
  if (const vsh_status s = read_request(r, algorithm, kek, kek_len, iv, iv_len, key, key_len, options)) return s;
  if (iv_len < r.wrap->min_iv_len || iv_len > r.wrap->max_iv_len) return VSH_E_IV_LENGTH;
  const size_t need = vsh_wrapped_len(algorithm, iv_len, key_len);
  if (need == 0) return VSH_E_DATA_LENGTH;
  if (r.wrap->is_kexp15() && !within_limit(r, need)) return VSH_E_LIMIT;
  if (const vsh_status s = check_out(out, out_capacity, out_len, need, r)) return s;
  const vsh_status status = r.wrap->is_kexp15() ? wrap_by_kexp15(r, out) : wrap_under_gost28147(r, out, need);
  if (status == VSH_OK) *out_len = need;
  return status;
}

vsh_status vsh_unwrap(uint8_t* key, size_t key_capacity, size_t* key_len, vsh_wrap_algorithm algorithm,
                      const uint8_t* kek, size_t kek_len, const uint8_t* iv, size_t iv_len, const uint8_t* in,
                      size_t in_len, const vsh_options* options) {
  if (!key_len) return VSH_E_ARGUMENT;
  Request r;
  if (const vsh_status s = read_request(r, algorithm, kek, kek_len, iv, iv_len, in, in_len, options)) return s;
  const bool may_lack_iv = r.wrap->carries_iv && iv_len == 0;
  if (!may_lack_iv && (iv_len < r.wrap->min_iv_len || iv_len > r.wrap->max_iv_len)) return VSH_E_IV_LENGTH;
  size_t need = 0;
  if (r.wrap->carries_iv) {
    if (!find_iv(r, need)) return VSH_E_DATA_LENGTH;
  } else {
    if (in_len <= r.wrap->tag_len) return VSH_E_DATA_LENGTH;
    if (!within_limit(r, in_len)) return VSH_E_LIMIT;
    need = in_len - r.wrap->tag_len;
  }
  if (const vsh_status s = check_out(key, key_capacity, key_len, need, r)) return s;
  vsh_status status;
  if (r.wrap->is_kexp15()) {
    status = with_export_keys(r, [&](keys::ExportKeys kek) { return keys::kimp15(kek, key, need, r.iv, in); });
  } else {
    const size_t front = in_len - need - r.wrap->tag_len;
    uint8_t ukm[keys::kMaxSeedLen];  // read once: several steps need it
    std::memcpy(ukm, in, front);
    // An IV that differs from the prefix: KImp28147 (RFC 9189 8.2.2), step 2.
    if (r.iv_len != front || !std::equal(ukm, ukm + front, r.iv)) return VSH_E_TAG;
    status = with_wrap_key(r, ukm,
                           [&](keys::WrapKey kek) { return keys::unwrap_gost28147(kek, key, need, ukm, in + front); });
  }
  if (status == VSH_OK) *key_len = need;
  return status;
}
