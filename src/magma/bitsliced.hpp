// Magma and GOST 28147-89 over bit planes, written once for every word type. GOST R 34.12-2015 clause 5 (RFC 8891).
//
//     planes 0..31  a_0, the half that enters g (N_1)      planes 32..63  a_1 (N_2)
//
// A round adds the key with a ripple carry, applies the S-box to each group of four sum planes as soon as they exist,
// and XORs the results into the other half 11 planes further on: the rotation is a choice of index, the halves' swap a
// choice of pointer. GOST 28147-89 reads its blocks from the other end, which is a choice of byte order on loading.
//
// A key is 256 masks, each broadcasting a bit of K_1 .. K_8 to all lanes; or, for streams, 256 planes sliced like
// blocks, so that every lane has its own key.
#pragma once

#include <utility>

#include "circuits/circuits.hpp"
#include "core/kernel.hpp"
#include "magma/cnt_counters.hpp"
#include "magma/rounds.hpp"
#include "simd/logic.hpp"
#include "simd/planes.hpp"

namespace vsh::magma {
namespace {

// Truth tables of a user's own S-boxes as masks: for each box, output bit and pair of inputs that differ in bit 0, the
// value at the even input and its difference to the odd one.
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

// Applies any S-boxes: each output bit is a tree of selections by the four input bits over the masks.
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

// Parameters that are not key: S-boxes and byte order.
struct Parameters {
  SboxMasks boxes;
  bool little_endian;
  bool custom;
  tables::MagmaSbox set;

  void prepare(const RoundKeys& rk) {
    for (int box = 0; box < 8; ++box)
      for (int bit = 0; bit < 4; ++bit)
        for (int i = 0; i < 8; ++i) {
          const uint32_t even = 0u - ((rk.rows[box][2 * i] >> bit) & 1u);
          const uint32_t odd = 0u - ((rk.rows[box][2 * i + 1] >> bit) & 1u);
          boxes.base[box][bit][i] = even;
          boxes.difference[box][bit][i] = even ^ odd;
        }
    little_endian = rk.little_endian;
    custom = rk.custom;
    set = rk.set;
  }
};

template <class W, uint32_t kCyclesOfPass, uint32_t kCyclesOfPassCustom>
struct BitSliced {
  using V = W;
  using P = Planes<W, 8>;
  // The planes of the bits of one K_i.
  struct SharedKey {
    uint32_t mask[32];  // 0 or ~0
    VSH_INLINE_MEMBER W plane(int bit) const { return W::splat_mask(mask + bit); }
  };
  struct LaneKeys {
    W planes[32];
    VSH_INLINE_MEMBER W plane(int bit) const { return planes[bit]; }
  };
  template <class Key>
  struct ScheduleOf : Parameters {
    Key k[8];
  };
  using Schedule = ScheduleOf<SharedKey>;
  using LanesSchedule = ScheduleOf<LaneKeys>;

  static constexpr const char* kLayout = "masks";  // Schedule is the same for every W
  static constexpr uint32_t kLanes = P::kLanes;
  static constexpr uint32_t kPassCost = kCyclesOfPass;
  static constexpr uint32_t kPassCostCustom = kCyclesOfPassCustom;
  static constexpr bool kConstantTime = true;
  static constexpr size_t kBlockSize = 8;

  static void prepare(Schedule& s, const RoundKeys& rk) {
    s.Parameters::prepare(rk);
    for (int i = 0; i < 8; ++i)
      for (int b = 0; b < 32; ++b) s.k[i].mask[b] = 0u - ((rk.k[i] >> b) & 1u);
  }

  // Eight bytes of every key are transposed like a pass of blocks and yield the planes of two key words.
  static void prepare_lanes(LanesSchedule& s, const uint8_t* const* keys, const RoundKeys& rk) {
    s.Parameters::prepare(rk);
    for (size_t i = 0; i < 8; i += 2) {
      alignas(64) uint8_t words[P::kPassBytes] = {};
      W planes[64];
      for (size_t lane = 0; lane < kLanes; ++lane)
        if (keys[lane]) std::memcpy(words + 8 * lane, keys[lane] + 4 * i, 8);
      P::load(planes, words, s.little_endian ? 0 : 3);  // byte 0 of a plane group is the lowest of the first word
      std::memcpy(&s.k[i], planes, sizeof planes);
    }
  }

  // to ^= g[k](from).
  template <class Boxes, class Key>
  __attribute__((noinline)) static void round(W* __restrict to, const W* __restrict from, const Key& k,
                                              const SboxMasks& boxes) {
    W carry = W::zero();
    const auto box = [&]<int kBox>() VSH_LAMBDA_INLINE {
      W sum[4], y[4];
      for (int b = 0; b < 4; ++b) {
        const W a = from[4 * kBox + b], key = k.plane(4 * kBox + b);
        if (kBox == 0 && b == 0) {
          sum[b] = a ^ key;
          carry = a & key;
        } else {
          sum[b] = full_add(a, key, carry);
        }
      }
      Boxes::template substitute<kBox>(boxes, sum, y);
      for (int b = 0; b < 4; ++b) {
        const int rotated = (4 * kBox + b + 11) % 32;
        to[rotated] = to[rotated] ^ y[b];
      }
    };
    [&]<int... kBox>(std::integer_sequence<int, kBox...>) VSH_LAMBDA_INLINE { (box.template operator()<kBox>(), ...); }
    (std::make_integer_sequence<int, 8>{});
  }

  template <class Boxes, class Use, class Key>
  VSH_INLINE_MEMBER static void rounds(const ScheduleOf<Key>& s, W* planes) {
    for (int i = 0; i < Use::kRounds; i += 2) {
      round<Boxes>(planes + 32, planes, s.k[key_of_round<Use::kDecrypt>(i)], s.boxes);
      round<Boxes>(planes, planes + 32, s.k[key_of_round<Use::kDecrypt>(i + 1)], s.boxes);
    }
  }

  template <class Use, class Key>
  static void run_planes(const ScheduleOf<Key>& s, W* planes) {
    if (s.custom) return rounds<CustomBoxes, Use>(s, planes);
    using enum tables::MagmaSbox;
    switch (s.set) {
      case tc26_z: return rounds<NamedBoxes<tc26_z>, Use>(s, planes);
      case cryptopro_a: return rounds<NamedBoxes<cryptopro_a>, Use>(s, planes);
      case cryptopro_b: return rounds<NamedBoxes<cryptopro_b>, Use>(s, planes);
      case cryptopro_c: return rounds<NamedBoxes<cryptopro_c>, Use>(s, planes);
      case cryptopro_d: return rounds<NamedBoxes<cryptopro_d>, Use>(s, planes);
      case test_28147: return rounds<NamedBoxes<test_28147>, Use>(s, planes);
      case test_3411_94: return rounds<NamedBoxes<test_3411_94>, Use>(s, planes);
      case cryptopro_3411_94: return rounds<NamedBoxes<cryptopro_3411_94>, Use>(s, planes);
    }
  }

  static size_t flip(const Parameters& s) { return s.little_endian ? 0 : 7; }
  static constexpr size_t kSwapHalves = 4;

  template <class Use, class Key>
  VSH_INLINE_MEMBER static void run(const ScheduleOf<Key>& s, uint8_t* out, const uint8_t* in, size_t num_blocks) {
    alignas(64) W planes[64];
    for_passes<P::kPassBytes>(out, in, num_blocks * 8, [&](uint8_t* to, const uint8_t* from) {
      P::load(planes, from, flip(s));
      run_planes<Use>(s, planes);
      P::template store<false>(to, planes, flip(s) ^ (Use::kSwapsAtEnd ? 0 : kSwapHalves), nullptr);
    });
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

  // Counters are big-endian numbers, as Magma reads its blocks; GOST 28147-89 has no such mode, but the row's contract
  // covers either byte order.
  static void ctr(const Schedule& s, uint8_t* out, const uint8_t* in, size_t num_blocks, const uint8_t* counter) {
    add_gamma<0, 64>(s, out, in, num_blocks, counter,
                     [](uint8_t* next) { store_be64(next, load_be64(next) + P::kLanes); });
  }
  static void ctr_left(const Schedule& s, uint8_t* out, const uint8_t* in, size_t num_blocks, const uint8_t* counter) {
    add_gamma<P::kHalf, 64>(s, out, in, num_blocks, counter,
                            [](uint8_t* next) { store_be32(next, load_be32(next) + P::kLanes); });
  }
  static void ctr_right(const Schedule& s, uint8_t* out, const uint8_t* in, size_t num_blocks, const uint8_t* counter) {
    add_gamma<0, P::kHalf>(s, out, in, num_blocks, counter,
                           [](uint8_t* next) { store_be32(next + 4, load_be32(next + 4) + P::kLanes); });
  }

  // GOST 28147-89 only.
  static void cnt(const Schedule& s, uint8_t* out, const uint8_t* in, size_t num_blocks, const uint8_t* counter) {
    alignas(64) W planes[64];
    CntCounters n = CntCounters::load(counter);
    for_passes<P::kPassBytes>(out, in, num_blocks * 8, [&](uint8_t* to, const uint8_t* from) {
      load_cnt_counters(planes, n);
      n = n.after(kLanes);
      run_planes<Encryption>(s, planes);
      P::template store<true>(to, planes, flip(s) ^ kSwapHalves, from);
    });
  }

 private:
  template <size_t kFirst, size_t kEnd, class Advance>
  VSH_INLINE_MEMBER static void add_gamma(const Schedule& s, uint8_t* out, const uint8_t* in, size_t num_blocks,
                                          const uint8_t* counter, const Advance& advance) {
    alignas(64) W planes[64];
    uint8_t next[8];
    std::memcpy(next, counter, 8);
    for_passes<P::kPassBytes>(out, in, num_blocks * 8, [&](uint8_t* to, const uint8_t* from) {
      P::template load_counters<kFirst, kEnd>(planes, next);
      advance(next);
      if (s.little_endian) reverse_bytes(planes);
      run_planes<Encryption>(s, planes);
      P::template store<true>(to, planes, flip(s) ^ kSwapHalves, from);
    });
  }

  // Lane i: n after i + 1 steps. Two ripple-carry adders whose other summand is a constant of the lane; that of N4
  // feeds its last carry back into the lowest bit. (The constants are never 0 and [+]' is associative, see add_mod.)
  VSH_INLINE_MEMBER static void load_cnt_counters(W* planes, CntCounters n) {
    using Table = typename P::template LaneTable<32>;
    static constexpr Table kSteps3 = P::template lane_table<32>([](size_t i) { return CntCounters{}.after(i + 1).n3; });
    static constexpr Table kSteps4 = P::template lane_table<32>([](size_t i) { return CntCounters{}.after(i + 1).n4; });
    const auto add = [](W* sum, uint32_t x, const Table& steps) VSH_LAMBDA_INLINE {
      W carry = W::zero();
      for (int b = 0; b < 32; ++b) {
        const uint32_t mask = 0u - ((x >> b) & 1u);
        sum[b] = full_add(W::splat_mask(&mask), W::load(steps.plane[b]), carry);
      }
      return carry;
    };
    add(planes, n.n3, kSteps3);
    W carry = add(planes + 32, n.n4, kSteps4);
    for (int b = 32; b < 64; ++b) {
      const W sum = planes[b];
      planes[b] = sum ^ carry;
      carry = sum & carry;
    }
  }

  static void reverse_bytes(W* planes) {
    for (int j = 0; j < 4; ++j)
      for (int b = 0; b < 8; ++b) std::swap(planes[8 * j + b], planes[8 * (7 - j) + b]);
  }
};

}  // namespace
}  // namespace vsh::magma
