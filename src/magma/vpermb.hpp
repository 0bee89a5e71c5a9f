// Magma and GOST 28147-89 by vpermb, any S-boxes as data in two registers: constant time, from one block to many.
//
// A register holds one half of 16 blocks. vpermb looks up 64 bytes by 6-bit indices, so one register holds the S-boxes
// of four nibbles if two bits of the index select the byte of the word:
//     x   = (a' <<< 11) + K                         a' = a >>> 11 is how a half is kept: outputs need no rotation
//     b' ^= low[x & 0F0F0F0F | 30201000] ^ high[x >> 4 & 0F0F0F0F | 30201000]
// Eight operations a round for 128 bytes, in a chain of 8 cycles; where 512-bit vectors have only ports 0 and 5, 4
// cycles a round, so 1.0 cycles a byte plus the conversion of blocks to halves. On Zen 4 the chain has 11 cycles
// (vpermb 5, vprold 2), which eight registers side by side fill, on Zen 5 15, and four operations start in a cycle:
// with four registers 1.11 cycles a byte, eight 0.70, ten 0.63, twelve 0.60, fourteen 0.62.
#pragma once

#include <type_traits>

#include "core/kernel.hpp"
#include "core/wipe.hpp"
#include "magma/cnt_counters.hpp"
#include "magma/rounds.hpp"
#include "simd/bytes_avx512.hpp"
#include "simd/planes.hpp"
#include "simd/x86.hpp"

namespace vsh::magma {
namespace {

template <uint32_t kBlocksOfPass, uint32_t kCyclesOfPass>
struct Vpermb {
  struct Parameters {
    uint8_t low[64], high[64];  // pi_(2 i) and pi_(2 i + 1) << 4, i = 0 .. 3
    bool little_endian;

    void prepare(const RoundKeys& rk) {
      for (int i = 0; i < 64; ++i) {
        low[i] = rk.rows[i / 16 * 2][i % 16];
        high[i] = static_cast<uint8_t>(rk.rows[i / 16 * 2 + 1][i % 16] << 4);
      }
      little_endian = rk.little_endian;
    }
  };
  struct SharedWord {
    uint32_t k;
    VSH_INLINE_MEMBER __m512i of_sixteen(size_t) const { return _mm512_set1_epi32(static_cast<int>(k)); }
  };
  template <class Word>
  struct ScheduleOf : Parameters {
    Word k[8];
  };
  using Schedule = ScheduleOf<SharedWord>;
  static constexpr uint32_t kLanes = kBlocksOfPass;
  static constexpr uint32_t kPassCost = kCyclesOfPass;
  static constexpr bool kConstantTime = true;
  static constexpr size_t kBlockSize = 8;

  static void prepare(Schedule& s, const RoundKeys& rk) {
    s.Parameters::prepare(rk);
    for (int r = 0; r < 8; ++r) s.k[r] = {rk.k[r]};
  }

  static void encrypt(const Schedule& s, uint8_t* out, const uint8_t* in, size_t n) { run<Encryption>(s, out, in, n); }
  static void decrypt(const Schedule& s, uint8_t* out, const uint8_t* in, size_t n) { run<Decryption>(s, out, in, n); }

  // Counters are big-endian in memory.
  static void ctr(const Schedule& s, uint8_t* out, const uint8_t* in, size_t num_blocks, const uint8_t* counter) {
    count<0>(s, out, in, num_blocks, counter,
             [](__m512i a, __m512i b) VSH_LAMBDA_INLINE { return _mm512_add_epi64(a, b); });
  }
  static void ctr_left(const Schedule& s, uint8_t* out, const uint8_t* in, size_t num_blocks, const uint8_t* counter) {
    count<32>(s, out, in, num_blocks, counter,
              [](__m512i a, __m512i b) VSH_LAMBDA_INLINE { return _mm512_add_epi32(a, b); });
  }
  static void ctr_right(const Schedule& s, uint8_t* out, const uint8_t* in, size_t num_blocks, const uint8_t* counter) {
    count<0>(s, out, in, num_blocks, counter,
             [](__m512i a, __m512i b) VSH_LAMBDA_INLINE { return _mm512_add_epi32(a, b); });
  }

  // GOST 28147-89 only.
  static void cnt(const Schedule& s, uint8_t* out, const uint8_t* in, size_t num_blocks, const uint8_t* counter) {
    static constexpr StepTable kSteps = make_steps();
    CntCounters n = CntCounters::load(counter);
    add_gamma(s, out, in, num_blocks, [&]() VSH_LAMBDA_INLINE {
      const __m512i steps4 = _mm512_loadu_si512(kSteps.n4);
      const __m512i n3 = _mm512_add_epi32(_mm512_set1_epi32(static_cast<int>(n.n3)), _mm512_loadu_si512(kSteps.n3));
      const __m512i sum = _mm512_add_epi32(_mm512_set1_epi32(static_cast<int>(n.n4)), steps4);
      const __mmask16 no_carry = _mm512_cmpeq_epi32_mask(_mm512_max_epu32(sum, steps4), sum);
      const __m512i n4 = _mm512_mask_mov_epi32(_mm512_add_epi32(sum, _mm512_set1_epi32(1)), no_carry, sum);
      n = n.after(16);
      return Sixteen{_mm512_ror_epi32(n3, 11), _mm512_ror_epi32(n4, 11)};
    });
  }

  static void imit(const Schedule& s, uint8_t* state, const uint8_t* in, size_t num_blocks) {
    const Rounds<SharedWord> rounds(s);
    const __m512i order = bytes_of_number(s.little_endian);
    Sixteen x[1] = {Sixteen::load_one(state, order)};
    for (; num_blocks; --num_blocks, in += 8) {
      const Sixteen block = Sixteen::load_one(in, order);
      x[0] = {_mm512_xor_si512(x[0].a0, block.a0), _mm512_xor_si512(x[0].a1, block.a1)};
      rounds.template run<ImitStep>(x);
    }
    x[0].store_one(state, order);
  }

 protected:
  // Sixteen blocks as halves rotated right by 11, four blocks a 128-bit lane: 2 l, 2 l + 1, 8 + 2 l, 9 + 2 l in lane l.
  struct Sixteen {
    __m512i a0, a1;

    // Blocks as numbers a_1 || a_0, eight a register.
    VSH_INLINE_MEMBER static Sixteen of_numbers(__m512i first, __m512i second) {
      const __m512 f = _mm512_castsi512_ps(first), s = _mm512_castsi512_ps(second);
      return {_mm512_ror_epi32(_mm512_castps_si512(_mm512_shuffle_ps(f, s, 0x88)), 11),
              _mm512_ror_epi32(_mm512_castps_si512(_mm512_shuffle_ps(f, s, 0xDD)), 11)};
    }
    VSH_INLINE_MEMBER __m512i first_numbers() const {
      return _mm512_unpacklo_epi32(_mm512_rol_epi32(a0, 11), _mm512_rol_epi32(a1, 11));
    }
    VSH_INLINE_MEMBER __m512i second_numbers() const {
      return _mm512_unpackhi_epi32(_mm512_rol_epi32(a0, 11), _mm512_rol_epi32(a1, 11));
    }

    VSH_INLINE_MEMBER static Sixteen load(const uint8_t* p, __m512i order) {
      return of_numbers(_mm512_shuffle_epi8(_mm512_loadu_si512(p), order),
                        _mm512_shuffle_epi8(_mm512_loadu_si512(p + 64), order));
    }
    VSH_INLINE_MEMBER void store(uint8_t* p, __m512i order) const {
      _mm512_storeu_si512(p, _mm512_shuffle_epi8(first_numbers(), order));
      _mm512_storeu_si512(p + 64, _mm512_shuffle_epi8(second_numbers(), order));
    }
    VSH_INLINE_MEMBER void store_sum(uint8_t* p, const uint8_t* add, __m512i order) const {
      const __m512i first = _mm512_shuffle_epi8(first_numbers(), order);
      const __m512i second = _mm512_shuffle_epi8(second_numbers(), order);
      const __m512i first_add = _mm512_loadu_si512(add), second_add = _mm512_loadu_si512(add + 64);
      _mm512_storeu_si512(p, _mm512_xor_si512(first, first_add));
      _mm512_storeu_si512(p + 64, _mm512_xor_si512(second, second_add));
    }

    VSH_INLINE_MEMBER static Sixteen load_one(const uint8_t* p, __m512i order) {
      const __m512i block = _mm512_castsi128_si512(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p)));
      return of_numbers(_mm512_shuffle_epi8(block, order), block);
    }
    VSH_INLINE_MEMBER void store_one(uint8_t* p, __m512i order) const {
      const __m512i block = _mm512_shuffle_epi8(first_numbers(), order);
      _mm_storel_epi64(reinterpret_cast<__m128i*>(p), _mm512_castsi512_si128(block));
    }
  };

  // Shuffle that turns the bytes of each block in memory into a number, and back.
  VSH_INLINE_MEMBER static __m512i bytes_of_number(bool little_endian) {
    const long long flip = little_endian ? 0 : 0x0707070707070707;
    const __m512i same = _mm512_set4_epi32(0x0F0E0D0C, 0x0B0A0908, 0x07060504, 0x03020100);
    return _mm512_xor_si512(same, _mm512_set1_epi64(flip));
  }

  template <class Word>
  struct Rounds {
    __m512i low, high, nibble, place;
    const Word* k;

    VSH_INLINE_MEMBER explicit Rounds(const ScheduleOf<Word>& s)
        : low(_mm512_loadu_si512(s.low)),
          high(_mm512_loadu_si512(s.high)),
          nibble(_mm512_set1_epi32(0x0F0F0F0F)),
          place(_mm512_set1_epi32(0x30201000)),
          k(s.k) {}

    VSH_INLINE_MEMBER __m512i round(__m512i to, __m512i from, __m512i key) const {
      constexpr int kAndOr = 0xEA;
      const __m512i x = _mm512_add_epi32(_mm512_rol_epi32(from, 11), key);
      const __m512i shifted = _mm512_srli_epi32(x, 4);  // before l, which takes the place of x
      const __m512i l = _mm512_ternarylogic_epi32(x, nibble, place, kAndOr);
      const __m512i h = _mm512_ternarylogic_epi32(shifted, nibble, place, kAndOr);
      return _mm512_ternarylogic_epi32(to, _mm512_permutexvar_epi8(l, low), _mm512_permutexvar_epi8(h, high), 0x96);
    }

    template <class Use, size_t n>
    VSH_INLINE_MEMBER void run(Sixteen (&x)[n]) const {
      for (int i = 0; i < Use::kRounds; i += 2) {
        const Word &even = k[key_of_round<Use::kDecrypt>(i)], &odd = k[key_of_round<Use::kDecrypt>(i + 1)];
        for (size_t j = 0; j < n; ++j) x[j].a1 = round(x[j].a1, x[j].a0, even.of_sixteen(j));
        for (size_t j = 0; j < n; ++j) x[j].a0 = round(x[j].a0, x[j].a1, odd.of_sixteen(j));
      }
      if constexpr (!Use::kSwapsAtEnd)
        for (Sixteen& v : x) v = {v.a1, v.a0};
    }
  };

  // Runs `pass(to, from, number of sixteens as a constant)` over twelves of sixteens, then eights, fours. The rest is a
  // sixteen, or a padded four: two sixteens one after the other would take longer than four side by side. Sixteen are
  // two eights, as a four left behind a twelve costs nearly as much as an eight. Each pass is whole rows of kRow
  // sixteens.
  template <size_t kRow = 1, class Pass>
  VSH_INLINE_MEMBER static void for_sixteens(uint8_t* out, const uint8_t* in, size_t len, Pass&& pass) {
    const auto run_one = [&](auto n) VSH_LAMBDA_INLINE {
      pass(out, in, n);
      len -= n * 128, out += n * 128, in += n * 128;
    };
    if constexpr (12 % kRow == 0)
      while (len >= 20 * 128 || (len >= 12 * 128 && len < 16 * 128)) run_one(std::integral_constant<size_t, 12>{});
    while (len >= 8 * 128) run_one(std::integral_constant<size_t, 8>{});
    if constexpr (kRow == 8) return;
    while (len >= 4 * 128) run_one(std::integral_constant<size_t, 4>{});
    const auto run_rest = [&](auto n) VSH_LAMBDA_INLINE {
      for_passes<n * 128>(out, in, len, [&](uint8_t* to, const uint8_t* from) VSH_LAMBDA_INLINE { pass(to, from, n); });
    };
    if (len > 128) run_rest(std::integral_constant<size_t, 4>{});
    else run_rest(std::integral_constant<size_t, 1>{});
  }

  template <class Use>
  VSH_INLINE_MEMBER static void run(const Schedule& s, uint8_t* out, const uint8_t* in, size_t num_blocks) {
    if (num_blocks != 1) return run_sixteens<Use>(s, out, in, num_blocks);
    const __m512i order = bytes_of_number(s.little_endian);
    Sixteen x[1] = {Sixteen::load_one(in, order)};
    Rounds<SharedWord>(s).template run<Use>(x);
    x[0].store_one(out, order);
  }

  template <class Use, size_t kRow = 1, class Word>
  VSH_INLINE_MEMBER static void run_sixteens(const ScheduleOf<Word>& s, uint8_t* out, const uint8_t* in,
                                             size_t num_blocks) {
    const Rounds<Word> rounds(s);
    const __m512i order = bytes_of_number(s.little_endian);
    for_sixteens<kRow>(out, in, 8 * num_blocks, [&](uint8_t* to, const uint8_t* from, auto n) VSH_LAMBDA_INLINE {
      Sixteen x[n];
      for (size_t i = 0; i < n; ++i) x[i] = Sixteen::load(from + 128 * i, order);
      rounds.template run<Use>(x);
      for (size_t i = 0; i < n; ++i) x[i].store(to + 128 * i, order);
    });
  }

  // add: of blocks as numbers, or of their halves; kShift: where the counter begins.
  template <unsigned kShift, class Add>
  VSH_INLINE_MEMBER static void count(const Schedule& s, uint8_t* out, const uint8_t* in, size_t num_blocks,
                                      const uint8_t* counter, const Add& add) {
    const __m512i steps = _mm512_slli_epi64(_mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0), kShift);
    const __m512i eight = _mm512_set1_epi64(8LL << kShift);
    // For GOST 28147-89, which reads the other end first, a reversed number.
    const __m512i order = bytes_of_number(!s.little_endian);
    __m512i next = add(_mm512_set1_epi64(static_cast<long long>(load_be64(counter))), steps);
    add_gamma(s, out, in, num_blocks, [&]() VSH_LAMBDA_INLINE {
      const __m512i after = add(next, eight);
      const Sixteen x = Sixteen::of_numbers(_mm512_shuffle_epi8(next, order), _mm512_shuffle_epi8(after, order));
      next = add(after, eight);
      return x;
    });
  }

  // next() yields the next sixteen counters.
  template <class Next>
  VSH_INLINE_MEMBER static void add_gamma(const Schedule& s, uint8_t* out, const uint8_t* in, size_t num_blocks,
                                          Next&& next) {
    const Rounds<SharedWord> rounds(s);
    const __m512i order = bytes_of_number(s.little_endian);
    for_sixteens(out, in, 8 * num_blocks, [&](uint8_t* to, const uint8_t* from, auto n) VSH_LAMBDA_INLINE {
      Sixteen x[n];
      for (size_t i = 0; i < n; ++i) x[i] = next();
      rounds.template run<Encryption>(x);
      for (size_t i = 0; i < n; ++i) x[i].store_sum(to + 128 * i, from + 128 * i, order);
    });
  }

  // Increments of CNT's counters for each word of a Sixteen.
  struct StepTable {
    uint32_t n3[16], n4[16];
  };
  static constexpr StepTable make_steps() {
    StepTable t{};
    for (uint32_t i = 0; i < 16; ++i) {
      const uint32_t block = i / 4 * 2 + i % 2 + (i & 2) * 4;
      const CntCounters steps = CntCounters{}.after(block + 1);
      t.n3[i] = steps.n3;
      t.n4[i] = steps.n4;
    }
    return t;
  }
};

// The same with a form for a key in every lane. Eight registers side by side are a row or more.
template <uint32_t kBlocksOfPass, uint32_t kCyclesOfPass>
struct VpermbLanes : Vpermb<kBlocksOfPass, kCyclesOfPass> {
  using Base = Vpermb<kBlocksOfPass, kCyclesOfPass>;
  using Sixteen = typename Base::Sixteen;
  static constexpr size_t kSixteens = kBlocksOfPass / 16;
  static_assert(kSixteens == 1 || kSixteens == 4 || kSixteens == 8);

  struct LaneWords {
    __m512i k[kSixteens];
    VSH_INLINE_MEMBER __m512i of_sixteen(size_t i) const { return k[i % kSixteens]; }
  };
  using LanesSchedule = typename Base::template ScheduleOf<LaneWords>;
  using V = BytesAvx512;

  // Eight bytes of every key are loaded like blocks, whose halves are two key words.
  static void prepare_lanes(LanesSchedule& s, const uint8_t* const* keys, const RoundKeys& rk) {
    s.Base::Parameters::prepare(rk);
    const __m512i order = Base::bytes_of_number(s.little_endian);
    for (int r = 0; r < 8; r += 2) {
      uint8_t words[8 * kBlocksOfPass] = {};
      for (size_t lane = 0; lane < kBlocksOfPass; ++lane)
        if (keys[lane]) std::memcpy(words + 8 * lane, keys[lane] + 4 * r, 8);
      for (size_t i = 0; i < kSixteens; ++i) {
        const Sixteen x = Sixteen::load(words + 128 * i, order);
        // A half is kept rotated right by 11; the first half in memory is a_1, of GOST 28147-89 a_0.
        const __m512i a0 = _mm512_rol_epi32(x.a0, 11), a1 = _mm512_rol_epi32(x.a1, 11);
        s.k[r].k[i] = s.little_endian ? a0 : a1;
        s.k[r + 1].k[i] = s.little_endian ? a1 : a0;
      }
      wipe(words, sizeof words);
    }
  }

  static void encrypt_lanes(const LanesSchedule& s, uint8_t* out, const uint8_t* in, size_t num_rows) {
    Base::template run_sixteens<Encryption, kSixteens>(s, out, in, num_rows * kBlocksOfPass);
  }
  static void decrypt_lanes(const LanesSchedule& s, uint8_t* out, const uint8_t* in, size_t num_rows) {
    Base::template run_sixteens<Decryption, kSixteens>(s, out, in, num_rows * kBlocksOfPass);
  }
  static void imit_lanes(const LanesSchedule& s, uint8_t* out, const uint8_t* in, size_t num_rows) {
    Base::template run_sixteens<ImitStep, kSixteens>(s, out, in, num_rows * kBlocksOfPass);
  }
};

}  // namespace
}  // namespace vsh::magma
