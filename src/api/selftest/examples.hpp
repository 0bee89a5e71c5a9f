// The examples of vsh_selftest and vsh_device_selftest, in hexadecimal digits: of the standards, for the rest of other
// implementations.
#pragma once

#include <string_view>
#include <vector>

#include "vershina/vershina.h"

namespace vsh::api::selftest {

using std::string_view;
using Bytes = std::vector<uint8_t>;

inline Bytes from_hex(string_view hex) {
  const auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  Bytes bytes;
  for (size_t i = 0; i < hex.size(); i += 2)
    bytes.push_back(static_cast<uint8_t>(digit(hex[i]) << 4 | digit(hex[i + 1])));
  return bytes;
}

// Repeats the text to len bytes or more. ECB treats every copy alike.
inline Bytes repeated(const Bytes& text, size_t len) {
  Bytes result;
  while (result.size() < len) result.insert(result.end(), text.begin(), text.end());
  return result;
}

struct CipherExample {
  vsh_cipher_algorithm algorithm;
  vsh_mode mode;
  vsh_sbox sbox;
  string_view key, iv, in, out;
  size_t section_len = 0;
};

struct MacExample {
  vsh_mac_algorithm algorithm;
  vsh_sbox sbox;
  string_view key, in, tag;
  size_t section_len = 0, master_section_len = 0;
};

struct WrapExample {
  vsh_wrap_algorithm algorithm;
  string_view kek, iv, key, wrapped;
};

struct HashExample {
  vsh_hash_algorithm algorithm;
  string_view in, digest;
};

// GOST R 34.13-2015 A.1
constexpr string_view kKeyA1 = "8899aabbccddeeff0011223344556677fedcba98765432100123456789abcdef";
constexpr string_view kTextA1 =
    "1122334455667700ffeeddccbbaa998800112233445566778899aabbcceeff0a"
    "112233445566778899aabbcceeff0a002233445566778899aabbcceeff0a0011";
constexpr string_view kIvA1 = "1234567890abcef0a1b2c3d4e5f0011223344556677889901213141516171819";
// GOST R 34.13-2015 A.2
constexpr string_view kKeyA2 = "ffeeddccbbaa99887766554433221100f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff";
constexpr string_view kTextA2 = "92def06b3c130a59db54c704f8189d204a98fb2e67a8024c8912409b17b57e41";
constexpr string_view kIvA2 = "1234567890abcdef234567890abcdef134567890abcdef12";

// RFC 7836 appendix B
constexpr string_view kKeyB = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";
constexpr string_view kTextB = "0126bdb87800af214341456563780100";

constexpr CipherExample kCiphers[] = {
    // GOST R 34.13-2015 A.1.1 - A.1.5
    {VSH_KUZNYECHIK, VSH_ECB, VSH_SBOX_DEFAULT, kKeyA1, "", kTextA1,
     "7f679d90bebc24305a468d42b9d4edcdb429912c6e0032f9285452d76718d08b"
     "f0ca33549d247ceef3f5a5313bd4b157d0b09ccde830b9eb3a02c4c5aa8ada98"},
    {VSH_KUZNYECHIK, VSH_CTR, VSH_SBOX_DEFAULT, kKeyA1, kIvA1.substr(0, 16), kTextA1,
     "f195d8bec10ed1dbd57b5fa240bda1b885eee733f6a13e5df33ce4b33c45dee4"
     "a5eae88be6356ed3d5e877f13564a3a5cb91fab1f20cbab6d1c6d15820bdba73"},
    {VSH_KUZNYECHIK, VSH_OFB, VSH_SBOX_DEFAULT, kKeyA1, kIvA1, kTextA1,
     "81800a59b1842b24ff1f795e897abd95ed5b47a7048cfab48fb521369d9326bf"
     "66a257ac3ca0b8b1c80fe7fc10288a13203ebbc066138660a0292243f6903150"},
    {VSH_KUZNYECHIK, VSH_CBC, VSH_SBOX_DEFAULT, kKeyA1, kIvA1, kTextA1,
     "689972d4a085fa4d90e52e3d6d7dcc272826e661b478eca6af1e8e448d5ea5ac"
     "fe7babf1e91999e85640e8b0f49d90d0167688065a895c631a2d9a1560b63970"},
    {VSH_KUZNYECHIK, VSH_CFB, VSH_SBOX_DEFAULT, kKeyA1, kIvA1, kTextA1,
     "81800a59b1842b24ff1f795e897abd95ed5b47a7048cfab48fb521369d9326bf"
     "79f2a8eb5cc68d38842d264e97a238b54ffebecd4e922de6c75bd9dd44fbf4d1"},
    // A.2.1 - A.2.5
    {VSH_MAGMA, VSH_ECB, VSH_SBOX_DEFAULT, kKeyA2, "", kTextA2,
     "2b073f0494f372a0de70e715d3556e4811d8d9e9eacfbc1e7c68260996c67efb"},
    {VSH_MAGMA, VSH_CTR, VSH_SBOX_DEFAULT, kKeyA2, kIvA2.substr(0, 8), kTextA2,
     "4e98110c97b7b93c3e250d93d6e85d69136d868807b2dbef568eb680ab52a12d"},
    {VSH_MAGMA, VSH_OFB, VSH_SBOX_DEFAULT, kKeyA2, kIvA2.substr(0, 32), kTextA2,
     "db37e0e266903c830d46644c1f9a089ca0f83062430e327ec824efb8bd4fdb05"},
    {VSH_MAGMA, VSH_CBC, VSH_SBOX_DEFAULT, kKeyA2, kIvA2, kTextA2,
     "96d1b05eea683919aff76129abb937b95058b4a1c4bc001920b78b1a7cd7e667"},
    {VSH_MAGMA, VSH_CFB, VSH_SBOX_DEFAULT, kKeyA2, kIvA2.substr(0, 32), kTextA2,
     "db37e0e266903c830d46644c1f9a089c24bdd2035315d38bbcc0321421075505"},
    // R 1323565.1.017-2018 A.1 and A.2
    {VSH_MAGMA, VSH_CTR_ACPKM, VSH_SBOX_DEFAULT, kKeyA1, "12345678", kTextA1.substr(0, 112),
     "2ab81deeeb1e4cab68e104c4bd6b94eac72c67af6c2e5b6b0eafb61770f1b32e"
     "a1ae71149eed1382abd467180672ec6f84a2f15b3fca72c1",
     16},
    {VSH_KUZNYECHIK, VSH_CTR_ACPKM, VSH_SBOX_DEFAULT, kKeyA1, kIvA1.substr(0, 16), kTextA1,
     "f195d8bec10ed1dbd57b5fa240bda1b885eee733f6a13e5df33ce4b33c45dee4"
     "4bceeb8f646f4c55001706275e85e800587c4df568d094393e4834afd0805046",
     32},
    // RFC 5831 7.3.1, the first hash step
    {VSH_GOST28147, VSH_ECB, VSH_SBOX_3411_94_TEST, "546d203368656c326973652073736e62206167796967747473656865202c3d73",
     "", "0000000000000000", "1b0bbc32cebcab42"},
    // test_gost2814789.c of gost-engine (CryptoPro CSP)
    {VSH_GOST28147, VSH_CNT, VSH_SBOX_CRYPTOPRO_A, "599f84bac3f3d2f160e1e3f26a961af99c48b24ebcbbbf7cd8f3accd968d286a",
     "8dafa8d158ed058d", "90a23966ae01b9a3524ec8ed6cdd8830", "6e7262cce3593690833afea91bc9bece"},
    {VSH_GOST28147, VSH_CFB, VSH_SBOX_CRYPTOPRO_A, "8d5a2c83a7c70a61d61b34b51fdf42686671a35d874cfd84993663b61ed60dad",
     "46606f0d8834235a", "d2fdf83ac1b439232eaacc980a02da33", "88b7751674a5ee2d14fe9167d05ccc40"},
    // GOST28147Test of Bouncy Castle
    {VSH_GOST28147, VSH_CBC, VSH_SBOX_3411_94_TEST, "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff",
     "1234567890abcdef", "bc350e71aac5f5c2", "d35ab653493b49f5"},
};

constexpr MacExample kMacs[] = {
    // GOST R 34.13-2015 A.1.6 and A.2.6
    {VSH_KUZNYECHIK_MAC, VSH_SBOX_DEFAULT, kKeyA1, kTextA1, "336f4d296059fbe3"},
    {VSH_MAGMA_MAC, VSH_SBOX_DEFAULT, kKeyA2, kTextA2, "154e7210"},
    // R 1323565.1.017-2018 A.3.2 and A.4.1
    {VSH_MAGMA_OMAC_ACPKM, VSH_SBOX_DEFAULT, kKeyA1, kTextA1.substr(0, 80), "34008dad5496bb8e", 16, 80},
    {VSH_KUZNYECHIK_OMAC_ACPKM, VSH_SBOX_DEFAULT, kKeyA1, kTextA1.substr(0, 48), "b5367f47b62b995eeb2a648c5843145e", 32,
     96},
    // test_gost2814789.c of gost-engine (CryptoPro CSP)
    {VSH_GOST28147_IMIT, VSH_SBOX_CRYPTOPRO_A, "9d05b79e90cad00a2cdad22ef4e86f5cf5dc37681985b3bfaa18c1c3050a91a2",
     "b5a1f0e3ce2f021d676194345c41e36e", "f81f08a3"},
    // RFC 7836 appendix B, 1) and 2)
    {VSH_HMAC_STREEBOG256, VSH_SBOX_DEFAULT, kKeyB, kTextB,
     "a1aa5f7de402d7b3d323f2991c8d4534013137010a83754fd0af6d7cd4922ed9"},
    {VSH_HMAC_STREEBOG512, VSH_SBOX_DEFAULT, kKeyB, kTextB,
     "a59bab22ecae19c65fbde6e5f4e9f5d8549d31f037f9df9b905500e171923a77"
     "3d5f1530f2ed7e964cb2eedc29e9ad2f3afe93b2814f79f5000ffc0366c251e6"},
};

struct AeadExample {
  vsh_aead_algorithm algorithm;
  string_view key, nonce, data, in, out, tag;
};

// RFC 9058 A.1.1 and A.2.1; then the CMS form of CTR-ACPKM with OMAC.
constexpr AeadExample kAeads[] = {
    {VSH_KUZNYECHIK_MGM, kKeyA1, "1122334455667700ffeeddccbbaa9988",
     "0202020202020202010101010101010104040404040404040303030303030303ea0505050505050505",
     "1122334455667700ffeeddccbbaa998800112233445566778899aabbcceeff0a"
     "112233445566778899aabbcceeff0a002233445566778899aabbcceeff0a0011aabbcc",
     "a9757b8147956e9055b8a33de89f42fc8075d2212bf9fd5bd3f7069aadc16b39"
     "497ab15915a6ba85936b5d0ea9f6851cc60c14d4d3f883d0ab94420695c76deb2c7552",
     "cf5d656f40c34f5c46e8bb0e29fcdb4c"},
    {VSH_MAGMA_MGM, kKeyA2, "12def06b3c130a59",
     "01010101010101010202020202020202030303030303030304040404040404040505050505050505ea",
     "ffeeddccbbaa998811223344556677008899aabbcceeff0a0011223344556677"
     "99aabbcceeff0a001122334455667788aabbcceeff0a00112233445566778899aabbcc",
     "c795066c5f9ea03b85113342459185ae1f2e00d6bf2b785d940470b8bb9c8e7d"
     "9a5dd3731f7ddc70ec27cb0ace6fa57670f65c646abb75d547aa37c3bcb5c34e03bb9c",
     "a7928069aa10fd10"},
    // Computed by gost-engine 3.0.1: tests/vectors/cms.vec.
    {VSH_KUZNYECHIK_CTR_ACPKM_OMAC, kKeyA1, "1234567890abcef070ce645877e3df15", "",
     "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff001122",
     "8d67c5b9444297fa6b290227180084e708c2782ddb39c96d67834d70b7db99f187dc2d", "34a08567f61479ef358c640f1ceb01bb"},
    {VSH_MAGMA_CTR_ACPKM_OMAC, kKeyA1, "1234567834e5fcf2c0e0abed", "",
     "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff001122",
     "da0f94fe963ac0825fa7d5440a41d3f336c4bfb6e1cd00ced924247c5374a811347857", "5f7502fa1a8f178e"},
};

// First products of A.1.2 and A.2.2, whose reduced values the RFC prints.
struct ProductExample {
  string_view x, y, product;
};
constexpr ProductExample kProducts[] = {
    {"993a8066ccc0a40fac4a14f7a2f66d9b", "01010101010101010101010101010101", "0ac11e2c1cd607d82fe35554b4010281"},
    {"ece3f9da118c7d95", "6a95e1426b259d4e", "25d0e4207b6bf63d"},
};

// RFC 6986 10.1 and 10.2, bytes in memory order.
constexpr string_view kM1 =
    "3031323334353637383930313233343536373839303132333435363738393031"
    "32333435363738393031323334353637383930313233343536373839303132";
constexpr string_view kM2 =
    "d1e520e2e5f2f0e82c20d1f2f0e8e1eee6e820e2edf3f6e82c20e2e5fef2fa20"
    "f120eceef0ff20f1f2f0e5ebe0ece820ede020f5f0e0e1f0fbff20efebfaeafb20c8e3eef0e5e2fb";
constexpr HashExample kHashes[] = {
    {VSH_STREEBOG256, kM1, "9d151eefd8590b89daa6ba6cb74af9275dd051026bb149a452fd84e5e57b5500"},
    {VSH_STREEBOG512, kM1,
     "1b54d01a4af5b9d5cc3d86d68d285462b19abc2475222f35c085122be4ba1ffa"
     "00ad30f8767b3a82384c6574f024c311e2a481332b08ef7f41797891c1646f48"},
    {VSH_STREEBOG256, kM2, "9dd2fe4e90409e5da87f53976d7405b0c0cac628fc669a741d50063c557e8f50"},
    {VSH_STREEBOG512, kM2,
     "1e88e62226bfca6f9994f1f2d51569e0daf8475a3b0fe61a5300eee46d961376"
     "035fe83549ada2b8620fcd7c496ce5b33f0cb9dddc2b6460143b03dabac9fb28"},
    // RFC 5831 7.3.1; Nettle
    {VSH_GOST94_TEST, "54686973206973206d6573736167652c206c656e6774683d3332206279746573",
     "b1c466d37519b82e8319819ff32595e047a28cb6f83eff1c6916a815a637fffa"},
    {VSH_GOST94_CRYPTOPRO, "6d65737361676520646967657374",
     "bc6041dd2aa401ebfa6e9886734174febdb4729aa972d60f549ac39b29721ba0"},
};

// R 1323565.1.017-2018: K_Exp_MAC, K_Exp_ENC. CryptoPro's wrap: gost-engine.
constexpr string_view kExportKeys =
    "08090a0b0c0d0e0f0001020304050607101112131415161718191a1b1c1d1e1f"
    "202122232425262728292a2b2c2d2e2f38393a3b3c3d3e3f3031323334353637";
constexpr WrapExample kWraps[] = {
    {VSH_KEXP15_KUZNYECHIK, kExportKeys, "0909472dd9f26be8", kKeyA1,
     "e36184e84e8d736ff36cc2e5ae065dc656b23c20f549b02fdff88e1f3f30d8c29a53f3ca554dbad80de152b9a4625b32"},
    {VSH_KEXP15_MAGMA, kExportKeys, "67bed654", kKeyA1,
     "cfd5a12d5b81b6e1e99c916d07900c6ac12703fb3abded55567bf3742c899c755dafe7b42e3a8bd9"},
    {VSH_WRAP_CRYPTOPRO, "0102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f20", "0102030405060708",
     "101112131415161718191a1b1c1d1e1f202122232425262728292a2b2c2d2e2f",
     "0102030405060708940e6d83505f7725919a76bbc6d5d991315eb9dfc6d77fb8788cb0cef8b925c1e77d8bc3"},
};

}  // namespace vsh::api::selftest
