// Streebog over W::kBytes messages at once, bit-sliced, written once for every word type.
//
// A word is eight groups of kBytes bits, a group has a bit of every message. Plane (i, b) holds bit b of byte i of all
// eight rows of the states, row g in group g: so 64 words are the states of kBytes messages, and eight runs of the
// S-box and one of l are an LPS of all of them. (With each of a word's 8 * kBytes bits a message, P would cost nothing,
// but 256 messages with AVX2 have 16 KiB of state and as much of key, and such batches are rare.)
//
//     plane (i, b), as input of l    byte i of row g      of 32 messages a group (AVX2)
//     transposed, as S leaves it     byte g of row i
//
// P transposes rows and bytes. S acts on single bytes, so states are kept transposed: a round is S, l, transposition.
// Messages and hashes need none.
//
// pi(x) = omega(s(alpha(x))) + pi(0), alpha and omega linear, s a circuit with s(0) = 0 that needs neither of them
// (tools/circuits, "streebog-s"). States are kept as alpha(state); l' = alpha l omega is one circuit ("streebog-l").
// The term l(pi(0), …, pi(0)) of every LPS cancels in data ^ key; for the key chain it is part of the constants C_i,
// and it is added to the message on loading.
#pragma once

#include "circuits/circuits.hpp"
#include "circuits/sbox_tables.hpp"
#include "core/kernel.hpp"
#include "core/unrolled.hpp"
#include "streebog/constants.hpp"

namespace vsh::streebog {
namespace {

// Bit k of the product is the parity of x & row[k].
struct ByteMatrix : circuits::StreebogAlpha {
  constexpr uint8_t operator()(uint8_t x) const {
    unsigned y = 0;
    for (unsigned k = 0; k < 8; ++k) y |= (static_cast<unsigned>(std::popcount(unsigned{x} & row[k])) & 1) << k;
    return static_cast<uint8_t>(y);
  }
  constexpr ByteMatrix inverse() const {
    ByteMatrix m{};
    for (unsigned x = 0; x < 256; ++x) {  // the x that goes to unit vector y is a column
      const uint8_t y = (*this)(static_cast<uint8_t>(x));
      if (std::popcount(y) != 1) continue;
      for (unsigned k = 0; k < 8; ++k) m.row[k] = static_cast<uint8_t>(m.row[k] | ((x >> k & 1) * y));
    }
    return m;
  }
};

// Groups: the word's eight groups; see simd/groups_*.hpp.
template <class W, class Groups>
struct Lanes {
  static constexpr uint32_t kLanes = W::kBytes;
  static constexpr uint32_t kPointersAWord = W::kBytes / 8;  // messages that a word of bytes, not yet sliced, has

  static constexpr ByteMatrix kAlpha = {circuits::streebog_alpha<W>()};
  static constexpr ByteMatrix kAlphaInverse = kAlpha.inverse();

  struct State {
    W plane[8][8];  // [row][bit], groups are bytes
  };
  // All arrays in one object: as separate variables some pairs lie a multiple of 4 KiB apart, loads wait for unrelated
  // stores, and GCC's code was 15 % slower (Zen 3).
  struct alignas(64) Scratch {
    State data, key;
    W y[64];
    W slot[circuits::kStreebogSlots];
  };

  // Row i of constant r, bit b of byte g as a byte of zeros or ones: constant[r][i][b][g]. Constant 0 goes to the
  // message, constant r = 1 … 12 to the key.
  struct Constants {
    uint8_t mask[kRounds + 1][8][8][8];
  };
  static constexpr Constants make_constants() {
    uint64_t offset = 0;
    for (int j = 0; j < 8; ++j) offset ^= l_of_byte(j, tables::kKuznyechikPi[0]);
    Constants c{};
    for (int r = 0; r <= kRounds; ++r)
      for (int i = 0; i < 8; ++i) {
        const uint64_t row = offset ^ (r == 0 ? 0 : iteration_constant_word(r - 1, i));
        for (int g = 0; g < 8; ++g) {
          const uint8_t byte = kAlpha(static_cast<uint8_t>(row >> (8 * g)));
          for (int b = 0; b < 8; ++b) c.mask[r][i][b][g] = static_cast<uint8_t>(0u - ((byte >> b) & 1u));
        }
      }
    return c;
  }
  static constexpr Constants kConstants = make_constants();

  template <const ByteMatrix& m>
  VSH_INLINE_MEMBER static void multiply(W (&x)[8]) {
    W y[8];
    unrolled<8>(VSH_UNROLLED(k) {
      constexpr unsigned row = m.row[k];
      constexpr int first = std::countr_zero(row);
      y[k] = x[first];
      unrolled<8>(VSH_UNROLLED(i) {
        if constexpr (i > first && (row >> i & 1)) y[k] = y[k] ^ x[i];
      });
    });
    for (int k = 0; k < 8; ++k) x[k] = y[k];
  }

  VSH_INLINE_MEMBER static void exchange_bits(W (&q)[8]) {
    unrolled<4>(VSH_UNROLLED(i) { W::template exchange<1>(q[2 * i], q[2 * i + 1]); });
    unrolled<4>(VSH_UNROLLED(i) { W::template exchange<2>(q[i + (i & 2)], q[i + (i & 2) + 2]); });
    unrolled<4>(VSH_UNROLLED(i) { W::template exchange<4>(q[i], q[i + 4]); });
  }

  // Slices what `word(message, at)` returns: W::kBytes or 64 bytes, whichever is less, from byte `at` of a message on.
  template <class Word>
  VSH_INLINE_MEMBER static void slice(State& s, Word word) {
    for (uint32_t e = 0; e < 8; ++e) {
      W row[8];
      Groups::load_rows(row, [&](uint32_t q, size_t at) VSH_LAMBDA_INLINE { return word(kPointersAWord * e + q, at); });
      for (int i = 0; i < 8; ++i) s.plane[i][e] = row[i];
    }
    for (int i = 0; i < 8; ++i) {
      exchange_bits(s.plane[i]);
      multiply<kAlpha>(s.plane[i]);
    }
  }
  // The inverse: passes the bytes of messages to `word(message, at, value)`.
  template <class Word>
  VSH_INLINE_MEMBER static void unslice(State& s, Word word) {
    for (int i = 0; i < 8; ++i) {
      multiply<kAlphaInverse>(s.plane[i]);
      exchange_bits(s.plane[i]);
    }
    for (uint32_t e = 0; e < 8; ++e) {
      W row[8];
      for (int i = 0; i < 8; ++i) row[i] = s.plane[i][e];
      Groups::store_rows(
          row, [&](uint32_t q, size_t at, W value) VSH_LAMBDA_INLINE { word(kPointersAWord * e + q, at, value); });
    }
  }

  // s = LPS(s ^ added), added(i, b) being the plane that is XORed to plane (i, b).
  template <class Added>
  VSH_INLINE_MEMBER static void lps(Scratch& w, State& s, Added added) {
    for (int i = 0; i < 8; ++i) {
      W x[8];
      for (int b = 0; b < 8; ++b) x[b] = s.plane[i][b] ^ added(i, b);
      circuits::streebog_s(x);
      for (int b = 0; b < 8; ++b) s.plane[i][b] = x[b];
    }
    lp(w, s);
  }
  // One copy for data and key: two would not fit in the cache of decoded instructions.
  __attribute__((noinline)) static void lp(Scratch& w, State& s) {
    W(&y)[64] = w.y;
    circuits::streebog_l(y, w.slot, [&](int i, int b) VSH_LAMBDA_INLINE { return circuits::in_memory(s.plane[i][b]); });
    for (int b = 0; b < 8; ++b) {
      W x[8];
      for (int i = 0; i < 8; ++i) x[i] = y[8 * i + b];
      Groups::transpose(x);
      for (int i = 0; i < 8; ++i) s.plane[i][b] = x[i];
    }
  }

  // h = g_n(h, m) (RFC 6986, section 8) in every lane.
  static void compress(uint8_t* const* h, const uint8_t* const* n, const uint8_t* const* m) {
    Scratch w;
    State &key = w.key, &data = w.data;
    slice(key, [&](uint32_t i, size_t at) VSH_LAMBDA_INLINE { return W::load(h[i] + at) ^ W::load(n[i] + at); });
    slice(data, [&](uint32_t i, size_t at) VSH_LAMBDA_INLINE { return W::load(m[i] + at); });
    for (int i = 0; i < 8; ++i)
      for (int b = 0; b < 8; ++b) data.plane[i][b] = data.plane[i][b] ^ Groups::spread(kConstants.mask[0][i][b]);
    lps(w, key, [](int, int) VSH_LAMBDA_INLINE { return W::zero(); });
    for (int r = 1; r <= kRounds; ++r) {
      lps(w, data, [&](int i, int b) VSH_LAMBDA_INLINE { return key.plane[i][b]; });
      lps(w, key, [&](int i, int b) VSH_LAMBDA_INLINE { return Groups::spread(kConstants.mask[r][i][b]); });
    }
    for (int i = 0; i < 8; ++i)
      for (int b = 0; b < 8; ++b) data.plane[i][b] = data.plane[i][b] ^ key.plane[i][b];
    unslice(data, [&](uint32_t i, size_t at, W value)
                      VSH_LAMBDA_INLINE { W::store(h[i] + at, W::load(h[i] + at) ^ W::load(m[i] + at) ^ value); });
  }
};

}  // namespace
}  // namespace vsh::streebog
