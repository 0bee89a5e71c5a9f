// Kuznyechik one block at a time, constant time, with AVX-512: the kernel of feedback modes, short messages and key
// schedules. GOST R 34.12-2015 clause 4. Lanes: 1.
// S: each byte has its own 32-bit word; two vpermi2d read the whole of a table of 64 words, four values in each, by six
// bits of the byte, and a rotation takes the value that its other two name.
// L: y is the XOR of 128 constants of 16 bytes, one for each bit of S(x) that is 1. vptestmd makes a mask of bit b of
// all 16 words; a masked XOR adds, where word e of a lane has the bit, word e of 16 constants at once: for the four
// lanes, and in four sums that differ in the distance of word e from its place. 8 tests and 32 XORs a round, no
// product. A round is one chain: S 8 cycles, first mask 4, sums 14 (two ports), places 3, lanes and key 6. llvm-mca 19,
// GCC 12, loads written apart: 35 cycles on Skylake and Ice Lake (20.5 a byte), 43 on Sapphire Rapids (25), 41 on Zen
// 4.
#include "circuits/sbox_tables.hpp"
#include "kuznyechik/one_block_kernel.hpp"
#include "simd/bytes_avx512.hpp"

namespace vsh {
namespace kuznyechik {
namespace {

using V = BytesAvx512;

// Byte i of the block is word i: lane i / 4, word i % 4 of the lane.
struct Round {
  uint8_t sbox[64][4];         // of x: entry x % 64, byte x / 64
  uint8_t image[8][4][16][4];  // [bit][turn][j]: of that bit of byte j, word (j + turn) % 4
};
constexpr Round make_round(const uint8_t (&sbox)[256], const Matrix& m) {
  Round t{};
  for (int x = 0; x < 256; ++x) t.sbox[x % 64][x / 64] = sbox[x];
  for (int b = 0; b < 8; ++b)
    for (int turn = 0; turn < 4; ++turn)
      for (int j = 0; j < 16; ++j)
        for (int i = 0; i < 4; ++i)
          t.image[b][turn][j][i] = field_product(static_cast<uint8_t>(1 << b), m.column[j].b[(j + turn) % 4 * 4 + i]);
  return t;
}
alignas(64) constexpr Round kForward = make_round(tables::kKuznyechikPi, matrix_of(l_transform));
alignas(64) constexpr Round kBackward = make_round(tables::kKuznyechikPiInverse, matrix_of(l_inverse));

// A byte in every 32-bit word; the other bytes of a word are undefined.
struct Words {
  __m512i v;

  VSH_INLINE_MEMBER static Words load(const uint8_t* p) { return from(Lanes<V>::load(p)); }
  VSH_INLINE_MEMBER static Words from(Lanes<V> a) {
    const __m512i order = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    return {_mm512_shuffle_epi8(a.v.v, order)};
  }
  VSH_INLINE_MEMBER void store(uint8_t* p) const {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(p), _mm512_cvtepi32_epi8(v));
  }
  VSH_INLINE_MEMBER friend Words operator^(Words a, Words b) { return {_mm512_xor_si512(a.v, b.v)}; }
};

VSH_INLINE Words substitute(const Round& t, Words x) {
  const auto table = [&](int i) { return _mm512_loadu_si512(t.sbox[16 * i]); };
  const __m512i low = _mm512_permutex2var_epi32(table(0), x.v, table(1));
  const __m512i high = _mm512_permutex2var_epi32(table(2), x.v, table(3));
  const __mmask16 bit5 = _mm512_test_epi32_mask(x.v, _mm512_set1_epi32(0x20));
  const __m512i bits = _mm512_and_si512(_mm512_srli_epi32(x.v, 3), _mm512_set1_epi32(24));  // to turn by
  return {_mm512_rorv_epi32(_mm512_mask_blend_epi32(bit5, low, high), bits)};
}

// Returns a ^ b in the words of m; a ternary operation, since GCC copies registers around a masked vpxord.
VSH_INLINE __m512i xor_where(__mmask16 m, __m512i a, __m512i b) {
  return _mm512_mask_ternarylogic_epi32(a, m, a, b, 0x5A);
}

VSH_INLINE Lanes<V> mix(const Round& t, Words x, Lanes<V> k) {
  __m512i sum[4];
  for (int b = 0; b < 8; ++b) {
    __mmask16 bit = _mm512_test_epi32_mask(x.v, _mm512_set1_epi32(1 << b));
    __asm__("" : "+" VSH_MASK_REGISTER(bit));  // else Clang tests for 0 and negates, or moves vectors
    for (int turn = 0; turn < 4; ++turn) {
      const __m512i image = _mm512_loadu_si512(t.image[b][turn]);
      sum[turn] = b == 0 ? _mm512_maskz_mov_epi32(bit, image) : xor_where(bit, sum[turn], image);
    }
  }
  // Moves every word to its place.
  const V one{_mm512_shuffle_epi32(sum[1], _MM_PERM_CBAD)}, two{_mm512_shuffle_epi32(sum[2], _MM_PERM_BADC)};
  const V three{_mm512_shuffle_epi32(sum[3], _MM_PERM_ADCB)};
  return {V::fold_lanes(V::xor3(V{sum[0]}, one, two) ^ three, k.v)};
}

struct Masked {
  using Forward = Lanes<V>;
  using Backward = Words;

  VSH_INLINE_MEMBER static Forward forward(Forward x, Forward k) {
    return mix(kForward, substitute(kForward, Words::from(x)), k);
  }
  VSH_INLINE_MEMBER static Backward backward(Backward x) {
    return substitute(kBackward, Words::from(mix(kBackward, x, {V::splat(0)})));
  }
};

}  // namespace
}  // namespace kuznyechik

extern constinit const BlockKernel vsh_kernel_kuznyechik_serial_avx512 =
    block_row<kuznyechik::OneBlock<kuznyechik::Masked, 400>, kuznyechik::RoundKeys>("kuznyechik", "serial_avx512",
                                                                                    cpu::Isa::avx512);

}  // namespace vsh
