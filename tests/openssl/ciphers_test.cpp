// EVP ciphers without authentication.
#include <algorithm>
#include <cstring>

#include "openssl/support/evp.hpp"

namespace vsh::test::evp {
namespace {

constexpr size_t kLen = 9001;

// Both directions, in one piece.
TEST(EvpCipher, IsTheLibrarys) {
  for (const CipherName& n : kCiphers)
    for (const size_t len : {0, 1, 7, 8, 16, 17, 1024, 1025, 4096, 4104, 9001}) {
      SCOPED_TRACE(std::string(n.name) + " " + std::to_string(len));
      const Bytes plain = Random(len).bytes(len), expected = reference(n, true, plain, n.options());
      EXPECT_EQ(crypt(start(vershina(), n.name, true).get(), plain), expected);
      EXPECT_EQ(crypt(start(vershina(), n.name, false).get(), expected), plain);
    }
}

TEST(EvpCipher, IsGostprovs) {
  VSH_NEEDS_GOSTPROV();
  Random random(3);
  for (const CipherName& n : kCiphers) {
    if (!n.in_gostprov) continue;
    for (int i = 0; i < 40; ++i) {
      const size_t len = i < 20 ? random.below(70) : random.below(20000);
      SCOPED_TRACE(std::string(n.name) + " " + std::to_string(len) + " " + seed_note());
      const Bytes key = random.bytes(32), iv = random.bytes(16), plain = random.bytes(len);
      const Bytes ours = crypt(start(vershina(), n.name, true, key, iv).get(), plain);
      EXPECT_EQ(crypt(start(gostprov(), n.name, true, key, iv).get(), plain), ours);
      EXPECT_EQ(crypt(start(gostprov(), n.name, false, key, iv).get(), ours), plain);
      EXPECT_EQ(crypt(start(vershina(), n.name, false, key, iv).get(), ours), plain);
    }
  }
}

TEST(EvpCipher, PiecesOfAnySize) {
  Random random(4);
  for (const CipherName& n : kCiphers)
    for (const bool encrypt : {true, false}) {
      const Bytes plain = random.bytes(kLen), sealed = reference(n, true, plain, n.options());
      const Bytes &in = encrypt ? plain : sealed, &expected = encrypt ? sealed : plain;
      for (const size_t most : {1, 2, 7, 8, 15, 16, 17, 64, 100, 1000, 5000, 0}) {  // 0: of random sizes
        SCOPED_TRACE(std::string(n.name) + (encrypt ? " encrypts " : " decrypts ") + std::to_string(most));
        const CipherCtx c = start(vershina(), n.name, encrypt);
        Bytes out;
        for (size_t done = 0, len; done < in.size(); done += len) {
          len = std::min(in.size() - done, most ? most : 1 + random.below(random.below(2) ? 40 : 3000));
          ASSERT_TRUE(update(c.get(), out, in.data() + done, len)) << errors();
        }
        ASSERT_TRUE(final(c.get(), out)) << errors();
        EXPECT_EQ(out, expected);
      }
    }
}

// Copies taken anywhere; then the original continues differently and ends first.
TEST(EvpCipher, Copies) {
  for (const CipherName& n : kCiphers)
    for (const bool encrypt : {true, false}) {
      const Bytes plain = Random(5).bytes(kLen), sealed = reference(n, true, plain, n.options());
      const Bytes &in = encrypt ? plain : sealed, &expected = encrypt ? sealed : plain;
      for (const size_t cut : {0, 1, 8, 16, 23, 64, 640, 1024, 4100}) {
        SCOPED_TRACE(std::string(n.name) + " " + std::to_string(cut));
        CipherCtx original = start(vershina(), n.name, encrypt);
        Bytes out, other;
        for (size_t done = 0; done < cut; done += std::min<size_t>(64, cut - done))  // keystream made ahead
          ASSERT_TRUE(update(original.get(), out, in.data() + done, std::min<size_t>(64, cut - done)));
        const CipherCtx copy(EVP_CIPHER_CTX_new());
        ASSERT_TRUE(EVP_CIPHER_CTX_copy(copy.get(), original.get())) << errors();
        ASSERT_TRUE(update(original.get(), other, plain.data(), 777));
        original.reset();
        ASSERT_TRUE(update(copy.get(), out, in.data() + cut, in.size() - cut));
        ASSERT_TRUE(final(copy.get(), out)) << errors();
        EXPECT_EQ(out, expected);
      }
    }
  const CipherCtx empty = start(vershina(), "magma-cbc", true), copy(EVP_CIPHER_CTX_new());  // no byte yet, no context
  ASSERT_TRUE(EVP_CIPHER_CTX_copy(copy.get(), empty.get())) << errors();
}

// Over its own input; and behind it by the bytes held back, as in programs that fill one buffer.
TEST(EvpCipher, InPlace) {
  for (const CipherName& n : kCiphers)
    for (const bool encrypt : {true, false})
      for (const size_t piece : {5000, 1600, 160, 33, 3}) {
        SCOPED_TRACE(std::string(n.name) + (encrypt ? " encrypts " : " decrypts ") + std::to_string(piece));
        const Bytes plain = Random(6).bytes(kLen), sealed = reference(n, true, plain, n.options());
        Bytes buffer = encrypt ? plain : sealed;
        const size_t len = buffer.size();
        buffer.resize(len + EVP_MAX_BLOCK_LENGTH);
        const CipherCtx c = start(vershina(), n.name, encrypt);
        size_t from = 0, to = 0;
        int written = 0;
        for (size_t step; from < len; from += step, to += static_cast<size_t>(written)) {
          step = std::min(piece, len - from);
          ASSERT_TRUE(
              EVP_CipherUpdate(c.get(), buffer.data() + to, &written, buffer.data() + from, static_cast<int>(step)))
              << errors();
        }
        ASSERT_TRUE(EVP_CipherFinal_ex(c.get(), buffer.data() + to, &written)) << errors();
        buffer.resize(to + static_cast<size_t>(written));
        EXPECT_EQ(buffer, encrypt ? sealed : plain);
      }
}

TEST(EvpCipher, OverlapThatWouldDestroyInputIsRefused) {
  for (const char* name : {"kuznyechik-cbc", "kuznyechik-ctr", "magma-ecb"}) {
    const CipherCtx c = start(vershina(), name, true);
    Bytes buffer(400, 1);
    int written = 0;
    ASSERT_TRUE(EVP_CipherUpdate(c.get(), buffer.data(), &written, buffer.data() + 100, 7));
    EXPECT_FALSE(EVP_CipherUpdate(c.get(), buffer.data() + 1, &written, buffer.data(), 200)) << name;
    errors();
  }
}

TEST(EvpCipher, Padding) {
  for (const CipherName& n : kCiphers) {
    SCOPED_TRACE(n.name);
    const size_t block = n.is_block_mode() ? vsh_block_len(n.algorithm) : 1;
    const Bytes whole = Random(7).bytes(10 * block);
    const CipherCtx c = start(vershina(), n.name, true);
    ASSERT_TRUE(EVP_CIPHER_CTX_set_padding(c.get(), 0));  // after the key, as `openssl enc -nopad`
    EXPECT_EQ(crypt(c.get(), whole), reference(n, true, whole, n.options(false)));
    if (!n.is_block_mode()) continue;

    Bytes out;
    const CipherCtx odd = start(vershina(), n.name, true);
    ASSERT_TRUE(EVP_CIPHER_CTX_set_padding(odd.get(), 0));
    ASSERT_TRUE(update(odd.get(), out, whole.data(), block + 3));
    EXPECT_FALSE(final(odd.get(), out));
    EXPECT_NE(errors().find(vsh_status_message(VSH_E_DATA_LENGTH)), std::string::npos);

    // At least one of eight damaged last blocks has no valid padding (all but 1 of 256).
    size_t refused = 0;
    for (uint8_t i = 1; i <= 8; ++i) {
      Bytes sealed = reference(n, true, whole, n.options());
      sealed.back() ^= i;
      const CipherCtx d = start(vershina(), n.name, false);
      Bytes plain;
      ASSERT_TRUE(update(d.get(), plain, sealed.data(), sealed.size()));
      refused += !final(d.get(), plain);
    }
    EXPECT_GE(refused, 7u);
    EXPECT_NE(errors().find(vsh_status_message(VSH_E_BAD_PADDING)), std::string::npos);
  }
}

// Padding that is changed behind final, or within a message; and bytes behind final: as OpenSSL's own ciphers have it.
TEST(EvpCipher, PaddingChangedAtAnyTime) {
  constexpr size_t kBlock = 16;
  const Bytes in = Random(20).bytes(10 * kBlock);
  for (const bool encrypt : {true, false})
    for (const size_t len : {size_t{0}, size_t{7}, kBlock, 2 * kBlock, 2 * kBlock + 7})
      for (const int first : {0, 1})
        for (const int second : {0, 1})
          for (const bool is_within : {false, true}) {
            SCOPED_TRACE(testing::Message() << encrypt << " " << len << " " << first << second << is_within);
            std::vector<size_t> lengths[2];
            Bytes outputs[2];
            for (const bool ours : {false, true}) {
              const CipherCtx c = start(vershina(), ours ? "kuznyechik-cbc" : "aes-256-cbc", encrypt);
              Bytes& out = outputs[ours];
              std::vector<size_t>& steps = lengths[ours];
              const auto step = [&](bool ok) { steps.push_back(ok ? out.size() : SIZE_MAX - out.size()); };
              step(EVP_CIPHER_CTX_set_padding(c.get(), first));
              step(update(c.get(), out, in.data(), len));
              if (!is_within) step(final(c.get(), out));
              step(EVP_CIPHER_CTX_set_padding(c.get(), second));
              if (!is_within && steps[2] <= out.size()) step(update(c.get(), out, in.data(), kBlock));  // goes on
              if (!is_within) step(EVP_CipherInit_ex2(c.get(), nullptr, nullptr, kIv.data(), -1, nullptr));
              step(update(c.get(), out, in.data() + kBlock, kBlock));
              step(final(c.get(), out));
            }
            errors();
            if (encrypt) {
              EXPECT_EQ(lengths[1], lengths[0]);
              continue;
            }
            // Whether random bytes have a padding is a matter of the cipher.
            lengths[0].pop_back(), lengths[1].pop_back();
            if (is_within || first == 0) {
              EXPECT_EQ(lengths[1], lengths[0]);
            }
          }
}

// Padding that was switched off for one message is there for the next, and its bytes are right.
TEST(EvpCipher, PaddingBehindFinalHoldsForTheNextMessage) {
  for (const CipherName& n : kCiphers) {
    if (!n.is_block_mode()) continue;
    SCOPED_TRACE(n.name);
    const size_t block = vsh_block_len(n.algorithm);
    const Bytes in = Random(21).bytes(block), padded = reference(n, true, in, n.options());
    const CipherCtx c = start(vershina(), n.name, true);
    for (const int pads : {0, 1, 0, 1}) {
      Bytes out;
      ASSERT_TRUE(EVP_CIPHER_CTX_set_padding(c.get(), pads)) << errors();
      ASSERT_TRUE(EVP_EncryptInit_ex2(c.get(), nullptr, nullptr, kIv.data(), nullptr)) << errors();
      ASSERT_TRUE(update(c.get(), out, in.data(), block) && final(c.get(), out)) << errors();
      EXPECT_EQ(out, pads ? padded : reference(n, true, in, n.options(false)));
    }
    ASSERT_TRUE(EVP_DecryptInit_ex2(c.get(), nullptr, nullptr, kIv.data(), nullptr));
    for (const size_t first : {size_t{1}, block, block + 1}) {  // a block held back comes with the next bytes
      Bytes out;
      ASSERT_TRUE(EVP_CIPHER_CTX_set_padding(c.get(), 1) && update(c.get(), out, padded.data(), first));
      ASSERT_TRUE(EVP_CIPHER_CTX_set_padding(c.get(), 0) &&
                  update(c.get(), out, padded.data() + first, 2 * block - first) && final(c.get(), out))
          << errors();
      EXPECT_EQ(out, reference(n, false, padded, n.options(false)));
      ASSERT_TRUE(EVP_DecryptInit_ex2(c.get(), nullptr, nullptr, nullptr, nullptr));
    }
  }
}

// The copy of the chain may not match after an error, and is not used.
TEST(EvpCipher, ErrorWithinBlocksEndsTheMessage) {
  const Bytes in = Random(25).bytes(64);
  const CipherCtx c = start(vershina(), "kuznyechik-cbc", false);
  Bytes out, iv(16);
  int len = 0;
  ASSERT_TRUE(update(c.get(), out, in.data(), 32));
  EXPECT_FALSE(EVP_CipherUpdate(c.get(), nullptr, &len, in.data() + 32, 32));
  EXPECT_FALSE(EVP_CIPHER_CTX_get_updated_iv(c.get(), iv.data(), iv.size()));
  EXPECT_FALSE(update(c.get(), out, in.data() + 32, 32));
  errors();
  ASSERT_TRUE(EVP_CIPHER_CTX_set_padding(c.get(), 0));
  ASSERT_TRUE(EVP_DecryptInit_ex2(c.get(), nullptr, nullptr, kIv.data(), nullptr));
  EXPECT_EQ(crypt(c.get(), in), reference(kCiphers[1], false, in, kCiphers[1].options(false)));
}

// With key meshing the chain alone does not say under which key it goes on.
TEST(EvpCipher, MeshedChainsGoOnOnlyByThemselves) {
  unsigned on = 1;
  const OSSL_PARAM meshing[] = {OSSL_PARAM_construct_uint("key-mesh", &on), OSSL_PARAM_construct_end()};
  const CipherCtx c = start(vershina(), "gost89-cbc", true, kKey, kIv, meshing);
  const Bytes in = Random(24).bytes(1024 + 8);
  Bytes out, iv(8);
  ASSERT_TRUE(update(c.get(), out, in.data(), in.size()));
  EXPECT_FALSE(EVP_CIPHER_CTX_get_updated_iv(c.get(), iv.data(), iv.size()));
  EXPECT_TRUE(EVP_CIPHER_CTX_set_padding(c.get(), 0));
  EXPECT_FALSE(update(c.get(), out, in.data(), 8));
  EXPECT_NE(errors().find("this cannot be changed within a message"), std::string::npos);
  EXPECT_TRUE(EVP_CIPHER_CTX_set_padding(c.get(), 1));
  ASSERT_TRUE(final(c.get(), out));
  CipherName n{"gost89-cbc", VSH_GOST28147, VSH_CBC, false, VSH_SBOX_TC26_Z, VSH_MESHING_CRYPTOPRO};
  EXPECT_EQ(out, reference(n, true, in, n.options()));
  EXPECT_FALSE(update(c.get(), out, in.data(), 8));  // behind final
  errors();
  ASSERT_TRUE(EVP_EncryptInit_ex2(c.get(), nullptr, nullptr, nullptr, nullptr));
  EXPECT_EQ(crypt(c.get(), in), reference(n, true, in, n.options()));
}

// Messages under one key, a key after the IV, another direction, everything again.
TEST(EvpCipher, InitInAnyOrder) {
  for (const CipherName& n : kCiphers) {
    SCOPED_TRACE(n.name);
    const Bytes in = Random(8).bytes(500), iv2 = Random(9).bytes(16), key2 = Random(10).bytes(32);
    const Bytes expected = reference(n, true, in, n.options());
    const Cipher cipher = vershina().cipher(n.name);
    const CipherCtx c(EVP_CIPHER_CTX_new());
    ASSERT_TRUE(EVP_EncryptInit_ex2(c.get(), cipher.get(), nullptr, nullptr, nullptr));
    ASSERT_TRUE(EVP_EncryptInit_ex2(c.get(), nullptr, nullptr, kIv.data(), nullptr));
    ASSERT_TRUE(EVP_EncryptInit_ex2(c.get(), nullptr, kKey.data(), nullptr, nullptr));
    EXPECT_EQ(crypt(c.get(), in), expected);
    ASSERT_TRUE(EVP_EncryptInit_ex2(c.get(), nullptr, nullptr, iv2.data(), nullptr));
    EXPECT_EQ(crypt(c.get(), in), reference(n, true, in, n.options(), kKey, iv2));
    ASSERT_TRUE(EVP_DecryptInit_ex2(c.get(), nullptr, nullptr, kIv.data(), nullptr));
    EXPECT_EQ(crypt(c.get(), expected), in);
    if (!n.is_counter_mode()) {
      ASSERT_TRUE(EVP_DecryptInit_ex2(c.get(), nullptr, nullptr, nullptr, nullptr));  // the IV of before
      EXPECT_EQ(crypt(c.get(), expected), in);
    }
    ASSERT_TRUE(EVP_EncryptInit_ex2(c.get(), nullptr, key2.data(), iv2.data(), nullptr));
    EXPECT_EQ(crypt(c.get(), in), reference(n, true, in, n.options(), key2, iv2));
    ASSERT_TRUE(EVP_CIPHER_CTX_reset(c.get()));
    Bytes out;
    EXPECT_FALSE(update(c.get(), out, in.data(), in.size()));
    errors();
  }
}

constexpr size_t kNowhere = SIZE_MAX;

// Returns the position, in the keystream of a fresh context, of the bytes that c encrypts next.
size_t place_in_key_stream(const char* name, EVP_CIPHER_CTX* c) {
  const Bytes zeros(200), stream = crypt(start(vershina(), name, true).get(), Bytes(4000));
  Bytes next;
  if (!update(c, next, zeros.data(), zeros.size())) return kNowhere;
  const auto found = std::search(stream.begin(), stream.end(), next.begin(), next.end());
  return found == stream.end() ? kNowhere : static_cast<size_t>(found - stream.begin());
}

// `begun` bytes in pieces, then another init, then the next bytes: their place.
template <class Init>
size_t place_after(const char* name, size_t begun, Init init) {
  const CipherCtx c = start(vershina(), name, true);
  const Bytes zeros(begun);
  Bytes out;
  for (size_t done = 0; done < begun; done += std::min<size_t>(61, begun - done))
    EXPECT_TRUE(update(c.get(), out, zeros.data() + done, std::min<size_t>(61, begun - done)));
  EXPECT_TRUE(init(c.get())) << name << errors();
  const CipherCtx copy(EVP_CIPHER_CTX_new());
  EXPECT_TRUE(EVP_CIPHER_CTX_copy(copy.get(), c.get()));
  const size_t place = place_in_key_stream(name, c.get());
  EXPECT_EQ(place_in_key_stream(name, copy.get()), place) << name;
  return place;
}

// A keystream is never restarted without an IV: counter modes continue at the next block, OFB and CFB restart, both as
// in OpenSSL.
TEST(EvpCipher, InitWithoutIv) {
  const auto again = [](EVP_CIPHER_CTX* c) { return EVP_EncryptInit_ex2(c, nullptr, nullptr, nullptr, nullptr); };
  const auto other_way = [](EVP_CIPHER_CTX* c) { return EVP_DecryptInit_ex2(c, nullptr, nullptr, nullptr, nullptr); };
  const auto ended = [&](EVP_CIPHER_CTX* c) {
    Bytes none;
    return final(c, none) && again(c) && again(c);
  };
  const auto same_iv = [](EVP_CIPHER_CTX* c) { return EVP_EncryptInit_ex2(c, nullptr, nullptr, kIv.data(), nullptr); };
  // The second IV, too, begins one keystream.
  const auto renewed = [&](EVP_CIPHER_CTX* c) {
    Bytes out;
    return same_iv(c) && update(c, out, Bytes(40).data(), 40) && again(c);
  };
  const auto behind = [](size_t begun, size_t block) { return (begun + block - 1) / block * block; };
  for (const size_t begun : {0, 1, 15, 16, 17, 40, 61, 500, 1000, 1600}) {
    SCOPED_TRACE(begun);
    EXPECT_EQ(place_after("aes-256-ctr", begun, again), behind(begun, 16));
    EXPECT_EQ(place_after("aes-256-ctr", begun, other_way), behind(begun, 16));
    EXPECT_EQ(place_after("aes-256-ctr", begun, ended), behind(begun, 16));
    EXPECT_EQ(place_after("aes-256-ctr", begun, same_iv), 0u);
    for (const char* name : {"aes-256-ofb", "aes-256-cfb"}) EXPECT_EQ(place_after(name, begun, again), 0u) << name;
    for (const CipherName& n : kCiphers) {
      if (n.is_block_mode()) continue;
      SCOPED_TRACE(n.name);
      const size_t place = n.is_counter_mode() ? behind(begun, vsh_block_len(n.algorithm)) : 0;
      EXPECT_EQ(place_after(n.name, begun, again), place);
      EXPECT_EQ(place_after(n.name, begun, ended), place);
      if (n.mode != VSH_CFB) {
        EXPECT_EQ(place_after(n.name, begun, other_way), place);
      }
      EXPECT_EQ(place_after(n.name, begun, same_iv), 0u);
      EXPECT_EQ(place_after(n.name, begun, renewed), n.is_counter_mode() ? behind(40, vsh_block_len(n.algorithm)) : 0);
    }
  }
}

// Nor by a key without an IV, even the same one, nor by a parameter that does not change the first section. OpenSSL's
// CTR continues under the new key; the provider requires an IV.
TEST(EvpCipher, AnotherKeyOrSectionNeedsAnIv) {
  const auto key = [](EVP_CIPHER_CTX* c) { return EVP_EncryptInit_ex2(c, nullptr, kKey.data(), nullptr, nullptr); };
  const auto mesh = [](EVP_CIPHER_CTX* c) {
    size_t value = 1 << 20;
    const OSSL_PARAM section[] = {OSSL_PARAM_construct_size_t("key-mesh", &value), OSSL_PARAM_construct_end()};
    value = EVP_CIPHER_CTX_get_iv_length(c) == 8 && EVP_CIPHER_CTX_get_mode(c) != EVP_CIPH_CTR_MODE ? 0 : value;
    return EVP_EncryptInit_ex2(c, nullptr, nullptr, nullptr, section);
  };
  EXPECT_EQ(place_after("aes-256-ctr", 32, key), 32u);
  for (const CipherName& n : kCiphers) {
    if (!n.is_counter_mode()) continue;
    SCOPED_TRACE(n.name);
    EXPECT_EQ(place_after(n.name, 32, key), kNowhere);
    EXPECT_NE(errors().find("no IV is set"), std::string::npos);
    EXPECT_EQ(place_after(n.name, 0, key), 0u);
    if (n.mode == VSH_CTR) continue;
    EXPECT_EQ(place_after(n.name, 32, mesh), kNowhere);
    EXPECT_NE(errors().find("no IV is set"), std::string::npos);
    EXPECT_EQ(place_after(n.name, 0, mesh), 0u);
  }
}

TEST(EvpCipher, Misuse) {
  Bytes out;
  const CipherCtx c(EVP_CIPHER_CTX_new());
  const Cipher cipher = vershina().cipher("kuznyechik-cbc");
  ASSERT_TRUE(EVP_EncryptInit_ex2(c.get(), cipher.get(), nullptr, kIv.data(), nullptr));
  EXPECT_FALSE(update(c.get(), out, kIv.data(), 16));
  EXPECT_NE(errors().find("no key is set"), std::string::npos);
  ASSERT_TRUE(EVP_CIPHER_CTX_reset(c.get()));
  ASSERT_TRUE(EVP_EncryptInit_ex2(c.get(), cipher.get(), kKey.data(), nullptr, nullptr));
  EXPECT_FALSE(update(c.get(), out, kIv.data(), 16));
  EXPECT_NE(errors().find("no IV is set"), std::string::npos);
  EXPECT_FALSE(EVP_CIPHER_CTX_set_key_length(c.get(), 16));
  char text[] = "no-such-set";
  size_t section = 100;
  const OSSL_PARAM sbox[] = {OSSL_PARAM_construct_utf8_string("sbox", text, 0), OSSL_PARAM_construct_end()};
  const OSSL_PARAM mesh[] = {OSSL_PARAM_construct_size_t("key-mesh", &section), OSSL_PARAM_construct_end()};
  EXPECT_FALSE(EVP_CIPHER_CTX_set_params(start(vershina(), "gost89", true).get(), sbox));
  EXPECT_FALSE(EVP_CIPHER_CTX_set_params(start(vershina(), "magma-cbc", true).get(), sbox));
  EXPECT_FALSE(EVP_CIPHER_CTX_set_params(start(vershina(), "magma-ctr", true).get(), mesh));
  EXPECT_FALSE(EVP_CIPHER_CTX_set_params(start(vershina(), "magma-ctr-acpkm", true).get(), mesh));  // 100 = 12.5 blocks
  errors();
}

TEST(EvpCipher, Parameters) {
  for (const CipherName& n : kCiphers) {
    SCOPED_TRACE(n.name);
    const Cipher cipher = vershina().cipher(n.name);
    const CipherCtx c = start(vershina(), n.name, true);
    EXPECT_EQ(EVP_CIPHER_get_key_length(cipher.get()), 32);
    EXPECT_EQ(EVP_CIPHER_CTX_get_key_length(c.get()), 32);
    EXPECT_EQ(EVP_CIPHER_get_iv_length(cipher.get()), static_cast<int>(n.iv_len()));
    EXPECT_EQ(EVP_CIPHER_CTX_get_iv_length(c.get()), static_cast<int>(n.iv_len()));
    EXPECT_EQ(EVP_CIPHER_get_block_size(cipher.get()),
              n.is_block_mode() ? static_cast<int>(vsh_block_len(n.algorithm)) : 1);
    const OSSL_PARAM* const there_are = EVP_CIPHER_gettable_ctx_params(cipher.get());
    EXPECT_TRUE(OSSL_PARAM_locate_const(there_are, "ivlen"));
    EXPECT_TRUE(OSSL_PARAM_locate_const(EVP_CIPHER_settable_ctx_params(cipher.get()), "padding"));
    uint8_t iv[16] = {};
    ASSERT_TRUE(EVP_CIPHER_CTX_get_original_iv(c.get(), iv, n.iv_len()) || n.iv_len() == 0) << errors();
    EXPECT_EQ(std::memcmp(iv, kIv.data(), n.iv_len()), 0);
    if (!n.in_gostprov || !gostprov().missing().empty()) continue;
    const Cipher theirs = gostprov().cipher(n.name);
    EXPECT_EQ(EVP_CIPHER_get_mode(cipher.get()), EVP_CIPHER_get_mode(theirs.get()));
    EXPECT_EQ(EVP_CIPHER_get_block_size(cipher.get()), EVP_CIPHER_get_block_size(theirs.get()));
    EXPECT_EQ(EVP_CIPHER_get_iv_length(cipher.get()), EVP_CIPHER_get_iv_length(theirs.get()));
  }
}

// In CBC a message can be ended and continued under the updated IV, in both directions.
TEST(EvpCipher, UpdatedIv) {
  for (const CipherName& n : kCiphers) {
    if (n.mode != VSH_CBC) continue;
    for (const bool encrypt : {true, false})
      for (const size_t cut : {1, 2, 5}) {
        const size_t block = vsh_block_len(n.algorithm), first = cut * block + 3;  // three bytes are held back
        const Bytes in = Random(11).bytes(9 * block);
        const vsh_options o = n.options(false);
        const CipherCtx c = start(vershina(), n.name, encrypt);
        EVP_CIPHER_CTX_set_padding(c.get(), 0);
        Bytes out, iv(16);
        ASSERT_TRUE(update(c.get(), out, in.data(), first));
        ASSERT_TRUE(EVP_CIPHER_CTX_get_updated_iv(c.get(), iv.data(), block)) << errors();
        const Bytes rest =
            reference(n, encrypt, Bytes(in.begin() + static_cast<long>(out.size()), in.end()), o, kKey, iv);
        out.insert(out.end(), rest.begin(), rest.end());
        EXPECT_EQ(out, reference(n, encrypt, in, o)) << n.name << cut;
      }
  }
}

// In CFB and OFB, too, at whole blocks. Elsewhere there is no such IV, and the first one would repeat keystream.
TEST(EvpCipher, UpdatedIvOfStreams) {
  const auto updated = [](EVP_CIPHER_CTX* c, Bytes& iv) {
    return EVP_CIPHER_CTX_get_updated_iv(c, iv.data(), static_cast<size_t>(EVP_CIPHER_CTX_get_iv_length(c)));
  };
  unsigned off = 0;
  const OSSL_PARAM no_meshing[] = {OSSL_PARAM_construct_uint("key-mesh", &off), OSSL_PARAM_construct_end()};
  CipherName unmeshed = kCiphers[12];
  ASSERT_STREQ(unmeshed.name, "gost89");
  unmeshed.meshing = VSH_MESHING_NONE;
  std::vector<CipherName> names(std::begin(kCiphers), std::end(kCiphers));
  names.push_back(unmeshed);
  for (const CipherName& n : names) {
    if (n.is_block_mode()) continue;
    const size_t block = vsh_block_len(n.algorithm);
    const bool has_state = !n.is_counter_mode() && n.meshing == VSH_MESHING_NONE;
    const OSSL_PARAM* const params = n.mode == VSH_CFB && &n == &names.back() ? no_meshing : nullptr;
    for (const bool encrypt : {true, false})
      for (const size_t len : {size_t{0}, block - 1, block, 3 * block, 3 * block + 1, 200 * block}) {
        SCOPED_TRACE(std::string(n.name) + (encrypt ? " encrypts " : " decrypts ") + std::to_string(len));
        const CipherCtx c = start(vershina(), n.name, encrypt, kKey, kIv, params);
        const Bytes in = Random(22).bytes(len), rest = Random(23).bytes(5 * block + 3);
        Bytes out, iv(16), resumed;
        ASSERT_TRUE(len == 0 || update(c.get(), out, in.data(), len));
        EXPECT_EQ(EVP_CIPHER_CTX_get_num(c.get()), static_cast<int>(len % block));
        const bool is_there = updated(c.get(), iv);
        EXPECT_EQ(is_there, len == 0 || (has_state && len % block == 0)) << errors();
        if (!is_there) {
          EXPECT_NE(errors().find("there is no IV with which an init goes on here"), std::string::npos);
          continue;
        }
        out.clear();
        ASSERT_TRUE(update(c.get(), out, rest.data(), rest.size()));
        ASSERT_TRUE(EVP_CipherInit_ex2(c.get(), nullptr, nullptr, iv.data(), -1, nullptr));
        ASSERT_TRUE(update(c.get(), resumed, rest.data(), rest.size()));
        EXPECT_EQ(resumed, out);
      }
  }
  const Cipher cipher = vershina().cipher("kuznyechik-ofb");
  const CipherCtx none(EVP_CIPHER_CTX_new());
  Bytes iv(16);
  ASSERT_TRUE(EVP_EncryptInit_ex2(none.get(), cipher.get(), kKey.data(), nullptr, nullptr));
  EXPECT_FALSE(updated(none.get(), iv));
  EXPECT_NE(errors().find("no IV is set"), std::string::npos);
}

// S-boxes, meshing and sections by parameters.
TEST(EvpCipher, GostParameters) {
  const Bytes in = Random(12).bytes(5000);
  char name[] = "id-Gost28147-89-CryptoPro-B-ParamSet";
  unsigned off = 0;
  const OSSL_PARAM params[] = {OSSL_PARAM_construct_utf8_string("sbox", name, 0),
                               OSSL_PARAM_construct_uint("key-mesh", &off), OSSL_PARAM_construct_end()};
  CipherName n{"gost89", VSH_GOST28147, VSH_CFB, true, VSH_SBOX_CRYPTOPRO_B};
  EXPECT_EQ(crypt(start(vershina(), n.name, true, kKey, kIv, params).get(), in), reference(n, true, in, n.options()));

  size_t section = 512;
  const OSSL_PARAM mesh[] = {OSSL_PARAM_construct_size_t("key-mesh", &section), OSSL_PARAM_construct_end()};
  n = {"kuznyechik-ctr-acpkm", VSH_KUZNYECHIK, VSH_CTR_ACPKM, true};
  vsh_options o = n.options();
  o.section_len = section;
  EXPECT_EQ(crypt(start(vershina(), n.name, true, kKey, kIv, mesh).get(), in), reference(n, true, in, o));
  if (!gostprov().missing().empty()) return;
  const CipherCtx theirs = start(gostprov(), n.name, true);
  ASSERT_TRUE(EVP_CIPHER_CTX_set_params(theirs.get(), mesh)) << errors();
  EXPECT_EQ(crypt(theirs.get(), in), reference(n, true, in, o));
}

// EVP_Cipher, used by CMAC: no padding, nothing held back.
TEST(EvpCipher, CmacOfOpenssl) {
  const Bytes in = Random(13).bytes(1001);
  const struct {
    const char *cipher, *mac;
  } pairs[] = {{"kuznyechik-cbc", "kuznyechik-mac"}, {"magma-cbc", "magma-mac"}};
  for (const auto& [cipher, mac] : pairs) {
    Bytes tags[2];
    for (int ours = 0; ours < 2; ++ours) {
      const Mac m = vershina().mac(ours ? mac : "CMAC");
      const MacCtx c(EVP_MAC_CTX_new(m.get()));
      OSSL_PARAM params[] = {OSSL_PARAM_construct_utf8_string("cipher", const_cast<char*>(cipher), 0),
                             OSSL_PARAM_construct_end()};
      size_t len = 0;
      tags[ours].resize(16);
      ASSERT_TRUE(EVP_MAC_init(c.get(), kKey.data(), 32, params + ours) &&
                  EVP_MAC_update(c.get(), in.data(), in.size()) && EVP_MAC_final(c.get(), tags[ours].data(), &len, 16))
          << errors();
      tags[ours].resize(len);
    }
    EXPECT_EQ(tags[0], tags[1]) << mac;
  }
}

}  // namespace
}  // namespace vsh::test::evp
