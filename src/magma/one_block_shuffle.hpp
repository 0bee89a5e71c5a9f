// The rounds of Magma and GOST 28147-89 by byte shuffles, for serial modes, one block at a time; any S-boxes, as data
// in registers: constant time.
//
// A half a is kept in a 32-bit word as a' = a >>> 11, so that the outputs of the S-boxes need no rotation:
//     x    = (a' <<< 11) + K
//     b'  ^= of each byte i: low_i[x & 15] ^ high_i[x >> 4 & 15]
// A look-up applies one table to all bytes. Where bytes are picked from four registers cheaply (V::kPicks), the right
// ones are picked afterwards. Elsewhere the nibbles of the other three bytes are masked to index 0, where each table
// then holds 0; zero = pi_7(0) || ... || pi_0(0) compensates for that. The four words of a vector are four blocks at
// the cost of one. Bound by the chain of a round: rotation 2, sum, shift, mask, shuffle, two picks and an XOR or three
// XORs, and by eight shuffles on two ports (one before Ice Lake).
#pragma once

#include <bit>

#include "core/kernel.hpp"
#include "magma/one_block.hpp"

namespace vsh::magma {
namespace {

template <class V, uint32_t kCyclesOfPass, uint32_t kBlocksOfPass = 1>
struct OneBlockShuffle {
  struct Schedule {
    uint8_t low[4][16], high[4][16];
    uint32_t k[8][4];  // each key word for the four blocks of a vector
    uint32_t zero;
    bool little_endian;
  };
  static constexpr uint32_t kLanes = kBlocksOfPass;
  static constexpr uint32_t kPassCost = kCyclesOfPass;
  static constexpr bool kConstantTime = true;
  static constexpr size_t kBlockSize = 8;

  static void prepare(Schedule& s, const RoundKeys& rk) {
    s.zero = 0;
    for (int i = 0; i < 4; ++i) {
      const uint8_t *pi = rk.rows[2 * i], *next = rk.rows[2 * i + 1];
      const uint8_t at_0 = V::kPicks ? 0 : pi[0], next_at_0 = V::kPicks ? 0 : next[0];
      for (int v = 0; v < 16; ++v) {
        s.low[i][v] = pi[v] ^ at_0;
        s.high[i][v] = static_cast<uint8_t>((next[v] ^ next_at_0) << 4);
      }
      s.zero |= static_cast<uint32_t>(at_0 | next_at_0 << 4) << (8 * i);
    }
    for (int i = 0; i < 8; ++i)
      for (uint32_t& word : s.k[i]) word = rk.k[i];
    s.little_endian = rk.little_endian;
  }

  static void encrypt(const Schedule& s, uint8_t* out, const uint8_t* in, size_t n) { run<Encryption>(s, out, in, n); }
  static void decrypt(const Schedule& s, uint8_t* out, const uint8_t* in, size_t n) { run<Decryption>(s, out, in, n); }

  static void imit(const Schedule& s, uint8_t* state, const uint8_t* in, size_t num_blocks) {
    const Rounds rounds(s);
    Halves x = Halves::load(state, s.little_endian);
    for (; num_blocks; --num_blocks, in += 8) {
      const Halves block = Halves::load(in, s.little_endian);
      x = {x.a0 ^ block.a0, x.a1 ^ block.a1};
      rounds.template one<ImitStep>(x);
    }
    x.store(state, s.little_endian);
  }

  static void encrypt_four(const Schedule& s, uint8_t* out, const uint8_t* in, const uint32_t (*words)[4]) {
    Rounds rounds(s);
    rounds.k = words;
    Halves x[4];
    for (int i = 0; i < 4; ++i) x[i] = Halves::load(in + 8 * i, s.little_endian);
    rounds.template four<Encryption>(x);
    for (int i = 0; i < 4; ++i) x[i].store(out + 8 * i, s.little_endian);
  }

 protected:
  struct Rounds {
    V low[4], high[4];
    V mask[V::kPicks ? 1 : 4];  // of the nibbles of all bytes, or of each
    V zero;
    const uint32_t (*k)[4];

    VSH_INLINE_MEMBER explicit Rounds(const Schedule& s) : zero(V::splat(s.zero)), k(s.k) {
      for (int i = 0; i < 4; ++i) {
        low[i] = V::load_bytes(s.low[i]);
        high[i] = V::load_bytes(s.high[i]);
        if constexpr (!V::kPicks) mask[i] = V::splat(0xFu << (8 * i));
      }
      if constexpr (V::kPicks) mask[0] = V::splat(0x0F0F0F0F);
    }

    VSH_INLINE_MEMBER V round(V to, V from, const uint32_t* key) const {
      const V x = V::rotate_left_11_and_add(from, V::load(key)), h = V::shift_right_4(x);
      if constexpr (V::kPicks) {
        V early = to ^ substitute(low, x & mask[0]);
        V::keep(early);  // else GCC adds what comes last first
        return early ^ substitute(high, h & mask[0]);
      } else {
        V l[4], u[4];
        for (int i = 0; i < 4; ++i) l[i] = V::look_up(low[i], x & mask[i]);
        for (int i = 0; i < 4; ++i) u[i] = V::look_up(high[i], h & mask[i]);
        const V early = V::xor3(V::xor3(to, zero, l[0]), V::xor3(l[1], l[2], l[3]), u[0]);
        return early ^ V::xor3(u[1], u[2], u[3]);
      }
    }

    VSH_INLINE_MEMBER static V substitute(const V (&table)[4], V nibbles) {
      return V::pick_bytes(V::look_up(table[0], nibbles), V::look_up(table[1], nibbles), V::look_up(table[2], nibbles),
                           V::look_up(table[3], nibbles));
    }

    template <class Use>
    VSH_INLINE_MEMBER void run(V& a0, V& a1) const {
      for (int i = 0; i < Use::kRounds; i += 2) {
        a1 = round(a1, a0, k[key_of_round<Use::kDecrypt>(i)]);
        a0 = round(a0, a1, k[key_of_round<Use::kDecrypt>(i + 1)]);
      }
    }
    template <class Use>
    VSH_INLINE_MEMBER static Halves halves(uint32_t a0, uint32_t a1) {
      const Halves x = {std::rotl(a0, 11), std::rotl(a1, 11)};
      return Use::kSwapsAtEnd ? x : Halves{x.a1, x.a0};
    }

    template <class Use>
    VSH_INLINE_MEMBER void one(Halves& x) const {
      V a0 = V::splat(std::rotr(x.a0, 11)), a1 = V::splat(std::rotr(x.a1, 11));
      run<Use>(a0, a1);
      x = halves<Use>(V::first(a0), V::first(a1));
    }
    template <class Use>
    VSH_INLINE_MEMBER void four(Halves (&x)[4]) const {
      uint32_t w0[4], w1[4];
      for (int i = 0; i < 4; ++i) w0[i] = std::rotr(x[i].a0, 11), w1[i] = std::rotr(x[i].a1, 11);
      V a0 = V::load(w0), a1 = V::load(w1);
      run<Use>(a0, a1);
      V::store(w0, a0);
      V::store(w1, a1);
      for (int i = 0; i < 4; ++i) x[i] = halves<Use>(w0[i], w1[i]);
    }
  };

  template <class Use>
  VSH_INLINE_MEMBER static void run(const Schedule& s, uint8_t* out, const uint8_t* in, size_t num_blocks) {
    const Rounds rounds(s);
    while (num_blocks > 1) {
      const size_t n = num_blocks < 4 ? num_blocks : 4;
      Halves x[4] = {};
      for (size_t i = 0; i < n; ++i) x[i] = Halves::load(in + 8 * i, s.little_endian);
      rounds.template four<Use>(x);
      for (size_t i = 0; i < n; ++i) x[i].store(out + 8 * i, s.little_endian);
      num_blocks -= n, in += 8 * n, out += 8 * n;
    }
    if (num_blocks == 0) return;
    Halves x = Halves::load(in, s.little_endian);
    rounds.template one<Use>(x);
    x.store(out, s.little_endian);
  }
};

// Four blocks, under one key or a key each.
template <class V, uint32_t kCyclesOfPass>
struct FourBlocksShuffle : OneBlockShuffle<V, kCyclesOfPass, 4> {
  using Base = OneBlockShuffle<V, kCyclesOfPass, 4>;
  using LanesSchedule = typename Base::Schedule;

  static void prepare_lanes(LanesSchedule& s, const uint8_t* const* keys, const RoundKeys& parameters) {
    Base::prepare(s, parameters);
    for (int lane = 0; lane < 4; ++lane)
      for (int i = 0; i < 8; ++i) {
        const uint8_t* const word = keys[lane] ? keys[lane] + 4 * i : nullptr;
        s.k[i][lane] = !word ? 0 : s.little_endian ? load_le32(word) : load_be32(word);
      }
  }
  static void encrypt_lanes(const LanesSchedule& s, uint8_t* out, const uint8_t* in, size_t num_rows) {
    Base::template run<Encryption>(s, out, in, 4 * num_rows);
  }
  static void decrypt_lanes(const LanesSchedule& s, uint8_t* out, const uint8_t* in, size_t num_rows) {
    Base::template run<Decryption>(s, out, in, 4 * num_rows);
  }
  static void imit_lanes(const LanesSchedule& s, uint8_t* out, const uint8_t* in, size_t num_rows) {
    Base::template run<ImitStep>(s, out, in, 4 * num_rows);
  }
};

}  // namespace
}  // namespace vsh::magma
