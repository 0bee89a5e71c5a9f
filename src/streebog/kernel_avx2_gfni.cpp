// Constant-time Streebog for one message on AVX2 with GFNI (client CPUs from Alder Lake on): S by nibble look-ups as in
// rows.hpp, L by gf2p8affineqb. A chain's state is two registers of four words. The eight words that leave S are
// broadcast from memory, which costs no shuffle; word j times a register of bit matrices is its share of four rows of
// the result, even rows in one register, odd ones in the other: P is three steps of unpacking. The chains are separate
// here, and each fills the latency of the other. A round of both: 72 instructions for S, 32 products, 28 XORs, 12
// shuffles, 8 XORs of keys and constants; three a cycle, of which 36 by ports 1 and 5. llvm-mca 19 for alderlake: 52 to
// 54 cycles a round, 10.7 a byte, with GCC 12 and Clang 14 (kernel_avx2: 73, 14.9, which took 17.8 when measured).
// Measured on Zen 4: docs/speed.md.
#include "simd/affine.hpp"
#include "simd/bytes_avx2.hpp"
#include "simd/x86.hpp"
#include "streebog/rows.hpp"

namespace vsh {
extern const HashKernel vsh_kernel_streebog_avx2_gfni;

namespace {
namespace st = streebog;
using V = BytesAvx2;

// substitute yields l' ^ nu1(0) in the low nibble, r' ^ sigma(0) in the high one.
constexpr uint8_t tu_bytes(uint8_t x) { return static_cast<uint8_t>(x << 4 | x >> 4); }
// Row r of l of the word whose byte j is S(…), in the basis of alpha.
constexpr uint8_t image(int r, int j, uint8_t x) { return st::mixed(r, j, tu_bytes(x)); }
constexpr int row_of(int half, int i) { return 2 * i + half; }

struct Tables {
  uint64_t l[8][2][4];  // from word j of what substitute yields: row row_of(half, i)
  uint64_t alpha, alpha_inverse;
  uint8_t sigma[16];                  // at log r': (r' ^ sigma(0)) << 4
  uint8_t first[64];                  // l of nu1(0) and sigma(0), which substitute omits
  uint8_t constant[st::kRounds][64];  // C_i and that
};
constexpr Tables make_tables() {
  Tables t{};
  t.alpha = affine_matrix([](uint8_t x) { return st::Tu::apply(st::kTu.alpha, x); });
  t.alpha_inverse = affine_matrix([](uint8_t x) { return st::Tu::apply(st::kTu.alpha_inverse, x); });
  for (int e = 0; e < 16; ++e) t.sigma[e] = static_cast<uint8_t>(circuits::tu_r(e) << 4);
  for (int j = 0; j < 8; ++j)
    for (int half = 0; half < 2; ++half)
      for (int i = 0; i < 4; ++i)
        t.l[j][half][i] = affine_matrix([=](uint8_t x) { return image(row_of(half, i), j, x); });
  for (int b = 0; b < 64; ++b) {
    for (int j = 0; j < 8; ++j)
      t.first[b] ^= image(b % 8, j, static_cast<uint8_t>(st::kTu.sigma[0] << 4 | st::kTu.nu1[0]));
    for (int i = 0; i < st::kRounds; ++i)
      t.constant[i][b] = st::Tu::apply(st::kTu.alpha, st::iteration_constant_byte(i, b)) ^ t.first[b];
  }
  return t;
}
alignas(64) constexpr Tables kTables = make_tables();

VSH_INLINE __m256i broadcast(const uint64_t* q) { return _mm256_set1_epi64x(static_cast<int64_t>(*q)); }

// 64 bytes in the basis of alpha.
struct State {
  V x[2];

  VSH_INLINE_MEMBER friend State operator^(const State& a, const State& b) {
    return {{a.x[0] ^ b.x[0], a.x[1] ^ b.x[1]}};
  }
  VSH_INLINE_MEMBER static State load(const uint8_t* p) { return {{V::load(p), V::load(p + 32)}}; }
};

struct Kernel {
  using Value = State;
  VSH_INLINE_MEMBER static State map(const State& a, const uint64_t& matrix) {
    const __m256i m = broadcast(&matrix);
    return {{V{_mm256_gf2p8affine_epi64_epi8(a.x[0].v, m, 0)}, V{_mm256_gf2p8affine_epi64_epi8(a.x[1].v, m, 0)}}};
  }
  VSH_INLINE_MEMBER static State load(const uint8_t* p) { return map(State::load(p), kTables.alpha); }
  VSH_INLINE_MEMBER static void store(uint8_t* p, const State& a) {
    const State bytes = map(a, kTables.alpha_inverse);
    V::store(p, bytes.x[0]);
    V::store(p + 32, bytes.x[1]);
  }

  // The output of S in memory: loads that broadcast a word need no shuffle port.
  struct Words {
    alignas(64) uint64_t w[8];
  };
  VSH_INLINE_MEMBER static void substitute(Words& words, const State& a) {
    unrolled<2>(VSH_UNROLLED(u) {
      V l, r;
      st::Rows<V>::substitute(l, r, a.x[u]);
      const V s = l ^ V::look_up(V::load_lanes(kTables.sigma), r);
      V::store(reinterpret_cast<uint8_t*>(words.w + 4 * u), s);
    });
    st::hide(words);
  }
  // L and P, without the terms in kTables.first.
  VSH_INLINE_MEMBER static State mix(const Words& words) {
    V row[2];
    unrolled<8>(VSH_UNROLLED(j) {
      const __m256i word = broadcast(words.w + j);
      unrolled<2>(VSH_UNROLLED(half) {
        const __m256i m = _mm256_load_si256(reinterpret_cast<const __m256i*>(kTables.l[j][half]));
        const V y{_mm256_gf2p8affine_epi64_epi8(word, m, 0)};
        row[half] = j == 0 ? y : row[half] ^ y;
        V::keep(row[half]);
      });
    });
    // Bytes of rows 2i and 2i+1, of four rows, of all eight.
    const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    const __m256i a0 = _mm256_unpacklo_epi8(row[0].v, row[1].v);
    const __m256i a1 = _mm256_unpackhi_epi8(row[0].v, row[1].v);
    return {{V{_mm256_permutevar8x32_epi32(_mm256_unpacklo_epi16(a0, a1), order)},
             V{_mm256_permutevar8x32_epi32(_mm256_unpackhi_epi16(a0, a1), order)}}};
  }

  VSH_INLINE_MEMBER static void g(State& h, const State& n, const State& m) {
    Words of_key, of_data;
    substitute(of_key, h ^ n);
    State key = mix(of_key);
    State data = m ^ key ^ State::load(kTables.first);
    for (int i = 0; i < st::kRounds; ++i) {
      substitute(of_key, key ^ State::load(kTables.constant[i]));
      substitute(of_data, data);
      key = mix(of_key);
      data = mix(of_data) ^ key;
    }
    h = h ^ data ^ m;
  }
};

}  // namespace

constinit const HashKernel vsh_kernel_streebog_avx2_gfni =
    streebog::hash_row<Kernel>("avx2_gfni", cpu::Isa::avx2_gfni, 690);

}  // namespace vsh
