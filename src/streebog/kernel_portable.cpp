// Constant-time Streebog for any CPU and byte order, in 64-bit words: bit-sliced S, byte-sliced L.
// The eight words of a state, transposed by bits, are the eight bit planes of its 64 bytes: S is a Boolean circuit on
// them (circuits/). L is an 8x8 matrix over GF(2^8) (Kazymyrov, Kazymyrova, "Algebraic Aspects of the Russian Hash
// Standard GOST R 34.11-2012", 2013): a row of the result is Horner's rule in x over sums of words, all taken from the
// 2 x 16 sums of words 0 … 3 and 4 … 7. P transposes by bytes.
// Some 900 instructions for a chain's 64 bytes. 121 core cycles a byte with GCC 12, 113 with Clang 14 on an
// Emerald Rapids Xeon (x86-64 without extensions), 16 KiB message; 131 with GCC 12 on an AMD EPYC (Zen 3).
#include "circuits/circuits.hpp"
#include "core/bytes.hpp"
#include "core/unrolled.hpp"
#include "simd/portable64.hpp"
#include "streebog/constants.hpp"
#include "streebog/hash_row.hpp"

namespace vsh {
extern const HashKernel vsh_kernel_streebog_portable;

namespace {
namespace st = streebog;
using W = Portable64;

constexpr uint64_t kBytes = 0x0101010101010101;  // times a byte: repeats it

// With the most significant bit of a byte as the coefficient of x^0, l of the standard is linear over
// GF(2^8) = GF(2)[x] / (x^8 + x^6 + x^5 + x^4 + 1): byte r of l(b) is the sum over j of element(r, j) times
// byte j.
constexpr uint8_t element(int r, int j) { return static_cast<uint8_t>(st::l_of_byte(j, 0x80) >> (8 * r)); }
// x y in all bytes. The bits that leave the bytes come back as x^8 = 1 + x^4 + x^5 + x^6. No multiplication
// of integers: on some CPUs its time depends on its operands.
constexpr uint64_t times_x(uint64_t y) {
  const uint64_t out = y & kBytes;
  return ((y ^ out) >> 1) ^ (((out << 8) - out) & 0x8E * kBytes);
}

constexpr bool is_linear_over_the_field() {
  for (int j = 0; j < 8; ++j)
    for (int r = 0; r < 8; ++r) {
      uint64_t power = element(r, j);  // times x^k
      for (int k = 0; k < 8; ++k, power = times_x(power))
        if (power != ((st::l_of_byte(j, static_cast<uint8_t>(0x80 >> k)) >> (8 * r)) & 0xFF)) return false;
    }
  return true;
}
static_assert(is_linear_over_the_field());

// subset[r][k][h]: the words among 4h … 4h+3 whose coefficient in row r has x^k.
struct Subsets {
  uint8_t subset[8][8][2];
};
constexpr Subsets make_subsets() {
  Subsets s{};
  for (int r = 0; r < 8; ++r)
    for (int k = 0; k < 8; ++k)
      for (int j = 0; j < 8; ++j)
        if ((element(r, j) >> (7 - k)) & 1) s.subset[r][k][j / 4] |= static_cast<uint8_t>(1 << (j % 4));
  return s;
}
constexpr Subsets kSubsets = make_subsets();

// r[i] bit j of each byte <-> r[j] bit i of it.
VSH_INLINE void transpose_bits(W (&r)[8]) {
  unrolled<4>(VSH_UNROLLED(i) { W::exchange<1>(r[2 * i], r[2 * i + 1]); });
  unrolled<4>(VSH_UNROLLED(i) { W::exchange<2>(r[i + (i & 2)], r[i + (i & 2) + 2]); });
  unrolled<4>(VSH_UNROLLED(i) { W::exchange<4>(r[i], r[i + 4]); });
}
// r[i] byte j <-> r[j] byte i.
VSH_INLINE void transpose_bytes(W (&r)[8]) {
  unrolled<4>(VSH_UNROLLED(i) { W::exchange<8>(r[2 * i], r[2 * i + 1]); });
  unrolled<4>(VSH_UNROLLED(i) { W::exchange<16>(r[i + (i & 2)], r[i + (i & 2) + 2]); });
  unrolled<4>(VSH_UNROLLED(i) { W::exchange<32>(r[i], r[i + 4]); });
}

void lps(uint64_t (&state)[8]) {
  W x[8];
  unrolled<8>(VSH_UNROLLED(i) { x[i].v = state[i]; });
  transpose_bits(x);
  circuits::kuznyechik_sbox(x);
  transpose_bits(x);

  uint64_t sums[2][16];
  unrolled<2>(VSH_UNROLLED(h) {
    sums[h][0] = 0;
    unrolled<15>(VSH_UNROLLED(n) {
      constexpr int s = n + 1, top = s >= 8 ? 3 : s >= 4 ? 2 : s >= 2 ? 1 : 0;
      sums[h][s] = sums[h][s ^ (1 << top)] ^ x[4 * h + top].v;
    });
  });
  unrolled<8>(VSH_UNROLLED(r) {
    uint64_t y = 0;
    unrolled<8>(VSH_UNROLLED(n) {
      constexpr int k = 7 - n;
      y = times_x(y) ^ sums[0][kSubsets.subset[r][k][0]] ^ sums[1][kSubsets.subset[r][k][1]];
    });
    x[r].v = y;
  });
  transpose_bytes(x);
  unrolled<8>(VSH_UNROLLED(i) { state[i] = x[i].v; });
}

struct Kernel {
  struct Value {
    uint64_t w[8];
  };
  static Value load(const uint8_t* p) {
    Value x;
    for (int w = 0; w < 8; ++w) x.w[w] = load_le64(p + 8 * w);
    return x;
  }
  static void store(uint8_t* p, const Value& x) {
    for (int w = 0; w < 8; ++w) store_le64(p + 8 * w, x.w[w]);
  }
  static void g(Value& h, const Value& n, const Value& m) {
    Value key, state = m;
    for (int w = 0; w < 8; ++w) key.w[w] = h.w[w] ^ n.w[w];
    lps(key.w);
    for (int i = 0; i < st::kRounds; ++i) {
      for (int w = 0; w < 8; ++w) {
        state.w[w] ^= key.w[w];
        key.w[w] ^= st::iteration_constant_word(i, w);
      }
      lps(state.w);
      lps(key.w);
    }
    for (int w = 0; w < 8; ++w) h.w[w] ^= state.w[w] ^ key.w[w] ^ m.w[w];
  }
};

}  // namespace

constinit const HashKernel vsh_kernel_streebog_portable = streebog::hash_row<Kernel>("portable", cpu::Isa::any, 8400);

}  // namespace vsh
