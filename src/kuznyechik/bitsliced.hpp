// Kuznyechik over bit planes, written once for every word type. GOST R 34.12-2015 clause 4 (RFC 7801).
//
// L without moving a byte: R(a) = l(a) || a_15 || ... || a_1 is a shift register, so number the bytes that ever stand in
// it: s_0 .. s_15 is the state (s_i = a_i), and each step appends
//     s_(n+16) = l(s_(n+15), ..., s_n).
// After 16 steps the state is s_16 .. s_31. The coefficients of l read the same from both ends, and that of s_n is 1, so
//     s_n = l'(s_(n+16), s_(n+1), ..., s_(n+15))
// with the same circuit: decryption walks down where encryption walks up, at the same cost.
//
//     window   |   s_0 ........ s_15   |   s_16 ....... s_31   |     8 planes a byte
//     encrypt        S of the upper half goes to the lower half; 16 steps fill the upper half
//     decrypt        16 steps fill the lower half; inverse S of it goes to the upper half
#pragma once

#include "circuits/circuits.hpp"
#include "core/kernel.hpp"
#include "kuznyechik/round_keys.hpp"
#include "simd/planes.hpp"

namespace vsh::kuznyechik {
namespace {

template <class W, uint32_t kCyclesOfPass>
struct BitSliced {
  using P = Planes<W, 16>;
  static constexpr size_t kFlip = 15;  // byte 0 in memory is a_15

  // Each bit of the round keys as a 32-bit mask: key plane 8 i + b of round r is all ones or all zeros.
  struct Schedule {
    uint32_t mask[kRounds][128];
  };
  static constexpr const char* kLayout = "masks";  // Schedule is the same for every W
  static constexpr uint32_t kLanes = P::kLanes;
  static constexpr uint32_t kPassCost = kCyclesOfPass;
  static constexpr bool kConstantTime = true;
  static constexpr size_t kBlockSize = 16;

  static void prepare(Schedule& s, const RoundKeys& rk) {
    for (int r = 0; r < kRounds; ++r)
      for (int i = 0; i < 128; ++i) s.mask[r][i] = 0u - ((rk.k[r][15 - i / 8] >> (i % 8)) & 1u);
  }

  struct Window {
    W s[32][8];
    W* upper() { return s[16]; }
  };

  VSH_INLINE_MEMBER static void add_key(W (&to)[8], const W (&from)[8], const uint32_t* mask) {
    for (int b = 0; b < 8; ++b) to[b] = from[b] ^ W::splat_mask(mask + b);
  }

  static void encrypt_window(const Schedule& k, Window& w) {
    for (int r = 0; r < kRounds - 1; ++r) {
      for (int i = 0; i < 16; ++i) {
        W x[8];
        add_key(x, w.s[16 + i], k.mask[r] + 8 * i);
        circuits::kuznyechik_sbox(x);
        for (int b = 0; b < 8; ++b) w.s[i][b] = x[b];
      }
      for (int n = 0; n < 16; ++n) {
        const W(*s)[8] = w.s + n;
        W y[8];
        circuits::kuznyechik_lfsr(y, [s](int i, int b) VSH_LAMBDA_INLINE { return s[i][b]; });
        for (int b = 0; b < 8; ++b) w.s[n + 16][b] = y[b];
      }
    }
    for (int i = 0; i < 16; ++i) add_key(w.s[16 + i], w.s[16 + i], k.mask[kRounds - 1] + 8 * i);
  }

  static void decrypt_window(const Schedule& k, Window& w) {
    for (int i = 0; i < 16; ++i) add_key(w.s[16 + i], w.s[16 + i], k.mask[kRounds - 1] + 8 * i);
    for (int r = kRounds - 2; r >= 0; --r) {
      for (int n = 15; n >= 0; --n) {
        const W(*s)[8] = w.s + n;
        W y[8];
        circuits::kuznyechik_lfsr(y, [s](int i, int b) VSH_LAMBDA_INLINE { return s[i == 0 ? 16 : i][b]; });
        for (int b = 0; b < 8; ++b) w.s[n][b] = y[b];
      }
      for (int i = 0; i < 16; ++i) {
        W x[8];
        for (int b = 0; b < 8; ++b) x[b] = w.s[i][b];
        circuits::kuznyechik_sbox_inverse(x);
        add_key(w.s[16 + i], x, k.mask[r] + 8 * i);
      }
    }
  }

  static void encrypt(const Schedule& k, uint8_t* out, const uint8_t* in, size_t num_blocks) {
    Window w;
    for_passes<P::kPassBytes>(out, in, num_blocks * 16, [&](uint8_t* to, const uint8_t* from) {
      P::load(w.upper(), from, kFlip);
      encrypt_window(k, w);
      P::template store<false>(to, w.upper(), kFlip, nullptr);
    });
  }

  static void decrypt(const Schedule& k, uint8_t* out, const uint8_t* in, size_t num_blocks) {
    Window w;
    for_passes<P::kPassBytes>(out, in, num_blocks * 16, [&](uint8_t* to, const uint8_t* from) {
      P::load(w.upper(), from, kFlip);
      decrypt_window(k, w);
      P::template store<false>(to, w.upper(), kFlip, nullptr);
    });
  }

  static void ctr(const Schedule& k, uint8_t* out, const uint8_t* in, size_t num_blocks, const uint8_t* counter) {
    Window w;
    uint8_t next[16];
    std::memcpy(next, counter, 16);
    for_passes<P::kPassBytes>(out, in, num_blocks * 16, [&](uint8_t* to, const uint8_t* from) {
      P::load_counters(w.upper(), next);
      add_big_endian_128(next, P::kLanes);
      encrypt_window(k, w);
      P::template store<true>(to, w.upper(), kFlip, from);
    });
  }

 private:
  VSH_INLINE_MEMBER static void add_big_endian_128(uint8_t* block, uint64_t value) {
    const uint64_t low = load_be64(block + 8), sum = low + value;
    store_be64(block + 8, sum);
    store_be64(block, load_be64(block) + (sum < low));
  }
};

}  // namespace
}  // namespace vsh::kuznyechik
