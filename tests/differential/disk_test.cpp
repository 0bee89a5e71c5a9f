// XTS against the block ciphers of other implementations, under the mode's text (tests/modes/support/textbook.hpp):
// none of these libraries has XTS over Kuznyechik. And XTS itself against OpenSSL's, over AES.
#include <gtest/gtest.h>

#include "differential/oracle.hpp"
#include "modes/support/textbook.hpp"
#include "modes/xts.hpp"
#include "support/aes.hpp"
#include "support/random.hpp"
#include "vershina/disk.hpp"

#ifdef VSH_ORACLE_OPENSSL
#include <openssl/evp.h>
#endif

namespace {

using vsh::oracle::Bytes;
using vsh::oracle::Oracle;
using vsh::test::Random;
using vsh::test::textbook::BlockFunction;

constexpr int kComparisons = 20;

// One block of the oracle's ECB of Kuznyechik.
BlockFunction block_function(Oracle& oracle, const Bytes& key, bool encrypt) {
  vsh::oracle::Cipher c;
  c.name = "kuznyechik-ecb";
  c.key = key;
  c.encrypt = encrypt;
  return [&oracle, c](const Bytes& block) { return oracle.crypt(c, block).value(); };
}

bool has_kuznyechik(Oracle& oracle) {
  vsh::oracle::Cipher c;
  c.name = "kuznyechik-ecb";
  c.key = Bytes(32);
  return oracle.crypt(c, Bytes(16)).has_value();
}

Bytes part(const Bytes& from, size_t at, size_t len) {
  return Bytes(from.begin() + static_cast<long>(at), from.begin() + static_cast<long>(at + len));
}

// compare(oracle) for each library that has Kuznyechik.
template <class Compare>
void with_each_oracle(Compare compare) {
  std::vector<vsh::oracle::Absent> absent;
  int num = 0;
  for (const auto& oracle : vsh::oracle::all_oracles(&absent)) {
    if (!oracle->has_blocks() || !has_kuznyechik(*oracle)) continue;
    SCOPED_TRACE(oracle->name());
    compare(*oracle);
    ++num;
    std::printf("compared with %s\n", oracle->name().c_str());
  }
  if (num == 0) GTEST_SKIP() << "no oracle here has Kuznyechik";
}

TEST(DiskModes, XtsOverOtherImplementations) {
  SCOPED_TRACE(vsh::test::seed_note());
  with_each_oracle([](Oracle& oracle) {
    Random random(1);
    for (int i = 0; i < kComparisons; ++i) {
      const Bytes keys = random.bytes(64), number = random.bytes(16), in = random.bytes(16 + random.below(600));
      const auto e2 = block_function(oracle, part(keys, 32, 32), true);
      const vershina::Xts xts(keys);
      const std::span<const uint8_t, 16> n(number.data(), 16);
      Bytes out(in.size());
      xts.encrypt_unit(out, in, n);
      EXPECT_EQ(out, vsh::test::textbook::xts(block_function(oracle, part(keys, 0, 32), true), true, e2, number, in));
      xts.decrypt_unit(out, in, n);
      EXPECT_EQ(out, vsh::test::textbook::xts(block_function(oracle, part(keys, 0, 32), false), false, e2, number, in));
    }
  });
}

#ifdef VSH_ORACLE_OPENSSL
TEST(DiskModes, XtsOverAesEqualsOpenSsl) {
  SCOPED_TRACE(vsh::test::seed_note());
  Random random(3);
  for (int i = 0; i < kComparisons; ++i) {
    const Bytes key = random.bytes(32), number = random.bytes(16), in = random.bytes(16 + random.below(700));
    const vsh::BlockEngine data = vsh::test::aes128_engine(key.data());
    const vsh::BlockEngine tweak = vsh::test::aes128_engine(key.data() + 16);
    const vsh::modes::Xts xts(data, tweak, 1, *vsh::choose_product_kernel().row);
    for (const bool encrypt : {true, false}) {
      Bytes out(in.size()), expected(in.size());
      xts.process_unit(encrypt ? vsh::modes::Direction::encrypt : vsh::modes::Direction::decrypt, out.data(), in.data(),
                       in.size(), number.data());
      EVP_CIPHER_CTX* context = EVP_CIPHER_CTX_new();
      int len = 0;
      ASSERT_EQ(EVP_CipherInit_ex(context, EVP_aes_128_xts(), nullptr, key.data(), number.data(), encrypt), 1);
      ASSERT_EQ(EVP_CipherUpdate(context, expected.data(), &len, in.data(), static_cast<int>(in.size())), 1);
      EVP_CIPHER_CTX_free(context);
      EXPECT_EQ(out, expected) << in.size();
    }
  }
}
#endif

}  // namespace
