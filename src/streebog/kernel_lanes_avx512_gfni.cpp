// Streebog over 64 messages at once, byte-sliced: register (i, j) holds byte j of row i of every message. P is
// renaming, S seven instructions with a table of 256 bytes, l 8x8 products by gf2p8affineqb. l is linear over GF(2^8)
// (see README.md), so its matrix m may be scaled: with output i times e_i and input j times d_j the first row and the
// first column of e_i m_ij / d_j are ones, which leaves 49 products of 64. The factors cost nothing: column i of a
// state is kept times e_i, and S, with a separate table for each place, replaces e by d. A round of both chains is 2 x
// (64 x 7 for S, 8 x (49 + 32) for l) + 64 instructions on two ports: 1130 cycles, 3.4 cycles a byte in all and 0.4 for
// slicing. llvm-mca: see programs/bench/notes/streebog-lanes.md.
#include "circuits/sbox_tables.hpp"
#include "core/kernel.hpp"
#include "core/unrolled.hpp"
#include "simd/affine.hpp"
#include "simd/bytes_avx512_gfni.hpp"
#include "simd/groups_avx512.hpp"
#include "streebog/constants.hpp"

namespace vsh {
extern const HashLanesKernel vsh_kernel_streebog_lanes_avx512_gfni;

namespace {
namespace st = streebog;

constexpr uint32_t kLanes = 64;

// ---- The field: GF(2)[x] / (x^8 + x^6 + x^5 + x^4 + 1), bit 7 of a byte is the coefficient of x^0 -------------------

constexpr uint8_t times(uint8_t a, uint8_t b) {
  uint8_t product = 0;
  for (; a; a = static_cast<uint8_t>(a << 1)) {
    if (a & 0x80) product ^= b;
    b = static_cast<uint8_t>((b >> 1) ^ (b & 1 ? 0x8E : 0));
  }
  return product;
}
constexpr uint8_t inverse(uint8_t a) {
  uint8_t power = a;  // a^254
  for (int i = 0; i < 6; ++i) power = times(times(power, power), a);
  return times(power, power);
}
// Row i, column j of l; 0x80 is 1.
constexpr uint8_t element(int i, int j) { return static_cast<uint8_t>(st::l_of_byte(j, 0x80) >> (8 * i)); }
// Factors for which the first row and the first column of e(i) element(i, j) / d(j) are ones.
constexpr uint8_t d(int j) { return element(0, j); }
constexpr uint8_t e(int i) { return times(element(0, 0), inverse(element(i, 0))); }

constexpr uint64_t product_matrix(uint8_t a) {
  return affine_matrix([a](uint8_t x) { return times(a, x); });
}

struct Constants {
  // Map of a byte of row r, scaled by e(r) as the column it was before P, to input j of l.
  alignas(64) uint8_t sbox[8][8][256];
  uint64_t l[8][8];
  uint64_t scale[8], unscale[8];  // e(i), 1 / e(i)
  uint32_t iteration[st::kRounds][8][8];
};
constexpr Constants make_constants() {
  Constants c{};
  uint8_t factor[8] = {}, image[8][256] = {};  // e(i); pi(x) times d(j)
  for (int i = 0; i < 8; ++i) factor[i] = e(i);
  for (int j = 0; j < 8; ++j)
    for (unsigned x = 0; x < 256; ++x) image[j][x] = times(d(j), tables::kKuznyechikPi[x]);
  for (int i = 0; i < 8; ++i) {
    for (unsigned x = 0; x < 256; ++x) {
      const uint8_t scaled = times(factor[i], static_cast<uint8_t>(x));
      for (int j = 0; j < 8; ++j) c.sbox[i][j][scaled] = image[j][x];
    }
    for (int j = 0; j < 8; ++j) {
      c.l[i][j] = product_matrix(times(times(factor[i], element(i, j)), inverse(d(j))));
    }
    c.scale[i] = product_matrix(factor[i]);
    c.unscale[i] = product_matrix(inverse(factor[i]));
  }
  for (int r = 0; r < st::kRounds; ++r)
    for (int i = 0; i < 8; ++i)
      for (int j = 0; j < 8; ++j)
        c.iteration[r][i][j] =
            0x01010101u * times(factor[j], static_cast<uint8_t>(st::iteration_constant_word(r, i) >> (8 * j)));
  return c;
}
constexpr Constants kConstants = make_constants();
constexpr uint64_t kOne = product_matrix(0x80);

// ---- 64 messages ----------------------------------------------------------------------------------------------------

struct State {
  __m512i byte[8][8];  // [row][column]
};

VSH_INLINE __m512i multiply(__m512i x, uint64_t matrix) {
  return _mm512_gf2p8affine_epi64_epi8(x, _mm512_set1_epi64(static_cast<int64_t>(matrix)), 0);
}
VSH_INLINE __m512i xor3(__m512i a, __m512i b, __m512i c) { return _mm512_ternarylogic_epi32(a, b, c, 0x96); }

// to = LPS(from) ^ added(i, j).
template <class Added>
VSH_INLINE void lps(State& to, const State& from, Added added) {
  for (int i = 0; i < 8; ++i) {
    __m512i x[8];
    unrolled<8>(VSH_UNROLLED(j) { x[j] = BytesAvx512Gfni::look_up_256(kConstants.sbox[i][j], {from.byte[j][i]}).v; });
    unrolled<8>(VSH_UNROLLED(k) {
      const auto term = [&](auto j) VSH_LAMBDA_INLINE {
        if constexpr (kConstants.l[k][j] == kOne) return x[j];
        else return multiply(x[j], kConstants.l[k][j]);
      };
      using std::integral_constant;
      const __m512i a = xor3(term(integral_constant<int, 0>{}), term(integral_constant<int, 1>{}), added(i, k));
      const __m512i b = xor3(a, term(integral_constant<int, 2>{}), term(integral_constant<int, 3>{}));
      const __m512i c = xor3(b, term(integral_constant<int, 4>{}), term(integral_constant<int, 5>{}));
      to.byte[i][k] = xor3(c, term(integral_constant<int, 6>{}), term(integral_constant<int, 7>{}));
    });
  }
}

// Bytes of the messages to registers and back; `word` as in lanes.hpp.
template <class Word>
VSH_INLINE void slice(State& s, Word word) {
  alignas(64) Avx512 rows[8][8];
  for (uint32_t q = 0; q < 8; ++q) {
    Avx512 r[8];
    GroupsAvx512::load_rows(r, [&](uint32_t k, size_t) VSH_LAMBDA_INLINE { return word(8 * q + k); });
    for (int i = 0; i < 8; ++i) rows[i][q] = r[i];
  }
  for (int i = 0; i < 8; ++i) {
    GroupsAvx512::transpose(rows[i]);
    for (int j = 0; j < 8; ++j) s.byte[i][j] = multiply(rows[i][j].v, kConstants.scale[j]);
  }
}
template <class Word>
VSH_INLINE void unslice(const State& s, Word word) {
  alignas(64) Avx512 rows[8][8];
  for (int i = 0; i < 8; ++i) {
    for (int j = 0; j < 8; ++j) rows[i][j].v = multiply(s.byte[i][j], kConstants.unscale[j]);
    GroupsAvx512::transpose(rows[i]);
  }
  for (uint32_t q = 0; q < 8; ++q) {
    Avx512 r[8];
    for (int i = 0; i < 8; ++i) r[i] = rows[i][q];
    GroupsAvx512::store_rows(r, [&](uint32_t k, size_t, Avx512 value) VSH_LAMBDA_INLINE { word(8 * q + k, value); });
  }
}

// h = g_n(h, m) (RFC 6986, section 8) in every lane.
void compress(uint8_t* const* h, const uint8_t* const* n, const uint8_t* const* m) {
  State data, key, next;
  const auto none = [](int, int) VSH_LAMBDA_INLINE { return _mm512_setzero_si512(); };
  slice(next, [&](uint32_t i) VSH_LAMBDA_INLINE { return Avx512::load(h[i]) ^ Avx512::load(n[i]); });
  lps(key, next, none);
  slice(data, [&](uint32_t i) VSH_LAMBDA_INLINE { return Avx512::load(m[i]); });
  for (int i = 0; i < 8; ++i)
    for (int j = 0; j < 8; ++j) data.byte[i][j] = _mm512_xor_si512(data.byte[i][j], key.byte[i][j]);
  for (int r = 0; r < st::kRounds; ++r) {
    for (int i = 0; i < 8; ++i)
      for (int j = 0; j < 8; ++j)
        next.byte[i][j] =
            _mm512_xor_si512(key.byte[i][j], _mm512_set1_epi32(static_cast<int>(kConstants.iteration[r][i][j])));
    lps(key, next, none);
    next = data;
    lps(data, next, [&](int i, int j) VSH_LAMBDA_INLINE { return key.byte[i][j]; });
  }
  unslice(data, [&](uint32_t i, Avx512 value)
                    VSH_LAMBDA_INLINE { Avx512::store(h[i], Avx512::load(h[i]) ^ Avx512::load(m[i]) ^ value); });
}

}  // namespace

constinit const HashLanesKernel vsh_kernel_streebog_lanes_avx512_gfni = {
    {"streebog", "lanes_avx512_gfni", cpu::Isa::avx512_gfni, kLanes, 16000, true}, compress};

}  // namespace vsh
