// Defines the kernel contract of tomography: what a row of kernels.def does.
//
// A row is one file, tomography/slices/kernel_<variant>.cpp, over a vector of info.lanes floats. All its functions work
// on slices side by side: a *bundle* of 1, 2 or 4 vectors holds the same place (bin, pixel, frequency) of as many
// slices, so that whatever depends on geometry only (index, weight, twiddle factor) is computed once for all of them,
// loads are contiguous, and nothing is gathered or shuffled. Memory of bundles is aligned to 64 bytes. Kernels do not
// allocate, throw, print or keep state.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/kernel_info.hpp"

namespace vsh::tomography {

inline constexpr size_t kAlignment = 64;
// Bins that are kept free (zero) before and after the bins of a row of bundles.
inline constexpr size_t kGuard = 3;
// Floats that may be read after the last bin of a row of a single slice.
inline constexpr size_t kSlack = 32;
// Pixels of a tile's side in back_project and project.
inline constexpr size_t kTile = 32;
// Fractions of a cell in the table of `spread`.
inline constexpr size_t kSpreadSteps = 4096;

// One stage of an FFT: transforms of length `length` = radix * rest, `stride` of them interleaved (Stockham).
struct FftStage {
  uint32_t radix;  // 2, 3, 4 or 5
  uint32_t rest;
  uint32_t stride;
  const float* twiddles;  // [rest][radix - 1] complex: e^(-2 pi i p k / length), k = 1 ... radix - 1
};

struct FftStages {
  const FftStage* stages;
  size_t num_stages;
  size_t length;
};

// An angle, for tiles of pixels.
struct TileAngle {
  double cosine, sine;
  double centre;  // bin of the axis
};

// Which pixels of a tile exist: columns [begin[row], end[row]) of each row, which are 0 to kTile.
struct TileRows {
  size_t num_rows;
  uint8_t begin[kTile], end[kTile];
  double x, y;  // of the tile's first pixel, row 0, column 0; y decreases with the row
};

// y[n] = centre z[n] - sum over poles of (c[n] + a[n]), c[n] = r c[n - lag] + ra z[n - 1] and a the same from the end,
// where z[n] = (1 - 2 side) x[n] + side (x[n - 1] + x[n + 1]).
struct RecursiveFilter {
  static constexpr size_t kPoles = 4;
  uint32_t lag;  // 1 or 2
  float centre, side;
  float r[kPoles], ra[kPoles];
};

// Fractions of a bin in the table of `resample`.
inline constexpr size_t kResampleSteps = 512;

enum class Interpolation : uint8_t { linear, cubic, joseph };

struct SliceKernel {
  KernelInfo info;  // lanes: floats of a vector

  // Transposes between separate arrays of floats and bundles of `slices` slices: out[i * slices + s] = in[s][i] for i <
  // num and s < num_slices; the other slices become 0.
  void (*interleave)(float* out, const float* const* in, size_t num, size_t slices, size_t num_slices);
  void (*deinterleave)(float* const* out, const float* in, size_t num, size_t slices, size_t num_slices);

  // Transforms `length` complex numbers, each a vector of real and a vector of imaginary parts; `inverse` exchanges
  // their roles, which conjugates. Not scaled. data and scratch: 2 * lanes * length floats; the result is in data.
  void (*fft)(const FftStages& plan, float* data, float* scratch, bool inverse);
  // data[k] *= factors[k] * weight, bundles of floats_each floats.
  void (*scale)(float* data, const float* factors, size_t num, size_t floats_each, float weight);

  // Multiplies complex bundles by complex numbers: out[k] = in[k] * factors[k].
  void (*turn)(float* out, const float* in, const float* factors, size_t num);

  // Spreads a line of complex bundles onto a band of a grid: sample i, at column u + i du and row v + i dv, is added to
  // its 4 x 4 nearest cells. weights: [kSpreadSteps + 1][4], the kernel at the distances of the cells floor - 1, …,
  // floor + 2 for each fraction. Columns of all cells are in the band; rows outside 0 … num_rows - 1 are left out.
  void (*spread)(float* band, size_t pitch, size_t num_rows, const float* samples, size_t num, double u, double du,
                 double v, double dv, const float* weights);

  // The next five work on rows of bundles of one vector.
  // Filters `num` bundles; out and in must not overlap, and in has a bundle of zeros before and after.
  void (*recursive)(float* out, const float* in, size_t num, const RecursiveFilter& filter);
  // out[i] = in at place start + i step, i < num. in: bin 0 of a row with kGuard zero bundles before and
  // after its num_bins. weights: [kResampleSteps + 1][4], the kernel of the bins floor - 1, …, floor + 2.
  void (*resample)(float* out, const float* in, size_t num_bins, double start, double step, size_t num,
                   const float* weights);
  // out = weights[0] rows[0] + … + weights[3] rows[3]
  void (*mix)(float* out, const float* const* rows, const float* weights, size_t num);
  // out = rows[0] + … + rows[num_rows - 1] in bundles [begin, end); num_rows >= 1, and rows[0] may be out.
  void (*sum)(float* out, const float* const* rows, size_t num_rows, size_t begin, size_t end);
  // out[i] += (in[2 i] + in[2 i + 1]) / 4
  void (*fold)(float* out, const float* in, size_t num);

  // Adds to a tile of pixels, [kTile][kTile] bundles, the values of num_angles rows of bundles at each pixel's bin.
  // rows: row a is at rows + a * pitch and has kGuard + num_bins + kGuard bundles. Joseph: the transpose of `project`.
  void (*back_project)(float* tile, const TileRows& pixels, const float* rows, size_t pitch, size_t num_bins,
                       const TileAngle* angles, size_t num_angles, size_t vectors, Interpolation interpolation);
  // The same, linear, for a single slice: tile is [kTile][kTile] floats, row a is at rows + a * pitch and has kGuard +
  // num_bins + kGuard floats, and kSlack more after the last one.
  void (*back_project_one)(float* tile, const TileRows& pixels, const float* rows, size_t pitch, size_t num_bins,
                           const TileAngle* angles, size_t num_angles);
  // The transpose of back_project with Interpolation::joseph, which is Joseph's projector (IEEE Trans. Med. Imaging 1,
  // 1982): adds the pixels of a tile to the rows.
  void (*project)(float* rows, size_t pitch, size_t num_bins, const float* tile, const TileRows& pixels,
                  const TileAngle* angles, size_t num_angles, size_t vectors);

  // Adds the mean, with these weights, of two columns of a cone's detector to `depth` voxels: voxel z is at row start +
  // step z. left, right and the scratch `mixed` have num_rows + 2 * kGuard floats, guards of zeros.
  void (*cone_column)(float* sum, size_t depth, const float* left, const float* right, float left_weight,
                      float right_weight, float* mixed, size_t num_rows, double start, double step);
};

}  // namespace vsh::tomography
