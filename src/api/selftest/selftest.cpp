// vsh_selftest: examples of the standards on every kernel that this CPU can run, for one message and
// for as many as it has lanes, through the ABI itself.
#include <algorithm>
#include <string>
#include <vector>

#include "api/arguments/names.hpp"
#include "api/selftest/disk.hpp"
#include "api/selftest/examples.hpp"
#include "api/selftest/sealed.hpp"
#include "core/registry.hpp"
#include "gf2n/reduce.hpp"

namespace {

using namespace vsh::api::selftest;
using std::string_view;

string_view family(vsh_cipher_algorithm a) { return vsh::family_name(vsh::api::algorithm_of(a)); }
bool is_hmac(vsh_mac_algorithm a) { return vsh::api::find_mac(a)->over == vsh::Algorithm::streebog; }
string_view family(vsh_mac_algorithm a) { return vsh::family_name(vsh::api::find_mac(a)->over); }
string_view family(vsh_aead_algorithm a) { return vsh::family_name(vsh::api::find_aead(a)->cipher); }
vsh_cipher_algorithm cipher_of(vsh_mac_algorithm a) {
  return a == VSH_KUZNYECHIK_MAC ? VSH_KUZNYECHIK : a == VSH_MAGMA_MAC ? VSH_MAGMA : VSH_GOST28147;
}
string_view family(vsh_hash_algorithm a) { return a == VSH_STREEBOG256 || a == VSH_STREEBOG512 ? "streebog" : "magma"; }

vsh_options options_for(const char* kernel, vsh_sbox sbox, vsh_mode mode = VSH_CTR) {
  vsh_options o = VSH_OPTIONS_INIT;
  o.flags = VSH_ALLOW_TABLES;
  o.kernel = kernel;
  o.sbox = sbox;
  if (mode == VSH_ECB || mode == VSH_CBC) o.padding = VSH_PADDING_NONE;
  return o;
}

bool passes(const CipherExample& e, const vsh_kernel_info& kernel) {
  vsh_options o = options_for(kernel.variant, e.sbox, e.mode);
  o.section_len = e.section_len;
  const Bytes key = from_hex(e.key), iv = from_hex(e.iv);
  const auto works = [&](decltype(&vsh_encrypt) function, const Bytes& in, const Bytes& expected) {
    Bytes out(in.size());
    size_t len = 0;
    return function(out.data(), out.size(), &len, e.algorithm, e.mode, key.data(), key.size(), iv.data(), iv.size(),
                    in.data(), in.size(), &o) == VSH_OK &&
           out == expected;
  };
  const size_t wide = e.mode == VSH_ECB ? (kernel.lanes + 1) * vsh_block_len(e.algorithm) : 0;
  for (const size_t len : {size_t{1}, wide}) {
    if (len == 0) continue;
    const Bytes in = repeated(from_hex(e.in), len), out = repeated(from_hex(e.out), len);
    if (!works(vsh_encrypt, in, out) || !works(vsh_decrypt, out, in)) return false;
  }
  return true;
}

bool passes(const MacExample& e, const char* kernel) {
  vsh_options o = options_for(kernel, e.sbox);
  o.section_len = e.section_len, o.master_section_len = e.master_section_len;
  const Bytes key = from_hex(e.key), in = from_hex(e.in), tag = from_hex(e.tag);
  vsh_mac* mac = nullptr;
  const bool right = vsh_mac_new(&mac, e.algorithm, key.data(), key.size(), &o) == VSH_OK &&
                     vsh_mac_update(mac, in.data(), in.size()) == VSH_OK &&
                     vsh_mac_verify(mac, tag.data(), tag.size()) == VSH_OK;
  vsh_mac_free(mac);
  return right;
}

bool passes(const AeadExample& e, const char* kernel) {
  const vsh_options o = options_for(kernel, VSH_SBOX_DEFAULT);
  const Bytes key = from_hex(e.key), nonce = from_hex(e.nonce), data = from_hex(e.data), in = from_hex(e.in),
              out = from_hex(e.out), tag = from_hex(e.tag);
  Bytes text(in.size()), its_tag(tag.size());
  vsh_aead* aead = nullptr;
  const bool right = vsh_aead_new(&aead, e.algorithm, key.data(), key.size(), tag.size(), &o) == VSH_OK &&
                     vsh_aead_seal_apart(aead, text.data(), its_tag.data(), tag.size(), nonce.data(), nonce.size(),
                                         data.data(), data.size(), in.data(), in.size()) == VSH_OK &&
                     text == out && its_tag == tag &&
                     vsh_aead_open_apart(aead, text.data(), nonce.data(), nonce.size(), data.data(), data.size(),
                                         text.data(), text.size(), tag.data(), tag.size()) == VSH_OK &&
                     text == in;
  vsh_aead_free(aead);
  return right;
}

bool passes(const vsh::ProductKernel& row) {
  for (const ProductExample& e : kProducts) {
    const Bytes x = from_hex(e.x), y = from_hex(e.y);
    uint64_t sum[vsh::gf2n::kMaxSumWords] = {};
    (x.size() == 8 ? row.add_64 : row.add_128)(sum, x.data(), y.data(), 1);
    Bytes product(x.size());
    vsh::gf2n::reduce(product.data(), product.size(), sum);
    if (product != from_hex(e.product)) return false;
  }
  return true;
}

bool passes(const HashExample& e, const char* kernel) {
  const vsh_options o = options_for(kernel, VSH_SBOX_DEFAULT);
  const Bytes in = from_hex(e.in), expected = from_hex(e.digest);
  Bytes digest(expected.size());
  const vsh_status status = vsh_hash_digest(digest.data(), digest.size(), e.algorithm, in.data(), in.size(), &o);
  // Only some rows of Magma have the step of GOST R 34.11-94.
  if (status == VSH_E_KERNEL_UNKNOWN && kernel && family(e.algorithm) == "magma") return true;
  return status == VSH_OK && digest == expected;
}

bool passes(const WrapExample& e) {
  const Bytes kek = from_hex(e.kek), iv = from_hex(e.iv), key = from_hex(e.key), expected = from_hex(e.wrapped);
  Bytes out(expected.size()), back(out.size());
  size_t len = 0;
  const bool wrapped = vsh_wrap(out.data(), out.size(), &len, e.algorithm, kek.data(), kek.size(), iv.data(), iv.size(),
                                key.data(), key.size(), nullptr) == VSH_OK &&
                       out == expected;
  const bool unwrapped = vsh_unwrap(back.data(), back.size(), &len, e.algorithm, kek.data(), kek.size(), iv.data(),
                                    iv.size(), out.data(), out.size(), nullptr) == VSH_OK;
  back.resize(len);
  return wrapped && unwrapped && back == key;
}

// ---- A message in each lane -----------------------------------------------------------------------------------------

struct Lane {
  Bytes key, expected;
};

// lanes[1] in lane 1, lanes[0] in all others. True for a kernel whose lanes have one key.
bool pass_together(const vsh_kernel_info& kernel, vsh_cipher_algorithm algorithm, const vsh_options& o,
                   vsh_stream_job job, const Lane (&lanes)[2]) {
  const size_t len = job.out_len = lanes[0].expected.size();
  Bytes out(kernel.lanes * len);
  std::vector<vsh_stream_job> jobs(kernel.lanes, job);
  for (size_t i = 0; i < jobs.size(); ++i) {
    jobs[i].key = lanes[i == 1].key.data();
    jobs[i].out = &out[i * len];
  }
  vsh_streams* streams = nullptr;
  bool right = vsh_streams_new(&streams, algorithm, nullptr, 0, &o) == VSH_OK;
  const bool has_lanes = vsh_streams_lanes(streams) > 1;
  right = right && (!has_lanes || vsh_streams_run(streams, jobs.data(), jobs.size()) == VSH_OK);
  vsh_streams_free(streams);
  for (size_t i = 0; has_lanes && i < jobs.size(); ++i)
    right = right && std::equal(jobs[i].out, jobs[i].out + len, lanes[i == 1].expected.begin());
  return right;
}

// Lane 1 has another key; the one-message functions, already tested, give its expected output.
Lane other_lane(string_view key, size_t len) { return {from_hex(key == kKeyA1 ? kKeyA2 : kKeyA1), Bytes(len)}; }

bool pass_together(const CipherExample& e, const vsh_kernel_info& kernel) {
  const vsh_options o = options_for(kernel.variant, e.sbox, e.mode);
  const Bytes iv = from_hex(e.iv), text = from_hex(e.in), cipher_text = from_hex(e.out);
  // Lanes support neither longer registers nor messages whose key changes.
  if (iv.size() > vsh_iv_len(e.algorithm, e.mode) || e.section_len) return true;
  const auto passes_as = [&](vsh_stream_work work, decltype(&vsh_encrypt) one_message, const Bytes& in,
                             const Bytes& out) {
    Lane lanes[] = {{from_hex(e.key), out}, other_lane(e.key, out.size())};
    size_t len = 0;
    if (one_message(lanes[1].expected.data(), out.size(), &len, e.algorithm, e.mode, lanes[1].key.data(), VSH_KEY_LEN,
                    iv.data(), iv.size(), in.data(), in.size(), &o) != VSH_OK)
      return false;
    vsh_stream_job job{};
    job.work = work, job.mode = e.mode;
    job.iv = iv.data(), job.iv_len = iv.size();
    job.in = in.data(), job.in_len = in.size();
    return pass_together(kernel, e.algorithm, o, job, lanes);
  };
  return passes_as(VSH_STREAM_ENCRYPT, vsh_encrypt, text, cipher_text) &&
         passes_as(VSH_STREAM_DECRYPT, vsh_decrypt, cipher_text, text);
}

bool pass_together(const MacExample& e, const vsh_kernel_info& kernel) {
  if (e.section_len) return true;
  const vsh_options one = options_for(nullptr, e.sbox), o = options_for(kernel.variant, e.sbox);
  const Bytes in = from_hex(e.in), tag = from_hex(e.tag);
  Lane lanes[] = {{from_hex(e.key), tag}, other_lane(e.key, tag.size())};
  vsh_mac* mac = nullptr;
  const bool made = vsh_mac_new(&mac, e.algorithm, lanes[1].key.data(), VSH_KEY_LEN, &one) == VSH_OK &&
                    vsh_mac_update(mac, in.data(), in.size()) == VSH_OK &&
                    vsh_mac_final(mac, lanes[1].expected.data(), tag.size()) == VSH_OK;
  vsh_mac_free(mac);
  vsh_stream_job job{};
  job.work = VSH_STREAM_MAC;
  job.in = in.data(), job.in_len = in.size();
  return made && pass_together(kernel, cipher_of(e.algorithm), o, job, lanes);
}

// Batches use rows for many messages only if that is cheaper, so they are called directly here: the hash of M1, which
// fills one block, of 256 bits in lane 1 and of 512 bits in all others. RFC 6986 section 9, stages 2 and 3.
bool hashes_together(const vsh::HashLanesKernel& row) {
  const size_t num = row.info.lanes;
  Bytes padded = from_hex(kM1), len_in_bits(64), h(64 * num);
  const Bytes zero(64);
  padded.push_back(1);
  len_in_bits[0] = 8 * 63 % 256, len_in_bits[1] = 8 * 63 / 256;
  std::vector<uint8_t*> states;
  for (size_t i = 0; i < num; ++i) states.push_back(&h[64 * i]);
  std::fill_n(states[1], 64, uint8_t{1});
  const std::vector<const uint8_t*> n(num, zero.data());
  for (const Bytes* m : {&padded, &len_in_bits, &padded})
    row.compress(states.data(), n.data(), std::vector<const uint8_t*>(num, m->data()).data());
  const Bytes digest256 = from_hex(kHashes[0].digest), digest512 = from_hex(kHashes[1].digest);
  for (size_t i = 0; i < num; ++i)
    if (i == 1 ? !std::equal(digest256.begin(), digest256.end(), states[i] + 32)
               : !std::equal(digest512.begin(), digest512.end(), states[i]))
      return false;
  return true;
}

bool kernel_passes(const vsh_kernel_info& kernel) {
  for (const vsh::HashLanesKernel* row : vsh::hash_lanes_kernels())
    if (row->info.family == string_view(kernel.family) && row->info.variant == string_view(kernel.variant))
      return hashes_together(*row);
  for (const vsh::ProductKernel* row : vsh::product_kernels())
    if (row->info.family == string_view(kernel.family) && row->info.variant == string_view(kernel.variant))
      return passes(*row);
  for (const AeadExample& e : kAeads)
    if (family(e.algorithm) == kernel.family && !passes(e, kernel.variant)) return false;
  for (const CipherExample& e : kCiphers)
    if (family(e.algorithm) == kernel.family && !(passes(e, kernel) && pass_together(e, kernel))) return false;
  for (const MacExample& e : kMacs) {
    if (family(e.algorithm) != kernel.family) continue;
    if (is_hmac(e.algorithm)) {  // on constant-time rows only; in batches it is a hash
      if (kernel.constant_time && !passes(e, kernel.variant)) return false;
      continue;
    }
    if (e.algorithm != VSH_GOST28147_IMIT && !passes(e, kernel.variant)) return false;
    if (!pass_together(e, kernel)) return false;
  }
  for (const HashExample& e : kHashes)
    if (family(e.algorithm) == kernel.family && !passes(e, kernel.variant)) return false;
  if (kernel.family == string_view("kuznyechik") && !disk_passes(kernel.variant)) return false;
  return true;
}

// "kuznyechik:avx512", a name for every row; static storage, made once.
const std::vector<std::string>& kernel_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> result;
    vsh_kernel_info kernel;
    for (size_t i = 0; vsh_kernel(i, &kernel) == VSH_OK; ++i)
      result.push_back(std::string(kernel.family) + ":" + kernel.variant);
    return result;
  }();
  return names;
}

// RFC 7836 appendix B, 10).
bool kdf_passes() {
  const Bytes key = from_hex(kKeyB), label = from_hex("26bdb878"), seed = from_hex("af21434145656378");
  Bytes out(64);
  return vsh_kdf_tree(out.data(), out.size(), key.data(), key.size(), 1, label.data(), label.size(), seed.data(),
                      seed.size(), nullptr) == VSH_OK &&
         out == from_hex(
                    "22b6837845c6bef65ea71672b265831086d3c76aebe6dae91cad51d83f79d16b"
                    "074c9330599d7f8d712fca54392f4ddde93751206b3584c8f43f9e6dc51531f9");
}

// RFC 9337 appendix A, the example of two iterations.
bool pbkdf2_passes() {
  const Bytes password = from_hex("70617373776f7264"), salt = from_hex("73616c74");
  Bytes out(64);
  return vsh_pbkdf2(out.data(), out.size(), password.data(), password.size(), salt.data(), salt.size(), 2, nullptr) ==
             VSH_OK &&
         out == from_hex(
                    "5a585bafdfbb6e8830d6d68aa3b43ac00d2e4aebce01c9b31c2caed56f0236d4"
                    "d34b2b8fbd2c4e89d54d46f50e47d45bbac301571743119e8d3c42ba66d348de");
}

const char* first_failure() {
  vsh_kernel_info kernel;
  if (!kdf_passes()) return "kdf-tree";
  if (!pbkdf2_passes()) return "pbkdf2";
  for (const MacExample& e : kMacs)
    if (e.algorithm == VSH_GOST28147_IMIT && !passes(e, nullptr)) return "gost28147-imit";
  for (const HashExample& e : kHashes)
    if (family(e.algorithm) == "magma" && !passes(e, nullptr)) return "gost94";
  for (const WrapExample& e : kWraps)
    if (!passes(e)) return vsh_wrap_name(e.algorithm - VSH_KEXP15_KUZNYECHIK);
  for (size_t i = 0; vsh_kernel(i, &kernel) == VSH_OK; ++i)
    if (kernel.runnable && !kernel_passes(kernel)) return kernel_names()[i].c_str();
  return sealed_file_passes() ? nullptr : "sealed files";
}

}  // namespace

vsh_status vsh_selftest(const char** failed) {
  return vsh::api::guarded([&] {
    const char* name = first_failure();
    if (!name) return VSH_OK;
    if (failed) *failed = name;
    return VSH_E_SELFTEST;
  });
}
