// Tests of vershina.hpp.
#include <gtest/gtest.h>

#include <type_traits>

#include "vershina/vershina.hpp"

namespace {

using vershina::Bytes;
using vershina::Cipher;
using vershina::Hash;
using vershina::Mac;

const Bytes kKey(32, 0x42);
const Bytes kIv(16, 0x24);

static_assert(std::is_nothrow_move_constructible_v<Cipher> && !std::is_copy_constructible_v<Cipher>);
static_assert(std::is_nothrow_move_constructible_v<Mac> && !std::is_copy_constructible_v<Mac>);
static_assert(std::is_nothrow_move_constructible_v<Hash> && !std::is_copy_constructible_v<Hash>);

template <class F>
vsh_status thrown(F&& f) {
  try {
    f();
  } catch (const vershina::Error& e) {
    EXPECT_STREQ(e.what(), vsh_status_message(e.status()));
    EXPECT_STREQ(e.name(), vsh_status_name(e.status()));
    return e.status();
  }
  return VSH_OK;
}

TEST(Cpp, CipherInPiecesIsOneShot) {
  const Bytes text(1001, 7);
  const Bytes whole = vershina::encrypt(VSH_KUZNYECHIK, VSH_CBC, kKey, kIv, text);
  EXPECT_EQ(whole.size(), 1008u);
  Cipher cipher(VSH_KUZNYECHIK, VSH_CBC, VSH_ENCRYPT, kKey, kIv);
  for (int i = 0; i < 2; ++i) {
    Bytes out = cipher.update(vershina::View(text).first(500));
    for (const Bytes& part : {cipher.update(vershina::View(text).subspan(500)), cipher.final()})
      out.insert(out.end(), part.begin(), part.end());
    EXPECT_EQ(out, whole);
    EXPECT_EQ(thrown([&] { cipher.final(); }), VSH_E_STATE);
    cipher.reset(kIv);
  }
  EXPECT_EQ(vershina::decrypt(VSH_KUZNYECHIK, VSH_CBC, kKey, kIv, whole), text);
  Cipher moved = std::move(cipher);
  EXPECT_FALSE(moved.kernel().empty() || moved.kernel_one_block().empty());
}

TEST(Cpp, EmptyMessages) {
  EXPECT_EQ(vershina::encrypt(VSH_MAGMA, VSH_ECB, kKey, {}, {}).size(), 8u);
  EXPECT_TRUE(
      vershina::decrypt(VSH_MAGMA, VSH_ECB, kKey, {}, vershina::encrypt(VSH_MAGMA, VSH_ECB, kKey, {}, {})).empty());
  EXPECT_TRUE(vershina::encrypt(VSH_MAGMA, VSH_CTR, kKey, Bytes(4), {}).empty());
  EXPECT_EQ(vershina::hash(VSH_STREEBOG256, {})[0], 0x3f);
}

TEST(Cpp, OptionsAndErrors) {
  vershina::Options options;
  options.padding = VSH_PADDING_PKCS7;
  const Bytes c = vershina::encrypt(VSH_MAGMA, VSH_ECB, kKey, {}, vershina::bytes("seven b"), options);
  EXPECT_EQ(vershina::decrypt(VSH_MAGMA, VSH_ECB, kKey, {}, c, options).size(), 7u);
  EXPECT_EQ(thrown([&] { vershina::decrypt(VSH_MAGMA, VSH_ECB, kKey, {}, Bytes(c.size(), 0), options); }),
            VSH_E_BAD_PADDING);
  EXPECT_EQ(thrown([&] { vershina::decrypt(VSH_MAGMA, VSH_ECB, kKey, {}, Bytes(7)); }), VSH_E_DATA_LENGTH);
  EXPECT_EQ(thrown([] { Cipher(VSH_MAGMA, VSH_ECB, VSH_ENCRYPT, Bytes(5), {}); }), VSH_E_KEY_LENGTH);
  options.kernel = "nonsense";
  EXPECT_EQ(thrown([&] { Mac(VSH_MAGMA_MAC, kKey, options); }), VSH_E_KERNEL_UNKNOWN);
}

TEST(Cpp, MacVerifies) {
  const auto message = vershina::bytes("message");
  const Bytes tag = vershina::mac(VSH_GOST28147_IMIT, kKey, message, 4);
  EXPECT_EQ(tag.size(), 4u);
  Mac mac(VSH_GOST28147_IMIT, kKey);
  EXPECT_EQ(mac.max_len(), 8u);
  EXPECT_TRUE(mac.update(message).verify(tag));
  mac.reset();
  EXPECT_FALSE(mac.update(message).update(message).verify(tag));
  EXPECT_EQ(thrown([&] { (void)mac.verify(tag); }), VSH_E_STATE);
}

TEST(Cpp, CiphersMacsAndAeadsClone) {
  const Bytes text(100, 7), nonce(8, 1);
  Cipher cipher(VSH_MAGMA, VSH_OFB, VSH_ENCRYPT, kKey, nonce);
  cipher.update(text);
  Cipher cipher_clone = cipher.clone();
  EXPECT_EQ(cipher_clone.update(text), cipher.update(text));
  Mac mac(VSH_MAGMA_MAC, kKey);
  mac.update(text);
  Mac mac_clone = mac.clone();
  EXPECT_EQ(mac_clone.final(), mac.final());
  vershina::Aead aead(VSH_MAGMA_MGM, kKey);
  EXPECT_EQ(aead.clone().seal(nonce, text), aead.seal(nonce, text));
}

TEST(Cpp, HashClones) {
  const std::byte raw[3] = {std::byte{1}, std::byte{2}, std::byte{3}};
  Hash hash(VSH_STREEBOG512);
  hash.update(vershina::bytes(raw));
  Hash clone = hash.clone();
  const Bytes digest = hash.final();
  EXPECT_EQ(digest.size(), 64u);
  EXPECT_EQ(clone.final(), digest);
  EXPECT_EQ(vershina::hash(VSH_STREEBOG512, Bytes{1, 2, 3}), digest);
  hash.reset();
  EXPECT_EQ(hash.update(Bytes{1}).update(Bytes{2, 3}).final(), digest);
}

}  // namespace
