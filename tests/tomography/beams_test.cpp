// Fans and cones.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "tomography/support/phantoms.hpp"

namespace vershina::tomography {
namespace {

TEST(TomographyBeams, FanIsRebinned) {
  constexpr size_t n = 96, kBins = 112;
  const double source = 220;
  const std::vector<float> truth = picture(kSheppLogan, n);
  const std::vector<double> parallel = half_turn(200);
  const double reference =
      rmse(reconstruct(parallel, n, sinogram(kSheppLogan, parallel, n, 48, middle_of(n)), Options()), truth, n, 46);
  std::vector<double> full, part;
  for (int i = 0; i < 400; ++i) full.push_back(pi * i / 200 - 1);
  const double range = pi + 2 * std::asin(48 / source) + 0.05;
  for (int i = 0; i < 260; ++i) part.push_back(6 + range * i / 260);
  for (const std::vector<double>& angles : {full, part}) {
    Geometry geometry(angles, kBins);
    geometry.beam = VSH_TOMO_FAN;
    geometry.source_distance = source;
    Options options;
    options.size = n;
    const std::vector<float> scan = sinogram(kSheppLogan, angles, kBins, 48, middle_of(kBins), source);
    for (const vsh_tomo_algorithm algorithm : kAlgorithms) {
      options.algorithm = algorithm;
      EXPECT_LT(rmse(Plan(geometry, options).reconstruct(scan, 1), truth, n, 46), 1.35 * reference) << algorithm;
    }
    geometry.num_angles /= 2;
    vsh_tomo_plan* plan = nullptr;
    const vsh_tomo_status half = vsh_tomo_plan_new(&plan, &geometry, &options);
    EXPECT_EQ(half, VSH_TOMO_E_GEOMETRY) << angles.size();
  }
}

TEST(TomographyBeams, ConeOfABall) {
  // A ball off the axis and above the middle plane; full turn, short scan, full turn about an axis off the middle.
  constexpr size_t n = 32, kRows = 40, kDepth = 28;
  const double source = 90;
  std::vector<double> full, part;
  for (int i = 0; i < 120; ++i) full.push_back(2 * pi * i / 120);
  const double range = pi + 2 * std::atan(22 / source) + 0.02;
  for (int i = 0; i < 90; ++i) part.push_back(1 + range * i / 90);
  struct Scan {
    const std::vector<double>& angles;
    size_t bins;
    double centre;
  };
  for (const auto& [angles, bins, centre] : {Scan{full, 44, 21.5}, Scan{part, 44, 21.5}, Scan{full, 28, 6.5}}) {
    std::vector<float> scan;
    for (const double beta : angles) {
      for (size_t r = 0; r < kRows; ++r) {
        for (size_t k = 0; k < bins; ++k) {
          const double s = static_cast<double>(k) - centre, v = static_cast<double>(r) - middle_of(kRows);
          // From the source along (s e + v z - source): the ball of radius 8 at (5, 3, 2).
          const double direction[] = {s * std::cos(beta) - source * std::sin(beta),
                                      s * std::sin(beta) + source * std::cos(beta), v};
          const double to[] = {5 - source * std::sin(beta), 3 + source * std::cos(beta), 2};
          double dd = 0, dt = 0, tt = 0;
          for (int i = 0; i < 3; ++i) {
            dd += direction[i] * direction[i];
            dt += direction[i] * to[i];
            tt += to[i] * to[i];
          }
          scan.push_back(static_cast<float>(2 * std::sqrt(std::max(0.0, 64 - (tt - dt * dt / dd)))));
        }
      }
    }
    Geometry geometry(angles, bins);
    geometry.centre_offset = centre - middle_of(bins);
    geometry.beam = VSH_TOMO_CONE;
    geometry.source_distance = source;
    geometry.num_rows = kRows;
    Options options;
    options.size = n;
    options.depth = kDepth;
    Plan plan(geometry, options);
    EXPECT_EQ(plan.batch(), kDepth);
    const std::vector<float> volume = plan.reconstruct(scan, kDepth);
    double inside = 0, outside = 0, in = 0, out = 0;
    for (size_t z = 0; z < kDepth; ++z) {
      for (size_t j = 0; j < n; ++j) {
        for (size_t i = 0; i < n; ++i) {
          const double x = static_cast<double>(i) - middle_of(n), y = middle_of(n) - static_cast<double>(j);
          const double distance = std::hypot(x - 5, y - 3, static_cast<double>(z) - middle_of(kDepth) - 2);
          if (std::hypot(x, y) > 15) continue;
          const float value = volume[(z * n + j) * n + i];
          if (distance < 6) inside += value, ++in;
          if (distance > 10) outside += value, ++out;
        }
      }
    }
    EXPECT_NEAR(inside / in, 1, 0.03);
    EXPECT_NEAR(outside / out, 0, 0.03);
    options.algorithm = VSH_TOMO_DFR;
    EXPECT_THROW(Plan(geometry, options), Error);
  }
}

}  // namespace
}  // namespace vershina::tomography
