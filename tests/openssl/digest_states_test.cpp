// Random programs of EVP_MD calls (support/states.hpp).
#include "openssl/support/states.hpp"

namespace vsh::test::evp {
namespace {

struct DigestName {
  const char* name;
  vsh_hash_algorithm algorithm;
};
constexpr DigestName kDigests[] = {
    {"md_gost12_256", VSH_STREEBOG256}, {"md_gost12_512", VSH_STREEBOG512}, {"md_gost94", VSH_GOST94_CRYPTOPRO}};

// Steps of EVP_MD_CTX: updates absorb text since the last init; final ends it.
void run_digest_program(const char* name, vsh_hash_algorithm algorithm, Random& random) {
  const bool has_gostprov = gostprov().missing().empty();
  const Md mds[] = {vershina().md(name), vershina().md("sha512"), has_gostprov ? gostprov().md(name) : nullptr};
  MdCtx contexts[3];
  for (MdCtx& c : contexts) c.reset(EVP_MD_CTX_new());
  Bytes message;
  std::string said = seed_note() + ":";
  enum { none, open, ended } stage = none;
  for (size_t steps = 3 + random.below(12); steps && !testing::Test::HasFailure(); --steps) {
    const size_t choice = stage == none ? 0 : random.below(8);
    const Bytes in = random.bytes(random.below(random.below(6) ? 90 : 3000));
    Bytes expected(vsh_hash_len(algorithm));
    for (size_t i = 0; i < 3; ++i) {
      if (!mds[i]) continue;
      EVP_MD_CTX* const c = contexts[i].get();
      SCOPED_TRACE(i == 0 ? "ours" : i == 1 ? "in kind" : "gostprov");
      // Behind final there is nothing but an init or a copy. (OpenSSL's own digests go on with garbage in 3.0.)
      if (stage == ended && choice > 2) {
        if (i == 0) {
          EXPECT_FALSE(EVP_DigestUpdate(c, in.data(), in.size()) && !in.empty()) << said;
        }
        errors();
        continue;
      }
      switch (choice) {
        case 0:
        case 1: EXPECT_TRUE(EVP_DigestInit_ex2(c, stage == none ? mds[i].get() : nullptr, nullptr)) << said; break;
        case 2: {
          MdCtx twin(EVP_MD_CTX_new());
          EXPECT_TRUE(EVP_MD_CTX_copy_ex(twin.get(), c)) << said << errors();
          if (stage == open) EVP_DigestUpdate(c, "x", 1);
          contexts[i] = std::move(twin);
          break;
        }
        case 3: {
          Bytes got(EVP_MAX_MD_SIZE);
          unsigned len = 0;
          EXPECT_EQ(
              vsh_hash_digest(expected.data(), expected.size(), algorithm, message.data(), message.size(), nullptr),
              VSH_OK);
          EXPECT_TRUE(EVP_DigestFinal_ex(c, got.data(), &len)) << said << errors();
          got.resize(len);
          // gostprov's GOST R 34.11-94 of an empty message is wrong.
          if (i == 1 || (i == 2 && message.empty() && algorithm == VSH_GOST94_CRYPTOPRO)) break;
          EXPECT_EQ(got, expected) << said << " final";
          break;
        }
        default: EXPECT_TRUE(EVP_DigestUpdate(c, in.data(), in.size())) << said << errors();
      }
    }
    said += choice < 2 ? " init" : choice == 2 ? " copy" : choice == 3 ? " final" : " " + std::to_string(in.size());
    if (choice < 2) message.clear(), stage = open;
    else if (choice == 3) stage = ended;
    else if (choice > 3 && stage == open) message = joined(message, in);
  }
}

TEST(EvpStates, Digests) {
  run_programs(62, kDigests,
               [](const DigestName& n, Random& random) { run_digest_program(n.name, n.algorithm, random); });
}

}  // namespace
}  // namespace vsh::test::evp
