// CTR-ACPKM with OMAC as in CMS: output of the GOST engine, and a composition of KDF_TREE (its own tests), CTR-ACPKM
// and OMAC of the textbook.
#include <algorithm>

#include "modes/support/contexts.hpp"
#include "support/vec.hpp"

namespace vsh {
namespace {

using test::Bytes;
using test::Keyed;
using namespace test::textbook;

struct Cms {
  vsh_aead_algorithm aead;
  Algorithm algorithm;
  size_t n, section;
};
constexpr Cms kCms[] = {{VSH_KUZNYECHIK_CTR_ACPKM_OMAC, Algorithm::kuznyechik, 16, 256 * 1024},
                        {VSH_MAGMA_CTR_ACPKM_OMAC, Algorithm::magma, 8, 8 * 1024}};

Cipher cipher_of(Algorithm a) {
  return [a](const Bytes& key) -> BlockFunction {
    const auto keyed = std::make_shared<Keyed>(a, key);
    return [keyed](const Bytes& block) { return keyed->engine_e()(block); };
  };
}

// R 1323565.1.025-2019: UKM = IV || seed.
Bytes sealed(const Cms& cms, const Bytes& key, const Bytes& ukm, size_t section, const Bytes& text) {
  Bytes keys(64);
  const uint8_t label[] = {'k', 'd', 'f', ' ', 't', 'r', 'e', 'e'};
  EXPECT_EQ(vsh_kdf_tree(keys.data(), keys.size(), key.data(), key.size(), 1, label, sizeof label,
                         ukm.data() + cms.n / 2, 8, nullptr),
            VSH_OK);
  const Bytes tag = mac(cipher_of(cms.algorithm)(LSB(32, keys)), cms.n, text);
  return ctr_acpkm(cipher_of(cms.algorithm), MSB(32, keys), cms.n, MSB(cms.n / 2, ukm), cms.n, section,
                   join(text, tag));
}

class Context {
 public:
  Context(const Cms& cms, const Bytes& key, size_t tag_len, const vsh_options& options) {
    EXPECT_EQ(vsh_aead_new(&context_, cms.aead, key.data(), key.size(), tag_len, &options), VSH_OK);
  }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  ~Context() { vsh_aead_free(context_); }
  vsh_aead* get() { return context_; }

 private:
  vsh_aead* context_ = nullptr;
};

// Seals text and opens it again.
Bytes sealed_by_library(const Cms& cms, const Bytes& key, const Bytes& ukm, const Bytes& text) {
  const vsh_options options = VSH_OPTIONS_INIT;
  Context context(cms, key, 0, options);
  Bytes out(text.size() + cms.n), back(text.size());
  size_t written = 0;
  EXPECT_EQ(vsh_aead_seal(context.get(), out.data(), out.size(), &written, ukm.data(), ukm.size(), nullptr, 0,
                          text.data(), text.size()),
            VSH_OK);
  EXPECT_EQ(vsh_aead_open(context.get(), back.data(), back.size(), &written, ukm.data(), ukm.size(), nullptr, 0,
                          out.data(), out.size()),
            VSH_OK);
  EXPECT_TRUE(back == text);
  return out;
}

TEST(CtrAcpkmOmac, GostEngine) {
  for (const Cms& cms : kCms) {
    const std::string name = cms.n == 16 ? "kuznyechik" : "magma";
    for (const auto& r : vec::read("cms.vec", name, {"Key", "Nonce", "In", "Out", "Tag"}))
      EXPECT_EQ(sealed_by_library(cms, r.bytes("Key"), r.bytes("Nonce"), r.bytes("In")),
                join(r.bytes("Out"), r.bytes("Tag")))
          << r.where();
    // More than a section.
    for (const auto& r : vec::read("cms.vec", name + "-long", {"Key", "Nonce", "Unit", "Count", "Out", "Tag"})) {
      Bytes text;
      for (size_t i = 0; i < r.number("Count"); ++i) text = join(std::move(text), r.bytes("Unit"));
      ASSERT_GT(text.size(), cms.section);
      const Bytes end = join(r.bytes("Out"), r.bytes("Tag"));
      EXPECT_EQ(LSB(end.size(), sealed_by_library(cms, r.bytes("Key"), r.bytes("Nonce"), text)), end) << r.where();
    }
  }
}

TEST(CtrAcpkmOmac, EqualsTheConstruction) {
  SCOPED_TRACE(test::seed_note());
  test::Random random(1);
  for (const Cms& cms : kCms) {
    for (const size_t section : {size_t{0}, cms.n, 4 * cms.n}) {
      const Bytes key = random.bytes(32);
      vsh_options options = VSH_OPTIONS_INIT;
      options.section_len = section;
      Context context(cms, key, 0, options);
      for (size_t len : {size_t{0}, size_t{1}, cms.n - 1, cms.n, cms.n + 1, 4 * cms.n, 4 * cms.n + 3, size_t{9000}}) {
        SCOPED_TRACE("n " + std::to_string(cms.n) + " section " + std::to_string(section) + " len " +
                     std::to_string(len));
        const Bytes ukm = random.bytes(cms.n / 2 + 8), text = random.bytes(len);
        ASSERT_EQ(vsh_aead_nonce_len(cms.aead), ukm.size());
        const Bytes expected = sealed(cms, key, ukm, section ? section : cms.section, text);
        Bytes out(len + cms.n), back(len);
        size_t written = 0;
        ASSERT_EQ(vsh_aead_seal(context.get(), out.data(), out.size(), &written, ukm.data(), ukm.size(), nullptr, 0,
                                text.data(), len),
                  VSH_OK);
        ASSERT_TRUE(out == expected);
        ASSERT_EQ(vsh_aead_open(context.get(), back.data(), back.size(), &written, ukm.data(), ukm.size(), nullptr, 0,
                                out.data(), out.size()),
                  VSH_OK);
        ASSERT_TRUE(back == text);
        // In place, and in pieces.
        ASSERT_EQ(vsh_aead_open(context.get(), out.data(), out.size(), &written, ukm.data(), ukm.size(), nullptr, 0,
                                out.data(), out.size()),
                  VSH_OK);
        ASSERT_TRUE(test::part(out, 0, len) == text);
        ASSERT_EQ(vsh_aead_begin(context.get(), ukm.data(), ukm.size()), VSH_OK);
        size_t at = 0;
        for (const size_t piece : test::random_pieces(random, len)) {
          ASSERT_EQ(vsh_aead_encrypt(context.get(), out.data() + at, text.data() + at, piece), VSH_OK);
          at += piece;
        }
        ASSERT_EQ(vsh_aead_final(context.get(), out.data() + len, cms.n), VSH_OK);
        ASSERT_TRUE(out == expected);
        for (const bool decrypts : {false, true}) {
          ASSERT_EQ(vsh_aead_begin(context.get(), ukm.data(), ukm.size()), VSH_OK);
          for (at = 0; at < len; at += 100) {
            const size_t piece = std::min<size_t>(100, len - at);
            if (decrypts) {
              ASSERT_EQ(vsh_aead_decrypt_unverified(context.get(), back.data() + at, out.data() + at, piece), VSH_OK);
            } else {
              ASSERT_EQ(vsh_aead_authenticate(context.get(), out.data() + at, piece), VSH_OK);
            }
          }
          ASSERT_EQ(vsh_aead_verify(context.get(), out.data() + len, cms.n), VSH_OK);
          ASSERT_TRUE(!decrypts || back == text);
        }
      }
    }
  }
}

TEST(CtrAcpkmOmac, EveryChangedBitIsFound) {
  test::Random random(2);
  for (const Cms& cms : kCms) {
    const Bytes key = random.bytes(32), ukm = random.bytes(cms.n / 2 + 8), text = random.bytes(2 * cms.n + 1);
    const vsh_options options = VSH_OPTIONS_INIT;
    Context context(cms, key, 8, options);
    Bytes out(text.size() + 8);
    size_t written = 0;
    ASSERT_EQ(vsh_aead_seal(context.get(), out.data(), out.size(), &written, ukm.data(), ukm.size(), nullptr, 0,
                            text.data(), text.size()),
              VSH_OK);
    Bytes message = join(ukm, out), back(text.size(), 0x5a);
    for (size_t bit = 0; bit < 8 * message.size(); ++bit) {
      message[bit / 8] ^= static_cast<uint8_t>(1 << bit % 8);
      ASSERT_EQ(vsh_aead_open(context.get(), back.data(), back.size(), &written, message.data(), ukm.size(), nullptr, 0,
                              message.data() + ukm.size(), out.size()),
                VSH_E_TAG)
          << bit;
      ASSERT_EQ(back, Bytes(text.size()));  // erased
      message[bit / 8] ^= static_cast<uint8_t>(1 << bit % 8);
    }
    for (size_t len = 0; len < out.size(); ++len)
      ASSERT_EQ(vsh_aead_open(context.get(), back.data(), back.size(), &written, ukm.data(), ukm.size(), nullptr, 0,
                              out.data(), len),
                VSH_E_TAG);
  }
}

TEST(CtrAcpkmOmac, Misuse) {
  const Bytes key(32), ukm(16), text(5);
  vsh_aead* c = nullptr;
  vsh_options o = VSH_OPTIONS_INIT;
  o.section_len = 12;
  EXPECT_EQ(vsh_aead_new(&c, VSH_MAGMA_CTR_ACPKM_OMAC, key.data(), 32, 0, &o), VSH_E_SECTION);
  o = VSH_OPTIONS_INIT;
  o.key_meshing = VSH_MESHING_CRYPTOPRO;
  EXPECT_EQ(vsh_aead_new(&c, VSH_MAGMA_CTR_ACPKM_OMAC, key.data(), 32, 0, &o), VSH_E_SECTION);
  o = VSH_OPTIONS_INIT;
  EXPECT_EQ(vsh_aead_new(&c, VSH_MAGMA_CTR_ACPKM_OMAC, key.data(), 32, 9, &o), VSH_E_TAG_LENGTH);
  EXPECT_EQ(vsh_aead_new(&c, VSH_MAGMA_CTR_ACPKM_OMAC, key.data(), 32, 4, &o), VSH_E_TAG_LENGTH);
  Context context(kCms[1], key, 0, o);
  Bytes out(text.size() + 8);
  size_t written = 0;
  EXPECT_EQ(vsh_aead_seal(context.get(), out.data(), out.size(), &written, ukm.data(), 8, nullptr, 0, text.data(), 5),
            VSH_E_IV_LENGTH);
  // CMS has no associated data.
  EXPECT_EQ(
      vsh_aead_seal(context.get(), out.data(), out.size(), &written, ukm.data(), 12, key.data(), 1, text.data(), 5),
      VSH_E_DATA_LENGTH);
  ASSERT_EQ(vsh_aead_begin(context.get(), ukm.data(), 12), VSH_OK);
  EXPECT_EQ(vsh_aead_add_data(context.get(), key.data(), 1), VSH_E_DATA_LENGTH);
}

}  // namespace
}  // namespace vsh
