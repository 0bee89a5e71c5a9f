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
//     load(p), broadcast<n>(p)               as in memory; the same n bytes, 8 or 16, everywhere
//     of_halves(a_0, a_1)                    lane 0, the others zero
//     sum_of_lanes(sum, a)                   two halves
//     load_part(p, len), store_part(p, a, len), first(a, len)
//                            the first len bytes, others zero or not written; if it has its own
//     shift_left_by_lane(a), shift_right_by_64_less_lane(a)      by the number of the lane, if there are several
#pragma once

#include "core/bytes.hpp"
#include "core/kernel.hpp"
#include "core/wipe.hpp"
#include "gf2n/reduce.hpp"

namespace vsh::gf2n {
namespace {

// Order of the 16 bytes in memory, so that coefficient i of a block of 64 or 128 bits is bit i of its half or lane.
struct ByteOrder {
  alignas(16) uint8_t byte[16];
};
constexpr ByteOrder kOrder32 = {{3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12}};
constexpr ByteOrder kOrder64 = {{7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8}};
constexpr ByteOrder kOrder128 = {{15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0}};

// Parts of words without masks: through memory.
template <class Word>
struct Parts {
  VSH_INLINE_MEMBER static Word load_part(const uint8_t* p, size_t len) {
    uint8_t part[Word::kBytes] = {};
    std::memcpy(part, p, len);
    return Word::load(part);
  }
  VSH_INLINE_MEMBER static void store_part(uint8_t* p, Word a, size_t len) {
    uint8_t bytes[Word::kBytes];
    Word::store(bytes, a);
    std::memcpy(p, bytes, len);
  }
  VSH_INLINE_MEMBER static Word first(Word a, size_t len) {
    uint8_t bytes[Word::kBytes];
    Word::store(bytes, a);
    return load_part(bytes, len);
  }
};

template <class Word>
struct PartsOf {
  using Type = Parts<Word>;
};
template <class Word>
requires requires { &Word::load_part; }
struct PartsOf<Word> {
  using Type = Word;
};

template <class Word>
struct Products {
  static_assert(Word::kBytes <= kMaxProductPass);
  using Partial = typename PartsOf<Word>::Type;

  // To and from numbers of kBits bits, big-endian in memory.
  template <int kBits>
  VSH_INLINE_MEMBER static Word in_order(Word a) {
    return Word::in_order(a, kBits == 128 ? kOrder128 : kBits == 64 ? kOrder64 : kOrder32);
  }

  // Products of blocks of n bytes.
  template <size_t n>
  class Sum {
   public:
    // a, b: as in memory.
    VSH_INLINE_MEMBER void add(Word a, Word b) {
      const Word x = in_order<8 * n>(a), y = in_order<8 * n>(b);
      low_ = low_ ^ Word::template multiply<0>(x, y);
      high_ = high_ ^ Word::template multiply<1>(x, y);
      if constexpr (n == 16)
        middle_ = middle_ ^ Word::template multiply<0>(x ^ Word::swap_halves(x), y ^ Word::swap_halves(y));
    }
    VSH_INLINE_MEMBER void add_to(uint64_t* sum) const {
      if constexpr (n == 8) {
        uint64_t total[2];
        Word::sum_of_lanes(total, low_ ^ high_);
        sum[0] ^= total[0], sum[1] ^= total[1];
      } else {
        uint64_t l[2], m[2], h[2];
        Word::sum_of_lanes(l, low_), Word::sum_of_lanes(m, middle_ ^ low_ ^ high_), Word::sum_of_lanes(h, high_);
        sum[0] ^= l[0];
        sum[1] ^= l[1] ^ m[0];
        sum[2] ^= m[1] ^ h[0];
        sum[3] ^= h[1];
      }
    }

   private:
    Word low_ = Word::zero(), middle_ = Word::zero(), high_ = Word::zero();
  };

  template <size_t n>
  static void add(uint64_t* sum, const uint8_t* a, const uint8_t* b, size_t num) {
    Sum<n> products;
    size_t len = n * num;
    for (; len >= Word::kBytes; len -= Word::kBytes, a += Word::kBytes, b += Word::kBytes)
      products.add(Word::load(a), Word::load(b));
    if (len) products.add(Partial::load_part(a, len), Partial::load_part(b, len));
    products.add_to(sum);
  }

  // Multipliers beyond the last block meet the zeros that pad associated data and text (RFC 9058 clause 4.1).
  template <size_t n, bool kOpens>
  VSH_INLINE_MEMBER static void seal_or_open(uint8_t* block, const MgmBlocks& m) {
    Sum<n> products;
    const uint8_t* multipliers = m.multipliers;
    const auto multiply = [&](Word blocks, size_t len) VSH_LAMBDA_INLINE {
      products.add(Word::load(multipliers), blocks);
      multipliers += len;
    };
    const auto whole = [](size_t rest) { return (rest + n - 1) / n * n; };
    size_t i = 0;
    for (; m.data_len - i >= Word::kBytes; i += Word::kBytes) multiply(Word::load(m.data + i), Word::kBytes);
    if (const size_t rest = m.data_len - i) multiply(Partial::load_part(m.data + i, rest), whole(rest));
    for (i = 0; m.len - i >= Word::kBytes; i += Word::kBytes) {
      const Word text = Word::load(m.in + i), other = text ^ Word::load(m.keystream + i);
      Word::store(m.out + i, other);
      multiply(kOpens ? text : other, Word::kBytes);
    }
    if (const size_t rest = m.len - i) {
      const Word text = Partial::load_part(m.in + i, rest), other = text ^ Word::load(m.keystream + i);
      Partial::store_part(m.out + i, other, rest);
      multiply(kOpens ? text : Partial::first(other, rest), whole(rest));
    }
    const uint64_t data_bits = 8 * uint64_t{m.data_len}, text_bits = 8 * uint64_t{m.len};
    if constexpr (n == 16) multiply(Word::of_halves(byteswap64(data_bits), byteswap64(text_bits)), n);
    else multiply(Word::of_halves(byteswap64(data_bits << 32 | text_bits), 0), n);
    uint64_t words[kMaxSumWords] = {};
    products.add_to(words);
    reduce<n>(block, words);
  }
  template <bool kOpens>
  static void seal_or_open(uint8_t* block, const MgmBlocks& m) {
    m.n == 16 ? seal_or_open<16, kOpens>(block, m) : seal_or_open<8, kOpens>(block, m);
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
    const Word step = Word::load(kStep.byte), first = Word::template broadcast<n>(counter);
    Word next = Word::template add<n / 2>(in_order<4 * n>(first), Word::load(kFirst.byte));
    for (; num >= kNum; num -= kNum, blocks += Word::kBytes) {
      Word::store(blocks, in_order<4 * n>(next));
      next = Word::template add<n / 2>(next, step);
    }
    if (num) Partial::store_part(blocks, in_order<4 * n>(next), num * n);
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
    const Word reduction = Word::template broadcast<16>(kReduction);
    // Lane i of the first word is t x^i. Four words at a time, because a step takes some ten cycles.
    Word a = Word::template broadcast<16>(t);
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
          Products<Word>::template add<8>,
          Products<Word>::template add<16>,
          Products<Word>::template seal_or_open<false>,
          Products<Word>::template seal_or_open<true>,
          Products<Word>::template write_counters<0>,
          Products<Word>::template write_counters<1>,
          Products<Word>::add_tweaks};
}

}  // namespace
}  // namespace vsh::gf2n
