// Reconstructions through the public header: exact cases, symmetries, and the phantom of Shepp and Logan from exact
// line integrals.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "vershina/tomography.hpp"

namespace vershina::tomography {
namespace {

using std::numbers::pi;

constexpr vsh_tomo_algorithm kAlgorithms[] = {VSH_TOMO_FBP, VSH_TOMO_DFR, VSH_TOMO_HFBP};

struct Ellipse {
  double density, a, b, x, y, degrees;  // lengths: of half the image
};
const std::vector<Ellipse> kSheppLogan = {{1, .69, .92, 0, 0, 0},        {-.8, .6624, .874, 0, -.0184, 0},
                                          {-.2, .11, .31, .22, 0, -18},  {-.2, .16, .41, -.22, 0, 18},
                                          {.1, .21, .25, 0, .35, 0},     {.1, .046, .046, 0, .1, 0},
                                          {.1, .046, .046, 0, -.1, 0},   {.1, .046, .023, -.08, -.605, 0},
                                          {.1, .023, .023, 0, -.606, 0}, {.1, .023, .046, .06, -.605, 0}};

// The integral along the ray of (theta, t).
double ray(const std::vector<Ellipse>& ellipses, double half, double theta, double t) {
  double sum = 0;
  for (const Ellipse& e : ellipses) {
    const double a = e.a * half, b = e.b * half, turned = theta - e.degrees * pi / 180;
    const double q = std::pow(a * std::cos(turned), 2) + std::pow(b * std::sin(turned), 2);
    const double tau = t - half * (e.x * std::cos(theta) + e.y * std::sin(theta));
    if (tau * tau < q) sum += 2 * e.density * a * b * std::sqrt(q - tau * tau) / q;
  }
  return sum;
}

// A bin is the mean of 8 rays.
std::vector<float> sinogram(const std::vector<Ellipse>& ellipses, const std::vector<double>& angles, size_t bins,
                            double half, double centre, double source = 0) {
  std::vector<float> out;
  for (const double angle : angles) {
    for (size_t k = 0; k < bins; ++k) {
      double sum = 0;
      for (int i = 0; i < 8; ++i) {
        const double s = static_cast<double>(k) - centre + (i - 3.5) / 8;
        const double gamma = source > 0 ? std::atan(s / source) : 0;
        sum += ray(ellipses, half, angle - gamma, source > 0 ? source * std::sin(gamma) : s);
      }
      out.push_back(static_cast<float>(sum / 8));
    }
  }
  return out;
}

std::vector<float> picture(const std::vector<Ellipse>& ellipses, size_t n) {
  std::vector<float> out;
  const double half = static_cast<double>(n) / 2;
  for (size_t j = 0; j < n; ++j) {
    for (size_t i = 0; i < n; ++i) {
      double sum = 0;
      for (int k = 0; k < 16; ++k) {
        const double x = (static_cast<double>(i) + (k % 4 + 0.5) / 4) / half - 1;
        const double y = 1 - (static_cast<double>(j) + (k / 4 + 0.5) / 4) / half;
        for (const Ellipse& e : ellipses) {
          const double c = std::cos(e.degrees * pi / 180), s = std::sin(e.degrees * pi / 180);
          const double u = ((x - e.x) * c + (y - e.y) * s) / e.a, v = ((y - e.y) * c - (x - e.x) * s) / e.b;
          if (u * u + v * v <= 1) sum += e.density;
        }
      }
      out.push_back(static_cast<float>(sum / 16));
    }
  }
  return out;
}

// Root of the mean square of differences at most `radius` pixels from the axis.
double rmse(const std::vector<float>& a, const std::vector<float>& b, size_t n, double radius) {
  double sum = 0;
  size_t num = 0;
  const double middle = (static_cast<double>(n) - 1) / 2;
  for (size_t p = 0; p < n * n; ++p) {
    if (std::hypot(static_cast<double>(p % n) - middle, static_cast<double>(p / n) - middle) > radius) continue;
    sum += std::pow(a[p] - b[p], 2);
    ++num;
  }
  return std::sqrt(sum / static_cast<double>(num));
}

std::vector<double> half_turn(size_t num, double start = 0) {
  std::vector<double> angles;
  for (size_t i = 0; i < num; ++i) angles.push_back(start + pi * static_cast<double>(i) / static_cast<double>(num));
  return angles;
}

double middle_of(size_t m) { return (static_cast<double>(m) - 1) / 2; }

std::vector<float> reconstruct(const std::vector<double>& angles, size_t bins, const std::vector<float>& projections,
                               const Options& options, size_t num_slices = 1, double offset = 0) {
  Geometry geometry(angles, bins);
  geometry.centre_offset = offset;
  return Plan(geometry, options).reconstruct(projections, num_slices);
}

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

TEST(Tomography, AnglesSeenTwiceShareTheirWeight) {
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
TEST(Tomography, JitterOfSeveralHalfTurns) {
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

TEST(Tomography, IrregularAnglesCoverTheHalfTurn) {
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
TEST(Tomography, JitterOfSeveralTurnsOfAFan) {
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

TEST(Tomography, MissingWedgeIsNotFilledFromItsEdges) {
  std::vector<double> angles;
  for (int i = 0; i < 120; ++i) angles.push_back(i * pi / 180);
  std::vector<double> weights = weights_of(angles);
  EXPECT_NEAR(weights[0], 1.25 * pi / 180, 1e-9);
  EXPECT_NEAR(weights[60], pi / 180, 1e-9);
  EXPECT_NEAR(weights[119], 1.25 * pi / 180, 1e-9);
  // A narrow arc, few angles, two wedges, jitter beside a wedge.
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
        // The centre of mass of what is bright.
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

TEST(Tomography, FiltersAreTheirDefinitions) {
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

TEST(Tomography, HfbpFiltersAsFbpDoes) {
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

TEST(Tomography, EdgesExtendTruncatedRows) {
  // A disc wider than the detector: without padding its rim is too bright.
  constexpr size_t n = 64;
  const std::vector<double> angles = half_turn(100);
  const std::vector<float> scan = sinogram({{1, 1.6, 1.6, 0, 0, 0}}, angles, n, 32, middle_of(n));
  const std::vector<float> flat(n * n, 1);
  for (const vsh_tomo_algorithm algorithm : {VSH_TOMO_FBP, VSH_TOMO_DFR}) {
    Options options;
    options.algorithm = algorithm;
    const double without = rmse(reconstruct(angles, n, scan, options), flat, n, 28);
    options.padding = VSH_TOMO_EDGES;
    EXPECT_LT(rmse(reconstruct(angles, n, scan, options), flat, n, 28), without / 2) << algorithm;
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

TEST(Tomography, FanIsRebinned) {
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

TEST(Tomography, WholeTurnAboutAnAxisOffTheMiddle) {
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

TEST(Tomography, MoreThanATurnAboutAnAxisOffTheMiddle) {
  // Of a place modulo pi one side of the detector is seen twice as often as the other.
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

TEST(Tomography, DroppedFramesLeaveAWholeTurn) {
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

TEST(Tomography, FewIrregularAnglesOfHalfATurnAreNoWholeOne) {
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
TEST(Tomography, PartsOfAWholeTurnAddUp) {
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

TEST(Tomography, WholeTurnAboutTheMiddleHasNoWeights) {
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

TEST(Tomography, ConeOfABall) {
  // A ball beside the axis and above the middle plane; full turn, short scan, full turn about an axis off the middle.
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

// What is left out because it misses the circle changes nothing within it.
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

}  // namespace
}  // namespace vershina::tomography
