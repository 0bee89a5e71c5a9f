// CryptoPro key meshing against RFC 4357 section 2.3.2: every section by the textbook's mode, with the key and the IV
// that the section before leaves.
#include "modes/support/contexts.hpp"

namespace vsh {
namespace {

using test::Bytes;
using test::cipher_status;
using test::CipherContext;
using test::Keyed;
using test::mac_status;
using test::Request;
using namespace test::textbook;

constexpr size_t kSection = 1024;

// f(keyed, iv, section) is a section's ciphertext. last(ciphertext) is the mode's feedback at its end.
template <class F>
Bytes meshed(const Bytes& key, const Bytes& iv, const Bytes& p, const F& f) {
  auto keyed = std::make_unique<Keyed>(Algorithm::gost28147, key);
  Bytes feedback = iv, c;
  for (const Bytes& section : pieces(p, kSection)) {
    if (!c.empty()) {
      keyed = std::make_unique<Keyed>(Algorithm::gost28147, meshed_key(keyed->engine_d()));
      feedback = keyed->e(feedback);
    }
    const Bytes out = f(*keyed, feedback, section);
    append(c, out);
    if (out.size() == kSection) feedback = LSB(8, out);
  }
  return c;
}

Bytes cfb_meshed(const Bytes& key, const Bytes& iv, const Bytes& p) {
  return meshed(key, iv, p, [](const Keyed& k, const Bytes& r, const Bytes& section) {
    return cfb_encrypt(k.engine_e(), 8, r, 8, section);
  });
}

Bytes cbc_meshed(const Bytes& key, const Bytes& iv, const Bytes& p) {
  return meshed(key, iv, p, [](const Keyed& k, const Bytes& r, const Bytes& section) {
    return cbc_encrypt(k.engine_e(), 8, r, section);
  });
}

// N3 and N4 after 128 steps are found by decrypting the last keystream block.
Bytes cnt_meshed(const Bytes& key, const Bytes& iv, const Bytes& p) {
  auto keyed = std::make_unique<Keyed>(Algorithm::gost28147, key);
  Bytes start = iv, c;
  bool first = true;
  for (const Bytes& section : pieces(p, kSection)) {
    if (!first) {
      keyed = std::make_unique<Keyed>(Algorithm::gost28147, meshed_key(keyed->engine_d()));
      // The textbook's mode encrypts its IV to get N3 and N4: so does meshing.
    }
    first = false;
    append(c, cnt(keyed->engine_e(), start, section));
    const Bytes gamma = cnt(keyed->engine_e(), start, Bytes(kSection, 0));
    start = keyed->engine_d()(LSB(8, gamma));
  }
  return c;
}

Request request(vsh_mode mode, test::Random& random) {
  Request r{VSH_GOST28147, mode, VSH_ENCRYPT, random.bytes(32), random.bytes(8)};
  r.options.sbox = VSH_SBOX_CRYPTOPRO_A;  // as Keyed
  r.options.key_meshing = VSH_MESHING_CRYPTOPRO;
  return r;
}

TEST(KeyMeshing, EqualsTheClause) {
  SCOPED_TRACE(test::seed_note());
  test::Random random(1);
  struct {
    vsh_mode mode;
    Bytes (*expected)(const Bytes&, const Bytes&, const Bytes&);
    size_t unit;
  } const modes[] = {{VSH_CFB, cfb_meshed, 1}, {VSH_CNT, cnt_meshed, 1}, {VSH_CBC, cbc_meshed, 8}};
  for (const auto& [mode, expected, unit] : modes) {
    for (const size_t len : {0, 8, 1016, 1024, 1025, 1032, 2048, 2056, 3072, 5000, 20000, 300007}) {
      if (len % unit) continue;
      for (const unsigned threads : {1u, 2u}) {
        SCOPED_TRACE("mode " + std::to_string(mode) + " len " + std::to_string(len));
        Request r = request(mode, random);
        r.options.padding = VSH_PADDING_NONE;
        r.options.threads = threads;
        const Bytes p = random.bytes(len), c = expected(r.key, r.iv, p);
        CipherContext context(r);
        ASSERT_TRUE(context.whole(p) == c);
        context.reset();
        ASSERT_TRUE(context.in_pieces(p, random) == c);
        r.direction = VSH_DECRYPT;
        CipherContext back(r);
        ASSERT_TRUE(back.whole(c) == p);
        back.reset();
        ASSERT_TRUE(back.in_pieces(c, random) == p);
      }
    }
  }
}

TEST(KeyMeshing, CntSeekingIsSkipping) {
  SCOPED_TRACE(test::seed_note());
  test::Random random(2);
  const Request r = request(VSH_CNT, random);
  const Bytes p = random.bytes(5 * kSection + 13), c = cnt_meshed(r.key, r.iv, p);
  CipherContext context(r);
  for (int i = 0; i < 200; ++i) {
    const size_t from = random.below(p.size() + 1), len = random.below(p.size() - from + 1);
    ASSERT_EQ(context.seek(from), VSH_OK);
    ASSERT_EQ(context.update(p.data() + from, len), test::part(c, from, len));
  }
}

// With padding: the last block is checked first, by a copy of the mode.
TEST(KeyMeshing, CbcWithPadding) {
  SCOPED_TRACE(test::seed_note());
  test::Random random(3);
  for (const size_t len : {0, 7, 1015, 1016, 1023, 1024, 2047, 2048, 2049, 4100}) {
    SCOPED_TRACE(len);
    const Request r = request(VSH_CBC, random);
    const Bytes p = random.bytes(len), c = cbc_meshed(r.key, r.iv, padded2(p, 8));
    Bytes out(c.size());
    size_t written = 0;
    ASSERT_EQ(vsh_encrypt(out.data(), out.size(), &written, r.algorithm, r.mode, r.key.data(), 32, r.iv.data(), 8,
                          p.data(), p.size(), &r.options),
              VSH_OK);
    ASSERT_TRUE(out == c);
    ASSERT_EQ(vsh_decrypt(out.data(), out.size(), &written, r.algorithm, r.mode, r.key.data(), 32, r.iv.data(), 8,
                          c.data(), c.size(), &r.options),
              VSH_OK);
    out.resize(written);
    ASSERT_TRUE(out == p);
    // Without room for the last block final may be called again.
    vsh_cipher* context = nullptr;
    ASSERT_EQ(vsh_cipher_new(&context, r.algorithm, r.mode, VSH_ENCRYPT, r.key.data(), 32, r.iv.data(), 8, &r.options),
              VSH_OK);
    out.assign(c.size(), 0);
    ASSERT_EQ(vsh_cipher_update(context, out.data(), out.size(), &written, p.data(), p.size()), VSH_OK);
    size_t last = 0;
    ASSERT_EQ(vsh_cipher_final(context, out.data() + written, 0, &last), VSH_E_CAPACITY);
    ASSERT_EQ(vsh_cipher_final(context, out.data() + written, 8, &last), VSH_OK);
    ASSERT_TRUE(out == c);
    vsh_cipher_free(context);
  }
}

TEST(KeyMeshing, Imit) {
  SCOPED_TRACE(test::seed_note());
  test::Random random(4);
  vsh_options options = VSH_OPTIONS_INIT;
  options.sbox = VSH_SBOX_CRYPTOPRO_A;
  options.key_meshing = VSH_MESHING_CRYPTOPRO;
  const Bytes key = random.bytes(32);
  vsh_mac* mac = nullptr;
  ASSERT_EQ(vsh_mac_new(&mac, VSH_GOST28147_IMIT, key.data(), 32, &options), VSH_OK);
  for (const size_t len : {8, 16, 1017, 1024, 1025, 1032, 2048, 2049, 5000}) {
    const Bytes p = random.bytes(len);
    Bytes state(8, 0), present = key;
    Bytes filled = padded1(p, 8);
    if (filled.size() < 16) filled.resize(16);
    size_t done = 0;
    for (const Bytes& section : pieces(filled, kSection)) {
      if (done) present = meshed_key(Keyed(Algorithm::gost28147, present).d);
      const Keyed keyed(Algorithm::gost28147, present);
      for (const Bytes& block : pieces(section, 8)) state = keyed.rounds16(add(state, block));
      done += section.size();
    }
    size_t at = 0;
    for (const size_t piece : test::random_pieces(random, len)) {
      ASSERT_EQ(vsh_mac_update(mac, p.data() + at, piece), VSH_OK);
      at += piece;
    }
    ASSERT_EQ(vsh_mac_verify(mac, state.data(), 8), VSH_OK) << len;
    ASSERT_EQ(vsh_mac_reset(mac), VSH_OK);
  }
  vsh_mac_free(mac);
}

TEST(KeyMeshing, RefusedWhereThereIsNone) {
  vsh_options o = VSH_OPTIONS_INIT;
  o.key_meshing = VSH_MESHING_CRYPTOPRO;
  for (const vsh_mode mode : {VSH_CNT, VSH_CFB, VSH_CBC}) EXPECT_EQ(cipher_status(VSH_GOST28147, mode, o), VSH_OK);
  EXPECT_EQ(cipher_status(VSH_GOST28147, VSH_ECB, o), VSH_E_SECTION);
  EXPECT_EQ(cipher_status(VSH_MAGMA, VSH_CBC, o), VSH_E_SECTION);
  EXPECT_EQ(cipher_status(VSH_KUZNYECHIK, VSH_CTR_ACPKM, o), VSH_E_SECTION);
  o.segment_len = 4;
  EXPECT_EQ(cipher_status(VSH_GOST28147, VSH_CFB, o), VSH_E_SEGMENT);
  o.segment_len = 8;
  EXPECT_EQ(cipher_status(VSH_GOST28147, VSH_CFB, o), VSH_OK);
  o.section_len = 1024;
  EXPECT_EQ(cipher_status(VSH_GOST28147, VSH_CFB, o), VSH_E_SECTION);
  o = VSH_OPTIONS_INIT;
  o.key_meshing = static_cast<vsh_key_meshing>(2);
  EXPECT_EQ(cipher_status(VSH_GOST28147, VSH_CFB, o), VSH_E_ARGUMENT);
  EXPECT_EQ(mac_status(VSH_GOST28147_IMIT, o), VSH_E_ARGUMENT);
  o.key_meshing = VSH_MESHING_CRYPTOPRO;
  EXPECT_EQ(mac_status(VSH_MAGMA_MAC, o), VSH_E_SECTION);
  vsh_streams* streams = nullptr;
  EXPECT_EQ(vsh_streams_new(&streams, VSH_GOST28147, nullptr, 0, &o), VSH_E_SECTION);
}

}  // namespace
}  // namespace vsh
