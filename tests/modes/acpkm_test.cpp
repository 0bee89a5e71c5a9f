// CTR-ACPKM and OMAC-ACPKM against their clauses.
#include "modes/acpkm.hpp"

#include "modes/support/contexts.hpp"
#include "support/vec.hpp"

namespace vsh {
namespace {

using test::Bytes;
using test::cipher_status;
using test::CipherContext;
using test::Keyed;
using test::mac_status;
using test::Request;

vsh_cipher_algorithm abi(Algorithm a) { return a == Algorithm::kuznyechik ? VSH_KUZNYECHIK : VSH_MAGMA; }

// The block function under any key, by the engine: fast enough for long messages.
test::textbook::Cipher cipher_of(Algorithm a) {
  return [a](const Bytes& key) -> test::textbook::BlockFunction {
    const auto keyed = std::make_shared<Keyed>(a, key);
    return [keyed](const Bytes& block) { return keyed->engine_e()(block); };
  };
}

TEST(Acpkm, NextKey) {
  for (const Algorithm a : test::kCiphers2015) {
    const char* file = a == Algorithm::kuznyechik ? "kuznyechik_modes.vec" : "magma_modes.vec";
    for (const vec::Record& r : vec::read(file, "acpkm", {"Key", "Out"})) {
      SCOPED_TRACE(r.where());
      const Bytes key = r.bytes("Key"), next = r.bytes("Out");
      modes::ChangingCipher cipher(choose_block_kernel(a, {}, false), keys::CipherKey(a, key.data()));
      modes::acpkm(cipher);
      Bytes block(vsh_block_len(abi(a)));
      cipher.for_blocks(1).encrypt_one(block.data(), block.data());
      EXPECT_EQ(block, Keyed(a, next).e(Bytes(block.size())));
      EXPECT_EQ(test::textbook::acpkm(Keyed(a, key).e, vsh_block_len(abi(a))), next);
    }
  }
}

TEST(Acpkm, EqualsTheClause) {
  SCOPED_TRACE(test::seed_note());
  test::Random random(1);
  for (const Algorithm a : test::kCiphers2015) {
    const size_t n = vsh_block_len(abi(a));
    for (const size_t s : {size_t{1}, n / 2, n}) {
      for (const size_t blocks : {1, 2, 3, 33}) {
        SCOPED_TRACE(std::string(algorithm_name(a)) + " s " + std::to_string(s) + " blocks " + std::to_string(blocks));
        Request r{abi(a), VSH_CTR_ACPKM, VSH_ENCRYPT, random.bytes(32), random.bytes(n / 2)};
        r.options.segment_len = s;
        r.options.section_len = blocks * n;
        const Bytes p = random.bytes(random.below(5 * blocks * n + 2));
        const Bytes c = test::textbook::ctr_acpkm(cipher_of(a), r.key, n, r.iv, s, blocks * n, p);
        CipherContext context(r);
        ASSERT_EQ(context.whole(p), c);
        context.reset();
        ASSERT_EQ(context.in_pieces(p, random), c);
        r.direction = VSH_DECRYPT;
        ASSERT_EQ(CipherContext(r).in_pieces(c, random), p);
      }
    }
  }
}

// Sections shorter and longer than a thread's share, and the ends of both within one message.
TEST(Acpkm, LongMessages) {
  SCOPED_TRACE(test::seed_note());
  test::Random random(2);
  for (const Algorithm a : test::kCiphers2015) {
    const size_t n = vsh_block_len(abi(a));
    for (const size_t section : {size_t{0}, 64 * n, size_t{100} * 1024, size_t{1} << 40}) {
      Request r{abi(a), VSH_CTR_ACPKM, VSH_ENCRYPT, random.bytes(32), random.bytes(n / 2)};
      r.options.section_len = section;
      const size_t usual = a == Algorithm::kuznyechik ? 4096 : 1024;  // RFC 9189
      const Bytes p = random.bytes(400000 + random.below(1000));
      const Bytes c = test::textbook::ctr_acpkm(cipher_of(a), r.key, n, r.iv, n, section ? section : usual, p);
      for (const unsigned threads : {1u, 2u, 3u, 0u}) {
        SCOPED_TRACE(std::string(algorithm_name(a)) + " section " + std::to_string(section) + " threads " +
                     std::to_string(threads));
        r.options.threads = threads;
        CipherContext context(r);
        ASSERT_TRUE(context.whole(p) == c);
        context.reset();
        ASSERT_TRUE(context.in_pieces(p, random) == c);
        context.reset();
        const Bytes begin = context.update(p.data(), 5);
        ASSERT_TRUE(test::textbook::join(begin, context.update(p.data() + 5, p.size() - 5)) == c);
      }
    }
  }
}

TEST(Acpkm, SeekingIsSkipping) {
  SCOPED_TRACE(test::seed_note());
  test::Random random(4);
  for (const Algorithm a : test::kCiphers2015) {
    const size_t n = vsh_block_len(abi(a));
    for (const size_t s : {size_t{2}, n}) {
      Request r{abi(a), VSH_CTR_ACPKM, VSH_ENCRYPT, random.bytes(32), random.bytes(n / 2)};
      r.options.segment_len = s;
      r.options.section_len = 2 * n;
      const Bytes p = random.bytes(20 * n + 3);
      CipherContext context(r);
      const Bytes c = context.whole(p);
      context.reset();
      for (int i = 0; i < 300; ++i) {
        const size_t from = random.below(p.size() + 1), len = random.below(p.size() - from + 1);
        ASSERT_EQ(context.seek(from), VSH_OK);
        ASSERT_EQ(context.update(p.data() + from, len), test::part(c, from, len));
      }
    }
  }
}

// RFC 8645 section 6.2.2: n * 2^(n/2 - 1) bits; 16 GiB with Magma.
TEST(Acpkm, KnowsItsLimit) {
  test::Random random(5);
  Request r{VSH_MAGMA, VSH_CTR_ACPKM, VSH_ENCRYPT, random.bytes(32), random.bytes(4)};
  r.options.section_len = size_t{1} << 34;
  constexpr uint64_t kLimit = uint64_t{1} << 34;
  CipherContext context(r);
  EXPECT_EQ(context.seek(kLimit + 1), VSH_E_LIMIT);
  ASSERT_EQ(context.seek(kLimit - 5), VSH_OK);
  EXPECT_EQ(context.update(Bytes(5).data(), 5).size(), 5u);
  vsh_cipher* c = nullptr;
  ASSERT_EQ(vsh_cipher_new(&c, VSH_MAGMA, VSH_CTR_ACPKM, VSH_ENCRYPT, r.key.data(), 32, r.iv.data(), 4, &r.options),
            VSH_OK);
  ASSERT_EQ(vsh_cipher_seek(c, kLimit - 5), VSH_OK);
  uint8_t out[6] = {1, 1, 1, 1, 1, 1};
  size_t len = 7;
  EXPECT_EQ(vsh_cipher_update(c, out, sizeof out, &len, out, sizeof out), VSH_E_LIMIT);
  EXPECT_EQ(out[0], 1);
  vsh_cipher_free(c);
}

TEST(OmacAcpkm, EqualsTheClause) {
  SCOPED_TRACE(test::seed_note());
  test::Random random(6);
  for (const Algorithm a : test::kCiphers2015) {
    const size_t n = vsh_block_len(abi(a));
    const auto algorithm = a == Algorithm::kuznyechik ? VSH_KUZNYECHIK_OMAC_ACPKM : VSH_MAGMA_OMAC_ACPKM;
    for (const size_t blocks : {1, 2, 5}) {
      for (const size_t master : {n, 3 * n, 1024 * n}) {
        vsh_options options = VSH_OPTIONS_INIT;
        options.section_len = blocks * n;
        options.master_section_len = master;
        const Bytes key = random.bytes(32);
        vsh_mac* mac = nullptr;
        ASSERT_EQ(vsh_mac_new(&mac, algorithm, key.data(), key.size(), &options), VSH_OK);
        for (size_t len = 0; len <= 3 * blocks * n + 1; len += 1 + random.below(blocks)) {
          const Bytes p = random.bytes(len);
          const Bytes expected = test::textbook::omac_acpkm(cipher_of(a), key, n, blocks * n, master, p);
          size_t at = 0;
          for (const size_t piece : test::random_pieces(random, len)) {
            ASSERT_EQ(vsh_mac_update(mac, p.data() + at, piece), VSH_OK);
            at += piece;
          }
          Bytes tag(n);
          ASSERT_EQ(vsh_mac_final(mac, tag.data(), n), VSH_OK);
          ASSERT_EQ(tag, expected) << algorithm_name(a) << " blocks " << blocks << " master " << master << " len "
                                   << len;
          ASSERT_EQ(vsh_mac_reset(mac), VSH_OK);
        }
        vsh_mac_free(mac);
      }
    }
  }
}

TEST(Acpkm, RefusesWhatHasNoSections) {
  vsh_options o = VSH_OPTIONS_INIT;
  o.section_len = 4096;
  EXPECT_EQ(cipher_status(VSH_KUZNYECHIK, VSH_CTR_ACPKM, o), VSH_OK);
  EXPECT_EQ(cipher_status(VSH_KUZNYECHIK, VSH_CTR, o), VSH_E_SECTION);
  EXPECT_EQ(cipher_status(VSH_GOST28147, VSH_CNT, o), VSH_E_SECTION);
  EXPECT_EQ(cipher_status(VSH_GOST28147, VSH_CTR_ACPKM, o), VSH_E_ARGUMENT);
  o.section_len = 24;  // no multiple of a block of Kuznyechik's
  EXPECT_EQ(cipher_status(VSH_KUZNYECHIK, VSH_CTR_ACPKM, o), VSH_E_SECTION);
  EXPECT_EQ(cipher_status(VSH_MAGMA, VSH_CTR_ACPKM, o), VSH_OK);
  o.segment_len = 5;  // a section would end within a segment
  EXPECT_EQ(cipher_status(VSH_MAGMA, VSH_CTR_ACPKM, o), VSH_E_SECTION);
  o = VSH_OPTIONS_INIT;
  o.segment_len = 9;
  EXPECT_EQ(cipher_status(VSH_MAGMA, VSH_CTR_ACPKM, o), VSH_E_SEGMENT);
  o = VSH_OPTIONS_INIT;
  o.master_section_len = 16;
  EXPECT_EQ(cipher_status(VSH_MAGMA, VSH_CTR_ACPKM, o), VSH_E_SECTION);

  EXPECT_EQ(mac_status(VSH_KUZNYECHIK_OMAC_ACPKM, o), VSH_OK);
  EXPECT_EQ(mac_status(VSH_KUZNYECHIK_MAC, o), VSH_E_SECTION);
  o.master_section_len = 8;
  EXPECT_EQ(mac_status(VSH_KUZNYECHIK_OMAC_ACPKM, o), VSH_E_SECTION);
  EXPECT_EQ(mac_status(VSH_MAGMA_OMAC_ACPKM, o), VSH_OK);
  o = VSH_OPTIONS_INIT;
  o.section_len = 20;
  EXPECT_EQ(mac_status(VSH_MAGMA_OMAC_ACPKM, o), VSH_E_SECTION);
  EXPECT_EQ(mac_status(VSH_GOST28147_IMIT, o), VSH_E_SECTION);

  vsh_streams* streams = nullptr;
  EXPECT_EQ(vsh_streams_new(&streams, VSH_MAGMA, nullptr, 0, &o), VSH_E_SECTION);
}

}  // namespace
}  // namespace vsh
