// Kuznyechik on one block, constant time, over byte vectors: for modes that feed each block into the next.
//
// Every 16-byte lane of a vector holds the block, and the lanes share the work:
//   S  pi is 16 rows of 16 bytes; a lane looks a quarter (half, all) of the rows up, each with an index that misses
//   unless
//      the high nibble is the row's, and the lanes' results are XORed.
//   L  with the matrix M over GF(2^8) and m_ij = sum of m_ij,b x^b,
//        y_i = sum_b x^b sum_j m_ij,b x_j:
//      byte x_j, spread over a lane, is masked by constants into eight sums; lane p handles the j congruent to p modulo
//      the
//      number of lanes. Then the powers of x are joined in pairs, and the lanes XORed.
// No address and no branch depends on data. A round is one chain: about 14 cycles for S and, with 1, 2 lanes, about 85,
// 43 for the masks (loads bind), 14 to join, 0, 4 to fold.
#pragma once

#include "circuits/sbox_tables.hpp"
#include "kuznyechik/one_block_kernel.hpp"

namespace vsh::kuznyechik {
namespace {

// Look-up tables and masks of one direction of a round, in the order of use.
template <class V>
struct RoundTables {
  static constexpr int kSteps = 16 / V::kLanes;
  uint8_t row[kSteps][V::kLanes][16];         // pi of high nibble step * kLanes + lane
  uint8_t row_number[kSteps][V::kLanes][16];  // that nibble, in the high half
  uint8_t pick[kSteps][V::kLanes][16];        // index j = step * kLanes + lane, 16 times
  uint8_t mask[kSteps][8][V::kLanes][16];     // for that j and bit b: 0xFF in byte i where bit b of m_ij is set
};

template <class V>
constexpr RoundTables<V> make_round_tables(const uint8_t* sbox, const Matrix& m) {
  RoundTables<V> t{};
  for (int step = 0; step < t.kSteps; ++step)
    for (int lane = 0; lane < V::kLanes; ++lane) {
      const int j = step * V::kLanes + lane;
      for (int i = 0; i < 16; ++i) {
        t.row[step][lane][i] = sbox[16 * j + i];
        t.row_number[step][lane][i] = static_cast<uint8_t>(j << 4);
        t.pick[step][lane][i] = static_cast<uint8_t>(j);
        for (int b = 0; b < 8; ++b) t.mask[step][b][lane][i] = (m.column[j].b[i] >> b) & 1 ? 0xFF : 0;
      }
    }
  return t;
}

// Products by x^k, nibble by nibble.
struct PowerTables {
  uint8_t low[16], high[16];
};
constexpr PowerTables make_power_tables(int k) {
  PowerTables t{};
  for (int v = 0; v < 16; ++v) {
    t.low[v] = field_product(static_cast<uint8_t>(1 << k), static_cast<uint8_t>(v));
    t.high[v] = field_product(static_cast<uint8_t>(1 << k), static_cast<uint8_t>(v << 4));
  }
  return t;
}
alignas(64) constexpr PowerTables kTimesX = make_power_tables(1);
alignas(64) constexpr PowerTables kTimesX2 = make_power_tables(2);
alignas(64) constexpr PowerTables kTimesX4 = make_power_tables(4);

template <class V>
struct OneBlockBytes {
  alignas(64) static constexpr RoundTables<V> kForward = make_round_tables<V>(tables::kKuznyechikPi,
                                                                              matrix_of(l_transform));
  alignas(64) static constexpr RoundTables<V> kBackward = make_round_tables<V>(tables::kKuznyechikPiInverse,
                                                                               matrix_of(l_inverse));

  using Forward = Lanes<V>;
  using Backward = Lanes<V>;

  VSH_INLINE_MEMBER static Forward forward(Forward x, Forward k) {
    return {mix(kForward, substitute(kForward, x.v)) ^ k.v};
  }
  VSH_INLINE_MEMBER static Backward backward(Backward x) { return {substitute(kBackward, mix(kBackward, x.v))}; }

 private:
  VSH_INLINE_MEMBER static V substitute(const RoundTables<V>& t, V x) {
    V y = V::splat(0);
    for (int step = 0; step < t.kSteps; ++step)
      y = y ^ V::look_up_or_zero(V::load(t.row[step][0]), x ^ V::load(t.row_number[step][0]));
    return V::fold_lanes(y);
  }

  VSH_INLINE_MEMBER static V times(const PowerTables& t, V a) {
    return V::look_up(V::load_lanes(t.low), a & V::splat(15)) ^ V::look_up(V::load_lanes(t.high), V::high_nibbles(a));
  }

  VSH_INLINE_MEMBER static V mix(const RoundTables<V>& t, V x) {
    V sum[8];
    for (int step = 0; step < t.kSteps; ++step) {
      const V byte = V::look_up(x, V::load(t.pick[step][0]));
      for (int b = 0; b < 8; ++b) {
        const V mask = V::load(t.mask[step][b][0]);
        sum[b] = step == 0 ? byte & mask : V::xor_and(sum[b], byte, mask);
      }
    }
    V pair[4], quad[2];
    for (int i = 0; i < 4; ++i) pair[i] = sum[2 * i] ^ times(kTimesX, sum[2 * i + 1]);
    for (int i = 0; i < 2; ++i) quad[i] = pair[2 * i] ^ times(kTimesX2, pair[2 * i + 1]);
    return V::fold_lanes(quad[0] ^ times(kTimesX4, quad[1]));
  }
};

}  // namespace
}  // namespace vsh::kuznyechik
