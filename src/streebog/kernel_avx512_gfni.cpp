// Constant-time Streebog for one message on AVX-512 with VBMI and GFNI: a chain's state is one register.
// S: two vpermi2b of 128 entries, and a choice. L: with the state transposed, its eight rows, a qword each, are
// multiplied by an 8x8 matrix of 8x8 bit matrices: a sum over eight ways to pair rows of the result with rows of the
// state, gf2p8affineqb of moved rows with a matrix a qword. Row r is paired with row r ^ k, k < 8: four vpermb, which
// do P as well, serve two values of k each, and the sum of those with odd k is moved by one row afterwards, inside
// lanes: a vpshufd of one cycle. So 7 shuffles. Cycles on Zen 4: one chain alone 29 a round, both 38; 13 rounds a
// block, 7.9 a byte (programs/bench/notes/streebog-one.md).
#include "circuits/sbox_tables.hpp"
#include "core/kernel.hpp"
#include "core/unrolled.hpp"
#include "simd/affine.hpp"
#include "simd/bytes_avx512_gfni.hpp"
#include "streebog/constants.hpp"
#include "streebog/hash_row.hpp"

namespace vsh {
extern const HashKernel vsh_kernel_streebog_avx512_gfni;

namespace {
namespace st = streebog;

constexpr int kSteps = 4;  // k = 0, 2, 4, 6; an odd k is one more

// States are transposed throughout: byte w of row r is byte r of word w.
struct Tables {
  uint8_t transpose[64];
  uint8_t move[kSteps][64];       // transposes, then moves row r to row r ^ 2 b
  uint64_t even[kSteps][8];       // the matrices that make row r from row r ^ 2 b
  uint64_t odd[kSteps][8];        // row r ^ 1 from row r ^ 2 b, for the sum that swaps neighbours afterwards
  uint8_t first[64];              // C_1
  uint8_t rest[st::kRounds][64];  // C_2 … C_12 and 0, neighbouring rows swapped
};
constexpr uint64_t matrix(int r, int j) {
  return affine_matrix([=](uint8_t x) { return static_cast<uint8_t>(st::l_of_byte(j, x) >> (8 * r)); });
}
constexpr Tables make_tables() {
  Tables t{};
  for (int r = 0; r < 8; ++r)
    for (int b = 0; b < kSteps; ++b) {
      t.even[b][r] = matrix(r, r ^ 2 * b);
      t.odd[b][r] = matrix(r ^ 1, r ^ 2 * b);
    }
  for (int r = 0; r < 8; ++r)
    for (int w = 0; w < 8; ++w) {
      t.transpose[8 * r + w] = static_cast<uint8_t>(8 * w + r);
      for (int b = 0; b < kSteps; ++b) t.move[b][8 * r + w] = static_cast<uint8_t>(8 * w + (r ^ 2 * b));
      t.first[8 * r + w] = st::iteration_constant_byte(0, 8 * w + r);
      for (int i = 1; i < st::kRounds; ++i) t.rest[i - 1][8 * r + w] = st::iteration_constant_byte(i, 8 * w + (r ^ 1));
    }
  return t;
}
alignas(64) constexpr Tables kTables = make_tables();

VSH_INLINE __m512i load64(const void* p) { return _mm512_loadu_si512(p); }
VSH_INLINE __m512i transpose(__m512i a) { return _mm512_permutexvar_epi8(load64(kTables.transpose), a); }
VSH_INLINE __m512i xor3(__m512i a, __m512i b, __m512i c) { return _mm512_ternarylogic_epi64(a, b, c, 0x96); }

// LPS(x) ^ c as three terms, of which the last is ready last; in c neighbouring rows are swapped. In the order of use.
struct Terms {
  __m512i a, b, c;
};
VSH_INLINE Terms lps(__m512i x, __m512i swapped_c) {
  const __m512i s = BytesAvx512Gfni::look_up_256(tables::kKuznyechikPi, {x}).v;
  __m512i moved[kSteps], y[kSteps];
  unrolled<kSteps>(VSH_UNROLLED(b) { moved[b] = _mm512_permutexvar_epi8(load64(kTables.move[b]), s); });
  unrolled<kSteps>(VSH_UNROLLED(b) { y[b] = _mm512_gf2p8affine_epi64_epi8(moved[b], load64(kTables.odd[b]), 0); });
  const __m512i odd = xor3(xor3(y[0], y[1], y[2]), y[3], swapped_c);
  unrolled<kSteps>(VSH_UNROLLED(b) { y[b] = _mm512_gf2p8affine_epi64_epi8(moved[b], load64(kTables.even[b]), 0); });
  return {xor3(y[0], y[1], y[2]), y[3], _mm512_shuffle_epi32(odd, _MM_PERM_BADC)};
}

struct Kernel {
  using Value = __m512i;
  VSH_INLINE_MEMBER static Value load(const uint8_t* p) { return transpose(load64(p)); }
  VSH_INLINE_MEMBER static void store(uint8_t* p, Value a) { _mm512_storeu_si512(p, transpose(a)); }

  VSH_INLINE_MEMBER static void g(Value& h, const Value& n, const Value& m) {
    const Terms first = lps(_mm512_xor_si512(h, n), _mm512_setzero_si512());
    // The next inputs of S: K_i ^ C_i, and the data ^ K_i.
    __m512i key = xor3(first.a, first.b, first.c);
    __m512i data = _mm512_xor_si512(key, m);
    key = _mm512_xor_si512(key, load64(kTables.first));
    for (int i = 0; i < st::kRounds; ++i) {
      __m512i constant = load64(kTables.rest[i]);
      __asm__("" : "+" VSH_ANY_REGISTER(constant));  // one load for both
      const Terms k = lps(key, constant);
      const Terms d = lps(data, constant);
      key = xor3(k.a, k.b, k.c);
      data = _mm512_xor_si512(xor3(d.a, d.b, key), d.c);  // the constant cancels
    }
    h = xor3(h, data, m);
  }
};

}  // namespace

constinit const HashKernel vsh_kernel_streebog_avx512_gfni =
    streebog::hash_row<Kernel>("avx512_gfni", cpu::Isa::avx512_gfni, 500);

}  // namespace vsh
