// No secret of a key wrap or of a derivation stays on the stack: stack.hpp.
#include <algorithm>

#include "api/support/stack.hpp"
#include "vershina/keys.h"

namespace {

using namespace vsh::test;

TEST(StackKeys, Wraps) {
  SKIP_UNLESS_OPTIMISED();
  Random random(6);
  const Bytes kek = random.bytes(64), key = random.bytes(32), iv(16, 0x24);
  for (const vsh_wrap_algorithm w :
       {VSH_KEXP15_KUZNYECHIK, VSH_KEXP15_MAGMA, VSH_WRAP_GOST28147, VSH_WRAP_CRYPTOPRO, VSH_WRAP_RFC7836}) {
    const vsh_cipher_algorithm a = w == VSH_KEXP15_KUZNYECHIK ? VSH_KUZNYECHIK
                                   : w == VSH_KEXP15_MAGMA    ? VSH_MAGMA
                                                              : VSH_GOST28147;
    for (const Row& row : rows(a)) {
      const vsh_options o = row.options();
      Bytes wrapped(256), result(256);
      const size_t iv_len = vsh_wrap_iv_len(w), kek_len = vsh_wrap_kek_len(w);
      size_t n = 0, len = 0;
      const auto wrap = [&] {
        return vsh_wrap(wrapped.data(), wrapped.size(), &n, w, kek.data(), kek_len, iv.data(), iv_len, key.data(),
                        key.size(), &o);
      };
      if (const vsh_status s = wrap(); s != VSH_OK) {
        EXPECT_EQ(s, VSH_E_KERNEL_UNKNOWN) << row.name();  // IMIT, as above
        continue;
      }
      Secrets secrets;
      row.add_key(secrets, "the KEK", Bytes(kek.begin(), kek.begin() + 32));
      if (kek_len == 64) row.add_key(secrets, "the KEK's second half", Bytes(kek.begin() + 32, kek.end()));
      secrets.add_key("the wrapped key", key);
      const std::string what = row.name() + ", wrap " + std::to_string(w) + ": ";
      check(what + "vsh_wrap", secrets, [&] { OK(wrap()); });
      const auto unwrap = [&] {
        return vsh_unwrap(result.data(), result.size(), &len, w, kek.data(), kek_len, iv.data(), iv_len, wrapped.data(),
                          n, &o);
      };
      check(what + "vsh_unwrap", secrets, [&] { OK(unwrap()); });
      EXPECT_TRUE(std::equal(key.begin(), key.end(), result.begin()));
      wrapped[n - 1] ^= 1;
      check(what + "vsh_unwrap of a wrong tag", secrets, [&] { EXPECT_EQ(unwrap(), VSH_E_TAG); });
    }
  }
}

// HMAC and derivations based on it, with each kernel of Streebog.
TEST(StackKeys, Derivations) {
  SKIP_UNLESS_OPTIMISED();
  Random random(10);
  const Bytes key = random.bytes(32), label(8, 0x31), seed(8, 0x32);
  std::vector<std::string> variants{""};
  for (const vsh::HashKernel* row : vsh::hash_kernels())
    if (vsh::runnable(row->info) && row->info.constant_time) variants.emplace_back(row->info.variant);
  for (const vsh::HashLanesKernel* row : vsh::hash_lanes_kernels())
    if (vsh::runnable(row->info)) variants.emplace_back(row->info.variant);
  for (const std::string& variant : variants) {
    vsh_options o = options();
    o.kernel = variant.empty() ? nullptr : variant.c_str();
    const std::string what = "streebog " + variant + ": ";
    Secrets secrets;
    secrets.add_key("the key", key);
    secrets.add("the key and ipad", exclusive_or(key, Bytes(32, 0x36)));
    secrets.add("the key and opad", exclusive_or(key, Bytes(32, 0x5C)));
    for (const vsh_mac_algorithm a : {VSH_HMAC_STREEBOG256, VSH_HMAC_STREEBOG512}) {
      Secrets more = secrets;
      check_mac(what, a, key, o, more);
    }
    Bytes out(96);
    const auto derives = [&](const char* name, auto call) {
      call();
      Secrets all = secrets;
      all.add(std::string("output of ") + name, out);
      check(what + name, all, call);
    };
    derives("vsh_kdf", [&] {
      OK(vsh_kdf(out.data(), 32, key.data(), key.size(), label.data(), label.size(), seed.data(), seed.size(), &o));
    });
    derives("vsh_kdf_tree", [&] {
      OK(vsh_kdf_tree(out.data(), out.size(), key.data(), key.size(), 2, label.data(), label.size(), seed.data(),
                      seed.size(), &o));
    });
    for (size_t i = 0; const char* const name = vsh_prf_name(i); ++i) {
      vsh_prf_algorithm a;
      OK(vsh_prf_by_name(&a, name));
      const size_t label_len = a == VSH_PRF_TLS_256 || a == VSH_PRF_TLS_512 ? label.size() : 0;
      derives(name, [&] {
        OK(vsh_prf(out.data(), out.size(), a, key.data(), key.size(), label.data(), label_len, seed.data(), seed.size(),
                   &o));
      });
    }
    derives("vsh_pbkdf2",
            [&] { OK(vsh_pbkdf2(out.data(), out.size(), key.data(), key.size(), seed.data(), seed.size(), 7, &o)); });
    std::vector<Bytes> outs(70, Bytes(64));
    std::vector<vsh_pbkdf2_job> passwords(70);
    std::vector<vsh_hmac_job> macs(70);
    for (size_t i = 0; i < 70; ++i) {
      passwords[i] = {key.data(), key.size(), seed.data(), seed.size(), 7, outs[i].data(), outs[i].size(), VSH_OK};
      macs[i] = {key.data(), key.size(), seed.data(), seed.size(), outs[i].data(), outs[i].size(), VSH_OK};
    }
    check(what + "vsh_pbkdf2_batch", secrets, [&] { OK(vsh_pbkdf2_batch(passwords.data(), 70, &o)); });
    for (const size_t num : {size_t{1}, size_t{8}, macs.size()})  // few run without a plan
      check(what + "vsh_streams_hmac", secrets,
            [&] { OK(vsh_streams_hmac(VSH_HMAC_STREEBOG512, macs.data(), num, &o)); });
    vsh_tlstree* tls = nullptr;
    vsh_esptree* esp = nullptr;
    check(what + "vsh_tlstree_new", secrets,
          [&] { OK(vsh_tlstree_new(&tls, VSH_TLSTREE_KUZNYECHIK_MGM_S, key.data(), key.size(), &o)); });
    check(what + "vsh_esptree_new", secrets, [&] { OK(vsh_esptree_new(&esp, key.data(), key.size(), &o)); });
    out.assign(96, 0);
    derives("vsh_tlstree_key", [&, number = uint64_t{0}]() mutable {
      OK(vsh_tlstree_key(tls, out.data(), 32, ++number << 40));
      OK(vsh_tlstree_key(tls, out.data(), 32, 1));
    });
    derives("vsh_esptree_key", [&] {
      OK(vsh_esptree_key(esp, out.data(), 32, 1, 2, 4));
      OK(vsh_esptree_key(esp, out.data(), 32, 1, 2, 3));
    });
    vsh_tlstree_free(tls);
    vsh_esptree_free(esp);
  }
}

}  // namespace
