// Reconstructions of parallel beams through the public header: exact cases, symmetries, and the phantom of Shepp and
// Logan from exact line integrals.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "tomography/support/phantoms.hpp"

namespace vershina::tomography {
namespace {

TEST(Tomography, PhantomIsNearItself) {
  for (const size_t n : {size_t{96}, size_t{97}}) {
    const std::vector<double> angles = half_turn(150);
    const std::vector<float> scan = sinogram(kSheppLogan, angles, n, static_cast<double>(n) / 2, middle_of(n));
    const std::vector<float> truth = picture(kSheppLogan, n);
    double error[3];
    for (int i = 0; i < 3; ++i) {
      Options options;
      options.algorithm = kAlgorithms[i];
      error[i] = rmse(reconstruct(angles, n, scan, options), truth, n, static_cast<double>(n) / 2 - 2);
    }
    EXPECT_LT(error[0], 0.042) << n;
    EXPECT_LT(error[1], error[0]) << n;         // band-limited interpolation is better than linear
    EXPECT_LT(error[2], 1.12 * error[0]) << n;  // HFBP
    Options options;
    options.interpolation = VSH_TOMO_CUBIC;
    EXPECT_LT(rmse(reconstruct(angles, n, scan, options), truth, n, static_cast<double>(n) / 2 - 2), error[0]);
    options = {};
    options.algorithm = VSH_TOMO_HFBP;
    options.quality = VSH_TOMO_FAST;
    EXPECT_LT(rmse(reconstruct(angles, n, scan, options), truth, n, static_cast<double>(n) / 2 - 2), 2 * error[0]);
  }
}

TEST(Tomography, DiscIsFlat) {
  constexpr size_t n = 128;
  const std::vector<double> angles = half_turn(200);
  const std::vector<Ellipse> disc = {{2, .7, .7, 0, 0, 0}};
  const std::vector<float> scan = sinogram(disc, angles, n, 64, middle_of(n));
  const std::vector<float> flat(n * n, 2);
  for (const vsh_tomo_algorithm algorithm : kAlgorithms) {
    Options options;
    options.algorithm = algorithm;
    EXPECT_LT(rmse(reconstruct(angles, n, scan, options), flat, n, 30), algorithm == VSH_TOMO_HFBP ? 8e-3 : 2e-3)
        << algorithm;
  }
}

TEST(Tomography, AxisMovesWithTheBins) {
  constexpr size_t n = 40;
  const std::vector<double> angles = half_turn(60, 0.1);
  const std::vector<float> at_middle = sinogram(kSheppLogan, angles, n + 8, 20, middle_of(n + 8));
  const std::vector<float> moved = sinogram(kSheppLogan, angles, n + 8, 20, middle_of(n + 8) + 3);
  for (const vsh_tomo_algorithm algorithm : kAlgorithms) {
    Options options;
    options.algorithm = algorithm;
    options.size = n;
    const std::vector<float> a = reconstruct(angles, n + 8, at_middle, options);
    const std::vector<float> b = reconstruct(angles, n + 8, moved, options, 1, 3);
    EXPECT_LT(rmse(a, b, n, 20), 3e-4) << algorithm;
  }
}

TEST(Tomography, QuarterTurnPermutesPixels) {
  constexpr size_t n = 33;
  const std::vector<double> angles = half_turn(40);
  std::vector<double> turned = angles;
  for (double& angle : turned) angle += pi / 2;
  const std::vector<float> scan = sinogram(kSheppLogan, angles, n, 16.5, 16);
  for (const vsh_tomo_algorithm algorithm : kAlgorithms) {
    Options options;
    options.algorithm = algorithm;
    const std::vector<float> a = reconstruct(angles, n, scan, options), b = reconstruct(turned, n, scan, options);
    // (x, y) goes to (-y, x): row j, column i to row n - 1 - i, column j.
    std::vector<float> back(n * n);
    for (size_t j = 0; j < n; ++j)
      for (size_t i = 0; i < n; ++i) back[j * n + i] = b[(n - 1 - i) * n + j];
    // The lines of the tree are rounded to one side.
    EXPECT_LT(rmse(a, back, n, 16), algorithm == VSH_TOMO_HFBP ? 0.03 : 1e-4) << algorithm;
  }
}

TEST(Tomography, PointsOfEveryQuadrantAreWhereTheyBelong) {
  const std::vector<double> angles = half_turn(90);
  for (const size_t n : {size_t{48}, size_t{63}}) {
    for (const auto& [x, y] : {std::pair{.5, .25}, {-.25, .5}, {-.5, -.25}, {.25, -.5}, {0., 0.}}) {
      const std::vector<Ellipse> point = {{1, .05, .05, x, y, 0}};
      const double half = static_cast<double>(n) / 2;
      const std::vector<float> scan = sinogram(point, angles, n, half, middle_of(n));
      for (int algorithm = VSH_TOMO_FBP; algorithm <= VSH_TOMO_TV; ++algorithm) {
        Options options;
        options.algorithm = static_cast<vsh_tomo_algorithm>(algorithm);
        options.iterations = 10;
        const std::vector<float> image = reconstruct(angles, n, scan, options);
        // The centre of mass of the bright part.
        const float top = *std::max_element(image.begin(), image.end());
        double sum = 0, row = 0, column = 0;
        for (size_t p = 0; p < n * n; ++p) {
          if (image[p] < top / 2) continue;
          sum += image[p];
          row += image[p] * static_cast<double>(p / n);
          column += image[p] * static_cast<double>(p % n);
        }
        EXPECT_NEAR(column / sum, middle_of(n) + x * half, 0.35) << algorithm << " " << n;
        EXPECT_NEAR(row / sum, middle_of(n) - y * half, 0.35) << algorithm << " " << n;
      }
    }
  }
}

TEST(Tomography, FewAnglesAreBetterWithIterations) {
  constexpr size_t n = 64;
  const std::vector<double> angles = half_turn(20);
  const std::vector<float> scan = sinogram(kSheppLogan, angles, n, 32, middle_of(n));
  const std::vector<float> truth = picture(kSheppLogan, n);
  Options options;
  const double fbp = rmse(reconstruct(angles, n, scan, options), truth, n, 30);
  for (const auto& [algorithm, share] :
       {std::pair{VSH_TOMO_SIRT, 0.8}, std::pair{VSH_TOMO_CGLS, 0.97}, std::pair{VSH_TOMO_TV, 0.5}}) {
    options.algorithm = algorithm;
    options.nonnegative = 1;
    options.iterations = algorithm == VSH_TOMO_CGLS ? 8 : 100;
    options.tv_weight = 0.02;
    EXPECT_LT(rmse(reconstruct(angles, n, scan, options), truth, n, 30), share * fbp) << algorithm;
  }
}

// Lines left out because they miss the circle change nothing within it.
TEST(Tomography, CircleIsThatOfTheSquare) {
  for (const size_t n : {5u, 33u, 64u, 100u, 151u, 230u}) {
    const std::vector<double> angles = half_turn(n / 3 + 2, 0.1);
    std::vector<float> scan;
    uint32_t state = 1;
    for (size_t i = 0; i < angles.size() * n; ++i) {
      state = state * 1664525 + 1013904223;
      scan.push_back(static_cast<float>(state >> 8) * 0x1p-24f);
    }
    for (const vsh_tomo_algorithm algorithm : kAlgorithms) {
      for (const vsh_tomo_quality quality : {VSH_TOMO_ACCURATE, VSH_TOMO_FAST}) {
        Options options;
        options.algorithm = algorithm;
        options.quality = quality;
        const std::vector<float> circle = reconstruct(angles, n, scan, options);
        options.whole_square = 1;
        const std::vector<float> square = reconstruct(angles, n, scan, options);
        for (size_t p = 0; p < n * n; ++p) {
          const double x = static_cast<double>(p % n) - middle_of(n), y = static_cast<double>(p / n) - middle_of(n);
          const bool inside = 4 * (x * x + y * y) <= static_cast<double>(n * n);
          ASSERT_NEAR(circle[p], inside ? square[p] : 0, 1e-4) << n << " " << algorithm << " " << quality << " " << p;
        }
      }
    }
  }
}

TEST(Tomography, SmallestSizesAndNotNumbers) {
  for (int algorithm = VSH_TOMO_FBP; algorithm <= VSH_TOMO_TV; ++algorithm) {
    for (const size_t bins : {1u, 2u, 3u, 7u, 70u}) {
      for (const size_t size : {1u, 2u, 5u, 33u}) {
        for (const size_t num_angles : {1u, 2u, 3u, 10u}) {
          for (const int quality : {VSH_TOMO_ACCURATE, VSH_TOMO_FAST}) {
            Options options;
            options.algorithm = static_cast<vsh_tomo_algorithm>(algorithm);
            options.quality = static_cast<vsh_tomo_quality>(quality);
            options.size = size;
            options.iterations = 2;
            options.whole_square = 1;
            const std::vector<double> angles = half_turn(num_angles, 3);
            for (const vsh_tomo_padding padding : {VSH_TOMO_ZEROS, VSH_TOMO_EDGES}) {
              options.padding = padding;
              std::vector<float> scan(num_angles * bins, 1);
              for (const float value : reconstruct(angles, bins, scan, options, 1, 0.4))
                ASSERT_TRUE(std::isfinite(value)) << algorithm << " " << bins << " " << size << " " << num_angles;
              scan[0] = std::numeric_limits<float>::quiet_NaN();
              reconstruct(angles, bins, scan, options);  // ends
            }
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace vershina::tomography
