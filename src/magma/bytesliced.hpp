// Magma and GOST 28147-89 over bytes, any S-boxes as data in registers: constant time, with few blocks a pass.
//
// A word holds byte i of one half of as many blocks as it has bytes. S-boxes are shuffles of 16-byte tables, and the
// rotation by 11 is a renaming by one byte and tables that are shifted by 3:
//     byte i + 1 of the other half ^= low_i[s & 15] ^ high_i[s >> 4]     pi_(2 i) << 3, pi_(2 i + 1) << 7
//     byte i + 2                   ^= over_i[s >> 4]                     pi_(2 i + 1) >> 1
// s is byte i of the sum with the key. Words compare signed bytes only, so a sum is kept as t = s ^ 80 hex = a + (K ^
// 80 hex), which the tables undo; it has carried if it is below the summand K ^ 80 hex:
//     carry_(i + 1) = t < K ^ 80  or  t is FF ^ 80 and carry_i           t without carry_i
// 52 operations a round, 6.5 a byte with AVX2, 12 of them shuffles. Bound by shuffles where only one port executes
// them, else by the number of operations. A key in every lane costs nothing more: its bytes are a load either way.
#pragma once

#include <cstring>

#include "core/kernel.hpp"
#include "core/wipe.hpp"
#include "magma/rounds.hpp"
#include "simd/planes.hpp"

namespace vsh::magma {
namespace {

template <class W, uint32_t kCyclesOfPass>
struct ByteSliced {
  static constexpr size_t kBytes = W::kBytes;
  struct Tables {
    uint8_t low[4][kBytes], high[4][kBytes], over[4][kBytes];  // 16 bytes, repeated in each 128-bit lane
  };
  // Byte i of a key word, ^ 80 hex: the same in all lanes, four times, or that of every lane.
  struct SharedByte {
    uint32_t four;
    VSH_INLINE_MEMBER W load() const { return W::splat_mask(&four); }
  };
  struct LaneBytes {
    uint8_t lane[kBytes];
    VSH_INLINE_MEMBER W load() const { return W::load(lane); }
  };
  template <class KeyByte>
  struct ScheduleOf {
    Tables tables;
    KeyByte k[8][4];
    bool little_endian;

    void prepare_parameters(const RoundKeys& rk) {
      for (int i = 0; i < 4; ++i) {
        fill(tables.low[i], tables.high[i], tables.over[i], rk.rows[2 * i], rk.rows[2 * i + 1]);
        for (uint8_t* const table : {tables.low[i], tables.high[i], tables.over[i]})
          for (size_t j = 16; j < kBytes; j += 16) std::memcpy(table + j, table, 16);
      }
      little_endian = rk.little_endian;
    }
  };
  using Schedule = ScheduleOf<SharedByte>;
  using LanesSchedule = ScheduleOf<LaneBytes>;
  static constexpr uint32_t kLanes = kBytes;
  static constexpr uint32_t kPassCost = kCyclesOfPass;
  static constexpr bool kConstantTime = true;
  static constexpr size_t kBlockSize = 8;

  static void prepare(Schedule& s, const RoundKeys& rk) {
    s.prepare_parameters(rk);
    for (int r = 0; r < 8; ++r)
      for (int i = 0; i < 4; ++i) s.k[r][i] = {((rk.k[r] >> (8 * i) & 0xFF) ^ 0x80) * 0x01010101};
  }

  // Eight bytes of every key are transposed like blocks and yield two key words.
  static void prepare_lanes(LanesSchedule& s, const uint8_t* const* keys, const RoundKeys& rk) {
    s.prepare_parameters(rk);
    const size_t flip = s.little_endian ? 0 : 3;
    for (size_t r = 0; r < 8; r += 2) {
      uint8_t words[8 * kLanes] = {};
      for (size_t lane = 0; lane < kLanes; ++lane)
        if (keys[lane]) std::memcpy(words + 8 * lane, keys[lane] + 4 * r, 8);
      W bytes[8];
      load(bytes, words);
      for (size_t i = 0; i < 8; ++i) W::store(s.k[r + i / 4][(i ^ flip) % 4].lane, bytes[i] ^ W::splat_byte(0x80));
      wipe(words, sizeof words);
      wipe(bytes, sizeof bytes);
    }
  }

  static void encrypt(const Schedule& s, uint8_t* out, const uint8_t* in, size_t n) { run<Encryption>(s, out, in, n); }
  static void decrypt(const Schedule& s, uint8_t* out, const uint8_t* in, size_t n) { run<Decryption>(s, out, in, n); }

  static void encrypt_lanes(const LanesSchedule& s, uint8_t* out, const uint8_t* in, size_t num_rows) {
    run<Encryption>(s, out, in, num_rows * kLanes);
  }
  static void decrypt_lanes(const LanesSchedule& s, uint8_t* out, const uint8_t* in, size_t num_rows) {
    run<Decryption>(s, out, in, num_rows * kLanes);
  }
  static void imit_lanes(const LanesSchedule& s, uint8_t* out, const uint8_t* in, size_t num_rows) {
    run<ImitStep>(s, out, in, num_rows * kLanes);
  }

 private:
  // Fills 16 bytes of each table. __restrict: else the compiler emits single bytes, which is slow where keys change
  // often.
  static void fill(uint8_t* __restrict low, uint8_t* __restrict high, uint8_t* __restrict over,
                   const uint8_t* __restrict first, const uint8_t* __restrict second) {
    for (size_t j = 0; j < 16; ++j) low[j] = static_cast<uint8_t>(first[j] << 3);
    for (size_t j = 0; j < 8; ++j) {
      high[j] = static_cast<uint8_t>(second[j + 8] << 7), high[j + 8] = static_cast<uint8_t>(second[j] << 7);
      over[j] = second[j + 8] >> 1, over[j + 8] = second[j] >> 1;
    }
  }

  // to ^= g[k](from).
  template <class KeyByte>
  VSH_INLINE_MEMBER static void round(W (&to)[4], const W (&from)[4], const KeyByte (&k)[4], const Tables& tables) {
    W carry = W::zero();
    for (int i = 0; i < 4; ++i) {
      const W key = k[i].load(), sum = W::add(from[i], key);
      const W t = i == 0 ? sum : W::subtract(sum, carry);
      if (i == 0) carry = W::greater(key, sum);
      else if (i < 3) carry = W::greater(key, sum) | (carry & W::equal(sum, W::splat_byte(0xFF ^ 0x80)));

      const W low = t & W::splat_byte(15), high = W::high_nibbles(t);
      W &next = to[(i + 1) % 4], &after = to[(i + 2) % 4];
      next = next ^ W::look_up(W::load(tables.low[i]), low) ^ W::look_up(W::load(tables.high[i]), high);
      after = after ^ W::look_up(W::load(tables.over[i]), high);
    }
  }

  VSH_INLINE_MEMBER static void load(W (&bytes)[8], const uint8_t* in) {
    for (size_t i = 0; i < 8; ++i) bytes[i] = W::load(in + i * kBytes);
    zip_levels<4>(bytes);
  }

  template <class Use, class KeyByte>
  VSH_INLINE_MEMBER static void run(const ScheduleOf<KeyByte>& s, uint8_t* out, const uint8_t* in, size_t num_blocks) {
    const size_t flip = s.little_endian ? 0 : 7, swap = Use::kSwapsAtEnd ? 4 : 0;
    for_passes<8 * kBytes>(out, in, 8 * num_blocks, [&](uint8_t* to, const uint8_t* from) VSH_LAMBDA_INLINE {
      W bytes[8];
      load(bytes, from);
      W a0[4], a1[4];
      for (size_t i = 0; i < 4; ++i) a0[i] = bytes[i ^ flip], a1[i] = bytes[(i + 4) ^ flip];
      for (int i = 0; i < Use::kRounds; i += 2) {
        round(a1, a0, s.k[key_of_round<Use::kDecrypt>(i)], s.tables);
        round(a0, a1, s.k[key_of_round<Use::kDecrypt>(i + 1)], s.tables);
      }
      for (size_t i = 0; i < 4; ++i) bytes[(i + 4) ^ flip ^ swap] = a0[i], bytes[i ^ flip ^ swap] = a1[i];
      zip_levels<3>(bytes);
      for (size_t i = 0; i < 8; ++i) W::store(to + i * kBytes, bytes[i]);
    });
  }
};

}  // namespace
}  // namespace vsh::magma
