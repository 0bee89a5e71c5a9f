// Weights of angles: seen twice, with jitter, irregular, with wedges.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "tomography/support/phantoms.hpp"

namespace vershina::tomography {
namespace {

TEST(TomographyAngles, AnglesSeenTwiceShareTheirWeight) {
  // As in the published set: 210 degrees, the first 30 twice. Without shares the error is three times as large.
  constexpr size_t n = 64;
  std::vector<double> once = half_turn(180), twice = once;
  for (size_t i = 0; i < 30; ++i) twice.push_back(pi + once[i]);
  for (const vsh_tomo_algorithm algorithm : kAlgorithms) {
    Options options;
    options.algorithm = algorithm;
    const std::vector<float> a = reconstruct(once, n, sinogram(kSheppLogan, once, n, 32, 30), options, 1, -1.5);
    const std::vector<float> b = reconstruct(twice, n, sinogram(kSheppLogan, twice, n, 32, 30), options, 1, -1.5);
    EXPECT_LT(rmse(a, b, n, 30), 1e-3) << algorithm;
  }
  vsh_tomo_plan* plan = nullptr;
  const Geometry geometry(twice, n);
  ASSERT_EQ(vsh_tomo_plan_new(&plan, &geometry, nullptr), VSH_TOMO_OK);
  std::vector<double> weights(twice.size());
  ASSERT_EQ(vsh_tomo_plan_weights(plan, weights.data()), VSH_TOMO_OK);
  vsh_tomo_plan_free(plan);
  EXPECT_NEAR(weights[5], pi / 360, 1e-9);
  EXPECT_NEAR(weights[185], pi / 360, 1e-9);
  EXPECT_NEAR(weights[100], pi / 180, 1e-9);
}

std::vector<double> weights_of(const std::vector<double>& angles) {
  vsh_tomo_plan* plan = nullptr;
  const Geometry geometry(angles, 16);
  EXPECT_EQ(vsh_tomo_plan_new(&plan, &geometry, nullptr), VSH_TOMO_OK);
  std::vector<double> weights(angles.size());
  EXPECT_EQ(vsh_tomo_plan_weights(plan, weights.data()), VSH_TOMO_OK);
  vsh_tomo_plan_free(plan);
  return weights;
}

double sum_of(const std::vector<double>& weights) { return std::accumulate(weights.begin(), weights.end(), 0.0); }

// Encoders jitter: what should be seen three times is seen at three places.
TEST(TomographyAngles, JitterOfSeveralHalfTurns) {
  constexpr size_t n = 64;
  std::mt19937 random(1);
  const std::vector<double> once = half_turn(180);
  for (const double noise : {1e-9, 2e-6, 1e-5, 2e-4}) {
    std::uniform_real_distribution<double> jitter(-noise, noise);
    for (const size_t turns : {size_t{2}, size_t{3}, size_t{24}}) {
      std::vector<double> angles;
      for (size_t i = 0; i < 180 * turns; ++i) angles.push_back(static_cast<double>(i) * pi / 180 + jitter(random));
      const std::vector<double> weights = weights_of(angles);
      EXPECT_NEAR(sum_of(weights), pi, 1e-9) << noise << ' ' << turns;
      EXPECT_NEAR(weights[77], pi / 180 / static_cast<double>(turns), 5e-4 / static_cast<double>(turns)) << noise;
      if (turns != 3 || noise < 1e-5) continue;
      for (const vsh_tomo_algorithm algorithm : kAlgorithms) {
        Options options;
        options.algorithm = algorithm;
        options.displaced = VSH_TOMO_DISPLACED_NO;  // on rows of the same length, errors are the same
        const std::vector<float> a = reconstruct(once, n, sinogram(kSheppLogan, once, n, 32, 30), options, 1, -1.5);
        const std::vector<float> b = reconstruct(angles, n, sinogram(kSheppLogan, angles, n, 32, 30), options, 1, -1.5);
        EXPECT_LT(rmse(a, b, n, 30), 2e-3) << algorithm << ' ' << noise;
      }
    }
  }
}

TEST(TomographyAngles, IrregularAnglesCoverTheHalfTurn) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> anywhere(0, 2 * pi);
  for (const size_t num : {size_t{30}, size_t{300}, size_t{3000}}) {
    for (int i = 0; i < 20; ++i) {
      std::vector<double> angles(num);
      for (double& angle : angles) angle = anywhere(random);
      EXPECT_NEAR(sum_of(weights_of(angles)), pi, 1e-9) << num;
    }
  }
  for (const size_t num : {size_t{1}, size_t{2}, size_t{3}, size_t{7}, size_t{55}, size_t{300}, size_t{987}}) {
    std::vector<double> golden;
    for (size_t i = 0; i < num; ++i) golden.push_back(static_cast<double>(i) * pi * (std::sqrt(5) - 1) / 2);
    EXPECT_NEAR(sum_of(weights_of(golden)), pi, 1e-9) << num;
  }
  for (const double between : {0.01, 0.1, 0.3, 0.5}) {  // two scans, the second one turned by this part of a step
    std::vector<double> angles = half_turn(90), second = half_turn(90, between * pi / 90);
    angles.insert(angles.end(), second.begin(), second.end());
    EXPECT_NEAR(sum_of(weights_of(angles)), pi, 1e-9) << between;
    EXPECT_NEAR(weights_of(angles)[7], pi / 180, 1e-9) << between;
  }
  // HFBP fills the gaps of random angles as FBP does.
  constexpr size_t n = 64;
  std::vector<double> angles(300);
  for (double& angle : angles) angle = anywhere(random);
  const std::vector<float> scan = sinogram({{2, .7, .7, 0, 0, 0}}, angles, n, 32, middle_of(n));
  for (const vsh_tomo_algorithm algorithm : kAlgorithms) {
    Options options;
    options.algorithm = algorithm;
    EXPECT_LT(rmse(reconstruct(angles, n, scan, options), std::vector<float>(n * n, 2), n, 15), 0.03) << algorithm;
  }
}

// A fan's whole turn, three times with jitter, is a whole turn.
TEST(TomographyAngles, JitterOfSeveralTurnsOfAFan) {
  constexpr size_t n = 48;
  std::mt19937 random(1);
  std::uniform_real_distribution<double> jitter(-1e-5, 1e-5);
  std::vector<double> once, angles;
  for (int i = 0; i < 180; ++i) once.push_back(i * pi / 90);
  for (int i = 0; i < 540; ++i) angles.push_back(i * pi / 90 + jitter(random));
  std::vector<float> slices[2];
  for (const std::vector<double>* set : {&once, &angles}) {
    Geometry geometry(*set, n);
    geometry.beam = VSH_TOMO_FAN;
    geometry.source_distance = 150;
    slices[set == &angles] =
        Plan(geometry, Options()).reconstruct(sinogram(kSheppLogan, *set, n, 22, middle_of(n), 150), 1);
  }
  EXPECT_LT(rmse(slices[0], slices[1], n, 22), 2e-3);
}

TEST(TomographyAngles, MissingWedgeIsNotFilledFromItsEdges) {
  std::vector<double> angles;
  for (int i = 0; i < 120; ++i) angles.push_back(i * pi / 180);
  std::vector<double> weights = weights_of(angles);
  EXPECT_NEAR(weights[0], 1.25 * pi / 180, 1e-9);
  EXPECT_NEAR(weights[60], pi / 180, 1e-9);
  EXPECT_NEAR(weights[119], 1.25 * pi / 180, 1e-9);
  // A narrow arc, few angles, two wedges, jitter next to a wedge.
  for (int i = 0; i < 120; ++i) angles[static_cast<size_t>(i)] = i * pi / 1800;
  EXPECT_NEAR(sum_of(weights_of(angles)), 120.5 * pi / 1800, 1e-9);
  EXPECT_NEAR(sum_of(weights_of({0, 0.1, 0.2})), 0.35, 1e-9);
  angles.clear();
  for (int i = 0; i < 120; ++i) angles.push_back((i < 60 ? i : i + 30) * pi / 180);
  EXPECT_NEAR(sum_of(weights_of(angles)), 121 * pi / 180, 1e-9);
  angles.clear();
  for (int i = 0; i < 360; ++i) angles.push_back((i % 120 + i / 120 * 180) * pi / 180 + 1e-5 * std::sin(i * i));
  EXPECT_NEAR(sum_of(weights_of(angles)), 120.5 * pi / 180, 1e-4);
}

}  // namespace
}  // namespace vershina::tomography
