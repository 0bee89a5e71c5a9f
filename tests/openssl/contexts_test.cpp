// Library contexts, other providers together with this one, fork and threads.
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "openssl/support/evp.hpp"

namespace vsh::test::evp {
namespace {

const CipherName kCtr = {"kuznyechik-ctr", VSH_KUZNYECHIK, VSH_CTR, true};

TEST(EvpContexts, LoadedAndUnloaded) {
  const Bytes in = Random(40).bytes(1000), expected = reference(kCtr, true, in, kCtr.options());
  for (int i = 0; i < 20; ++i) {
    const Library one({"vershina", "default"}), two({"vershina"});
    const CipherCtx a = start(one, kCtr.name, true), b = start(two, kCtr.name, true);
    EXPECT_EQ(crypt(a.get(), in), expected);
    EXPECT_EQ(crypt(b.get(), in), expected);
  }
  EXPECT_EQ(OSSL_PROVIDER_self_test(vershina().provider(0)), 1);
  EXPECT_STREQ(OSSL_PROVIDER_get0_name(vershina().provider(0)), "vershina");
}

TEST(EvpContexts, BesideGostprov) {
  VSH_NEEDS_GOSTPROV();
  const Library both({"gostprov", "vershina", "default"});
  ASSERT_EQ(both.missing(), "");
  const Bytes in = Random(41).bytes(3000);
  for (const CipherName& n : kCiphers) {
    if (!n.in_gostprov) continue;
    Bytes out[2];
    for (int ours = 0; ours < 2; ++ours) {
      const Cipher cipher = both.cipher(n.name, ours ? "provider=vershina" : "provider!=vershina");
      ASSERT_TRUE(cipher) << n.name << errors();
      EXPECT_STREQ(OSSL_PROVIDER_get0_name(EVP_CIPHER_get0_provider(cipher.get())), ours ? "vershina" : "gostprov");
      const CipherCtx c(EVP_CIPHER_CTX_new());
      ASSERT_TRUE(EVP_EncryptInit_ex2(c.get(), cipher.get(), kKey.data(), kIv.data(), nullptr));
      out[ours] = crypt(c.get(), in);
    }
    EXPECT_EQ(out[0], out[1]) << n.name;
  }
}

TEST(EvpContexts, Threads) {
  const Bytes in = Random(42).bytes(3000);
  std::vector<Bytes> expected;
  for (const CipherName& n : kCiphers) expected.push_back(reference(n, true, in, n.options()));
  const CipherCtx begun = start(vershina(), "magma-ctr-acpkm", true);  // copied by all
  Bytes head;
  ASSERT_TRUE(update(begun.get(), head, in.data(), 100));
  std::vector<std::thread> threads;
  std::vector<int> failures(4);
  std::vector<CipherCtx> copies(4);
  for (CipherCtx& copy : copies) {
    copy.reset(EVP_CIPHER_CTX_new());
    ASSERT_TRUE(EVP_CIPHER_CTX_copy(copy.get(), begun.get()));
  }
  for (size_t t = 0; t < failures.size(); ++t)
    threads.emplace_back([&, t] {
      for (size_t round = 0; round < 10; ++round)
        for (size_t i = 0; i < std::size(kCiphers); ++i)
          failures[t] += crypt(start(vershina(), kCiphers[i].name, true).get(), in) != expected[i];
      Bytes out = head;
      update(copies[t].get(), out, in.data() + 100, in.size() - 100);
      failures[t] += out != expected[11];
      const Library own({"vershina"});
      failures[t] += crypt(start(own, kCtr.name, true).get(), in) != expected[4];
    });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(failures, std::vector<int>(4));
}

// A child continues with a context of its parent.
TEST(EvpContexts, Fork) {
  const Bytes in = Random(43).bytes(5000), expected = reference(kCtr, true, in, kCtr.options());
  const CipherCtx c = start(vershina(), kCtr.name, true);
  Bytes out;
  ASSERT_TRUE(update(c.get(), out, in.data(), 1234));
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  ASSERT_TRUE(update(c.get(), out, in.data() + 1234, in.size() - 1234));
  const bool right = out == expected && crypt(start(vershina(), kCtr.name, true).get(), in) == expected;
  if (child == 0) _exit(right ? 0 : 1);
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  EXPECT_TRUE(right);
}

}  // namespace
}  // namespace vsh::test::evp
