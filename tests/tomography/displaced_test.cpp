// Whole turns about an axis that is not in the middle of the detector.
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "tomography/support/phantoms.hpp"

namespace vershina::tomography {
namespace {

TEST(TomographyDisplaced, WholeTurnAboutAnAxisOffTheMiddle) {
  // The detector sees half of the image and a little more. As good as all of it, from as many lines.
  constexpr size_t n = 96, kBins = 64;
  const std::vector<float> truth = picture(kSheppLogan, n);
  std::vector<double> turn;
  for (int i = 0; i < 301; ++i) turn.push_back(2 * pi * i / 301);  // no two are opposite
  const std::vector<float> whole = sinogram(kSheppLogan, turn, n, 48, middle_of(n));
  for (const double source : {0.0, 220.0}) {
    for (const double centre : {14.25, 50.5, 62.0, 1.0}) {
      const std::vector<float> scan = sinogram(kSheppLogan, turn, kBins, 48, centre, source);
      for (const vsh_tomo_algorithm algorithm : kAlgorithms) {
        Geometry geometry(turn, kBins);
        geometry.centre_offset = centre - middle_of(kBins);
        if (source > 0) geometry.beam = VSH_TOMO_FAN, geometry.source_distance = source;
        Options options;
        options.algorithm = algorithm;
        options.size = n;
        options.angle_weights = centre < 20 ? VSH_TOMO_GAPS : VSH_TOMO_UNIFORM;
        const double reference = rmse(reconstruct(turn, n, whole, options), truth, n, 46);
        EXPECT_LT(rmse(Plan(geometry, options).reconstruct(scan, 1), truth, n, 46), 1.45 * reference)
            << algorithm << ", axis " << centre << ", source " << source;
      }
    }
  }
}

TEST(TomographyDisplaced, MoreThanATurnAboutAnAxisOffTheMiddle) {
  // At a place modulo pi one side of the detector is seen twice as often as the other.
  constexpr size_t n = 96, kBins = 64;
  const std::vector<float> truth = picture(kSheppLogan, n);
  for (const vsh_tomo_algorithm algorithm : kAlgorithms) {
    const auto error = [&](int num_angles) {
      std::vector<double> angles;
      for (int i = 0; i < num_angles; ++i) angles.push_back(2 * pi * i / 300);
      Geometry geometry(angles, kBins);
      geometry.centre_offset = 14.25 - middle_of(kBins);
      Options options;
      options.algorithm = algorithm;
      options.size = n;
      const std::vector<float> scan = sinogram(kSheppLogan, angles, kBins, 48, 14.25);
      return rmse(Plan(geometry, options).reconstruct(scan, 1), truth, n, 46);
    };
    const double once = error(300);
    for (const int num : {400, 450, 600}) EXPECT_LT(error(num), 1.1 * once) << algorithm << ", angles " << num;
  }
}

TEST(TomographyDisplaced, DroppedFramesLeaveAWholeTurn) {
  // Gaps of 2 and 9.5 degrees. Without weights of bins the rim has half its density.
  constexpr size_t n = 96, kBins = 64;
  const double centre = 14.25;
  std::vector<double> turn;
  for (int i = 0; i < 720; ++i) turn.push_back(2 * pi * i / 720);
  const std::vector<float> flat(n * n, 1);
  for (const double source : {0.0, 220.0}) {
    for (const auto& [first, last] : {std::pair{0, 0}, std::pair{100, 103}, std::pair{702, 720}}) {
      std::vector<double> angles = turn;
      angles.erase(angles.begin() + first, angles.begin() + last);
      const std::vector<float> scan = sinogram({{1, .97, .97, 0, 0, 0}}, angles, kBins, 48, centre, source);
      Geometry geometry(angles, kBins);
      geometry.centre_offset = centre - middle_of(kBins);
      if (source > 0) geometry.beam = VSH_TOMO_FAN, geometry.source_distance = source;
      for (const vsh_tomo_algorithm algorithm : kAlgorithms) {
        Options options;
        options.algorithm = algorithm;
        options.size = n;
        EXPECT_LT(rmse(Plan(geometry, options).reconstruct(scan, 1), flat, n, 44), last - first > 3 ? 0.2 : 0.03)
            << algorithm << ", without " << first << " to " << last << ", source " << source;
      }
    }
  }
}

TEST(TomographyDisplaced, WhatIsAWholeTurn) {
  const auto is_whole = [](const std::vector<double>& angles) {
    int whole = 7;
    EXPECT_EQ(vsh_tomo_whole_turn(&whole, angles.data(), angles.size()), VSH_TOMO_OK);
    return whole;
  };
  const auto degrees = [](int num) {  // one by one from -90 on, in no order
    std::vector<double> angles;
    for (int i = 0; i < num; ++i) angles.push_back((i * 7 % num - 90) * std::numbers::pi / 180);
    return angles;
  };
  const std::vector<double> turn = degrees(360);
  EXPECT_EQ(is_whole(turn), 1);
  EXPECT_EQ(is_whole(degrees(352)), 1);  // 9 degrees were dropped
  EXPECT_EQ(is_whole(degrees(349)), 0);
  EXPECT_EQ(is_whole(degrees(181)), 0);
  EXPECT_EQ(is_whole({0.5}), 0);
  int whole = 7;
  EXPECT_EQ(vsh_tomo_whole_turn(nullptr, turn.data(), turn.size()), VSH_TOMO_E_ARGUMENT);
  EXPECT_EQ(vsh_tomo_whole_turn(&whole, nullptr, turn.size()), VSH_TOMO_E_ARGUMENT);
  EXPECT_EQ(vsh_tomo_whole_turn(&whole, turn.data(), 0), VSH_TOMO_E_ANGLES);
  EXPECT_EQ(vsh_tomo_whole_turn(&whole, turn.data(), VSH_TOMO_MAX_ANGLES + 1), VSH_TOMO_E_ANGLES);
  for (const double bad : {std::nan(""), HUGE_VAL, -1.1e6})
    EXPECT_EQ(vsh_tomo_whole_turn(&whole, &bad, 1), VSH_TOMO_E_ANGLES) << bad;
  EXPECT_EQ(whole, 7);
}

TEST(TomographyDisplaced, FewIrregularAnglesOfHalfATurnAreNoWholeOne) {
  std::vector<double> angles;
  for (const double degrees : {0, 10, 70, 85, 155}) angles.push_back(degrees * pi / 180);
  Options options;
  const std::vector<float> scan = sinogram(kSheppLogan, angles, 64, 32, 11.5);
  const std::vector<float> automatic = reconstruct(angles, 64, scan, options, 1, -20);
  options.displaced = VSH_TOMO_DISPLACED_NO;
  EXPECT_EQ(automatic, reconstruct(angles, 64, scan, options, 1, -20));
  Geometry geometry(angles, 64);
  geometry.beam = VSH_TOMO_FAN;
  geometry.source_distance = 80;
  vsh_tomo_plan* plan = nullptr;
  EXPECT_EQ(vsh_tomo_plan_new(&plan, &geometry, &options), VSH_TOMO_E_GEOMETRY);
}

// Subsets of a whole turn are not whole turns, but their sum is one.
TEST(TomographyDisplaced, PartsOfAWholeTurnAddUp) {
  constexpr size_t n = 64, kBins = 44, kParts = 4;
  std::vector<double> turn;
  for (int i = 0; i < 120; ++i) turn.push_back(2 * pi * i / 120);
  Options options;
  options.size = n;
  options.angle_weights = VSH_TOMO_UNIFORM;
  const auto of = [&](const std::vector<double>& angles, vsh_tomo_displaced displaced) {
    options.displaced = displaced;
    return reconstruct(angles, kBins, sinogram(kSheppLogan, angles, kBins, 32, 11.5), options, 1, -10);
  };
  const std::vector<float> whole = of(turn, VSH_TOMO_DISPLACED_AUTO);
  std::vector<float> sum(n * n);
  for (size_t part = 0; part < kParts; ++part) {
    const auto begin = turn.begin() + static_cast<ptrdiff_t>(part * 30);
    const std::vector<float> slice = of({begin, begin + 30}, VSH_TOMO_DISPLACED_YES);
    for (size_t p = 0; p < sum.size(); ++p) sum[p] += slice[p] / kParts;
  }
  EXPECT_LT(rmse(sum, whole, n, 31), 1e-4);
  EXPECT_GT(rmse(of(turn, VSH_TOMO_DISPLACED_NO), whole, n, 31), 0.05);
}

TEST(TomographyDisplaced, WholeTurnAboutTheMiddleHasNoWeights) {
  // Half a bin off the middle changes little; a tenth of a bin past it begins the ramp.
  std::vector<double> turn;
  for (int i = 0; i < 200; ++i) turn.push_back(2 * pi * i / 200);
  const std::vector<float> truth = picture(kSheppLogan, 96);
  double error[2];
  for (int i = 0; i < 2; ++i) {
    const double offset = i == 0 ? 0.45 : 0.55;
    const std::vector<float> scan = sinogram(kSheppLogan, turn, 96, 48, middle_of(96) + offset);
    error[i] = rmse(reconstruct(turn, 96, scan, Options(), 1, offset), truth, 96, 46);
  }
  EXPECT_NEAR(error[1], error[0], 0.02 * error[0]);
}

}  // namespace
}  // namespace vershina::tomography
