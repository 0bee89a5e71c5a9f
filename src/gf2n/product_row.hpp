// The table row of products over vectors with a carry-less multiplication, written once for every width.
//
// Blocks of 128 bits use Karatsuba's rule, with a = a_1 w^64 + a_0 and likewise b:
//     a b = a_1 b_1 w^128 + ((a_1 + a_0)(b_1 + b_0) + a_1 b_1 + a_0 b_0) w^64 + a_0 b_0
// Its three products are summed separately in each lane of a vector; the rule's other additions follow at the end.
//
// Word, a vector of kBytes / 16 lanes of 128 bits, each of halves 0 and 1:
//     in_order(a, order)     byte i of each lane becomes its byte order.byte[i]
//     multiply<i>(a, b)      the product of half i of a and half i of b, for each lane
//     swap_halves, ^, zero, store
//     shift_left<n>(a), shift_right<n>(a)    each half on its own
//     to_high(a)             half 0 to half 1, zero in half 0
//     add<n>(a, b)           sums of numbers of n bytes, 4 or 8
//     load(p), broadcast(p)  as in memory; the same 16 bytes in every lane
//     shift_left_by_lane(a), shift_right_by_64_less_lane(a)      by the number of the lane, if there are several
#pragma once

#include "core/bytes.hpp"
#include "core/kernel.hpp"
#include "core/wipe.hpp"

namespace vsh::gf2n {
namespace {

// Order of the 16 bytes in memory, so that coefficient i of a block of 64 or 128 bits is bit i of its half or lane.
struct ByteOrder {
  alignas(16) uint8_t byte[16];
};
constexpr ByteOrder kOrder32 = {{3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12}};
constexpr ByteOrder kOrder64 = {{7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8}};
constexpr ByteOrder kOrder128 = {{15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0}};

template <class Word>
struct Products {
  static_assert(Word::kBytes <= kMaxProductPass);
  static constexpr size_t kWords = Word::kBytes / 8;

  struct Lanes {
    alignas(64) uint64_t half[kWords];
    explicit Lanes(Word w) { Word::store(half, w); }
    // Returns the sum of half i of all lanes.
    uint64_t sum(size_t i) const {
      uint64_t x = 0;
      for (; i < kWords; i += 2) x ^= half[i];
      return x;
    }
  };

  // Loads numbers of so many bits, big-endian in memory.
  template <int kBits>
  VSH_INLINE_MEMBER static Word load(const uint8_t* p) {
    return in_order<kBits>(Word::load(p));
  }
  template <int kBits>
  VSH_INLINE_MEMBER static Word in_order(Word a) {
    return Word::in_order(a, kBits == 128 ? kOrder128 : kBits == 64 ? kOrder64 : kOrder32);
  }

  // Calls step(a, b) for whole words of both, the last one padded with zeros.
  template <class Step>
  VSH_INLINE_MEMBER static void for_words(const uint8_t* a, const uint8_t* b, size_t len, Step&& step) {
    for (; len >= Word::kBytes; len -= Word::kBytes, a += Word::kBytes, b += Word::kBytes) step(a, b);
    if (len == 0) return;
    uint8_t last_a[Word::kBytes] = {}, last_b[Word::kBytes] = {};
    std::memcpy(last_a, a, len);
    std::memcpy(last_b, b, len);
    step(last_a, last_b);
  }

  static void add_64(uint64_t* sum, const uint8_t* a, const uint8_t* b, size_t num) {
    Word even = Word::zero(), odd = Word::zero();
    for_words(a, b, 8 * num, [&](const uint8_t* p, const uint8_t* q) VSH_LAMBDA_INLINE {
      const Word x = load<64>(p), y = load<64>(q);
      even = even ^ Word::template multiply<0>(x, y);
      odd = odd ^ Word::template multiply<1>(x, y);
    });
    const Lanes total(even ^ odd);
    for (size_t i = 0; i < 2; ++i) sum[i] ^= total.sum(i);
  }

  static void add_128(uint64_t* sum, const uint8_t* a, const uint8_t* b, size_t num) {
    Word low = Word::zero(), middle = Word::zero(), high = Word::zero();
    for_words(a, b, 16 * num, [&](const uint8_t* p, const uint8_t* q) VSH_LAMBDA_INLINE {
      const Word x = load<128>(p), y = load<128>(q);
      low = low ^ Word::template multiply<0>(x, y);
      high = high ^ Word::template multiply<1>(x, y);
      middle = middle ^ Word::template multiply<0>(x ^ Word::swap_halves(x), y ^ Word::swap_halves(y));
    });
    const Lanes l(low), m(middle ^ low ^ high), h(high);
    sum[0] ^= l.sum(0);
    sum[1] ^= l.sum(1) ^ m.sum(0);
    sum[2] ^= m.sum(1) ^ h.sum(0);
    sum[3] ^= h.sum(1);
  }

  // A number below 256 for the counting half of each block of n bytes.
  struct Numbers {
    alignas(64) uint8_t byte[Word::kBytes];
  };
  template <size_t n, size_t kCounting, class NumberOf>
  static constexpr Numbers numbers(NumberOf number_of) {
    Numbers x{};
    for (size_t i = 0; i < Word::kBytes / n; ++i)
      x.byte[i * n + kCounting * n / 2] = static_cast<uint8_t>(number_of(i));
    return x;
  }

  template <size_t n, size_t kCounting>
  VSH_INLINE_MEMBER static void write_counters(uint8_t* blocks, size_t num, const uint8_t* counter) {
    constexpr size_t kNum = Word::kBytes / n;
    static constexpr Numbers kFirst = numbers<n, kCounting>([](size_t i) { return i; });
    static constexpr Numbers kStep = numbers<n, kCounting>([](size_t) { return kNum; });
    alignas(64) uint8_t bytes[Word::kBytes];
    for (size_t i = 0; i < 16; i += n) std::memcpy(bytes + i, counter, n);
    const Word step = Word::load(kStep.byte);
    Word next = Word::template add<n / 2>(in_order<4 * n>(Word::broadcast(bytes)), Word::load(kFirst.byte));
    for (; num >= kNum; num -= kNum, blocks += Word::kBytes) {
      Word::store(blocks, in_order<4 * n>(next));
      next = Word::template add<n / 2>(next, step);
    }
    Word::store(bytes, in_order<4 * n>(next));
    for (size_t i = 0; i < num; ++i) std::memcpy(blocks + i * n, bytes + i * n, n);
    wipe(bytes, sizeof bytes);
  }
  template <size_t kCounting>
  static void write_counters(uint8_t* blocks, size_t n, size_t num, const uint8_t* counter) {
    n == 16 ? write_counters<16, kCounting>(blocks, num, counter) : write_counters<8, kCounting>(blocks, num, counter);
  }

  // Multiplies each lane by x^n, n <= 32: what leaves half 0 enters half 1, what leaves half 1 comes back as its
  // product by x^7 + x^2 + x + 1.
  template <int n>
  VSH_INLINE_MEMBER static Word times_power_of_x(Word t, Word reduction) {
    const Word over = Word::template shift_right<64 - n>(t);
    return Word::template shift_left<n>(t) ^ Word::to_high(over) ^ Word::template multiply<1>(over, reduction);
  }

  static void add_tweaks(uint8_t* t, uint8_t* out, const uint8_t* in, size_t num) {
    constexpr size_t kLanes = Word::kBytes / 16;
    alignas(16) static constexpr uint8_t kReduction[16] = {0, 0, 0, 0, 0, 0, 0, 0, 0x87};
    const Word reduction = Word::broadcast(kReduction);
    // Lane i of the first word is t x^i. Four words at a time, because a step takes some ten cycles.
    Word a = Word::broadcast(t);
    if constexpr (kLanes > 1) {
      const Word over = Word::shift_right_by_64_less_lane(a);
      a = Word::shift_left_by_lane(a) ^ Word::to_high(over) ^ Word::template multiply<1>(over, reduction);
    }
    Word b = times_power_of_x<kLanes>(a, reduction);
    Word c = times_power_of_x<2 * kLanes>(a, reduction);
    Word d = times_power_of_x<3 * kLanes>(a, reduction);
    const auto step = [&](Word& w, size_t i) VSH_LAMBDA_INLINE {
      Word::store(out + i * Word::kBytes, Word::load(in + i * Word::kBytes) ^ w);
      w = times_power_of_x<4 * kLanes>(w, reduction);
    };
    for (; num >= 4 * kLanes; num -= 4 * kLanes) {
      step(a, 0), step(b, 1), step(c, 2), step(d, 3);
      out += 4 * Word::kBytes, in += 4 * Word::kBytes;
    }
    alignas(64) uint8_t next[4 * Word::kBytes];
    Word::store(next, a);
    Word::store(next + Word::kBytes, b);
    Word::store(next + 2 * Word::kBytes, c);
    Word::store(next + 3 * Word::kBytes, d);
    for (size_t i = 0; i < 16 * num; i += 8) store_le64(out + i, load_le64(in + i) ^ load_le64(next + i));
    std::memcpy(t, next + 16 * num, 16);
    wipe(next, sizeof next);
  }
};

// cycles: measured core cycles for a word of blocks of 128 bits.
template <class Word>
constexpr ProductKernel product_row(const char* variant, cpu::Isa isa, uint32_t cycles) {
  return {{"gf2n", variant, isa, Word::kBytes / 16, cycles, true},
          Products<Word>::add_64,
          Products<Word>::add_128,
          Products<Word>::template write_counters<0>,
          Products<Word>::template write_counters<1>,
          Products<Word>::add_tweaks};
}

}  // namespace
}  // namespace vsh::gf2n
