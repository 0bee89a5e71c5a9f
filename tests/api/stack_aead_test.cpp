// No secret of an AEAD stays on the stack: stack.hpp.
#include <algorithm>
#include <cstdlib>

#include "api/support/stack.hpp"
#include "keys/cipher_key.hpp"
#include "modes/mgm.hpp"
#include "vershina/aead.h"

namespace {

using namespace vsh::test;

void check_aead(const Row& row, vsh_aead_algorithm a, size_t len, const std::string& note = "") {
  Random random(5);
  const bool mgm = a == VSH_KUZNYECHIK_MGM || a == VSH_MAGMA_MGM;
  const Bytes key = random.bytes(32), nonce(16, 0x24), plain = random.bytes(len), data = random.bytes(mgm ? 40 : 0);
  const size_t nonce_len = vsh_aead_nonce_len(a), tag_len = vsh_aead_max_tag_len(a);
  const vsh_options o = row.options();
  Bytes sealed(len + tag_len), result(len + tag_len);
  vsh_aead* c = nullptr;
  size_t n;
  const std::string what = row.name() + note + ", AEAD " + std::to_string(a) + ", " + std::to_string(len) + " bytes: ";
  Secrets secrets;
  row.add_key(secrets, "the key", key);
  secrets.add("plaintext", plain);
  if (mgm) add_multipliers(secrets, row, key, nonce, std::min<size_t>((data.size() + len) / row.block() + 2, 60));
  check(what + "vsh_aead_new", secrets, [&] { OK(vsh_aead_new(&c, a, key.data(), key.size(), 0, &o)); });
  const auto seal = [&] {
    OK(vsh_aead_seal(c, sealed.data(), sealed.size(), &n, nonce.data(), nonce_len, data.data(), data.size(),
                     plain.data(), plain.size()));
  };
  seal();
  secrets.add("keystream", exclusive_or(plain, sealed));
  check(what + "vsh_aead_seal", secrets, seal);
  secrets.add("right tag", Bytes(sealed.end() - static_cast<ptrdiff_t>(tag_len), sealed.end()));
  Bytes bad = sealed;
  for (size_t i = len; i < bad.size(); ++i) bad[i] ^= 0xFF;
  const auto open = [&](const Bytes& in) {
    return vsh_aead_open(c, result.data(), result.size(), &n, nonce.data(), nonce_len, data.data(), data.size(),
                         in.data(), in.size());
  };
  check(what + "vsh_aead_open of a wrong tag", secrets, [&] { EXPECT_EQ(open(bad), VSH_E_TAG); });

  const auto begin = [&] { OK(vsh_aead_begin(c, nonce.data(), nonce_len)); };
  const auto add_data = [&] { EXPECT_EQ(vsh_aead_add_data(c, data.data(), data.size()), VSH_OK); };
  begin(), add_data();
  OK(vsh_aead_decrypt_unverified(c, result.data(), sealed.data(), len));
  check(what + "vsh_aead_verify of a wrong tag", secrets,
        [&] { EXPECT_EQ(vsh_aead_verify(c, bad.data() + len, tag_len), VSH_E_TAG); });
  check(what + "vsh_aead_begin", secrets, begin);
  check(what + "vsh_aead_add_data", secrets, add_data);
  check(what + "vsh_aead_encrypt", secrets, [&] { OK(vsh_aead_encrypt(c, result.data(), plain.data(), 13)); });
  check(what + "vsh_aead_encrypt", secrets,
        [&] { OK(vsh_aead_encrypt(c, result.data() + 13, plain.data() + 13, len - 13)); });
  check(what + "vsh_aead_final", secrets, [&] { OK(vsh_aead_final(c, result.data() + len, tag_len)); });
  EXPECT_EQ(result, sealed);
  begin(), add_data();
  check(what + "vsh_aead_authenticate", secrets, [&] { OK(vsh_aead_authenticate(c, sealed.data(), len)); });
  begin(), add_data();
  check(what + "vsh_aead_decrypt_unverified", secrets,
        [&] { OK(vsh_aead_decrypt_unverified(c, result.data(), sealed.data(), len)); });
  check(what + "vsh_aead_open", secrets, [&] { OK(open(sealed)); });
  EXPECT_TRUE(std::equal(plain.begin(), plain.end(), result.begin()));
  vsh_aead_free(c);
}

// Short messages, processed in one call of the cipher, and longer ones.
constexpr size_t kAeadLens[] = {48, 240, 5000, 10000, 20000};

TEST(StackAead, Aead) {
  SKIP_UNLESS_OPTIMISED();
  for (const vsh_aead_algorithm a :
       {VSH_KUZNYECHIK_MGM, VSH_MAGMA_MGM, VSH_KUZNYECHIK_CTR_ACPKM_OMAC, VSH_MAGMA_CTR_ACPKM_OMAC})
    for (const Row& row :
         rows(a == VSH_KUZNYECHIK_MGM || a == VSH_KUZNYECHIK_CTR_ACPKM_OMAC ? VSH_KUZNYECHIK : VSH_MAGMA))
      for (const size_t len : kAeadLens) check_aead(row, a, len);
}

// Rows for many blocks leave planes, in which the search knows no secret. A short message is erased as deep as its row
// reached: nothing lies deeper than after a row for one block.
TEST(StackAead, ShortMessagesOfMgmAreErasedAsDeepAsTheirRowReached) {
  SKIP_UNLESS_OPTIMISED();
  const Bytes key = Random(5).bytes(32), plain = Random(6).bytes(2000), nonce(16, 0x24);
  Bytes sealed(plain.size()), opened(plain.size()), tag(16);
  for (const vsh::Algorithm a : {vsh::Algorithm::kuznyechik, vsh::Algorithm::magma}) {
    const vsh::BlockKernel* one = nullptr;
    for (const vsh::BlockKernel* row : vsh::block_kernels(a))
      if (row->info.variant == std::string("serial")) one = row;
    ASSERT_NE(one, nullptr);
    const auto depth = [&](const vsh::Ladder& ladder, bool opens) {
      const vsh::keys::CipherKey round_keys(vsh::keys::CipherParameters(a), key.data());
      const vsh::BlockEngine engine({vsh::Choice::ok, ladder, true}, vsh::RoundKeysView(round_keys), 1);
      vsh::modes::Mgm mgm(engine, *vsh::choose_product_kernel().row);
      return stack_after([&] {
               if (opens)
                 EXPECT_TRUE(mgm.open(opened.data(), tag.data(), engine.block_size(), nonce.data(), nullptr, 0,
                                      sealed.data(), sealed.size()));
               else mgm.seal(sealed.data(), tag.data(), nonce.data(), nullptr, 0, plain.data(), plain.size());
             })
          .size();
    };
    for (const bool opens : {false, true}) {
      const size_t least = depth(vsh::Ladder(*one), opens);
      for (const vsh::BlockKernel* row : vsh::block_kernels(a)) {
        if (!vsh::runnable(row->info) || row->info.lanes < 64) continue;
        const vsh::Candidate both[] = {{row, 1000}, {one, 500}};  // the tag by the row for one block
        EXPECT_LE(depth(vsh::Ladder(both[0], both), opens), least + 512) << row->info.variant << ' ' << opens;
      }
    }
  }
}

TEST(StackAead, AeadWithEachKernelOfProducts) {
  SKIP_UNLESS_OPTIMISED();
  for (const vsh::ProductKernel* row : vsh::product_kernels()) {
    if (!vsh::runnable(row->info)) continue;
    setenv("VERSHINA_KERNEL", ("gf2n:" + std::string(row->info.variant)).c_str(), 1);
    for (const size_t len : kAeadLens) {
      check_aead({VSH_KUZNYECHIK, ""}, VSH_KUZNYECHIK_MGM, len, " gf2n " + std::string(row->info.variant));
      check_aead({VSH_MAGMA, ""}, VSH_MAGMA_MGM, len, " gf2n " + std::string(row->info.variant));
    }
    unsetenv("VERSHINA_KERNEL");
  }
}

}  // namespace
