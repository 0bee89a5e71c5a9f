// No key and no plaintext stays on the stack when a call has returned: the calls run on a thread whose stack is a
// zeroed buffer of ours, which is searched afterwards.
#include <gtest/gtest.h>
#include <pthread.h>

#include <algorithm>
#include <cstring>
#include <functional>

#include "api/contexts.hpp"
#include "support/random.hpp"

namespace {

using namespace vsh::test;

constexpr size_t kStackSize = 1 << 20;

// What `work` leaves on its stack, from the deepest byte that it wrote.
Bytes stack_after(const std::function<void()>& work) {
  alignas(64) static uint8_t stack[kStackSize];
  std::memset(stack, 0, sizeof stack);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  EXPECT_EQ(pthread_attr_setstack(&attributes, stack, sizeof stack), 0);
  pthread_t thread;
  const auto run = [](void* f) -> void* {
    (*static_cast<const std::function<void()>*>(f))();
    return nullptr;
  };
  EXPECT_EQ(pthread_create(&thread, &attributes, run, const_cast<std::function<void()>*>(&work)), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  return Bytes(std::find_if(stack, stack + sizeof stack, [](uint8_t byte) { return byte != 0; }), stack + sizeof stack);
}

// Any 8 neighbouring bytes of the secret.
bool holds_part_of(const Bytes& memory, const Bytes& secret) {
  for (size_t i = 0; i + 8 <= secret.size(); ++i) {
    const auto begin = secret.begin() + static_cast<ptrdiff_t>(i);
    if (std::search(memory.begin(), memory.end(), begin, begin + 8) != memory.end()) return true;
  }
  return false;
}

// A key as it came, or as 32-bit words of this processor, as Magma's rounds take it.
bool holds_part_of_key(const Bytes& memory, Bytes key) {
  if (holds_part_of(memory, key)) return true;
  for (auto word = key.begin(); word != key.end(); word += 4) std::reverse(word, word + 4);
  return holds_part_of(memory, key);
}

TEST(Stack, TheSearchFindsWhatIsLeft) {
  static Bytes secret = Random(1).bytes(32);
  const Bytes left = stack_after([] {
    volatile uint8_t deep[8192];  // its low end is far from what the end of a thread overwrites
    for (size_t i = 0; i < 32; ++i) deep[i] = secret[i];
    static_cast<void>(deep[0]);
  });
  EXPECT_TRUE(holds_part_of(left, secret));
}

TEST(Stack, NeitherKeyNorPlaintextStays) {
#if !defined(__OPTIMIZE__) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "unoptimised and instrumented code keeps copies where no source line put them";
#endif
  Random random(2);
  const Bytes key = random.bytes(32), plain = random.bytes(240);
  for (const vsh_kernel_info& k : kernels()) {
    if (!k.runnable || std::string(k.family) == "streebog" || std::string(k.family) == "gf2n") continue;
    const vsh_cipher_algorithm a = std::string(k.family) == "magma" ? VSH_MAGMA : VSH_KUZNYECHIK;
    for (const vsh_mode mode : {VSH_ECB, VSH_CTR, VSH_CBC, VSH_CFB}) {
      vsh_options o = options();
      o.kernel = k.variant;
      o.flags = VSH_ALLOW_TABLES;
      if (mode == VSH_ECB || mode == VSH_CBC) o.padding = VSH_PADDING_NONE;
      Bytes cipher(plain.size()), result(plain.size());
      size_t len;
      const auto decrypt = [&] {
        EXPECT_EQ(vsh_decrypt(result.data(), result.size(), &len, a, mode, key.data(), 32, kIv.data(), iv_len(a, mode),
                              cipher.data(), cipher.size(), &o), VSH_OK);
      };
      EXPECT_EQ(vsh_encrypt(cipher.data(), cipher.size(), &len, a, mode, key.data(), 32, kIv.data(), iv_len(a, mode),
                            plain.data(), plain.size(), &o), VSH_OK);
      const Bytes left = stack_after(decrypt);
      EXPECT_EQ(result, plain);
      EXPECT_FALSE(holds_part_of_key(left, key)) << k.family << ' ' << k.variant << " mode " << mode;
      EXPECT_FALSE(holds_part_of(left, plain)) << k.family << ' ' << k.variant << " mode " << mode;
    }
  }
}

// Short messages, which are opened in one call of the cipher, and those that are not.
TEST(Stack, NeitherKeyNorPlaintextOfAnAuthenticatedMessageStays) {
#if !defined(__OPTIMIZE__) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "unoptimised and instrumented code keeps copies where no source line put them";
#endif
  Random random(3);
  const Bytes key = random.bytes(32), nonce(16, 0x24);
  for (const vsh_aead_algorithm a :
       {VSH_KUZNYECHIK_MGM, VSH_MAGMA_MGM, VSH_KUZNYECHIK_CTR_ACPKM_OMAC, VSH_MAGMA_CTR_ACPKM_OMAC}) {
    const size_t data_len = a == VSH_KUZNYECHIK_MGM || a == VSH_MAGMA_MGM ? 3 : 0;  // the others take none
    for (const size_t text_len : {size_t{240}, size_t{20000}}) {
      const Bytes plain = random.bytes(text_len);
      vsh_aead* c = nullptr;
      ASSERT_EQ(vsh_aead_new(&c, a, key.data(), key.size(), 0, nullptr), VSH_OK);
      const size_t nonce_len = vsh_aead_nonce_len(a);
      Bytes sealed(text_len + vsh_aead_tag_len(c)), result(text_len);
      size_t len;
      ASSERT_EQ(vsh_aead_seal(c, sealed.data(), sealed.size(), &len, nonce.data(), nonce_len, key.data(), data_len,
                              plain.data(), text_len),
                VSH_OK);
      const Bytes left = stack_after([&] {
        EXPECT_EQ(vsh_aead_open(c, result.data(), result.size(), &len, nonce.data(), nonce_len, key.data(), data_len,
                                sealed.data(), sealed.size()),
                  VSH_OK);
      });
      EXPECT_EQ(result, plain);
      EXPECT_FALSE(holds_part_of_key(left, key)) << a << ' ' << text_len;
      EXPECT_FALSE(holds_part_of(left, Bytes(plain.begin(), plain.begin() + 120))) << a << ' ' << text_len;
      EXPECT_FALSE(holds_part_of(left, Bytes(plain.end() - 120, plain.end()))) << a << ' ' << text_len;
      vsh_aead_free(c);
    }
  }
}

}  // namespace
