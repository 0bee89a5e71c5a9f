// Blocks to bit planes and back.
//
// A pass holds 8 * W::kBytes blocks of B bytes. Plane 8 * j + b is the word that collects bit b (0 = least significant)
// of byte j of every block. Two steps, both their own inverse:
//   1. columns: groups of W::kColumns words are transposed bytewise, after which a word holds byte j of many blocks;
//   2. bits: the eight words of byte j are transposed bitwise (8 x 8 bits), after which each holds one bit.
// Which lane a block lands in follows from the layout and matters only to counters (lane_number below).
#pragma once

#include "core/bytes.hpp"

namespace vsh {
namespace {

template <class W, size_t B>
struct Planes {
  static constexpr size_t kLanes = 8 * W::kBytes;  // blocks a pass
  static constexpr size_t kPassBytes = kLanes * B;
  static constexpr size_t kColumns = W::kColumns;
  static constexpr size_t kNumGroups = 8 * B / kColumns;
  static_assert(kColumns == B || kColumns == 2 * B || 2 * kColumns == B);

  // Memory word `r` of column group `g`, and the plane slot (byte, eighth) that its transposed column `c` belongs to.
  VSH_INLINE_MEMBER static constexpr size_t memory_word(size_t g, size_t r) {
    if constexpr (2 * kColumns == B)  // a block is two words; groups 0-7 hold its first half, 8-15 the second
      return ((g % 8) * kColumns + r) * 2 + g / 8;
    else
      return g * kColumns + r;
  }
  VSH_INLINE_MEMBER static constexpr size_t byte_of(size_t g, size_t c) {
    if constexpr (kColumns == B) return c;
    if constexpr (kColumns == 2 * B) return c % B;
    return g / 8 * kColumns + c;
  }
  VSH_INLINE_MEMBER static constexpr size_t eighth_of(size_t g, size_t c) {
    if constexpr (kColumns == B) return g;
    if constexpr (kColumns == 2 * B) return c / B * 4 + g;  // a column is one of two neighbouring blocks
    return g % 8;
  }

  // Block number within the pass of lane (byte, bit) of a plane.
  static constexpr size_t lane_number(size_t byte, size_t bit) {
    const size_t lane128 = byte / kColumns, r = byte % kColumns;
    if constexpr (kColumns == B) return (bit * kColumns + r) * (W::kBytes / B) + lane128;
    if constexpr (kColumns == 2 * B)
      return ((bit % 4 * kColumns + r) * (W::kBytes / kColumns) + lane128) * 2 + bit / 4;
    return bit * kColumns + r;
  }

  VSH_INLINE_MEMBER static void exchange_bits(W (&q)[8]) {
    for (int i = 0; i < 8; i += 2) W::template exchange<1>(q[i], q[i + 1]);
    for (int i = 0; i < 8; ++i)
      if (!(i & 2)) W::template exchange<2>(q[i], q[i + 2]);
    for (int i = 0; i < 4; ++i) W::template exchange<4>(q[i], q[i + 4]);
  }

  // flip: 0, or B - 1 to number the bytes of a block from its end (big-endian ciphers).
  VSH_INLINE_MEMBER static void load(W* planes, const uint8_t* in, size_t flip) {
    for (size_t g = 0; g < kNumGroups; ++g) {
      W r[kColumns];
      for (size_t i = 0; i < kColumns; ++i) r[i] = W::load(in + memory_word(g, i) * W::kBytes);
      W::transpose_columns(r);
      for (size_t c = 0; c < kColumns; ++c) planes[(byte_of(g, c) ^ flip) * 8 + eighth_of(g, c)] = r[c];
    }
    for (size_t j = 0; j < B; ++j) {
      W q[8];
      for (size_t b = 0; b < 8; ++b) q[b] = planes[8 * j + b];
      exchange_bits(q);
      for (size_t b = 0; b < 8; ++b) planes[8 * j + b] = q[b];
    }
  }

  // The inverse; destroys the planes. With `add` the blocks are XORed to those at `add` (which may equal out).
  template <bool kAdd>
  VSH_INLINE_MEMBER static void store(uint8_t* out, W* planes, size_t flip, const uint8_t* add) {
    for (size_t j = 0; j < B; ++j) {
      W q[8];
      for (size_t b = 0; b < 8; ++b) q[b] = planes[8 * j + b];
      exchange_bits(q);
      for (size_t b = 0; b < 8; ++b) planes[8 * j + b] = q[b];
    }
    for (size_t g = 0; g < kNumGroups; ++g) {
      W r[kColumns];
      for (size_t c = 0; c < kColumns; ++c) r[c] = planes[(byte_of(g, c) ^ flip) * 8 + eighth_of(g, c)];
      W::transpose_columns(r);
      for (size_t i = 0; i < kColumns; ++i) {
        const size_t at = memory_word(g, i) * W::kBytes;
        W::store(out + at, kAdd ? r[i] ^ W::load(add + at) : r[i]);
      }
    }
  }

  // Planes of the lane numbers: bit k of lane_number as a word, in memory.
  static constexpr size_t kNumberBits = [] {
    size_t k = 0;
    while ((size_t{1} << k) < kLanes) ++k;
    return k;
  }();
  struct Numbers {
    alignas(64) uint8_t plane[kNumberBits][W::kBytes];
  };
  static constexpr Numbers make_numbers() {
    Numbers n{};
    for (size_t k = 0; k < kNumberBits; ++k)
      for (size_t byte = 0; byte < W::kBytes; ++byte)
        for (size_t bit = 0; bit < 8; ++bit)
          n.plane[k][byte] = static_cast<uint8_t>(n.plane[k][byte] | (((lane_number(byte, bit) >> k) & 1) << bit));
    return n;
  }

  // Planes of the big-endian numbers counter + lane number, modulo 2^(8 B), as load(…, flip = B - 1) would give for
  // counters written down. A ripple-carry adder: the low kNumberBits take a full adder, the rest a half adder.
  VSH_INLINE_MEMBER static void load_counters(W* planes, const uint8_t* counter) {
    static constexpr Numbers kNumbers = make_numbers();
    W carry = W::zero();
    for (size_t i = 0; i < 8 * B; ++i) {
      const uint32_t mask = 0u - ((counter[B - 1 - i / 8] >> (i % 8)) & 1u);
      const W c = W::splat_mask(&mask);
      if (i < kNumberBits) {
        const W n = W::load(kNumbers.plane[i]);
        planes[i] = c ^ n ^ carry;
        carry = (c & n) | (carry & (c ^ n));
      } else {
        planes[i] = c ^ carry;
        carry = c & carry;
      }
    }
  }
};

// Runs `pass(out, in)` over whole passes of kPassBytes bytes in order, the last one padded in a buffer of its own.
template <size_t kPassBytes, class Pass>
VSH_INLINE void for_passes(uint8_t* out, const uint8_t* in, size_t len, Pass&& pass) {
  for (; len >= kPassBytes; len -= kPassBytes, out += kPassBytes, in += kPassBytes) pass(out, in);
  if (len == 0) return;
  alignas(64) uint8_t padded[kPassBytes];
  std::memcpy(padded, in, len);
  std::memset(padded + len, 0, kPassBytes - len);
  pass(padded, padded);
  std::memcpy(out, padded, len);
}

}  // namespace
}  // namespace vsh
