// Ellipses with their exact line integrals, and what tests of reconstruction do with them.
#pragma once

#include <cmath>
#include <numbers>
#include <vector>

#include "vershina/tomography.hpp"

namespace vershina::tomography {

using std::numbers::pi;

inline constexpr vsh_tomo_algorithm kAlgorithms[] = {VSH_TOMO_FBP, VSH_TOMO_DFR, VSH_TOMO_HFBP};

struct Ellipse {
  double density, a, b, x, y, degrees;  // lengths: of half the image
};
inline const std::vector<Ellipse> kSheppLogan = {{1, .69, .92, 0, 0, 0},        {-.8, .6624, .874, 0, -.0184, 0},
                                                 {-.2, .11, .31, .22, 0, -18},  {-.2, .16, .41, -.22, 0, 18},
                                                 {.1, .21, .25, 0, .35, 0},     {.1, .046, .046, 0, .1, 0},
                                                 {.1, .046, .046, 0, -.1, 0},   {.1, .046, .023, -.08, -.605, 0},
                                                 {.1, .023, .023, 0, -.606, 0}, {.1, .023, .046, .06, -.605, 0}};

// The integral along the ray of (theta, t).
inline double ray(const std::vector<Ellipse>& ellipses, double half, double theta, double t) {
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
inline std::vector<float> sinogram(const std::vector<Ellipse>& ellipses, const std::vector<double>& angles, size_t bins,
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

inline std::vector<float> picture(const std::vector<Ellipse>& ellipses, size_t n) {
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
inline double rmse(const std::vector<float>& a, const std::vector<float>& b, size_t n, double radius) {
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

inline std::vector<double> half_turn(size_t num, double start = 0) {
  std::vector<double> angles;
  for (size_t i = 0; i < num; ++i) angles.push_back(start + pi * static_cast<double>(i) / static_cast<double>(num));
  return angles;
}

inline double middle_of(size_t m) { return (static_cast<double>(m) - 1) / 2; }

inline std::vector<float> reconstruct(const std::vector<double>& angles, size_t bins,
                                      const std::vector<float>& projections, const Options& options,
                                      size_t num_slices = 1, double offset = 0) {
  Geometry geometry(angles, bins);
  geometry.centre_offset = offset;
  return Plan(geometry, options).reconstruct(projections, num_slices);
}

}  // namespace vershina::tomography
