// Magma and GOST 28147-89 over bit planes, written once for every word type. GOST R 34.12-2015 clause 5 (RFC 8891).
//
//     planes 0..31  a_0, the half that enters g (N_1)      planes 32..63  a_1 (N_2)
//
// A round adds the key with a ripple carry, sends each group of four sum planes through its S-box as soon as they exist,
// and XORs the results into the other half 11 planes further on: the rotation is a choice of index, the halves' swap a
// choice of pointer. GOST 28147-89 reads its blocks from the other end, which is a choice of byte order on loading.
#pragma once

#include <utility>

#include "circuits/circuits.hpp"
#include "core/kernel.hpp"
#include "magma/rounds.hpp"
#include "simd/logic.hpp"
#include "simd/planes.hpp"

namespace vsh::magma {
namespace {

// Truth tables of a user's own S-boxes as masks: for box, output bit and pair of inputs that differ in bit 0, the value
// at the even input and its difference to the odd one.
struct SboxMasks {
  uint32_t base[8][4][8];
  uint32_t difference[8][4][8];
};

template <tables::MagmaSbox kSet>
struct NamedBoxes {
  template <int kBox, class W>
  VSH_INLINE_MEMBER static void substitute(const SboxMasks&, const W (&x)[4], W (&y)[4]) {
    circuits::magma_sbox<kSet, kBox>(x, y);
  }
};

// Any S-boxes: each output bit is a tree of selections by the four input bits over the masks.
struct CustomBoxes {
  template <int kBox, class W>
  VSH_INLINE_MEMBER static void substitute(const SboxMasks& m, const W (&x)[4], W (&y)[4]) {
    for (int bit = 0; bit < 4; ++bit) {
      W t[8];
      for (int i = 0; i < 8; ++i)
        t[i] = xor_and(W::splat_mask(&m.base[kBox][bit][i]), W::splat_mask(&m.difference[kBox][bit][i]), x[0]);
      for (int level = 1; level < 4; ++level)
        for (int i = 0; i < 8 >> level; ++i) t[i] = select(x[level], t[2 * i + 1], t[2 * i]);
      y[bit] = t[0];
    }
  }
};

template <class W, uint32_t kCyclesOfPass>
struct BitSliced {
  using P = Planes<W, 8>;

  struct Schedule {
    uint32_t mask[8][32];  // each bit of K_1..K_8 as 0 or ~0
    SboxMasks boxes;
    bool little_endian;
    bool custom;
    tables::MagmaSbox set;
  };
  static constexpr const char* kLayout = "masks";  // Schedule is the same for every W
  static constexpr uint32_t kLanes = P::kLanes;
  static constexpr uint32_t kPassCost = kCyclesOfPass;
  static constexpr bool kConstantTime = true;
  static constexpr size_t kBlockSize = 8;

  static void prepare(Schedule& s, const RoundKeys& rk) {
    for (int i = 0; i < 8; ++i)
      for (int b = 0; b < 32; ++b) s.mask[i][b] = 0u - ((rk.k[i] >> b) & 1u);
    for (int box = 0; box < 8; ++box)
      for (int bit = 0; bit < 4; ++bit)
        for (int i = 0; i < 8; ++i) {
          const uint32_t even = 0u - ((rk.rows[box][2 * i] >> bit) & 1u);
          const uint32_t odd = 0u - ((rk.rows[box][2 * i + 1] >> bit) & 1u);
          s.boxes.base[box][bit][i] = even;
          s.boxes.difference[box][bit][i] = even ^ odd;
        }
    s.little_endian = rk.little_endian;
    s.custom = rk.custom;
    s.set = rk.set;
  }

  // to ^= g[k](from).
  template <class Boxes>
  __attribute__((noinline)) static void round(W* __restrict to, const W* __restrict from, const uint32_t* k,
                                              const SboxMasks& boxes) {
    W carry = W::zero();
    const auto box = [&]<int kBox>() VSH_LAMBDA_INLINE {
      W sum[4], y[4];
      for (int b = 0; b < 4; ++b) {
        const W a = from[4 * kBox + b], key = W::splat_mask(k + 4 * kBox + b);
        if (kBox == 0 && b == 0) {
          sum[b] = a ^ key;
          carry = a & key;
        } else {
          sum[b] = xor3(a, key, carry);
          carry = majority(a, key, carry);
        }
      }
      Boxes::template substitute<kBox>(boxes, sum, y);
      for (int b = 0; b < 4; ++b) {
        const int rotated = (4 * kBox + b + 11) % 32;
        to[rotated] = to[rotated] ^ y[b];
      }
    };
    [&]<int... kBox>(std::integer_sequence<int, kBox...>) VSH_LAMBDA_INLINE {
      (box.template operator()<kBox>(), ...);
    }(std::make_integer_sequence<int, 8>{});
  }

  template <class Boxes, bool kDecrypt>
  VSH_INLINE_MEMBER static void rounds(const Schedule& s, W* planes) {
    for (int i = 0; i < kNumRounds; i += 2) {
      round<Boxes>(planes + 32, planes, s.mask[key_of_round<kDecrypt>(i)], s.boxes);
      round<Boxes>(planes, planes + 32, s.mask[key_of_round<kDecrypt>(i + 1)], s.boxes);
    }
  }

  // Leaves the halves swapped, because the last round of the standard does not swap: store() undoes it.
  template <bool kDecrypt>
  static void run_planes(const Schedule& s, W* planes) {
    if (s.custom) return rounds<CustomBoxes, kDecrypt>(s, planes);
    using enum tables::MagmaSbox;
    switch (s.set) {
      case tc26_z: return rounds<NamedBoxes<tc26_z>, kDecrypt>(s, planes);
      case cryptopro_a: return rounds<NamedBoxes<cryptopro_a>, kDecrypt>(s, planes);
      case cryptopro_b: return rounds<NamedBoxes<cryptopro_b>, kDecrypt>(s, planes);
      case cryptopro_c: return rounds<NamedBoxes<cryptopro_c>, kDecrypt>(s, planes);
      case cryptopro_d: return rounds<NamedBoxes<cryptopro_d>, kDecrypt>(s, planes);
      case test_28147: return rounds<NamedBoxes<test_28147>, kDecrypt>(s, planes);
      case test_3411_94: return rounds<NamedBoxes<test_3411_94>, kDecrypt>(s, planes);
      case cryptopro_3411_94: return rounds<NamedBoxes<cryptopro_3411_94>, kDecrypt>(s, planes);
    }
  }

  static size_t flip(const Schedule& s) { return s.little_endian ? 0 : 7; }
  static constexpr size_t kSwapHalves = 4;

  template <bool kDecrypt>
  VSH_INLINE_MEMBER static void run(const Schedule& s, uint8_t* out, const uint8_t* in, size_t num_blocks) {
    alignas(64) W planes[64];
    for_passes<P::kPassBytes>(out, in, num_blocks * 8, [&](uint8_t* to, const uint8_t* from) {
      P::load(planes, from, flip(s));
      run_planes<kDecrypt>(s, planes);
      P::template store<false>(to, planes, flip(s) ^ kSwapHalves, nullptr);
    });
  }

  static void encrypt(const Schedule& s, uint8_t* out, const uint8_t* in, size_t n) { run<false>(s, out, in, n); }
  static void decrypt(const Schedule& s, uint8_t* out, const uint8_t* in, size_t n) { run<true>(s, out, in, n); }

  // Counters are big-endian numbers, as Magma reads its blocks; GOST 28147-89 has no such mode, but the row is asked to
  // do what its contract says whatever the byte order.
  static void ctr(const Schedule& s, uint8_t* out, const uint8_t* in, size_t num_blocks, const uint8_t* counter) {
    alignas(64) W planes[64];
    uint8_t next[8];
    std::memcpy(next, counter, 8);
    for_passes<P::kPassBytes>(out, in, num_blocks * 8, [&](uint8_t* to, const uint8_t* from) {
      P::load_counters(planes, next);
      store_be64(next, load_be64(next) + P::kLanes);
      if (s.little_endian) reverse_bytes(planes);
      run_planes<false>(s, planes);
      P::template store<true>(to, planes, flip(s) ^ kSwapHalves, from);
    });
  }

 private:
  static void reverse_bytes(W* planes) {
    for (int j = 0; j < 4; ++j)
      for (int b = 0; b < 8; ++b) std::swap(planes[8 * j + b], planes[8 * (7 - j) + b]);
  }
};

}  // namespace
}  // namespace vsh::magma
