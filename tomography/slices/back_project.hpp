// Back-projection with slices in the lanes: for every pixel and angle two (cubic: four) bundles of a row times weights.
//
// A tile of 32 x 32 pixels takes kAngles angles at a time, so that the bins it needs stay in the first cache and its
// sums pass through the second one once in kAngles angles. Places and weights are computed for a row of the tile at a
// time, with pixels in the lanes, from the tile's corner in double and within the tile in float (2^-17 of a bin).
// Bound by loads: 2 of bundles and an FMA with each; place and weight are 2 more, shared by the bundle.
#pragma once

#include "tomography/slices/kernel.hpp"
#include "tomography/slices/vector.hpp"

namespace vsh::tomography {
namespace {

constexpr size_t kAngles = 8;

template <class S, int vectors, Interpolation interpolation>
struct BackProject {
  using V = typename S::V;
  static constexpr size_t kBundle = size_t{S::kLanes} * vectors;
  static constexpr int kTaps = interpolation == Interpolation::cubic ? 4 : 2;

  struct Angle {
    float cosine, sine;     // per column and per row
    float start;            // bin of the tile's first pixel, less base
    float low, high;        // where a row ends, less base
    float narrow, inverse;  // Joseph: max(|cos|, |sin|) and its inverse
    int32_t base;           // of the first tap's bundle at bin `base`, in floats
  };

  static Angle place(const TileAngle& a, const TileRows& pixels, size_t row_floats, size_t num_bins) {
    Angle r;
    const double start = pixels.x * a.cosine + pixels.y * a.sine + a.centre;
    // Far from the detector every pixel of the tile is: then any place outside does, and stays in range.
    const double far = static_cast<double>(num_bins) + 4 * kTile;
    const double clipped = start < -far ? -far : start > far ? far : start;
    const double base = static_cast<double>(static_cast<int64_t>(clipped + far)) - far - 2 * kTile;
    r.cosine = static_cast<float>(a.cosine);
    r.sine = static_cast<float>(-a.sine);
    r.start = static_cast<float>(clipped - base);
    r.low = static_cast<float>(-1 - base);
    r.high = static_cast<float>(static_cast<double>(num_bins) - base);
    const double c = a.cosine < 0 ? -a.cosine : a.cosine, s = a.sine < 0 ? -a.sine : a.sine;
    r.narrow = static_cast<float>(c > s ? c : s);
    r.inverse = static_cast<float>(1 / (c > s ? c : s));
    const int64_t first = static_cast<int64_t>(base) + static_cast<int64_t>(kGuard) - (kTaps == 4 ? 1 : 0);
    r.base = static_cast<int32_t>(static_cast<int64_t>(row_floats) + first * static_cast<int64_t>(kBundle));
    return r;
  }

  // Computes the places and weights of a row of the tile.
  static void weigh(int32_t* places, float* weights, const Angle& a, size_t row) {
    const float start = a.start + a.sine * static_cast<float>(row);
    for (size_t i = 0; i < kTile; i += S::kLanes) {
      V t = start + (S::ramp() + static_cast<float>(i)) * a.cosine;
      t = S::min(S::max(t, S::all(a.low)), S::all(a.high));
      const auto whole = S::to_int(t);  // t > 0
      const V f = t - S::to_float(whole);
      *reinterpret_cast<typename S::I*>(places + i) = whole * static_cast<int32_t>(kBundle) + a.base;
      if constexpr (interpolation == Interpolation::cubic) {
        const V g = 1 - f;
        S::store(weights + i, f * g * g * -0.5f);
        S::store(weights + kTile + i, 1 + f * f * (1.5f * f - 2.5f));
        S::store(weights + 2 * kTile + i, 1 + g * g * (1.5f * g - 2.5f));
        S::store(weights + 3 * kTile + i, g * f * f * -0.5f);
      } else if constexpr (interpolation == Interpolation::joseph) {
        const V none{};
        S::store(weights + i, S::max((a.narrow - f) * (a.inverse * a.inverse), none));
        S::store(weights + kTile + i, S::max((a.narrow - (1 - f)) * (a.inverse * a.inverse), none));
      } else {
        S::store(weights + i, f);
      }
    }
  }

  template <size_t angles>
  VSH_INLINE void pixel(float* sum, const float* rows, const int32_t* places, const float* weights) {
    V total[vectors];
    for (int v = 0; v < vectors; ++v) total[v] = S::load(sum + v * S::kLanes);
#pragma GCC unroll 8
    for (size_t a = 0; a < angles; ++a) {
      const float* const p = rows + places[a * kTile];
      if constexpr (interpolation == Interpolation::linear) {
        const float f = weights[a * kTile];
        const V f1 = S::all(f), f0 = S::all(1 - f);
        for (int v = 0; v < vectors; ++v) total[v] += f0 * S::load(p + v * S::kLanes);
        for (int v = 0; v < vectors; ++v) total[v] += f1 * S::load(p + kBundle + v * S::kLanes);
      } else {
        for (int tap = 0; tap < kTaps; ++tap) {
          const V f = S::all(weights[(a * kTaps + static_cast<size_t>(tap)) * kTile]);
          for (int v = 0; v < vectors; ++v)
            total[v] += f * S::load(p + static_cast<size_t>(tap) * kBundle + v * S::kLanes);
        }
      }
    }
    for (int v = 0; v < vectors; ++v) S::store(sum + v * S::kLanes, total[v]);
  }

  template <size_t angles>
  static void block(float* tile, const TileRows& pixels, const float* rows, const Angle* a) {
    constexpr size_t kWeights = interpolation == Interpolation::linear ? 1 : kTaps;
    alignas(64) int32_t places[angles * kTile];
    alignas(64) float weights[angles * kWeights * kTile];
    for (size_t row = 0; row < pixels.num_rows; ++row) {
      if (pixels.begin[row] >= pixels.end[row]) continue;
      for (size_t i = 0; i < angles; ++i) weigh(places + i * kTile, weights + i * kWeights * kTile, a[i], row);
      for (size_t x = pixels.begin[row]; x < pixels.end[row]; ++x)
        pixel<angles>(tile + (row * kTile + x) * kBundle, rows, places + x, weights + x);
    }
  }

  static void run(float* tile, const TileRows& pixels, const float* rows, size_t pitch, size_t num_bins,
                  const TileAngle* angles, size_t num_angles) {
    for (size_t first = 0; first < num_angles;) {
      Angle a[kAngles];
      const size_t left = num_angles - first, num = left >= kAngles ? kAngles : left >= 4 ? 4 : 1;
      for (size_t i = 0; i < num; ++i) a[i] = place(angles[first + i], pixels, i * pitch, num_bins);
      if (num == kAngles) block<kAngles>(tile, pixels, rows + first * pitch, a);
      else if (num == 4) block<4>(tile, pixels, rows + first * pitch, a);
      else block<1>(tile, pixels, rows + first * pitch, a);
      first += num;
    }
  }
};

// The transpose: the same places and weights, and a pixel's bundle is added to two bins of each row.
template <class S, int vectors>
struct Project : BackProject<S, vectors, Interpolation::joseph> {
  using Base = BackProject<S, vectors, Interpolation::joseph>;
  using V = typename S::V;

  template <size_t angles>
  static void block(float* rows, const float* tile, const TileRows& pixels, const typename Base::Angle* a) {
    alignas(64) int32_t places[angles * kTile];
    alignas(64) float weights[angles * 2 * kTile];
    for (size_t row = 0; row < pixels.num_rows; ++row) {
      if (pixels.begin[row] >= pixels.end[row]) continue;
      for (size_t i = 0; i < angles; ++i) Base::weigh(places + i * kTile, weights + i * 2 * kTile, a[i], row);
      for (size_t x = pixels.begin[row]; x < pixels.end[row]; ++x) {
        const float* const from = tile + (row * kTile + x) * Base::kBundle;
        V pixel[vectors];
        for (int v = 0; v < vectors; ++v) pixel[v] = S::load(from + v * S::kLanes);
        for (size_t i = 0; i < angles; ++i) {
          float* to = rows + places[i * kTile + x];
          for (size_t tap = 0; tap < 2; ++tap, to += Base::kBundle) {
            const V f = S::all(weights[(2 * i + tap) * kTile + x]);
            for (int v = 0; v < vectors; ++v) S::store(to + v * S::kLanes, S::load(to + v * S::kLanes) + f * pixel[v]);
          }
        }
      }
    }
  }

  static void run(float* rows, size_t pitch, size_t num_bins, const float* tile, const TileRows& pixels,
                  const TileAngle* angles, size_t num_angles) {
    for (size_t first = 0; first < num_angles;) {
      typename Base::Angle a[kAngles];
      const size_t num = num_angles - first < kAngles ? 1 : kAngles;
      for (size_t i = 0; i < num; ++i) a[i] = Base::place(angles[first + i], pixels, i * pitch, num_bins);
      if (num == kAngles) block<kAngles>(rows + first * pitch, tile, pixels, a);
      else block<1>(rows + first * pitch, tile, pixels, a);
      first += num;
    }
  }
};

template <class S>
void project(float* rows, size_t pitch, size_t num_bins, const float* tile, const TileRows& pixels,
             const TileAngle* angles, size_t num_angles, size_t vectors) {
  if (vectors == 4) Project<S, 4>::run(rows, pitch, num_bins, tile, pixels, angles, num_angles);
  else if (vectors == 2) Project<S, 2>::run(rows, pitch, num_bins, tile, pixels, angles, num_angles);
  else Project<S, 1>::run(rows, pitch, num_bins, tile, pixels, angles, num_angles);
}

template <class S, int vectors>
void back_project_bundles(float* tile, const TileRows& pixels, const float* rows, size_t pitch, size_t num_bins,
                          const TileAngle* angles, size_t num_angles, Interpolation interpolation) {
  switch (interpolation) {
    case Interpolation::linear:
      return BackProject<S, vectors, Interpolation::linear>::run(tile, pixels, rows, pitch, num_bins, angles,
                                                                 num_angles);
    case Interpolation::cubic:
      return BackProject<S, vectors, Interpolation::cubic>::run(tile, pixels, rows, pitch, num_bins, angles,
                                                                num_angles);
    case Interpolation::joseph:
      return BackProject<S, vectors, Interpolation::joseph>::run(tile, pixels, rows, pitch, num_bins, angles,
                                                                 num_angles);
  }
}

template <class S>
void back_project(float* tile, const TileRows& pixels, const float* rows, size_t pitch, size_t num_bins,
                  const TileAngle* angles, size_t num_angles, size_t vectors, Interpolation interpolation) {
  if (vectors == 4) back_project_bundles<S, 4>(tile, pixels, rows, pitch, num_bins, angles, num_angles, interpolation);
  else if (vectors == 2)
    back_project_bundles<S, 2>(tile, pixels, rows, pitch, num_bins, angles, num_angles, interpolation);
  else back_project_bundles<S, 1>(tile, pixels, rows, pitch, num_bins, angles, num_angles, interpolation);
}

}  // namespace
}  // namespace vsh::tomography
