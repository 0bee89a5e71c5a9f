// Proves every generated circuit, in both bases: S-boxes on all of their inputs, the linear step on
// a basis of its input space. Nothing is sampled where a proof is possible.

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <utility>

#include "../../src/circuits/circuits.hpp"
#include "streebog/constants.hpp"

namespace {

using vsh::tables::kKuznyechikPi;
using vsh::tables::kKuznyechikPiInverse;
using vsh::tables::kMagmaSboxes;
using vsh::tables::kNumMagmaSboxes;
using vsh::tables::MagmaSbox;

// 64 lanes of one bit. Ternary selects the basis of the circuits; with it, a three-input function is composed from its
// table, minterm by minterm, so that the test shares no code with the word types of src/simd.
template <bool Ternary>
struct Word {
  std::uint64_t bits = 0;

  static constexpr bool has_ternary = Ternary;

  friend Word operator&(Word a, Word b) { return {a.bits & b.bits}; }
  friend Word operator|(Word a, Word b) { return {a.bits | b.bits}; }
  friend Word operator^(Word a, Word b) { return {a.bits ^ b.bits}; }
  friend Word operator~(Word a) { return {~a.bits}; }
  static Word andnot(Word a, Word b) { return {~a.bits & b.bits}; }

  template <int imm>
  static Word ternary(Word a, Word b, Word c) {
    static_assert(Ternary && 0 <= imm && imm < 256);
    Word r;
    for (int x = 0; x < 8; ++x) {
      if (((imm >> x) & 1) == 0) continue;
      r.bits |=
          ((x & 4) != 0 ? a.bits : ~a.bits) & ((x & 2) != 0 ? b.bits : ~b.bits) & ((x & 1) != 0 ? c.bits : ~c.bits);
    }
    return r;
  }
};

template <class W>
class Circuits : public testing::Test {};

struct BasisName {
  template <class W>
  static std::string GetName(int) {
    return W::has_ternary ? "lut3" : "gates2";
  }
};
using Bases = testing::Types<Word<false>, Word<true>>;
TYPED_TEST_SUITE(Circuits, Bases, BasisName);

// Runs an in-place byte circuit on all 256 inputs, 64 a pass, and compares with `table`.
template <class W, class Circuit>
void expect_byte_function(Circuit circuit, const std::uint8_t (&table)[256]) {
  for (int first = 0; first < 256; first += 64) {
    W x[8];
    for (int lane = 0; lane < 64; ++lane) {
      for (int i = 0; i < 8; ++i) x[i].bits |= static_cast<std::uint64_t>((first + lane) >> i & 1) << lane;
    }
    circuit(x);
    for (int lane = 0; lane < 64; ++lane) {
      unsigned y = 0;
      for (int i = 0; i < 8; ++i) y |= static_cast<unsigned>(x[i].bits >> lane & 1) << i;
      EXPECT_EQ(y, table[first + lane]) << "input " << first + lane;
    }
  }
}

TYPED_TEST(Circuits, KuznyechikSbox) {
  expect_byte_function<TypeParam>([](TypeParam(&x)[8]) { vsh::circuits::kuznyechik_sbox(x); }, kKuznyechikPi);
}

TYPED_TEST(Circuits, KuznyechikSboxInverse) {
  expect_byte_function<TypeParam>([](TypeParam(&x)[8]) { vsh::circuits::kuznyechik_sbox_inverse(x); },
                                  kKuznyechikPiInverse);
}

// An S-box interleaved with a linear step: outputs equal those of the two circuits, which are proved here.
template <class W, class Pair, class Alone>
void expect_both(Pair pair, Alone alone) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 16; ++round) {
    W x[8], z[16][8], y[8], u[8], wanted[8], wanted_y[8];
    for (int b = 0; b < 8; ++b) wanted[b].bits = x[b].bits = random();
    for (auto& byte : z)
      for (W& plane : byte) plane.bits = random();
    const auto load = [&z](int i, int b) { return z[i][b]; };
    alone(wanted);
    vsh::circuits::kuznyechik_lfsr(wanted_y, load);
    pair(
        x, [&u](int b, W v) { u[b] = v; }, y, load);
    for (int b = 0; b < 8; ++b) {
      EXPECT_EQ(u[b].bits, wanted[b].bits);
      EXPECT_EQ(y[b].bits, wanted_y[b].bits);
    }
  }
}

TYPED_TEST(Circuits, KuznyechikSboxBesideLfsr) {
  using W = TypeParam;
  expect_both<W>([](W(&x)[8], auto put, W(&y)[8], auto z) { vsh::circuits::kuznyechik_sbox_beside_lfsr(x, put, y, z); },
                 [](W(&x)[8]) { vsh::circuits::kuznyechik_sbox(x); });
  expect_both<W>(
      [](W(&x)[8], auto put, W(&y)[8], auto z) { vsh::circuits::kuznyechik_sbox_inverse_beside_lfsr(x, put, y, z); },
      [](W(&x)[8]) { vsh::circuits::kuznyechik_sbox_inverse(x); });
}

template <MagmaSbox S, int Box, class W>
void expect_nibble_function() {
  const std::uint8_t(&row)[16] = kMagmaSboxes[static_cast<int>(S)].rows[Box];
  W x[4];
  for (int lane = 0; lane < 64; ++lane) {
    for (int i = 0; i < 4; ++i) x[i].bits |= static_cast<std::uint64_t>(lane >> i & 1) << lane;
  }
  W y[4];
  vsh::circuits::magma_sbox<S, Box>(x, y);
  for (int lane = 0; lane < 64; ++lane) {  // the sixteen inputs, four times over
    unsigned value = 0;
    for (int i = 0; i < 4; ++i) value |= static_cast<unsigned>(y[i].bits >> lane & 1) << i;
    EXPECT_EQ(value, row[lane & 15]) << kMagmaSboxes[static_cast<int>(S)].name << ", box " << Box << ", input "
                                     << (lane & 15);
  }
  // Input and output may be the same array.
  vsh::circuits::magma_sbox<S, Box>(x, x);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(x[i].bits, y[i].bits);
}

template <class W, int... Index>
void expect_all_boxes(std::integer_sequence<int, Index...>) {
  (expect_nibble_function<static_cast<MagmaSbox>(Index / 8), Index % 8, W>(), ...);
}

TYPED_TEST(Circuits, MagmaSboxes) {
  expect_all_boxes<TypeParam>(std::make_integer_sequence<int, 8 * kNumMagmaSboxes>{});
}

// --- The linear step ---

// GOST R 34.12-2015, clause 4.1.2: coefficients of a_15 … a_0.
constexpr int kCoefficients[16] = {148, 32, 133, 16, 194, 192, 1, 251, 1, 192, 194, 16, 133, 32, 148, 1};

std::uint8_t multiply(int a, int b) {  // modulo x^8 + x^7 + x^6 + x + 1
  int r = 0;
  for (; b != 0; b >>= 1) {
    if ((b & 1) != 0) r ^= a;
    a = (a << 1) ^ ((a & 0x80) != 0 ? 0x1c3 : 0);
  }
  return static_cast<std::uint8_t>(r);
}

using State = std::array<std::uint8_t, 16>;  // byte i is a_i

std::uint8_t lfsr_reference(const State& a) {
  std::uint8_t sum = 0;
  for (int i = 0; i < 16; ++i) sum ^= multiply(a[i], kCoefficients[15 - i]);
  return sum;
}

// The circuit on 64 states at once.
template <class W>
std::array<std::uint8_t, 64> lfsr_circuit(const std::array<State, 64>& states) {
  W planes[16][8];
  for (int lane = 0; lane < 64; ++lane) {
    for (int i = 0; i < 16; ++i) {
      for (int b = 0; b < 8; ++b) {
        planes[i][b].bits |= static_cast<std::uint64_t>(states[lane][i] >> b & 1) << lane;
      }
    }
  }
  W y[8];
  vsh::circuits::kuznyechik_lfsr(y, [&](int i, int b) { return planes[i][b]; });
  std::array<std::uint8_t, 64> result{};
  for (int lane = 0; lane < 64; ++lane) {
    for (int b = 0; b < 8; ++b) {
      result[lane] |= static_cast<std::uint8_t>((y[b].bits >> lane & 1) << b);
    }
  }
  return result;
}

// A word that supports only XOR, of two or of three: a circuit that compiles with it and gives 0 for the zero state is
// linear, and a linear map is known from its values on a basis. So the next two tests together are a proof.
template <bool Ternary>
struct XorOnlyWord {
  std::uint64_t bits = 0;
  static constexpr bool has_ternary = Ternary;
  friend XorOnlyWord operator^(XorOnlyWord a, XorOnlyWord b) { return {a.bits ^ b.bits}; }
  template <int imm>
  static XorOnlyWord ternary(XorOnlyWord a, XorOnlyWord b, XorOnlyWord c) {
    static_assert(imm == 0x96, "the linear step has a gate that is not an XOR");
    return {a.bits ^ b.bits ^ c.bits};
  }
};

TYPED_TEST(Circuits, KuznyechikLfsrIsLinear) {
  using W = XorOnlyWord<TypeParam::has_ternary>;
  W y[8];
  vsh::circuits::kuznyechik_lfsr(y, [](int, int) { return W{}; });
  for (const W& plane : y) EXPECT_EQ(plane.bits, 0u);
}

TYPED_TEST(Circuits, KuznyechikLfsrOnUnitVectors) {
  for (int first = 0; first < 128; first += 64) {
    std::array<State, 64> states{};
    for (int lane = 0; lane < 64; ++lane) {
      const int bit = first + lane;
      states[lane][bit / 8] = static_cast<std::uint8_t>(1 << (bit % 8));
    }
    const auto got = lfsr_circuit<TypeParam>(states);
    for (int lane = 0; lane < 64; ++lane) {
      EXPECT_EQ(got[lane], lfsr_reference(states[lane])) << "bit " << first + lane;
    }
  }
}

TYPED_TEST(Circuits, KuznyechikLfsrOnRandomStates) {
  std::mt19937_64 random(20150619);
  for (int pass = 0; pass < 16; ++pass) {
    std::array<State, 64> states{};
    for (State& s : states) {
      for (std::uint8_t& byte : s) byte = static_cast<std::uint8_t>(random());
    }
    const auto got = lfsr_circuit<TypeParam>(states);
    for (int lane = 0; lane < 64; ++lane) EXPECT_EQ(got[lane], lfsr_reference(states[lane]));
  }
}

// GOST R 34.12-2015, appendix A.1.2 (RFC 7801, section 5.2): four steps R from one state. Each step
// shifts the new byte in as a_15.
TYPED_TEST(Circuits, KuznyechikLfsrOnTheStandardsExample) {
  State a{};
  a[1] = 0x01;  // 00000000000000000000000000000100, a_15 first
  const std::uint8_t shifted_in[4] = {0x94, 0xa5, 0x64, 0x0d};
  for (const std::uint8_t expected : shifted_in) {
    std::array<State, 64> states{};
    states.fill(a);
    const std::uint8_t fresh = lfsr_circuit<TypeParam>(states)[0];
    EXPECT_EQ(fresh, expected);
    for (int i = 0; i < 15; ++i) a[i] = a[i + 1];
    a[15] = fresh;
  }
}

// --- Streebog's S and l in the basis of alpha ---

template <class W>
std::uint8_t streebog_alpha(std::uint8_t x) {
  unsigned y = 0;
  for (int k = 0; k < 8; ++k)
    y |= static_cast<unsigned>(__builtin_parity(x & vsh::circuits::streebog_alpha<W>().row[k])) << k;
  return static_cast<std::uint8_t>(y);
}

TYPED_TEST(Circuits, StreebogLIsLinear) {
  using W = XorOnlyWord<TypeParam::has_ternary>;
  W y[64], slot[vsh::circuits::kStreebogSlots], zero;
  vsh::circuits::streebog_l(y, slot, [&](int, int) { return zero; });
  for (const W& plane : y) EXPECT_EQ(plane.bits, 0u);
}

// streebog_l(streebog_s(alpha(x))) = alpha(l(pi(x)) + l(pi(0))) for every byte x in every place of a word. As
// streebog_l is linear and streebog_s maps 0 to 0, that is so for all words: a proof, without knowing omega.
TYPED_TEST(Circuits, StreebogSAndLOnEveryByteInEveryPlace) {
  using W = TypeParam;
  for (int place = 0; place < 8; ++place)
    for (int first = 0; first < 256; first += 64) {
      W word[8][8], y[64], slot[vsh::circuits::kStreebogSlots];
      for (int lane = 0; lane < 64; ++lane)
        for (int b = 0; b < 8; ++b)
          word[place][b].bits |=
              static_cast<std::uint64_t>(streebog_alpha<W>(static_cast<std::uint8_t>(first + lane)) >> b & 1) << lane;
      for (auto& byte : word) vsh::circuits::streebog_s(byte);
      vsh::circuits::streebog_l(y, slot, [&](int i, int b) { return word[i][b]; });
      for (int lane = 0; lane < 64; ++lane) {
        const auto difference = static_cast<std::uint8_t>(kKuznyechikPi[first + lane] ^ kKuznyechikPi[0]);
        const std::uint64_t expected = vsh::streebog::l_of_byte(place, difference);
        for (int i = 0; i < 8; ++i) {
          unsigned got = 0;
          for (int b = 0; b < 8; ++b) got |= static_cast<unsigned>(y[8 * i + b].bits >> lane & 1) << b;
          EXPECT_EQ(got, streebog_alpha<W>(static_cast<std::uint8_t>(expected >> 8 * i)))
              << "byte " << first + lane << " in place " << place << ", result byte " << i;
        }
      }
    }
}

// --- The tables ---

TEST(SboxTables, PiInverseInvertsPi) {
  for (int x = 0; x < 256; ++x) {
    EXPECT_EQ(kKuznyechikPiInverse[kKuznyechikPi[x]], x);
    EXPECT_EQ(kKuznyechikPi[kKuznyechikPiInverse[x]], x);
  }
}

TEST(SboxTables, EveryMagmaRowIsAPermutation) {
  for (const auto& set : kMagmaSboxes) {
    for (int row = 0; row < 8; ++row) {
      unsigned seen = 0;
      for (const std::uint8_t value : set.rows[row]) seen |= 1u << value;
      EXPECT_EQ(seen, 0xffffu) << set.name << ", row " << row;
    }
  }
}

// Spot checks against the printed standards, so that a table cannot change together with its
// circuit.
TEST(SboxTables, ValuesOfTheStandards) {
  // GOST R 34.12-2015, appendix A.1.1 (RFC 7801, section 5.1): the transformation S.
  const std::uint8_t in[16] = {0xff, 0xee, 0xdd, 0xcc, 0xbb, 0xaa, 0x99, 0x88,
                               0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x00};
  const std::uint8_t out[16] = {0xb6, 0x6c, 0xd8, 0x88, 0x7d, 0x38, 0xe8, 0xd7,
                                0x77, 0x65, 0xae, 0xea, 0x0c, 0x9a, 0x7e, 0xfc};
  for (int i = 0; i < 16; ++i) EXPECT_EQ(kKuznyechikPi[in[i]], out[i]);

  // GOST R 34.12-2015, appendix A.2.1 (RFC 8891, section A.1): the transformation t, with set
  // tc26-z.
  const auto t = [](std::uint32_t a) {
    std::uint32_t r = 0;
    for (int i = 0; i < 8; ++i) {
      r |= static_cast<std::uint32_t>(kMagmaSboxes[static_cast<int>(MagmaSbox::tc26_z)].rows[i][a >> 4 * i & 15])
           << 4 * i;
    }
    return r;
  };
  EXPECT_EQ(t(0xfdb97531u), 0x2a196f34u);
  EXPECT_EQ(t(0x2a196f34u), 0xebd9f03au);
  EXPECT_EQ(t(0xebd9f03au), 0xb039bb3du);
  EXPECT_EQ(t(0xb039bb3du), 0x68695433u);
}

}  // namespace
