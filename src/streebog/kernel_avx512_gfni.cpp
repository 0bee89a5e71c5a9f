// Constant-time Streebog for one message on AVX-512 with VBMI and GFNI: a chain's state is one register.
// S: four vpermb of 64 entries, and selections. L: with the state transposed, its eight rows, a qword each, are
// multiplied by an 8x8 matrix of 8x8 bit matrices: a sum over diagonals, gf2p8affineqb of rotated rows with a
// matrix a qword. Baby steps and giant steps: four rotations (vpermb, which do P as well) serve two diagonals
// each, and the sum of the second ones is turned by four rows: 5 shuffles instead of 8.
// An LPS is 10 shuffles (port 5), 9 products (port 0), 7.5 XORs and selections (both): 25 LPS of a block take 331
// cycles, 5.2 a byte. The latency of an LPS, 13 in a row a block, is about as long: llvm-mca 19 says 30 cycles a
// round of both chains, 6.1 a byte, for icelake-server, sapphirerapids, znver4 and znver5, by GCC 12 and Clang 14.
#include "circuits/sbox_tables.hpp"
#include "core/kernel.hpp"
#include "core/unrolled.hpp"
#include "simd/affine.hpp"
#include "simd/x86.hpp"
#include "streebog/constants.hpp"
#include "streebog/hash_row.hpp"

namespace vsh {
extern const HashKernel vsh_kernel_streebog_avx512_gfni;

namespace {
namespace st = streebog;

constexpr int kSteps = 4;  // baby steps: diagonals 0 … 3; the giant step adds 4

// States are transposed throughout: byte w of row r is byte r of word w.
struct Tables {
  uint8_t transpose[64];
  uint8_t turn[kSteps][64];       // transposes, then turns by b rows: row r becomes row r - b
  uint64_t near[kSteps][8];       // diagonal b: the matrices that make row r from row r + b
  uint64_t far[kSteps][8];        // diagonal b + 4, for the sum that is turned by four rows afterwards
  uint8_t first[64];              // C_1
  uint8_t rest[st::kRounds][64];  // C_2 … C_12 and 0, turned by four rows
};
constexpr uint64_t matrix(int r, int j) {
  return affine_matrix([=](uint8_t x) { return static_cast<uint8_t>(st::l_of_byte(j, x) >> (8 * r)); });
}
constexpr Tables make_tables() {
  Tables t{};
  for (int r = 0; r < 8; ++r)
    for (int b = 0; b < kSteps; ++b) {
      t.near[b][r] = matrix(r, (r + b) % 8);
      t.far[b][r] = matrix((r + 4) % 8, (r + b) % 8);
    }
  for (int r = 0; r < 8; ++r)
    for (int w = 0; w < 8; ++w) {
      t.transpose[8 * r + w] = static_cast<uint8_t>(8 * w + r);
      for (int b = 0; b < kSteps; ++b) t.turn[b][8 * r + w] = static_cast<uint8_t>(8 * w + (r + b) % 8);
      t.first[8 * r + w] = st::iteration_constant_byte(0, 8 * w + r);
      for (int i = 1; i < st::kRounds; ++i)
        t.rest[i - 1][8 * r + w] = st::iteration_constant_byte(i, 8 * w + (r + 4) % 8);
    }
  return t;
}
alignas(64) constexpr Tables kTables = make_tables();

VSH_INLINE __m512i load64(const void* p) { return _mm512_loadu_si512(p); }
VSH_INLINE __m512i transpose(__m512i a) { return _mm512_permutexvar_epi8(load64(kTables.transpose), a); }
VSH_INLINE __m512i xor3(__m512i a, __m512i b, __m512i c) { return _mm512_ternarylogic_epi64(a, b, c, 0x96); }

VSH_INLINE __m512i select(__m512i mask, __m512i a, __m512i b) { return _mm512_ternarylogic_epi64(mask, a, b, 0xCA); }

// Uses byte masks, not mask registers, whose latency from a test to a masked instruction is longer than vpermb's. Port
// 0 computes one, port 5 the other.
VSH_INLINE __m512i substitute(__m512i x) {
  __m512i quarter[4];
  unrolled<4>(VSH_UNROLLED(q) { quarter[q] = _mm512_permutexvar_epi8(x, load64(tables::kKuznyechikPi + 64 * q)); });
  const __m512i copies_of_bit6 = _mm512_set1_epi64(0x4040404040404040);
  const __m512i odd = _mm512_gf2p8affine_epi64_epi8(x, copies_of_bit6, 0);
  const __m512i low = _mm512_shuffle_epi8(_mm512_set1_epi8(-1), x);  // 0 where bit 7 is set
  return select(low, select(odd, quarter[1], quarter[0]), select(odd, quarter[3], quarter[2]));
}

// LPS(x) ^ c as three terms, of which the last is ready last; c is turned by four rows. In the order of use.
struct Terms {
  __m512i a, b, c;
};
VSH_INLINE Terms lps(__m512i x, __m512i turned_c) {
  const __m512i s = substitute(x);
  __m512i turned[kSteps], y[kSteps];
  unrolled<kSteps>(VSH_UNROLLED(b) { turned[b] = _mm512_permutexvar_epi8(load64(kTables.turn[b]), s); });
  unrolled<kSteps>(VSH_UNROLLED(b) { y[b] = _mm512_gf2p8affine_epi64_epi8(turned[b], load64(kTables.far[b]), 0); });
  const __m512i far = xor3(xor3(y[0], y[1], y[2]), y[3], turned_c);
  unrolled<kSteps>(VSH_UNROLLED(b) { y[b] = _mm512_gf2p8affine_epi64_epi8(turned[b], load64(kTables.near[b]), 0); });
  return {xor3(y[0], y[1], y[2]), y[3], _mm512_shuffle_i64x2(far, far, 0x4E)};
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
    streebog::hash_row<Kernel>("avx512_gfni", cpu::Isa::avx512_gfni, 390);

}  // namespace vsh
