// AES-128 as a kernel row, so that a mode can be checked by vectors of standards for AES only: FIPS 197, a byte at a
// time. For tests only: slow, and its addresses depend on data.
#pragma once

#include <array>
#include <bit>
#include <cstring>

#include "core/block_engine.hpp"

namespace vsh::test {

class Aes128 {
 public:
  static constexpr const char* kFamily = "aes128";
  static constexpr size_t kKeyLen = 16, kBlock = 16;
  static constexpr int kRounds = 10;

  explicit Aes128(const uint8_t* key) {  // 5.2
    std::memcpy(words_[0], key, kKeyLen);
    uint8_t rcon = 1;
    for (int i = 4; i < 4 * (kRounds + 1); ++i) {
      uint8_t t[4];
      std::memcpy(t, word(i - 1), 4);
      if (i % 4 == 0) {
        const uint8_t first = t[0];
        for (int j = 0; j < 3; ++j) t[j] = sbox()[t[j + 1]];
        t[3] = sbox()[first];
        t[0] ^= rcon;
        rcon = times_x(rcon);
      }
      for (int j = 0; j < 4; ++j) word(i)[j] = word(i - 4)[j] ^ t[j];
    }
  }

  void encrypt(uint8_t* s) const {  // 5.1
    add_key(s, 0);
    for (int round = 1; round <= kRounds; ++round) {
      uint8_t t[kBlock];
      for (int i = 0; i < 16; ++i) t[i] = sbox()[s[(i + 4 * (i % 4)) % 16]];  // SubBytes, ShiftRows
      std::memcpy(s, t, kBlock);
      if (round < kRounds) mix_columns(s, 2, 3, 1, 1);
      add_key(s, round);
    }
  }

  void decrypt(uint8_t* s) const {  // 5.3
    for (int round = kRounds; round >= 1; --round) {
      add_key(s, round);
      if (round < kRounds) mix_columns(s, 14, 11, 13, 9);
      uint8_t t[kBlock];
      for (int i = 0; i < 16; ++i) t[(i + 4 * (i % 4)) % 16] = s[i];
      for (int i = 0; i < 16; ++i) s[i] = inverse_sbox()[t[i]];
    }
    add_key(s, 0);
  }

 private:
  using Table = std::array<uint8_t, 256>;

  static uint8_t times_x(uint8_t a) { return static_cast<uint8_t>(a << 1 ^ (a & 0x80 ? 0x1b : 0)); }
  static uint8_t multiply(uint8_t a, uint8_t b) {  // 4.2
    uint8_t sum = 0;
    for (; b; b >>= 1, a = times_x(a))
      if (b & 1) sum ^= a;
    return sum;
  }
  static const Table& sbox() {  // 5.1.1: the inverse in GF(2^8), then an affine map
    static const Table table = [] {
      Table t{};
      for (int a = 0; a < 256; ++a) {
        uint8_t inverse = 0;
        for (int b = 0; b < 256; ++b)
          if (multiply(static_cast<uint8_t>(a), static_cast<uint8_t>(b)) == 1) inverse = static_cast<uint8_t>(b);
        uint8_t s = 0x63;
        for (int i = 0; i < 5; ++i) s ^= std::rotl(inverse, i);
        t[static_cast<size_t>(a)] = s;
      }
      return t;
    }();
    return table;
  }
  static const Table& inverse_sbox() {
    static const Table table = [] {
      Table t{};
      for (int a = 0; a < 256; ++a) t[sbox()[static_cast<size_t>(a)]] = static_cast<uint8_t>(a);
      return t;
    }();
    return table;
  }
  static void mix_columns(uint8_t* s, uint8_t a, uint8_t b, uint8_t c, uint8_t d) {  // 5.1.3, 5.3.3
    for (int column = 0; column < 16; column += 4) {
      uint8_t in[4];
      std::memcpy(in, s + column, 4);
      for (int i = 0; i < 4; ++i)
        s[column + i] = multiply(in[i], a) ^ multiply(in[(i + 1) % 4], b) ^ multiply(in[(i + 2) % 4], c) ^
                        multiply(in[(i + 3) % 4], d);
    }
  }
  void add_key(uint8_t* s, int round) const {
    for (int i = 0; i < 16; ++i) s[i] ^= words_[round][i];
  }
  uint8_t* word(int i) { return words_[i / 4] + 4 * (i % 4); }

  uint8_t words_[kRounds + 1][kBlock];
};

// The engine's rows: its round keys are an Aes128. It has four lanes, so that whole and padded passes both come up.
inline const BlockKernel& aes128_row() {
  static const BlockKernel row = [] {
    BlockKernel r{};
    r.info = {"aes128", "test", cpu::Isa::any, 4, 400, false};
    r.block_size = Aes128::kBlock;
    r.schedule_size = sizeof(Aes128);
    r.prepare = [](void* schedule, const void* keys) { std::memcpy(schedule, keys, sizeof(Aes128)); };
    r.encrypt = [](const void* schedule, uint8_t* out, const uint8_t* in, size_t n) {
      for (size_t i = 0; i < n * Aes128::kBlock; i += Aes128::kBlock) {
        std::memmove(out + i, in + i, Aes128::kBlock);
        static_cast<const Aes128*>(schedule)->encrypt(out + i);
      }
    };
    r.decrypt = [](const void* schedule, uint8_t* out, const uint8_t* in, size_t n) {
      for (size_t i = 0; i < n * Aes128::kBlock; i += Aes128::kBlock) {
        std::memmove(out + i, in + i, Aes128::kBlock);
        static_cast<const Aes128*>(schedule)->decrypt(out + i);
      }
    };
    return r;
  }();
  return row;
}

// key: 16 bytes.
inline BlockEngine aes128_engine(const uint8_t* key) {
  const Aes128 keys(key);
  BlockChoice choice;
  choice.ladder = Ladder(aes128_row());
  return BlockEngine(choice, keys, 1);
}

}  // namespace vsh::test
