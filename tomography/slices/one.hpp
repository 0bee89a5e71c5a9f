// Back-projection of a single slice: pixels in the lanes, bins from the filtered row by index.
//
// The bins of 16 neighbouring pixels are at most 17 neighbours: with AVX-512 two loads and a permutation of both by
// index for each of the two taps, instead of gathers. AVX2 gathers; elsewhere there is an index a pixel. The places are
// those of back_project, so a slice does not depend on the others of its batch.
#pragma once

#include "tomography/slices/back_project.hpp"

#if (defined(__AVX512F__) || defined(__AVX2__)) && !VSH_EMULATED
#include "simd/x86.hpp"
#endif

namespace vsh::tomography {
namespace {

// Returns p[at] and p[at + 1] for every lane.
template <class S>
VSH_INLINE void two_bins(const float* p, typename S::I at, typename S::V& first, typename S::V& second) {
#if defined(__AVX512F__) && !VSH_EMULATED
  if constexpr (S::kLanes == 16) {
    const int32_t base = at[0] < at[15] ? at[0] : at[15];
    const __m512 low = _mm512_loadu_ps(p + base), high = _mm512_loadu_ps(p + base + 16);
    const __m512i index = (__m512i)(at - base);
    first = (typename S::V)_mm512_permutex2var_ps(low, index, high);
    second = (typename S::V)_mm512_permutex2var_ps(low, _mm512_add_epi32(index, _mm512_set1_epi32(1)), high);
    return;
  }
#elif defined(__AVX2__) && !VSH_EMULATED
  if constexpr (S::kLanes == 8) {
    first = (typename S::V)_mm256_i32gather_ps(p, (__m256i)at, 4);
    second = (typename S::V)_mm256_i32gather_ps(p + 1, (__m256i)at, 4);
    return;
  }
#endif
  for (int i = 0; i < S::kLanes; ++i) {
    first[i] = p[at[i]];
    second[i] = p[at[i] + 1];
  }
}

template <class S>
void back_project_one(float* tile, const TileRows& pixels, const float* rows, size_t pitch, size_t num_bins,
                      const TileAngle* angles, size_t num_angles) {
  using V = typename S::V;
  using Places = BackProject<S, 1, Interpolation::linear>;
  constexpr size_t kRows = 4, kGroups = S::kLanes >= 8 ? 2 : 4, kColumns = kGroups * S::kLanes;
  for (size_t row = 0; row < pixels.num_rows; row += kRows) {
    for (size_t column = 0; column < kTile; column += kColumns) {
      bool any = false;
      for (size_t r = row; r < row + kRows && r < pixels.num_rows; ++r)
        any = any || (pixels.begin[r] < column + kColumns && pixels.end[r] > column);
      if (!any) continue;
      V sum[kRows][kGroups] = {};
      for (size_t i = 0; i < num_angles; ++i) {
        const typename Places::Angle a = Places::place(angles[i], pixels, 0, num_bins);
        const float* const p = rows + i * pitch + a.base / S::kLanes;
        V along[kGroups];
        for (size_t g = 0; g < kGroups; ++g)
          along[g] = (S::ramp() + static_cast<float>(column + g * S::kLanes)) * a.cosine;
        for (size_t r = 0; r < kRows; ++r) {
          const float start = a.start + a.sine * static_cast<float>(row + r);
          for (size_t g = 0; g < kGroups; ++g) {
            const V t = S::min(S::max(start + along[g], S::all(a.low)), S::all(a.high));
            const auto whole = S::to_int(t);
            const V f = t - S::to_float(whole);
            V first, second;
            two_bins<S>(p, whole, first, second);
            sum[r][g] += (1 - f) * first;
            sum[r][g] += f * second;
          }
        }
      }
      for (size_t r = 0; r < kRows && row + r < pixels.num_rows; ++r)
        for (size_t g = 0; g < kGroups; ++g)
          for (size_t i = 0; i < S::kLanes; ++i) {
            const size_t x = column + g * S::kLanes + i;
            if (x >= pixels.begin[row + r] && x < pixels.end[row + r])
              tile[(row + r) * kTile + x] += sum[r][g][static_cast<int>(i)];
          }
    }
  }
}

}  // namespace
}  // namespace vsh::tomography
