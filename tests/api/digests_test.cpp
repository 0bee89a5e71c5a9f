// The C ABI of MACs and hashes against wrong or malicious callers.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "api/support/contexts.hpp"
#include "support/random.hpp"

namespace {

using namespace vsh::test;

// ---- MAC and hash -----------------------------------------------------------------------------------------

TEST(MacApi, ArgumentsAndStates) {
  for (const vsh_mac_algorithm a : {VSH_KUZNYECHIK_MAC, VSH_MAGMA_MAC, VSH_GOST28147_IMIT}) {
    vsh_mac* none = nullptr;
    EXPECT_EQ(vsh_mac_new(nullptr, a, kKey.data(), 32, nullptr), VSH_E_ARGUMENT);
    EXPECT_EQ(vsh_mac_new(&none, a, nullptr, 32, nullptr), VSH_E_ARGUMENT);
    EXPECT_EQ(vsh_mac_new(&none, a, kKey.data(), 31, nullptr), VSH_E_KEY_LENGTH);
    vsh_options o = options();
    o.sbox = VSH_SBOX_CRYPTOPRO_B;
    EXPECT_EQ(vsh_mac_new(&none, a, kKey.data(), 32, &o), a == VSH_GOST28147_IMIT ? VSH_OK : VSH_E_SBOX);
    vsh_mac_free(none);

    const MacPointer c = make_mac(a);
    Bytes tag(32, 0xaa);
    const size_t longest = vsh_mac_max_len(a);
    EXPECT_EQ(vsh_mac_update(c.get(), nullptr, 1), VSH_E_ARGUMENT);
    EXPECT_EQ(vsh_mac_update(c.get(), tag.data(), SIZE_MAX), VSH_E_ARGUMENT);
    EXPECT_EQ(vsh_mac_update(c.get(), nullptr, 0), VSH_OK);
    for (const size_t len : {size_t{0}, longest + 1, SIZE_MAX}) {
      EXPECT_EQ(vsh_mac_final(c.get(), tag.data(), len), VSH_E_ARGUMENT);
      EXPECT_EQ(vsh_mac_verify(c.get(), tag.data(), len), VSH_E_ARGUMENT);
    }
    EXPECT_EQ(vsh_mac_final(c.get(), nullptr, longest), VSH_E_ARGUMENT);
    EXPECT_EQ(tag, Bytes(32, 0xaa));

    ASSERT_EQ(vsh_mac_final(c.get(), tag.data(), longest), VSH_OK);
    EXPECT_EQ(vsh_mac_update(c.get(), kIv.data(), 1), VSH_E_STATE);
    EXPECT_EQ(vsh_mac_final(c.get(), tag.data(), longest), VSH_E_STATE);
    EXPECT_EQ(vsh_mac_verify(c.get(), tag.data(), longest), VSH_E_STATE);

    // A shorter tag is the beginning of a longer one; any wrong bit is detected.
    for (size_t len = 1; len <= longest; ++len) {
      ASSERT_EQ(vsh_mac_reset(c.get()), VSH_OK);
      EXPECT_EQ(vsh_mac_verify(c.get(), tag.data(), len), VSH_OK);
      for (size_t bit = 0; bit < 8 * len; ++bit) {
        Bytes wrong = tag;
        wrong[bit / 8] ^= static_cast<uint8_t>(1 << bit % 8);
        ASSERT_EQ(vsh_mac_reset(c.get()), VSH_OK);
        EXPECT_EQ(vsh_mac_verify(c.get(), wrong.data(), len), VSH_E_TAG);
      }
    }
  }
}

TEST(HashApi, ArgumentsAndStates) {
  for (const vsh_hash_algorithm a : {VSH_STREEBOG256, VSH_STREEBOG512, VSH_GOST94_CRYPTOPRO, VSH_GOST94_TEST}) {
    EXPECT_EQ(vsh_hash_new(nullptr, a, nullptr), VSH_E_ARGUMENT);
    const HashPointer c = make_hash(a);
    Bytes digest(64, 0xaa);
    const size_t len = vsh_hash_len(a);
    vsh_hash* copy = nullptr;
    EXPECT_EQ(vsh_hash_copy(nullptr, c.get()), VSH_E_ARGUMENT);
    EXPECT_EQ(vsh_hash_copy(&copy, nullptr), VSH_E_ARGUMENT);
    EXPECT_EQ(vsh_hash_update(c.get(), nullptr, 1), VSH_E_ARGUMENT);
    EXPECT_EQ(vsh_hash_update(c.get(), digest.data(), SIZE_MAX), VSH_E_ARGUMENT);
    EXPECT_EQ(vsh_hash_update(nullptr, digest.data(), 1), VSH_E_ARGUMENT);
    EXPECT_EQ(vsh_hash_final(c.get(), digest.data(), len - 1), VSH_E_ARGUMENT);
    EXPECT_EQ(vsh_hash_final(c.get(), digest.data(), len + 1), VSH_E_ARGUMENT);
    EXPECT_EQ(vsh_hash_final(c.get(), nullptr, len), VSH_E_ARGUMENT);
    EXPECT_EQ(vsh_hash_digest(digest.data(), len + 1, a, nullptr, 0, nullptr), VSH_E_ARGUMENT);
    EXPECT_EQ(vsh_hash_digest(digest.data(), len, a, nullptr, 1, nullptr), VSH_E_ARGUMENT);
    EXPECT_EQ(digest, Bytes(64, 0xaa));

    const Bytes message(200, 3);
    Bytes one_shot(len), in_pieces(len), of_copy(len);
    ASSERT_EQ(vsh_hash_digest(one_shot.data(), len, a, message.data(), 200, nullptr), VSH_OK);
    ASSERT_EQ(vsh_hash_update(c.get(), message.data(), 77), VSH_OK);
    ASSERT_EQ(vsh_hash_copy(&copy, c.get()), VSH_OK);
    const HashPointer owner(copy);
    ASSERT_EQ(vsh_hash_update(c.get(), message.data() + 77, 123), VSH_OK);
    ASSERT_EQ(vsh_hash_final(c.get(), in_pieces.data(), len), VSH_OK);
    EXPECT_EQ(vsh_hash_update(c.get(), message.data(), 1), VSH_E_STATE);
    EXPECT_EQ(vsh_hash_final(c.get(), in_pieces.data(), len), VSH_E_STATE);
    ASSERT_EQ(vsh_hash_update(copy, message.data() + 77, 123), VSH_OK);
    ASSERT_EQ(vsh_hash_final(copy, of_copy.data(), len), VSH_OK);
    EXPECT_EQ(in_pieces, one_shot);
    EXPECT_EQ(of_copy, one_shot);
    ASSERT_EQ(vsh_hash_reset(c.get()), VSH_OK);
    EXPECT_EQ(vsh_hash_update(c.get(), message.data(), 1), VSH_OK);
  }
}

// NULL is an empty buffer in the middle of a block, too.
TEST(MacAndHash, NullInTheMiddle) {
  const uint8_t data[11] = {1, 2, 3};
  for (const vsh_mac_algorithm a : {VSH_KUZNYECHIK_MAC, VSH_MAGMA_MAC, VSH_GOST28147_IMIT}) {
    const MacPointer plain = make_mac(a), split = make_mac(a);
    uint8_t expected[8], tag[8];
    EXPECT_EQ(vsh_mac_update(plain.get(), data, 11), VSH_OK);
    for (const size_t i : {0, 3}) EXPECT_EQ(vsh_mac_update(split.get(), data + i, i ? 8 : 3), VSH_OK);
    EXPECT_EQ(vsh_mac_update(split.get(), nullptr, 0), VSH_OK);
    EXPECT_EQ(vsh_mac_final(plain.get(), expected, 8), VSH_OK);
    EXPECT_EQ(vsh_mac_final(split.get(), tag, 8), VSH_OK);
    EXPECT_TRUE(std::equal(tag, tag + 8, expected));
  }
}

}  // namespace
