// Block ciphers under one key: the round keys for kernels, and the slow reference.
#pragma once

#include <array>
#include <cstring>
#include <memory>
#include <string>

#include "core/bytes.hpp"
#include "keys/cipher_key.hpp"
#include "kuznyechik/reference.hpp"
#include "magma/reference.hpp"
#include "support/random.hpp"

namespace vsh::test {

using Key = std::array<uint8_t, 32>;

struct Subject {
  explicit Subject(const keys::CipherKey& key) : round_keys_(key) {}
  virtual ~Subject() = default;
  const keys::CipherKey& round_keys() const { return round_keys_; }
  virtual void encrypt(uint8_t* block) const = 0;
  virtual void decrypt(uint8_t* block) const = 0;
  virtual void imit_step(uint8_t*) const {}  // Magma's family only
  virtual std::unique_ptr<Subject> with_key(const Key& key) const = 0;

 private:
  keys::CipherKey round_keys_;
};

struct KuznyechikSubject final : Subject {
  explicit KuznyechikSubject(const Key& key)
      : Subject({Algorithm::kuznyechik, key.data()}), reference(kuznyechik::reference::key_schedule(key)) {}
  void encrypt(uint8_t* block) const override { apply(kuznyechik::reference::E, block); }
  void decrypt(uint8_t* block) const override { apply(kuznyechik::reference::D, block); }
  std::unique_ptr<Subject> with_key(const Key& key) const override { return std::make_unique<KuznyechikSubject>(key); }
  template <class F>
  void apply(F f, uint8_t* block) const {
    kuznyechik::reference::Block b;
    std::memcpy(b.data(), block, 16);
    b = f(reference, b);
    std::memcpy(block, b.data(), 16);
  }
  std::array<kuznyechik::reference::Block, 10> reference;
};

struct MagmaSubject final : Subject {
  MagmaSubject(const Key& key, const keys::CipherParameters& cipher)
      : Subject({cipher, key.data()}),
        parameters(cipher),
        reference(cipher.algorithm() == Algorithm::magma ? magma::reference::key_schedule_magma(key)
                                                         : magma::reference::key_schedule_gost28147(key)) {}
  void encrypt(uint8_t* block) const override { apply(magma::reference::E, block); }
  void decrypt(uint8_t* block) const override { apply(magma::reference::D, block); }
  // RFC 5830 clause 8: rounds 1 to 16, N1 then N2.
  void imit_step(uint8_t* block) const override {
    apply(
        [](auto rows, const std::array<uint32_t, 32>& k, uint64_t n) {
          auto n1 = static_cast<uint32_t>(n), n2 = static_cast<uint32_t>(n >> 32);
          for (size_t i = 0; i < 16; ++i) {
            const uint32_t next = n2 ^ magma::reference::g(rows, k[i], n1);
            n2 = n1;
            n1 = next;
          }
          return uint64_t{n2} << 32 | n1;
        },
        block);
  }
  std::unique_ptr<Subject> with_key(const Key& key) const override {
    return std::make_unique<MagmaSubject>(key, parameters);
  }
  template <class F>
  void apply(F f, uint8_t* block) const {
    const magma::Parameters& p = *parameters.magma();
    if (p.little_endian) store_le64(block, f(p.rows, reference, load_le64(block)));
    else store_be64(block, f(p.rows, reference, load_be64(block)));
  }
  keys::CipherParameters parameters;
  std::array<uint32_t, 32> reference;
};

inline Key random_key(Random& random) {
  Key key;
  random.fill(key.data(), key.size());
  return key;
}

// "kuznyechik", "magma", "gost28147_set0" ... "gost28147_set7" (tables::MagmaSbox), "gost28147_custom".
inline std::unique_ptr<Subject> make_subject(const std::string& cipher, Random& random) {
  const Key key = random_key(random);
  if (cipher == "kuznyechik") return std::make_unique<KuznyechikSubject>(key);
  if (cipher == "magma") return std::make_unique<MagmaSubject>(key, Algorithm::magma);
  if (cipher == "gost28147_custom") {
    uint8_t rows[8][16];
    for (auto& row : rows) {
      for (uint8_t v = 0; v < 16; ++v) row[v] = v;
      for (size_t i = 15; i > 0; --i) std::swap(row[i], row[random.below(i + 1)]);
    }
    return std::make_unique<MagmaSubject>(key, keys::CipherParameters(rows[0]));
  }
  const auto set = static_cast<tables::MagmaSbox>(cipher.back() - '0');
  return std::make_unique<MagmaSubject>(key, keys::CipherParameters(Algorithm::gost28147, set));
}

}  // namespace vsh::test
