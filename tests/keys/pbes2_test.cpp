// PBES2 parameters: output of other implementations is read and written back byte for byte; damaged input is refused or
// has another meaning.
#include <algorithm>

#include "keys/support/keys.hpp"
#include "support/vec.hpp"

namespace vsh::test {
namespace {

vsh_pbes2_cipher cipher_by_name(const std::string& name) {
  if (name == "magma-ctr-acpkm") return VSH_PBES2_MAGMA_CTR_ACPKM;
  if (name == "magma-ctr-acpkm-omac") return VSH_PBES2_MAGMA_CTR_ACPKM_OMAC;
  if (name == "kuznyechik-ctr-acpkm") return VSH_PBES2_KUZNYECHIK_CTR_ACPKM;
  if (name == "kuznyechik-ctr-acpkm-omac") return VSH_PBES2_KUZNYECHIK_CTR_ACPKM_OMAC;
  EXPECT_EQ(name, "gost28147-cfb");
  return VSH_PBES2_GOST28147_CFB;
}

vsh_pbes2 empty() {
  vsh_pbes2 p{};
  p.struct_size = sizeof p;
  return p;
}

vsh_status decode(const Bytes& der) {
  vsh_pbes2 p = empty();
  return vsh_pbes2_decode(&p, der.data(), der.size());
}

Bytes encode(const vsh_pbes2& p) {
  Bytes der(VSH_PBES2_MAX_DER);
  size_t len = 0;
  EXPECT_EQ(vsh_pbes2_encode(der.data(), der.size(), &len, &p), VSH_OK);
  der.resize(len);
  return der;
}

std::vector<vec::Record> records() {
  return vec::read("kdf.vec", "pbes2", {"Function", "Sbox", "Iterations", "Salt", "IV", "Out"});
}

TEST(Pbes2, OthersEncodings) {
  for (const vec::Record& r : records()) {
    SCOPED_TRACE(r.where());
    const Bytes der = r.bytes("Out"), salt = r.bytes("Salt"), iv = r.bytes("IV");
    vsh_pbes2 p = empty();
    ASSERT_EQ(vsh_pbes2_decode(&p, der.data(), der.size()), VSH_OK);
    EXPECT_EQ(p.cipher, cipher_by_name(r.word("Function")));
    EXPECT_EQ(p.sbox, r.word("Sbox") == "none" ? VSH_SBOX_DEFAULT : VSH_SBOX_TC26_Z);
    EXPECT_EQ(p.iterations, r.number("Iterations"));
    EXPECT_EQ(Bytes(p.salt, p.salt + p.salt_len), salt);
    EXPECT_EQ(Bytes(p.iv, p.iv + p.iv_len), iv);
    EXPECT_EQ(encode(p), der);
  }
}

TEST(Pbes2, BoundsOfEveryField) {
  for (int cipher = VSH_PBES2_MAGMA_CTR_ACPKM; cipher <= VSH_PBES2_GOST28147_CFB; ++cipher) {
    vsh_pbes2 p = empty();
    p.cipher = static_cast<vsh_pbes2_cipher>(cipher);
    p.iv_len = cipher <= VSH_PBES2_MAGMA_CTR_ACPKM_OMAC ? 12 : cipher == VSH_PBES2_GOST28147_CFB ? 8 : 16;
    for (const uint32_t iterations : {1u, 127u, 128u, 255u, 256u, 65535u, 0x7fffffffu, 0x80000000u, UINT32_MAX}) {
      for (const size_t salt_len : {8, 31, 63, 64}) {
        p.iterations = iterations;
        p.salt_len = salt_len;
        std::fill(std::begin(p.salt), std::end(p.salt), 0);
        std::fill_n(p.salt, salt_len, uint8_t{0x5a});
        const Bytes der = encode(p);
        vsh_pbes2 q = empty();
        ASSERT_EQ(vsh_pbes2_decode(&q, der.data(), der.size()), VSH_OK);
        EXPECT_EQ(q.cipher, p.cipher);
        EXPECT_EQ(q.sbox, cipher == VSH_PBES2_GOST28147_CFB ? VSH_SBOX_TC26_Z : VSH_SBOX_DEFAULT);
        EXPECT_EQ(q.iterations, iterations);
        EXPECT_EQ(Bytes(q.salt, q.salt + q.salt_len), Bytes(salt_len, 0x5a));
        EXPECT_EQ(q.iv_len, p.iv_len);
        EXPECT_EQ(encode(q), der);
      }
    }
    Bytes der(VSH_PBES2_MAX_DER, 0xaa);
    size_t len = 77;
    const auto refused = [&](vsh_pbes2 wrong) {
      len = 77;
      const vsh_status status = vsh_pbes2_encode(der.data(), der.size(), &len, &wrong);
      EXPECT_EQ(len, 77u);
      return status;
    };
    vsh_pbes2 wrong = p;
    wrong.iterations = 0;
    EXPECT_EQ(refused(wrong), VSH_E_PARAMETERS);
    wrong = p, wrong.salt_len = 7;
    EXPECT_EQ(refused(wrong), VSH_E_PARAMETERS);
    wrong = p, wrong.salt_len = 65;
    EXPECT_EQ(refused(wrong), VSH_E_PARAMETERS);
    wrong = p, wrong.iv_len = SIZE_MAX;
    EXPECT_EQ(refused(wrong), VSH_E_PARAMETERS);
    wrong = p, wrong.cipher = static_cast<vsh_pbes2_cipher>(6);
    EXPECT_EQ(refused(wrong), VSH_E_ARGUMENT);
    wrong = p, wrong.struct_size = 8;
    EXPECT_EQ(refused(wrong), VSH_E_ARGUMENT);
    wrong = p, wrong.sbox = cipher == VSH_PBES2_GOST28147_CFB ? VSH_SBOX_3411_94_TEST : VSH_SBOX_TC26_Z;
    EXPECT_EQ(refused(wrong), VSH_E_SBOX);
    EXPECT_EQ(vsh_pbes2_encode(der.data(), 20, &len, &p), VSH_E_CAPACITY);
    EXPECT_GT(len, 20u);
    EXPECT_EQ(der, Bytes(VSH_PBES2_MAX_DER, 0xaa)) << "untouched";
  }
}

TEST(Pbes2, EverySboxSet) {
  for (int sbox = VSH_SBOX_TC26_Z; sbox <= VSH_SBOX_28147_TEST; ++sbox) {
    vsh_pbes2 p = empty(), q = empty();
    p.cipher = VSH_PBES2_GOST28147_CFB;
    p.sbox = static_cast<vsh_sbox>(sbox);
    p.iterations = 1000, p.salt_len = 8, p.iv_len = 8;
    const Bytes der = encode(p);
    ASSERT_EQ(vsh_pbes2_decode(&q, der.data(), der.size()), VSH_OK);
    EXPECT_EQ(q.sbox, p.sbox);
  }
}

// A damaged encoding is refused, or is the canonical encoding of its new meaning.
TEST(Pbes2, DamagedEncodings) {
  size_t refused = 0, other = 0;
  for (const vec::Record& r : records()) {
    const Bytes der = r.bytes("Out");
    for (size_t len = 0; len < der.size(); ++len)
      EXPECT_NE(decode(Bytes(der.begin(), der.begin() + static_cast<ptrdiff_t>(len))), VSH_OK) << len;
    EXPECT_EQ(decode(der + Bytes{0}), VSH_E_FORMAT);
    for (size_t bit = 0; bit < 8 * der.size(); ++bit) {
      Bytes wrong = der;
      wrong[bit / 8] ^= static_cast<uint8_t>(1u << bit % 8);
      vsh_pbes2 p = empty();
      const vsh_status status = vsh_pbes2_decode(&p, wrong.data(), wrong.size());
      if (status == VSH_OK) {
        EXPECT_EQ(encode(p), wrong) << bit;
        ++other;
      } else {
        EXPECT_TRUE(status == VSH_E_FORMAT || status == VSH_E_VERSION || status == VSH_E_PARAMETERS) << bit;
        EXPECT_EQ(p.salt_len, 0u) << "untouched";
        ++refused;
      }
    }
  }
  EXPECT_GT(refused, 3000u);
  EXPECT_GT(other, 500u);  // salt, IV, iterations
}

// Replaces the only occurrence.
Bytes replaced(const Bytes& der, const Bytes& from, const Bytes& to) {
  const auto at = std::search(der.begin(), der.end(), from.begin(), from.end());
  EXPECT_NE(at, der.end());
  Bytes result(der.begin(), at);
  return result + to + Bytes(at + static_cast<ptrdiff_t>(from.size()), der.end());
}

TEST(Pbes2, OtherAlgorithmsAndSloppyDer) {
  const Bytes der = records().back().bytes("Out");
  EXPECT_EQ(decode(replaced(der, {0x01, 0x05, 0x0c}, {0x01, 0x05, 0x0b})), VSH_E_VERSION) << "another KDF";
  EXPECT_EQ(decode(replaced(der, {0x01, 0x04, 0x02}, {0x01, 0x04, 0x01})), VSH_E_VERSION) << "HMAC-256";
  EXPECT_EQ(decode(replaced(der, {0x02, 0x02, 0x15}, {0x02, 0x02, 0x16})), VSH_E_VERSION) << "another cipher";
  EXPECT_EQ(decode(replaced(der, {0x05, 0x01, 0x01}, {0x05, 0x01, 0x07})), VSH_E_VERSION) << "another S-box set";
  EXPECT_EQ(decode(replaced(der, {0x01, 0x05, 0x0d}, {0x01, 0x05, 0x0e})), VSH_E_FORMAT) << "not PBES2";
  const Bytes count = {0x02, 0x02, 0x08, 0x00};
  EXPECT_EQ(decode(replaced(der, count, {0x02, 0x02, 0x00, 0x08})), VSH_E_FORMAT) << "a leading zero";
  EXPECT_EQ(decode(replaced(der, count, {0x02, 0x02, 0x88, 0x00})), VSH_E_FORMAT) << "negative";
  EXPECT_EQ(decode(replaced(der, count, {0x02, 0x81, 0x01, 0x08})), VSH_E_FORMAT) << "a long length";
  EXPECT_EQ(decode({0x30, 0x80, 0x00, 0x00}), VSH_E_FORMAT) << "indefinite";
  EXPECT_EQ(decode({0x30, 0x84, 0xff, 0xff, 0xff, 0xff}), VSH_E_FORMAT) << "huge";
  // keyLength 32 is the usual value; 24 is another key.
  const auto with_key_len = [&](uint8_t len) {
    Bytes d = replaced(der, count, count + Bytes{0x02, 0x01, len});
    for (const size_t at : {1, 14, 16, 29}) d[at] = static_cast<uint8_t>(d[at] + 3);
    return decode(d);
  };
  EXPECT_EQ(with_key_len(32), VSH_OK);
  EXPECT_EQ(with_key_len(24), VSH_E_PARAMETERS);

  vsh_pbes2 p = empty();
  EXPECT_EQ(vsh_pbes2_decode(nullptr, der.data(), der.size()), VSH_E_ARGUMENT);
  EXPECT_EQ(vsh_pbes2_decode(&p, nullptr, 3), VSH_E_ARGUMENT);
  p.struct_size = 1;
  EXPECT_EQ(vsh_pbes2_decode(&p, der.data(), der.size()), VSH_E_ARGUMENT);
}

}  // namespace
}  // namespace vsh::test
