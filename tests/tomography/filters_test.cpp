// Filters against their definitions and each other; values beyond the ends of rows.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tomography/support/phantoms.hpp"

namespace vershina::tomography {
namespace {

TEST(TomographyFilters, FiltersAreTheirDefinitions) {
  // The answer to an impulse is the kernel; a window's is its Fourier series, here by summing over frequencies.
  constexpr size_t kBins = 33;
  for (int filter = VSH_TOMO_RAM_LAK; filter <= VSH_TOMO_HANN; ++filter) {
    Options options;
    options.filter = static_cast<vsh_tomo_filter>(filter);
    const std::vector<double> angles = {0};
    Plan plan(Geometry(angles, kBins), options);
    std::vector<float> row(kBins);
    row[10] = 1;
    plan.filter_rows(row, row, 1);
    for (size_t k = 0; k < kBins; ++k) {
      const double distance = static_cast<double>(k) - 10;
      constexpr int kSteps = 20000;
      double expected = 0;
      for (int i = 0; i < kSteps; ++i) {
        const double w = pi * (i + 0.5) / kSteps;
        const double window = filter == VSH_TOMO_RAM_LAK       ? 1
                              : filter == VSH_TOMO_SHEPP_LOGAN ? std::sin(w / 2) / (w / 2)
                              : filter == VSH_TOMO_COSINE      ? std::cos(w / 2)
                              : filter == VSH_TOMO_HAMMING     ? 0.54 + 0.46 * std::cos(w)
                                                               : (1 + std::cos(w)) / 2;
        expected += w / (2 * pi) * window * std::cos(w * distance) / kSteps;
      }
      EXPECT_NEAR(row[k], expected, filter == VSH_TOMO_RAM_LAK ? 1e-6 : 2e-4) << filter << " " << k;
    }
  }
}

TEST(TomographyFilters, HfbpFiltersAsFbpDoes) {
  constexpr size_t n = 64;
  const std::vector<double> angles = half_turn(120);
  const std::vector<float> scan = sinogram(kSheppLogan, angles, n, 32, middle_of(n));
  for (int filter = VSH_TOMO_RAM_LAK; filter <= VSH_TOMO_HANN; ++filter) {
    Options options;
    options.filter = static_cast<vsh_tomo_filter>(filter);
    options.interpolation = VSH_TOMO_CUBIC;
    const std::vector<float> fbp = reconstruct(angles, n, scan, options);
    options.algorithm = VSH_TOMO_HFBP;
    if (filter == VSH_TOMO_COSINE) {
      EXPECT_THROW(reconstruct(angles, n, scan, options), Error);
      continue;
    }
    EXPECT_LT(rmse(reconstruct(angles, n, scan, options), fbp, n, 30), 0.02) << filter;
  }
}

TEST(TomographyFilters, EdgesExtendTruncatedRows) {
  // A disc wider than the detector: without padding its rim is too bright.
  constexpr size_t n = 64;
  const std::vector<double> angles = half_turn(100);
  const std::vector<float> scan = sinogram({{1, 1.6, 1.6, 0, 0, 0}}, angles, n, 32, middle_of(n));
  const std::vector<float> flat(n * n, 1);
  for (const vsh_tomo_algorithm algorithm : kAlgorithms) {
    Options options;
    options.algorithm = algorithm;
    const double without = rmse(reconstruct(angles, n, scan, options), flat, n, 28);
    options.padding = VSH_TOMO_EDGES;
    EXPECT_LT(rmse(reconstruct(angles, n, scan, options), flat, n, 28), without / 2) << algorithm;
  }
}

TEST(TomographyFilters, HfbpContinuesEdgesAsFbpDoes) {
  // An ellipse beyond both ends of the detector, with something in it; angles of half a turn, and of a whole one, half
  // of whose rows are turned over.
  constexpr size_t n = 64;
  const std::vector<Ellipse> wide = {{1, 1.5, 2, .2, 0, 20}, {.5, .3, .2, .1, -.2, 0}};
  std::vector<double> turn;
  for (int i = 0; i < 201; ++i) turn.push_back(2 * pi * i / 201);
  for (const std::vector<double>& angles : {half_turn(100), turn}) {
    const std::vector<float> scan = sinogram(wide, angles, n, 32, 30);
    const auto slice = [&](Options options) { return reconstruct(angles, n, scan, options, 1, -1.5); };
    for (const vsh_tomo_filter filter : {VSH_TOMO_RAM_LAK, VSH_TOMO_SHEPP_LOGAN, VSH_TOMO_HAMMING, VSH_TOMO_HANN}) {
      for (const vsh_tomo_quality quality : {VSH_TOMO_ACCURATE, VSH_TOMO_FAST}) {
        Options options;
        options.filter = filter;
        options.quality = quality;
        options.displaced = VSH_TOMO_DISPLACED_NO;
        options.padding = VSH_TOMO_EDGES;
        const std::vector<float> fbp = slice(options);
        options.algorithm = VSH_TOMO_HFBP;
        const double edges = rmse(slice(options), fbp, n, 26);
        options.padding = VSH_TOMO_ZEROS;
        EXPECT_LT(edges, 0.02) << filter << ' ' << quality << ' ' << angles.size();
        EXPECT_LT(edges, rmse(slice(options), fbp, n, 26) / 8) << filter << ' ' << quality << ' ' << angles.size();
      }
    }
  }
}

}  // namespace
}  // namespace vershina::tomography
