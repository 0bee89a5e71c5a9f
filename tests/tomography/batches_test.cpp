// Slices, rows of kernels.def and threads against each other; sums; the projector against its transpose.
#include <gtest/gtest.h>

#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "tomography/support/phantoms.hpp"

namespace vershina::tomography {
namespace {

// Slices that differ, as many as fill a batch and begin the next one.
class TomographyBatches : public testing::Test {
 protected:
  static constexpr size_t kBins = 37, kSlices = 70;
  TomographyBatches() {
    for (const double angle : angles)
      for (size_t s = 0; s < kSlices; ++s)
        for (size_t k = 0; k < kBins; ++k)
          scan.push_back(
              static_cast<float>(ray({{1. + static_cast<double>(s), .4, .6, .1, .01 * static_cast<double>(s % 20), 30}},
                                     18.5, angle, static_cast<double>(k) - 18)));
  }
  std::vector<double> angles = half_turn(23, 0.05);
  std::vector<float> scan;
};

TEST_F(TomographyBatches, SlicesKernelsAndThreadsAgree) {
  for (int algorithm = VSH_TOMO_FBP; algorithm <= VSH_TOMO_TV; ++algorithm) {
    Options options;
    options.algorithm = static_cast<vsh_tomo_algorithm>(algorithm);
    options.iterations = 3;
    const size_t n = kBins;
    const Geometry geometry(angles, kBins);
    const std::vector<float> all = Plan(geometry, options).reconstruct(scan, kSlices);
    options.threads = 0;
    EXPECT_EQ(Plan(geometry, options).reconstruct(scan, kSlices), all) << algorithm;
    // A single slice, and five, out of the middle of the scan.
    Plan plan(geometry, options);
    for (const auto& [first, num] : {std::pair<size_t, size_t>{69, 1}, {17, 5}}) {
      std::vector<float> few(num * n * n);
      plan.reconstruct(few, std::span(scan).subspan(first * kBins), num, kSlices * kBins);
      for (size_t p = 0; p < few.size(); ++p)
        ASSERT_NEAR(few[p], all[first * n * n + p], 1e-3 * static_cast<double>(first + 2)) << algorithm << " " << p;
    }
    for (size_t i = 0; vsh_tomo_kernel(i); ++i) {
      if (!vsh_tomo_kernel_runnable(i)) continue;
      options.kernel = vsh_tomo_kernel(i);
      Plan other(geometry, options);
      EXPECT_EQ(other.kernel(), vsh_tomo_kernel(i));
      const std::vector<float> volume = other.reconstruct(scan, kSlices);
      for (size_t p = 0; p < volume.size(); ++p)
        ASSERT_NEAR(volume[p], all[p], 2e-5 * 70) << options.kernel << " " << algorithm << " " << p;
    }
  }
}

TEST_F(TomographyBatches, ReconstructionIsLinear) {
  for (const vsh_tomo_algorithm algorithm : kAlgorithms) {
    Options options;
    options.algorithm = algorithm;
    Plan plan(Geometry(angles, kBins), options);
    const std::vector<float> all = plan.reconstruct(scan, kSlices);
    std::vector<float> sum;
    for (size_t a = 0; a < angles.size(); ++a)
      for (size_t k = 0; k < kBins; ++k)
        sum.push_back(2 * scan[(a * kSlices + 3) * kBins + k] - scan[(a * kSlices + 60) * kBins + k]);
    const std::vector<float> combined = plan.reconstruct(sum, 1);
    for (size_t p = 0; p < combined.size(); ++p)
      ASSERT_NEAR(combined[p], 2 * all[3 * kBins * kBins + p] - all[60 * kBins * kBins + p], 2e-3) << algorithm;
  }
}

TEST_F(TomographyBatches, ProjectorAndBackProjectorAreAdjoint) {
  Options options;
  options.size = 29;
  Geometry geometry(angles, kBins);
  geometry.centre_offset = 1.3;
  Plan plan(geometry, options);
  const std::vector<float> image = plan.reconstruct(scan, kSlices);
  std::vector<float> projected(scan.size()), back(image.size());
  plan.project(projected, image, kSlices);
  plan.back_project(back, scan, kSlices);
  double left = 0, right = 0, norm_a = 0, norm_b = 0;
  for (size_t i = 0; i < scan.size(); ++i) {
    left += double{projected[i]} * scan[i];
    norm_a += double{projected[i]} * projected[i];
    norm_b += double{scan[i]} * scan[i];
  }
  for (size_t i = 0; i < image.size(); ++i) right += double{back[i]} * image[i];
  EXPECT_LT(std::abs(left - right) / std::sqrt(norm_a * norm_b), 1e-6);
}

}  // namespace
}  // namespace vershina::tomography
