// Blocks to bit planes and back.
//
// A pass holds 8 * W::kBytes blocks of B bytes. Plane 8 * j + b is the word that collects bit b (0 = least significant)
// of byte j of every block. Two steps:
//   1. bytes: groups of words are transposed bytewise, after which a word holds byte j of many blocks;
//   2. bits: the eight words of byte j are transposed bitwise (8 x 8 bits), after which each holds one bit.
// The places of the bytes of one unit of a word (128 bits, or the whole of a shorter word) in memory and afterwards; r
// is the number of the word in its group:
//     B = 16, units of 128 bits   groups of 16   word r, byte j                ->  word j, byte r
//     B = 8,  units of 128 bits   groups of 8    word r, byte j of block p     ->  word j, byte 2 r + p
//     B = 8,  units of 64 bits    groups of 8    word r, byte j                ->  word j, byte r
//     B = 16, units of 64 bits    groups of 8    word 2 r + h, byte j          ->  word 8 h + j, byte r
// Which lane a block lands in follows from that and matters only to counters (lane_number below).
#pragma once

#include "core/bytes.hpp"
#include "simd/logic.hpp"
#include "simd/zip.hpp"

namespace vsh {
namespace {

template <class W, size_t B>
struct Planes {
  static constexpr size_t kLanes = 8 * W::kBytes;  // blocks a pass
  static constexpr size_t kPassBytes = kLanes * B;
  static constexpr size_t kUnit = W::kBytes < 16 ? W::kBytes : 16;
  static constexpr size_t kColumns = B < kUnit ? B : kUnit;  // words of a group
  static constexpr size_t kNumGroups = 8 * B / kColumns;
  static constexpr size_t kUnitsPerBlock = B / kColumns;
  static constexpr size_t kBlocksPerUnit = kUnit / kColumns;
  static_assert((B == 8 || B == 16) && (kUnit == 8 || kUnit == 16));

  // Group g = 8 h + e: eighth e of the blocks, and of each block its part h. Its words in memory, and its plane slots.
  VSH_INLINE_MEMBER static constexpr size_t memory_word(size_t g, size_t r) {
    return (g % 8 * kColumns + r) * kUnitsPerBlock + g / 8;
  }
  VSH_INLINE_MEMBER static constexpr size_t byte_of(size_t g, size_t c) { return g / 8 * kColumns + c; }
  VSH_INLINE_MEMBER static constexpr size_t eighth_of(size_t g) { return g % 8; }

  // Block number within the pass of lane (byte, bit) of a plane.
  static constexpr size_t lane_number(size_t byte, size_t bit) {
    const size_t unit = byte / kUnit, r = byte % kUnit / kBlocksPerUnit, p = byte % kBlocksPerUnit;
    return ((bit * kColumns + r) * (W::kBytes / kUnit) + unit) * kBlocksPerUnit + p;
  }

  VSH_INLINE_MEMBER static void bytes_to_columns(W (&r)[kColumns]) {
    if constexpr (requires { W::transpose_bytes(r); }) W::transpose_bytes(r);
    else zip_levels<4>(r);
  }
  // The index (word, byte) has 7 bits with 8 columns, 8 with 16.
  VSH_INLINE_MEMBER static void columns_to_bytes(W (&r)[kColumns]) {
    if constexpr (requires { W::transpose_bytes(r); }) W::transpose_bytes(r);
    else zip_levels<kColumns == 8 ? 3 : 4>(r);
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
      bytes_to_columns(r);
      for (size_t c = 0; c < kColumns; ++c) planes[(byte_of(g, c) ^ flip) * 8 + eighth_of(g)] = r[c];
    }
    for (size_t j = 0; j < B; ++j) {
      W q[8];
      for (size_t b = 0; b < 8; ++b) q[b] = planes[8 * j + b];
      exchange_bits(q);
      for (size_t b = 0; b < 8; ++b) planes[8 * j + b] = q[b];
    }
  }

  // The inverse; destroys the planes. With kAdd the blocks are XORed with those at `add` (which may equal out).
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
      for (size_t c = 0; c < kColumns; ++c) r[c] = planes[(byte_of(g, c) ^ flip) * 8 + eighth_of(g)];
      columns_to_bytes(r);
      for (size_t i = 0; i < kColumns; ++i) {
        const size_t at = memory_word(g, i) * W::kBytes;
        W::store(out + at, kAdd ? r[i] ^ W::load(add + at) : r[i]);
      }
    }
  }

  // A number in every lane, sliced, in memory: word k holds bit k of value(block number of the lane).
  template <size_t kBits>
  struct LaneTable {
    alignas(64) uint8_t plane[kBits][W::kBytes];
  };
  template <size_t kBits, class Value>
  static constexpr LaneTable<kBits> lane_table(Value value) {
    LaneTable<kBits> t{};
    for (size_t byte = 0; byte < W::kBytes; ++byte)
      for (size_t bit = 0; bit < 8; ++bit) {
        const uint64_t v = value(lane_number(byte, bit));
        for (size_t k = 0; k < kBits; ++k)
          t.plane[k][byte] = static_cast<uint8_t>(t.plane[k][byte] | (((v >> k) & 1) << bit));
      }
    return t;
  }

  static constexpr size_t kNumberBits = std::bit_width(kLanes - 1);
  // The first plane of a big-endian number's high half, which stands on the left.
  static constexpr size_t kHalf = 4 * B;

  // Planes of the big-endian numbers counter + lane number, modulo 2^(8 B), as load(…, flip = B - 1) would return for
  // the counters in memory. Or only planes kFirst to kEnd - 1, modulo 2^(kEnd - kFirst). A ripple-carry adder:
  // kNumberBits planes take a full adder, those above a half adder.
  template <size_t kFirst = 0, size_t kEnd = 8 * B>
  VSH_INLINE_MEMBER static void load_counters(W* planes, const uint8_t* counter) {
    static constexpr LaneTable<kNumberBits> kNumbers = lane_table<kNumberBits>([](size_t n) { return n; });
    W carry = W::zero();
    for (size_t i = 0; i < 8 * B; ++i) {
      const uint32_t mask = 0u - ((counter[B - 1 - i / 8] >> (i % 8)) & 1u);
      const W c = W::splat_mask(&mask);
      if (i < kFirst || i >= kEnd) {
        planes[i] = c;
      } else if (i - kFirst < kNumberBits) {
        planes[i] = full_add(c, W::load(kNumbers.plane[i - kFirst]), carry);
      } else {
        planes[i] = c ^ carry;
        carry = c & carry;
      }
    }
  }
};

// Runs `pass(out, in)` over whole passes of kPassBytes bytes in order, the last one padded in a separate buffer.
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
