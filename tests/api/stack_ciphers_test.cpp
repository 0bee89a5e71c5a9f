// No secret of a cipher stays on the stack: stack.hpp.
#include "api/support/stack.hpp"

namespace {

using namespace vsh::test;

void check_cipher(const Row& row, vsh_mode mode, size_t len) {
  Random random(2);
  const Bytes key = random.bytes(32), plain = random.bytes(len), iv(256, 0x24);
  vsh_options o = row.options();
  if (mode == VSH_ECB || mode == VSH_CBC) o.padding = VSH_PADDING_NONE;
  const size_t iv_len = vsh_iv_len(row.algorithm, mode);
  Bytes cipher(len), result(len);
  size_t n;
  const auto whole = [&](auto f, Bytes& out, const Bytes& in) {
    OK(f(out.data(), out.size(), &n, row.algorithm, mode, key.data(), key.size(), iv.data(), iv_len, in.data(),
         in.size(), &o));
  };
  whole(vsh_encrypt, cipher, plain);
  Secrets secrets;
  row.add_key(secrets, "the key", key);
  secrets.add("plaintext", plain);
  secrets.add("keystream", exclusive_or(plain, cipher));
  const std::string what = row.name() + ", mode " + std::to_string(mode) + ", " + std::to_string(len) + " bytes: ";
  check(what + "vsh_encrypt", secrets, [&] { whole(vsh_encrypt, result, plain); });
  check(what + "vsh_decrypt", secrets, [&] { whole(vsh_decrypt, result, cipher); });
  EXPECT_EQ(result, plain);

  for (const vsh_direction d : {VSH_ENCRYPT, VSH_DECRYPT}) {
    const Bytes& in = d == VSH_ENCRYPT ? plain : cipher;
    vsh_cipher* c = nullptr;
    check(what + "vsh_cipher_new", secrets,
          [&] { OK(vsh_cipher_new(&c, row.algorithm, mode, d, key.data(), key.size(), iv.data(), iv_len, &o)); });
    size_t done = 0;
    for (const size_t end : {size_t{5}, len - 11, len})
      check(what + "vsh_cipher_update", secrets, [&] {
        OK(vsh_cipher_update(c, result.data(), result.size(), &n, in.data() + done, end - done));
        done = end;
      });
    check(what + "vsh_cipher_final", secrets, [&] { OK(vsh_cipher_final(c, result.data(), result.size(), &n)); });
    check(what + "vsh_cipher_free", secrets, [&] { vsh_cipher_free(c); });
  }
}

void check_ciphers(vsh_cipher_algorithm a) {
  SKIP_UNLESS_OPTIMISED();
  for (const Row& row : rows(a))
    for (const vsh_mode mode : {VSH_ECB, VSH_CTR, VSH_OFB, VSH_CBC, VSH_CFB, VSH_CNT, VSH_CTR_ACPKM}) {
      if (mode != VSH_ECB && vsh_iv_len(a, mode) == 0) continue;  // no such mode
      for (const size_t len : {size_t{48}, size_t{9600}}) check_cipher(row, mode, len);
    }
}
TEST(StackCiphers, Kuznyechik) { check_ciphers(VSH_KUZNYECHIK); }
TEST(StackCiphers, Magma) { check_ciphers(VSH_MAGMA); }
TEST(StackCiphers, Gost28147) { check_ciphers(VSH_GOST28147); }

}  // namespace
