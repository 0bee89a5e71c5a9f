// The library against other implementations, on random keys, IVs, lengths, S-box sets, segments, registers and
// paddings.
//
// The library is used only through the public C ABI, each time differently: one call, chunks of random sizes, in place,
// a seek into the middle, another kernel. VERSHINA_TEST_SEED=<number> selects other random cases; the seed is printed.
// Missing oracles are printed and counted; so is every algorithm without an oracle.
#include "oracle.hpp"
#include "support/vec.hpp"
#include "vershina/vershina.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace {

using vsh::oracle::Bytes;
using vsh::oracle::Oracle;

constexpr int kComparisons = 100;             // for each oracle and algorithm
constexpr int kAttempts = 40 * kComparisons;  // random cases; most oracles support only some of them
constexpr int kHopeless = 200;                // attempts without an answer before an oracle counts as lacking it

uint64_t seed() {
  static const uint64_t value = [] {
    const char* text = std::getenv("VERSHINA_TEST_SEED");
    return text ? std::strtoull(text, nullptr, 0) : 0x5665727368696e61;  // "Vershina"
  }();
  return value;
}

class Random {
 public:
  // A separate stream for each test and oracle, so that a filter or a missing oracle changes no other case.
  Random(const std::string& test, const std::string& oracle) : engine_(seed() ^ fnv(test) * 31 ^ fnv(oracle)) {}
  size_t below(size_t bound) { return bound ? static_cast<size_t>(engine_() % bound) : 0; }
  bool one_in(size_t n) { return below(n) == 0; }
  Bytes bytes(size_t len) {
    Bytes result(len);
    for (uint8_t& byte : result) byte = static_cast<uint8_t>(engine_() >> 56);
    return result;
  }
  // Mostly short, around block boundaries; sometimes enough for several passes of the widest kernel.
  size_t len(size_t block, size_t limit) {
    size_t result;
    switch (below(6)) {
      case 0: result = below(3 * block + 1); break;
      case 1: result = block * below(40); break;
      case 2: result = block * (1 + below(40)) + below(3) - 1; break;
      case 3: result = below(1025); break;
      case 4: result = below(4097); break;
      default: result = one_in(4) ? below(40000) : below(300); break;
    }
    return std::min(result, limit);
  }

 private:
  static uint64_t fnv(const std::string& text) {
    uint64_t hash = 14695981039346656037u;
    for (const char c : text) hash = (hash ^ static_cast<uint8_t>(c)) * 1099511628211u;
    return hash;
  }
  std::mt19937_64 engine_;
};

std::string hex(const Bytes& bytes) {
  std::string text;
  for (const uint8_t byte : bytes) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", byte);
    text += digits;
  }
  return text.empty() ? "(empty)" : text;
}

// ---- Comparisons made -----------------------------------------------------------------------------------------------

class Oracles : public testing::Environment {
 public:
  static std::vector<std::unique_ptr<Oracle>>& list() {
    static std::vector<std::unique_ptr<Oracle>> oracles = vsh::oracle::all_oracles(&absent());
    return oracles;
  }
  static std::vector<vsh::oracle::Absent>& absent() {
    static std::vector<vsh::oracle::Absent> value;
    return value;
  }
  static std::map<std::string, std::map<std::string, int>>& counts() {  // algorithm -> oracle -> comparisons
    static std::map<std::string, std::map<std::string, int>> value;
    return value;
  }

  void SetUp() override {
    std::printf("VERSHINA_TEST_SEED=%llu\n", static_cast<unsigned long long>(seed()));
    for (const auto& oracle : list()) std::printf("oracle: %s\n", oracle->name().c_str());
    for (const auto& oracle : absent())
      std::printf("oracle SKIPPED: %s: %s\n", oracle.name.c_str(), oracle.why.c_str());
  }

  void TearDown() override {
    int uncovered = 0;
    for (const auto& [algorithm, by_oracle] : counts()) {
      std::printf("%-16s", algorithm.c_str());
      if (by_oracle.empty()) {
        std::printf("  SKIPPED: no oracle here has it");
        ++uncovered;
      }
      for (const auto& [oracle, count] : by_oracle) std::printf("  %s: %d;", oracle.c_str(), count);
      std::printf("\n");
    }
    std::printf("%zu oracles skipped, %d algorithms without an oracle\n", absent().size(), uncovered);
  }
};

const testing::Environment* const kOracles = testing::AddGlobalTestEnvironment(new Oracles);

// Calls compare(oracle, random) until it has been true kComparisons times. It returns false if the oracle has no answer
// to this case.
template <class Compare>
void with_each_oracle(const std::string& algorithm, Compare compare) {
  auto& counts = Oracles::counts()[algorithm];
  for (const auto& oracle : Oracles::list()) {
    Random random(algorithm, oracle->name());
    int compared = 0;
    for (int attempt = 0; attempt < kAttempts && compared < kComparisons; ++attempt) {
      if (compared == 0 && attempt == kHopeless) break;
      SCOPED_TRACE(oracle->name() + ", attempt " + std::to_string(attempt));
      if (compare(*oracle, random)) counts[oracle->name()] = ++compared;
      if (testing::Test::HasFailure()) return;
    }
  }
  if (counts.empty()) GTEST_SKIP() << "no oracle here has " << algorithm;
}

// ---- Our side -------------------------------------------------------------------------------------------------------

template <class Function>
std::vector<std::string> names(Function name) {
  std::vector<std::string> result;
  for (size_t i = 0; name(i); ++i) result.push_back(name(i));
  return result;
}

struct Options {
  vsh_options value = VSH_OPTIONS_INIT;
  std::string kernel;  // storage of value.kernel
  std::string text() const {
    return "kernel " + (kernel.empty() ? "default" : kernel) + ", threads " + std::to_string(value.threads);
  }
};

// A random kernel of the family that this CPU can run, or the default.
void choose_kernel(Options& options, const std::string& family, Random& random, bool allow_tables = true) {
  if (random.one_in(2)) return;
  std::vector<vsh_kernel_info> runnable;
  vsh_kernel_info info;
  for (size_t i = 0; vsh_kernel(i, &info) == VSH_OK; ++i) {
    const bool many_messages = family == "streebog" && info.lanes > 1;
    const bool allowed = info.constant_time || allow_tables;
    if (info.family == family && info.runnable && allowed && !many_messages) runnable.push_back(info);
  }
  if (runnable.empty()) return;
  const vsh_kernel_info& chosen = runnable[random.below(runnable.size())];
  options.kernel = chosen.variant;
  options.value.kernel = options.kernel.c_str();
  if (!chosen.constant_time) options.value.flags |= VSH_ALLOW_TABLES | (family == "streebog" ? VSH_INPUT_IS_PUBLIC : 0);
}

vsh_padding padding_of(const std::string& name) {
  return name == "1"       ? VSH_PADDING_1
         : name == "2"     ? VSH_PADDING_2
         : name == "pkcs7" ? VSH_PADDING_PKCS7
                           : VSH_PADDING_NONE;
}

#define CHECK_OK(call)                                                                    \
  do {                                                                                    \
    const vsh_status status_ = (call);                                                    \
    if (status_ != VSH_OK) ADD_FAILURE() << #call << ": " << vsh_status_message(status_); \
  } while (0)

Bytes one_call(bool encrypt, vsh_cipher_algorithm algorithm, vsh_mode mode, const vsh::oracle::Cipher& c,
               const Bytes& data, const vsh_options& options, bool in_place) {
  Bytes out(data.size() + VSH_FINAL_CAPACITY);
  const uint8_t* in = data.data();
  if (in_place) {
    std::copy(data.begin(), data.end(), out.begin());
    in = out.data();
  }
  size_t len = 0;
  CHECK_OK((encrypt ? vsh_encrypt : vsh_decrypt)(out.data(), out.size(), &len, algorithm, mode, c.key.data(),
                                                 c.key.size(), c.iv.data(), c.iv.size(), in, data.size(), &options));
  out.resize(len);
  return out;
}

Bytes in_chunks(bool encrypt, vsh_cipher_algorithm algorithm, vsh_mode mode, const vsh::oracle::Cipher& c,
                const Bytes& data, const vsh_options& options, Random& random, size_t start) {
  vsh_cipher* context = nullptr;
  CHECK_OK(vsh_cipher_new(&context, algorithm, mode, encrypt ? VSH_ENCRYPT : VSH_DECRYPT, c.key.data(), c.key.size(),
                          c.iv.data(), c.iv.size(), &options));
  if (context == nullptr) return {};
  Bytes out(data.size() + VSH_FINAL_CAPACITY);
  size_t written = 0, len = 0;
  if (start) CHECK_OK(vsh_cipher_seek(context, start));
  const size_t largest = random.one_in(2) ? 40 : 3000;
  for (size_t at = start; at < data.size();) {
    const size_t chunk = std::min(data.size() - at, random.below(largest));
    CHECK_OK(vsh_cipher_update(context, out.data() + written, out.size() - written, &len, data.data() + at, chunk));
    if (testing::Test::HasFailure()) break;
    at += chunk;
    written += len;
  }
  CHECK_OK(vsh_cipher_final(context, out.data() + written, out.size() - written, &len));
  vsh_cipher_free(context);
  out.resize(written + len);
  return out;
}

// ---- Ciphers --------------------------------------------------------------------------------------------------------

class CipherTest : public testing::TestWithParam<std::string> {};

TEST_P(CipherTest, EqualsOtherImplementations) {
  const std::string name = GetParam();
  vsh_cipher_algorithm algorithm;
  vsh_mode mode;
  ASSERT_EQ(vsh_cipher_by_name(&algorithm, &mode, name.c_str()), VSH_OK);
  const size_t n = vsh_block_len(algorithm);
  const bool gost28147 = algorithm == VSH_GOST28147;
  const bool pads = mode == VSH_ECB || mode == VSH_CBC;
  const bool has_register = !gost28147 && (mode == VSH_OFB || mode == VSH_CBC || mode == VSH_CFB);
  const bool acpkm = mode == VSH_CTR_ACPKM;
  const bool has_segment = mode == VSH_CTR || acpkm || mode == VSH_OFB || mode == VSH_CFB;
  const bool can_seek = mode == VSH_CTR || acpkm || mode == VSH_CNT;
  const std::vector<std::string> sboxes = names(vsh_sbox_name);

  with_each_oracle(name, [&](Oracle& oracle, Random& random) {
    vsh::oracle::Cipher c;
    Options options;
    c.name = name;
    c.encrypt = random.one_in(2);
    c.key = random.bytes(VSH_KEY_LEN);
    c.iv = random.bytes(vsh_iv_len(algorithm, mode) * (has_register && random.one_in(2) ? 1 + random.below(4) : 1));
    if (gost28147) {
      c.sbox = sboxes[random.below(sboxes.size())];
      CHECK_OK(vsh_sbox_by_name(&options.value.sbox, c.sbox.c_str()));
    }
    if (has_segment && random.one_in(3)) options.value.segment_len = c.segment = 1 + random.below(n);
    if (acpkm) {
      c.section = n * (random.one_in(2) ? 1 + random.below(40) : 64 << random.below(6));
      if (c.segment) c.segment = options.value.segment_len = n >> random.below(3);  // divides the section
      options.value.section_len = c.section;
    }
    if (oracle.meshes(name) && random.one_in(2)) {
      c.meshing = true;
      options.value.key_meshing = VSH_MESHING_CRYPTOPRO;
      options.value.segment_len = c.segment = 0;
    }
    Bytes data = random.bytes(random.len(n, c.meshing ? SIZE_MAX : oracle.max_len(name)));
    if (acpkm && data.size() > 40 * c.section) data.resize(40 * c.section);  // the composed oracle makes keys slowly
    if (pads) {
      const char* const paddings[] = {"none", "none", "1", "2", "pkcs7"};
      c.padding = paddings[random.below(5)];
      options.value.padding = padding_of(c.padding);
      if (c.padding == "none") data.resize(data.size() / n * n);
      if (c.padding != "none") c.encrypt = true;
    }
    // The composed oracle makes one foreign call a block; long messages would take too long.
    if ((mode == VSH_OFB || mode == VSH_CFB || mode == VSH_CBC) && !c.meshing && data.size() > 2048)
      data.resize(2048 / n * n);
    options.value.threads = random.one_in(8) ? 2 : 1;
    choose_kernel(options, algorithm == VSH_KUZNYECHIK ? "kuznyechik" : "magma", random);

    const std::optional<Bytes> expected = oracle.crypt(c, data);
    if (!expected) return false;
    SCOPED_TRACE((c.encrypt ? "encrypt, S-box set " : "decrypt, S-box set ") + (c.sbox.empty() ? "-" : c.sbox) +
                 ", padding " + c.padding + ", segment " + std::to_string(c.segment) + ", " + options.text() +
                 "\nkey  " + hex(c.key) + "\niv   " + hex(c.iv) + "\ndata " + hex(data));

    EXPECT_EQ(hex(one_call(c.encrypt, algorithm, mode, c, data, options.value, false)), hex(*expected));
    EXPECT_EQ(hex(in_chunks(c.encrypt, algorithm, mode, c, data, options.value, random, 0)), hex(*expected))
        << "in chunks";
    EXPECT_EQ(hex(one_call(c.encrypt, algorithm, mode, c, data, options.value, true)), hex(*expected)) << "in place";
    if (can_seek && !data.empty()) {
      const size_t start = random.below(data.size());
      EXPECT_EQ(hex(in_chunks(c.encrypt, algorithm, mode, c, data, options.value, random, start)),
                hex(Bytes(expected->begin() + static_cast<std::ptrdiff_t>(start), expected->end())))
          << "from byte " << start;
    }
    Bytes back = one_call(!c.encrypt, algorithm, mode, c, *expected, options.value, false);
    if (c.padding == "1" && back.size() >= data.size()) {
      EXPECT_EQ(back.size(), (data.size() + n - 1) / n * n);
      back.resize(data.size());
    }
    EXPECT_EQ(hex(back), hex(data)) << "and back";
    return true;
  });
}

std::string test_name(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Differential, CipherTest, testing::ValuesIn(names(vsh_cipher_name)), test_name);

// ---- Authenticated encryption ---------------------------------------------------------------------------------------

class AeadTest : public testing::TestWithParam<std::string> {};

TEST_P(AeadTest, EqualsOtherImplementations) {
  const std::string name = GetParam();
  vsh_aead_algorithm algorithm;
  ASSERT_EQ(vsh_aead_by_name(&algorithm, name.c_str()), VSH_OK);
  const size_t n = vsh_aead_nonce_len(algorithm), max_tag = vsh_aead_max_tag_len(algorithm);

  with_each_oracle(name, [&](Oracle& oracle, Random& random) {
    Options options;
    vsh::oracle::Aead a{name, random.bytes(VSH_KEY_LEN), random.bytes(n), random.bytes(random.len(n, 5000)), 0};
    a.nonce[0] &= 0x7f;
    a.tag_len = random.one_in(2) ? max_tag : 4 + random.below(max_tag - 3);
    Bytes text = random.bytes(random.len(n, SIZE_MAX));
    if (text.empty() && a.data.empty()) text.push_back(0);
    options.value.threads = random.one_in(8) ? 2 : 1;
    options.value.flags = VSH_ALLOW_SHORT_TAGS;
    choose_kernel(options, name.substr(0, name.find('-')), random);

    const std::optional<Bytes> expected = oracle.seal(a, text);
    if (!expected) return false;
    SCOPED_TRACE("tag " + std::to_string(a.tag_len) + ", " + options.text() + "\nkey   " + hex(a.key) + "\nnonce " +
                 hex(a.nonce) + "\ndata  " + hex(a.data) + "\ntext  " + hex(text));
    vsh_aead* context = nullptr;
    CHECK_OK(vsh_aead_new(&context, algorithm, a.key.data(), a.key.size(), a.tag_len, &options.value));
    if (context == nullptr) return true;
    Bytes sealed(text.size() + a.tag_len);
    size_t len = 0;
    CHECK_OK(vsh_aead_seal(context, sealed.data(), sealed.size(), &len, a.nonce.data(), n, a.data.data(), a.data.size(),
                           text.data(), text.size()));
    EXPECT_EQ(hex(sealed), hex(*expected));

    // In pieces.
    Bytes pieces(text.size());
    CHECK_OK(vsh_aead_begin(context, a.nonce.data(), n));
    for (size_t at = 0, step; at < a.data.size(); at += step) {
      step = std::min(a.data.size() - at, 1 + random.below(300));
      CHECK_OK(vsh_aead_add_data(context, a.data.data() + at, step));
    }
    for (size_t at = 0, step; at < text.size(); at += step) {
      step = std::min(text.size() - at, 1 + random.below(random.one_in(2) ? 40 : 3000));
      CHECK_OK(vsh_aead_encrypt(context, pieces.data() + at, text.data() + at, step));
    }
    pieces.resize(sealed.size());
    CHECK_OK(vsh_aead_final(context, pieces.data() + text.size(), a.tag_len));
    EXPECT_EQ(hex(pieces), hex(*expected)) << "in pieces";

    // Each opens the other's output, and both refuse changed input.
    Bytes opened(text.size());
    const auto open = [&](const Bytes& message) {
      return vsh_aead_open(context, opened.data(), opened.size(), &len, a.nonce.data(), n, a.data.data(), a.data.size(),
                           message.data(), message.size());
    };
    EXPECT_EQ(open(*expected), VSH_OK);
    EXPECT_EQ(hex(opened), hex(text));
    EXPECT_EQ(oracle.open(a, sealed), text);
    Bytes forged = sealed;
    forged[random.below(forged.size())] ^= static_cast<uint8_t>(1 << random.below(8));
    EXPECT_EQ(open(forged), VSH_E_TAG);
    EXPECT_EQ(oracle.open(a, forged), std::nullopt);
    vsh_aead_free(context);
    return true;
  });
}

INSTANTIATE_TEST_SUITE_P(Differential, AeadTest, testing::ValuesIn(names(vsh_aead_name)), test_name);

// ---- Hashes ---------------------------------------------------------------------------------------------------------

class HashTest : public testing::TestWithParam<std::string> {};

TEST_P(HashTest, EqualsOtherImplementations) {
  const std::string name = GetParam();
  vsh_hash_algorithm algorithm;
  ASSERT_EQ(vsh_hash_by_name(&algorithm, name.c_str()), VSH_OK);

  with_each_oracle(name, [&](Oracle& oracle, Random& random) {
    Bytes data = random.bytes(random.len(64, SIZE_MAX));
    // Runs of 0xff carry through the checksum's whole 512 bits.
    if (random.one_in(4))
      std::fill(data.begin(), data.begin() + static_cast<std::ptrdiff_t>(random.below(data.size() + 1)), uint8_t{0xff});
    Options options;
    if (random.one_in(2)) options.value.flags |= VSH_INPUT_IS_PUBLIC;
    if (name.starts_with("streebog")) choose_kernel(options, "streebog", random);

    const std::optional<Bytes> expected = oracle.hash(name, data);
    if (!expected) return false;
    SCOPED_TRACE(options.text() + "\ndata " + hex(data));

    Bytes digest(vsh_hash_len(algorithm));
    CHECK_OK(vsh_hash_digest(digest.data(), digest.size(), algorithm, data.data(), data.size(), &options.value));
    EXPECT_EQ(hex(digest), hex(*expected));

    vsh_hash* context = nullptr;
    CHECK_OK(vsh_hash_new(&context, algorithm, &options.value));
    for (size_t at = 0; context && at < data.size();) {
      const size_t chunk = std::min(data.size() - at, random.below(random.one_in(2) ? 70 : 1000));
      CHECK_OK(vsh_hash_update(context, data.data() + at, chunk));
      at += chunk;
    }
    std::fill(digest.begin(), digest.end(), uint8_t{0});
    CHECK_OK(vsh_hash_final(context, digest.data(), digest.size()));
    vsh_hash_free(context);
    EXPECT_EQ(hex(digest), hex(*expected)) << "in chunks";
    return true;
  });
}

INSTANTIATE_TEST_SUITE_P(Differential, HashTest, testing::ValuesIn(names(vsh_hash_name)), test_name);

// ---- MACs -----------------------------------------------------------------------------------------------------------

class MacTest : public testing::TestWithParam<std::string> {};

TEST_P(MacTest, EqualsOtherImplementations) {
  const std::string name = GetParam();
  vsh_mac_algorithm algorithm;
  ASSERT_EQ(vsh_mac_by_name(&algorithm, name.c_str()), VSH_OK);
  const bool imit = algorithm == VSH_GOST28147_IMIT;
  const bool hmac = name.starts_with("hmac-");
  const bool acpkm = algorithm == VSH_KUZNYECHIK_OMAC_ACPKM || algorithm == VSH_MAGMA_OMAC_ACPKM;
  const bool kuznyechik = algorithm == VSH_KUZNYECHIK_MAC || algorithm == VSH_KUZNYECHIK_OMAC_ACPKM;
  const size_t n = vsh_mac_max_len(algorithm);
  const std::vector<std::string> sboxes = names(vsh_sbox_name);

  with_each_oracle(name, [&](Oracle& oracle, Random& random) {
    Options options;
    std::string sbox;
    if (imit) {
      sbox = sboxes[random.below(sboxes.size())];
      CHECK_OK(vsh_sbox_by_name(&options.value.sbox, sbox.c_str()));
    }
    const Bytes key = random.bytes(hmac ? 1 + random.below(random.one_in(2) ? 64 : 200) : VSH_KEY_LEN);
    const bool meshing = oracle.meshes(name) && random.one_in(2);
    if (meshing) options.value.key_meshing = VSH_MESHING_CRYPTOPRO;
    if (acpkm) {
      options.value.section_len = n * (1 + random.below(40));
      options.value.master_section_len = n * (1 + random.below(40));
    }
    const Bytes data = random.bytes(std::min<size_t>(random.len(n, meshing ? SIZE_MAX : oracle.max_len(name)), 4096));
    const size_t tag_len = acpkm ? n : random.one_in(3) ? 1 + random.below(n) : random.one_in(2) ? n : n / 2;
    if (hmac) choose_kernel(options, "streebog", random, false);
    if (!imit && !hmac)
      choose_kernel(options, kuznyechik ? "kuznyechik" : "magma",
                    random);  // 16 rounds: no kernel does them
    // For an empty message gost-engine and libgcrypt compute an IMIT of zeros under every key; we do not.
    if (imit && data.empty()) return false;

    const std::optional<Bytes> expected =
        acpkm ? oracle.omac_acpkm(name, key, options.value.section_len, options.value.master_section_len, data)
              : oracle.mac(name, key, sbox, data, tag_len);
    if (!expected) return false;
    SCOPED_TRACE((sbox.empty() ? "" : "S-box set " + sbox + ", ") + options.text() + "\nkey  " + hex(key) + "\ndata " +
                 hex(data));

    vsh_mac* context = nullptr;
    CHECK_OK(vsh_mac_new(&context, algorithm, key.data(), key.size(), &options.value));
    if (context == nullptr) return true;
    for (size_t at = 0; at < data.size();) {
      const size_t chunk = std::min(data.size() - at, random.below(random.one_in(2) ? 20 : 500));
      CHECK_OK(vsh_mac_update(context, data.data() + at, chunk));
      at += chunk;
    }
    Bytes tag(tag_len);
    CHECK_OK(vsh_mac_final(context, tag.data(), tag.size()));
    EXPECT_EQ(hex(tag), hex(*expected));
    CHECK_OK(vsh_mac_reset(context));
    CHECK_OK(vsh_mac_update(context, data.data(), data.size()));
    EXPECT_EQ(vsh_mac_verify(context, expected->data(), expected->size()), VSH_OK);
    vsh_mac_free(context);
    return true;
  });
}

INSTANTIATE_TEST_SUITE_P(Differential, MacTest, testing::ValuesIn(names(vsh_mac_name)), test_name);

// ---- Passwords ------------------------------------------------------------------------------------------------------

// The library in a batch of several jobs, each oracle one by one.
TEST(Pbkdf2Test, EqualsOtherImplementations) {
  with_each_oracle("pbkdf2", [&](Oracle& oracle, Random& random) {
    Options options;
    options.value.threads = random.one_in(8) ? 2 : 1;
    const size_t num = random.one_in(4) ? 40 : 1 + random.below(3);
    std::vector<Bytes> passwords, salts, outs;
    std::vector<vsh_pbkdf2_job> jobs;
    for (size_t i = 0; i < num; ++i) {
      passwords.push_back(random.bytes(1 + random.below(random.one_in(4) ? 200 : 40)));
      salts.push_back(random.bytes(random.below(100)));
      outs.emplace_back(1 + random.below(random.one_in(4) ? 300 : 64));
    }
    for (size_t i = 0; i < num; ++i)
      jobs.push_back({passwords[i].data(), passwords[i].size(), salts[i].data(), salts[i].size(),
                      static_cast<uint32_t>(1 + random.below(20)), outs[i].data(), outs[i].size(), VSH_E_STATE});
    const size_t asked = random.below(num);
    const auto expected = oracle.pbkdf2(passwords[asked], salts[asked], jobs[asked].iterations, outs[asked].size());
    if (!expected) return false;
    CHECK_OK(vsh_pbkdf2_batch(jobs.data(), jobs.size(), &options.value));
    EXPECT_EQ(hex(outs[asked]), hex(*expected))
        << jobs[asked].iterations << " iterations, job " << asked << " of " << num << "\npassword "
        << hex(passwords[asked]) << "\nsalt " << hex(salts[asked]);
    return true;
  });
}

// ---- Authenticated encryption as in CMS -----------------------------------------------------------------------------

class SealTest : public testing::TestWithParam<std::string> {};

TEST_P(SealTest, EqualsOtherImplementations) {
  const std::string name = GetParam();
  vsh_aead_algorithm algorithm;
  ASSERT_EQ(vsh_aead_by_name(&algorithm, name.c_str()), VSH_OK);
  const size_t n = vsh_aead_max_tag_len(algorithm);

  with_each_oracle(name, [&](Oracle& oracle, Random& random) {
    const Bytes key = random.bytes(VSH_KEY_LEN), iv = random.bytes(n / 2);
    const Bytes text = random.bytes(random.len(n, SIZE_MAX));
    const std::optional<Oracle::Sealed> expected = oracle.seal_cms(name, key, iv, text);
    if (!expected) return false;
    const Bytes& nonce = expected->nonce;
    SCOPED_TRACE("key  " + hex(key) + "\nnonce " + hex(nonce) + "\ntext " + hex(text));
    vsh_aead* context = nullptr;
    CHECK_OK(vsh_aead_new(&context, algorithm, key.data(), key.size(), 0, nullptr));
    Bytes out(text.size() + n), back(text.size());
    size_t len = 0;
    CHECK_OK(vsh_aead_seal(context, out.data(), out.size(), &len, nonce.data(), nonce.size(), nullptr, 0, text.data(),
                           text.size()));
    EXPECT_EQ(hex(out), hex(expected->message));
    CHECK_OK(vsh_aead_open(context, back.data(), back.size(), &len, nonce.data(), nonce.size(), nullptr, 0,
                           expected->message.data(), expected->message.size()));
    EXPECT_EQ(hex(back), hex(text));
    vsh_aead_free(context);
    return true;
  });
}

INSTANTIATE_TEST_SUITE_P(Differential, SealTest, testing::Values("kuznyechik-ctr-acpkm-omac", "magma-ctr-acpkm-omac"),
                         test_name);

// ---- The oracles themselves -----------------------------------------------------------------------------------------

namespace vec = vsh::vec;

// The test vectors on the oracles: a disagreement means that the vector, the adapter or the other library is wrong, not
// this one.
class Agreement {
 public:
  Agreement(Oracle& oracle, const vec::Record& record) : oracle_(oracle), record_(record) {}

  void cipher(const std::string& name) {
    vsh::oracle::Cipher c;
    c.name = name;
    c.key = record_.bytes("Key");
    if (record_.has("IV")) c.iv = record_.bytes("IV");
    if (record_.has("Sbox")) c.sbox = record_.word("Sbox");
    if (record_.has("Padding")) c.padding = record_.word("Padding");
    const size_t n = name.starts_with("kuznyechik") ? 16 : 8;
    if (record_.has("Segment") && record_.number("Segment") != 8 * n) c.segment = record_.number("Segment") / 8;
    if (record_.bytes("In").size() > oracle_.max_len(name)) return;
    compare(oracle_.crypt(c, record_.bytes("In")), record_.bytes("Out"));
    if (c.padding == "none") {
      c.encrypt = false;
      compare(oracle_.crypt(c, record_.bytes("Out")), record_.bytes("In"));
    }
  }

  void mac(const std::string& name) {
    if (record_.bytes("In").size() > oracle_.max_len(name)) return;
    Bytes want = record_.bytes("Out");
    const std::string sbox = record_.has("Sbox") ? record_.word("Sbox") : "";
    std::optional<Bytes> got = oracle_.mac(name, record_.bytes("Key"), sbox, record_.bytes("In"), want.size());
    if (!got && want.size() > 4) {  // libgcrypt gives 4 bytes of IMIT at most
      want.resize(4);
      got = oracle_.mac(name, record_.bytes("Key"), sbox, record_.bytes("In"), want.size());
    }
    compare(got, want);
  }

  void hash(const std::string& name) { compare(oracle_.hash(name, record_.bytes("In")), record_.bytes("Out")); }

  void hmac() {
    compare(oracle_.mac("hmac-streebog" + std::to_string(record_.number("Bits")), record_.bytes("Key"), "",
                        record_.bytes("In"), record_.bytes("Out").size()),
            record_.bytes("Out"));
  }

  void pbkdf2() {
    compare(oracle_.pbkdf2(record_.bytes("Password"), record_.bytes("Salt"),
                           static_cast<uint32_t>(record_.number("Iterations")), record_.bytes("Out").size()),
            record_.bytes("Out"));
  }

  void repeat(const std::string& name) {
    const Bytes unit = record_.bytes("Unit");
    Bytes data;
    for (uint64_t i = 0; i < record_.number("Count"); ++i) data.insert(data.end(), unit.begin(), unit.end());
    compare(oracle_.hash(name, data), record_.bytes("Out"));
  }

  static std::map<std::string, int>& counts() {
    static std::map<std::string, int> value;
    return value;
  }

 private:
  void compare(const std::optional<Bytes>& got, const Bytes& want) {
    if (!got) return;
    EXPECT_EQ(hex(*got), hex(want)) << record_.where() << ", " << oracle_.name();
    ++counts()[oracle_.name()];
  }

  Oracle& oracle_;
  const vec::Record& record_;
};

TEST(OraclesTest, AgreeWithTheVectors) {
  for (const auto& oracle : Oracles::list()) {
    for (const std::string algorithm : {"kuznyechik", "magma", "gost28147"}) {
      for (const vec::Record& record : vec::read_all(algorithm + "_modes.vec")) {
        const std::string& section = record.section();
        Agreement agreement(*oracle, record);
        if (section == "ecb" || section == "ctr" || section == "ofb" || section == "cbc" || section == "cfb" ||
            section == "cnt") {
          agreement.cipher(algorithm + "-" + section);
        } else if (section == "cnt-carry") {
          agreement.cipher("gost28147-cnt");
        } else if (section == "cfb-segment") {
          agreement.cipher("gost28147-cfb");
        } else if (section == "mac") {
          agreement.mac(algorithm + "-mac");
        } else if (section == "imit" || (section == "imit-short" && record.word("Convention") == "extended")) {
          agreement.mac("gost28147-imit");
        }
      }
      for (const vec::Record& record : vec::read_all(algorithm + "_block.vec")) {
        if (record.section() == "block") Agreement(*oracle, record).cipher(algorithm + "-ecb");
      }
    }
    const auto hashes = [&](const char* file, auto name_of) {
      for (const vec::Record& record : vec::read_all(file)) {
        Agreement agreement(*oracle, record);
        if (record.section() == "hash") agreement.hash(name_of(record));
        if (record.section() == "repeat") agreement.repeat(name_of(record));
      }
    };
    hashes("streebog.vec", [](const vec::Record& r) { return "streebog" + std::to_string(r.number("Bits")); });
    hashes("gost94.vec",
           [](const vec::Record& r) { return r.word("Sbox") == "test-3411-94" ? "gost94-test" : "gost94-cryptopro"; });
    for (const vec::Record& record : vec::read_all("kdf.vec")) {
      if (record.section() == "hmac") Agreement(*oracle, record).hmac();
      if (record.section() == "pbkdf2") Agreement(*oracle, record).pbkdf2();
    }
  }
  for (const auto& [name, count] : Agreement::counts())
    std::printf("vectors confirmed by %s: %d\n", name.c_str(), count);
}

}  // namespace
