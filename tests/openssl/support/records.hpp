// TLS records as OpenSSL's record layer drives EVP, and the keys of records by the definition.
#pragma once

#include <algorithm>
#include <cstdlib>

#include "openssl/support/evp.hpp"

namespace vsh::test::evp {

// As EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_TLSTREE or EVP_CTRL_SET_TLSTREE_PARAMS, argument, data) of an OpenSSL with the
// GOST engine's patch: the argument becomes the length.
inline bool control(EVP_CIPHER_CTX* c, const char* name, const void* data, size_t argument = 0) {
  const OSSL_PARAM params[] = {OSSL_PARAM_construct_octet_string(name, const_cast<void*>(data), argument),
                               OSSL_PARAM_construct_end()};
  return EVP_CIPHER_CTX_set_params(c, params);
}
inline bool control(EVP_MAC_CTX* c, const char* name, const void* data, size_t argument = 0) {
  const OSSL_PARAM params[] = {OSSL_PARAM_construct_octet_string(name, const_cast<void*>(data), argument),
                               OSSL_PARAM_construct_end()};
  return EVP_MAC_CTX_set_params(c, params);
}

inline Bytes big_endian(uint64_t number) {
  Bytes out(8);
  for (size_t i = 0; i < 8; ++i) out[i] = static_cast<uint8_t>(number >> (56 - 8 * i));
  return out;
}

// The constants of RFC 9189 8.1.1 and 4.3.5, and RFC 9367 4.1.2 and 4.1.3, written independently.
struct RecordSuite {
  const char* name;  // vsh_tlstree_name
  const char* cipher;
  const char* mode;  // tlstree_mode, or the MAC of TLS 1.2
  vsh_cipher_algorithm block;
  uint64_t c1, c2, c3, max;

  size_t n() const { return vsh_block_len(block); }
};
inline constexpr RecordSuite kTls13[] = {
    {"kuznyechik-mgm-l", "kuznyechik-mgm", "light", VSH_KUZNYECHIK, 0xf800000000000000, 0xfffffff000000000,
     0xffffffffffffe000, UINT64_MAX},
    {"magma-mgm-l", "magma-mgm", "light", VSH_MAGMA, 0xffe0000000000000, 0xffffffffc0000000, 0xffffffffffffff80,
     UINT64_MAX},
    {"kuznyechik-mgm-s", "kuznyechik-mgm", "strong", VSH_KUZNYECHIK, 0xffffffffe0000000, 0xffffffffffff0000,
     0xfffffffffffffff8, (uint64_t{1} << 42) - 1},
    {"magma-mgm-s", "magma-mgm", "strong", VSH_MAGMA, 0xfffffffffc000000, 0xffffffffffffe000, 0xffffffffffffffff,
     (uint64_t{1} << 39) - 1}};
inline constexpr RecordSuite kTls12[] = {
    {"kuznyechik-ctr-omac", "kuznyechik-ctr-acpkm", "kuznyechik-mac", VSH_KUZNYECHIK, 0xffffffff00000000,
     0xfffffffffff80000, 0xffffffffffffffc0, UINT64_MAX},
    {"magma-ctr-omac", "magma-ctr-acpkm", "magma-mac", VSH_MAGMA, 0xffffffc000000000, 0xfffffffffe000000,
     0xfffffffffffff000, UINT32_MAX}};

// TLSTREE without any memory of earlier records: three derivations for each.
inline Bytes record_key(const RecordSuite& s, const Bytes& root, uint64_t number) {
  Bytes key(root.begin(), root.begin() + 32);
  const uint64_t masks[] = {s.c1, s.c2, s.c3};
  for (unsigned level = 0; level < 3; ++level) {
    const std::string label = "level" + std::to_string(level + 1);
    const Bytes seed = big_endian(number & masks[level]);
    Bytes next(32);
    EXPECT_EQ(vsh_kdf_tree(next.data(), 32, key.data(), 32, 1, reinterpret_cast<const uint8_t*>(label.data()),
                           label.size(), seed.data(), 8, nullptr),
              VSH_OK);
    key = next;
  }
  return key;
}

// Numbers in a row around a change of a level: each level of the tree, the first and the last record.
inline std::vector<uint64_t> numbers_around_changes(const RecordSuite& s, Random& random) {
  std::vector<uint64_t> numbers;
  const auto around = [&](uint64_t middle) {
    for (uint64_t i = middle < 3 ? 0 : middle - 3; i <= s.max && i - middle + 3 < 6; ++i) {
      numbers.push_back(i);
      if (i == UINT64_MAX) break;
    }
  };
  around(0);
  for (const uint64_t mask : {s.c3, s.c2, s.c1}) {
    const uint64_t span = ~mask + 1;
    if (span > s.max) continue;
    around(span);
    around(span * (1 + random() % (s.max / span)));
  }
  around(s.max);
  return numbers;
}

// As many numbers as TLS would meet in a long connection, abridged: runs in order from random places at all levels.
class RecordNumbers {
 public:
  RecordNumbers(const RecordSuite& suite, Random& random) : suite_(suite), random_(random) {}
  uint64_t next() {
    if (left_-- == 0 || number_ == suite_.max) jump();
    else ++number_;
    return number_;
  }

 private:
  void jump() {
    const uint64_t masks[] = {suite_.c1, suite_.c2, suite_.c3, suite_.c3, 0};
    const uint64_t span = ~masks[random_.below(4)] + 1;
    number_ = span * (random_() % (suite_.max / span + 1));
    number_ -= std::min<uint64_t>(number_, random_.below(12));
    number_ = std::min(number_, suite_.max);
    left_ = random_.below(24);
  }
  const RecordSuite& suite_;
  Random& random_;
  uint64_t number_ = 0, left_ = 20;
};

// Records of the comparison with the definition, over all suites of a version of TLS: a million in `make check-all`.
inline size_t number_of_records() { return std::getenv("VERSHINA_TEST_LONG") ? 1000000 : 20000; }

}  // namespace vsh::test::evp
