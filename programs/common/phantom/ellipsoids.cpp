#include "programs/common/phantom/ellipsoids.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace vsh::tomo {
namespace {

constexpr double kRadians = std::numbers::pi / 180;
constexpr double kEndless = 1e9;

// An ellipse: the ellipsoid where a plane cuts it. Lengths in bins.
struct Ellipse {
  double density, a, b, x, y, phi;
};

std::vector<Ellipse> cut(const Object& object, double half, double z) {
  std::vector<Ellipse> ellipses;
  for (const Ellipsoid& part : object) {
    const double height = (z - part.z) / part.c, rest = 1 - height * height;
    if (rest <= 0) continue;
    const double shrink = std::sqrt(rest) * half;
    ellipses.push_back(
        {part.density, part.a * shrink, part.b * shrink, part.x * half, part.y * half, part.phi * kRadians});
  }
  return ellipses;
}

// The integral of sqrt(q - tau^2) from 0 to tau.
double half_segment(double tau, double q) {
  const double root = std::sqrt(q);
  if (tau >= root) return q * std::numbers::pi / 4;
  if (tau <= -root) return -q * std::numbers::pi / 4;
  return (tau * std::sqrt(q - tau * tau) + q * std::asin(tau / root)) / 2;
}

// p(t) = 2 density a b sqrt(q - tau^2) / q, q = a^2 cos^2 + b^2 sin^2 of the angle to the ellipse's axes.
void add_parallel(double* sums, const Ellipse& part, const Detector& detector, double angle) {
  const double cosine = std::cos(angle - part.phi), sine = std::sin(angle - part.phi);
  const double q = part.a * part.a * cosine * cosine + part.b * part.b * sine * sine, root = std::sqrt(q);
  const double middle = part.x * std::cos(angle) + part.y * std::sin(angle) + detector.centre;  // in bins from 0
  const double scale = 2 * part.density * part.a * part.b / q;
  const auto bin = [&](double place) {
    return static_cast<size_t>(std::clamp(place, 0.0, static_cast<double>(detector.num_bins)));
  };
  const size_t first = bin(std::floor(middle - root)), last = bin(std::ceil(middle + root) + 2);
  for (size_t k = first; k < last; ++k) {
    const double tau = static_cast<double>(k) - middle;
    sums[k] += scale * (half_segment(tau + 0.5, q) - half_segment(tau - 0.5, q));
  }
}

// Gauss and Legendre's rule of 8 points: nodes and weights of the right half.
constexpr std::array<double, 4> kNodes = {0.1834346424956498, 0.5255324099163290, 0.7966664774136267,
                                          0.9602898564975363};
constexpr std::array<double, 4> kWeights = {0.3626837833783620, 0.3137066458778873, 0.2223810344533745,
                                            0.1012285362903763};

// The ray from the source S to the point s e + z of the virtual detector. A fan's source is at the row's height. Scaled
// so that the ellipsoid is the unit sphere, the source is at u and the ray's direction v(s) = v0 + s v1, and the chord
// is the root of a quadratic in s over |v|^2. With s = middle + half sin(w) between its zeros the integrand is smooth.
void add_rays(double* sums, const Ellipsoid& part, const Detector& detector, double angle, double z) {
  const double r = detector.source_distance, h = detector.half, ce = std::cos(angle), se = std::sin(angle);
  const double cp = std::cos(part.phi * kRadians), sp = std::sin(part.phi * kRadians);
  const double source_z = detector.is_cone ? 0 : z * h, rise = z * h - source_z;
  struct Vector {
    double x, y, z;
  };
  const auto scaled = [&](double x, double y, double up) {
    return Vector{(x * cp + y * sp) / (part.a * h), (-x * sp + y * cp) / (part.b * h), up / (part.c * h)};
  };
  const Vector u = scaled(r * se - part.x * h, -r * ce - part.y * h, source_z - part.z * h);
  const Vector v0 = scaled(-r * se, r * ce, rise), v1 = scaled(ce, se, 0);
  const auto dot = [](const Vector& a, const Vector& b) { return a.x * b.x + a.y * b.y + a.z * b.z; };
  const double outside = dot(u, u) - 1;  // above 0: the source is outside
  // (u.v)^2 - |v|^2 (|u|^2 - 1) = A s^2 + 2 B s + C.
  const double a = dot(u, v1) * dot(u, v1) - dot(v1, v1) * outside;
  const double b = dot(u, v0) * dot(u, v1) - dot(v0, v1) * outside;
  const double c = dot(u, v0) * dot(u, v0) - dot(v0, v0) * outside;
  const double discriminant = b * b - a * c;
  if (!(a < 0) || !(discriminant > 0)) return;  // no ray meets it, or the source is in it
  const double middle = -b / a, half = std::sqrt(discriminant) / -a, steep = std::sqrt(-a);
  const auto value = [&](double w) {
    const double s = middle + half * std::sin(w);
    const Vector v{v0.x + s * v1.x, v0.y + s * v1.y, v0.z + s * v1.z};
    const double root = steep * half * std::cos(w);
    return 2 * root / dot(v, v) * std::sqrt(r * r + s * s + rise * rise) * half * std::cos(w);
  };
  for (size_t k = 0; k < detector.num_bins; ++k) {
    const double centre = static_cast<double>(k) - detector.centre;
    const double low = std::max(centre - 0.5, middle - half), high = std::min(centre + 0.5, middle + half);
    if (low >= high) continue;
    const double from = std::asin(std::clamp((low - middle) / half, -1.0, 1.0));
    const double to = std::asin(std::clamp((high - middle) / half, -1.0, 1.0));
    const double mid = (from + to) / 2, reach = (to - from) / 2;
    double sum = 0;
    for (size_t i = 0; i < kNodes.size(); ++i)
      sum += kWeights[i] * (value(mid + reach * kNodes[i]) + value(mid - reach * kNodes[i]));
    sums[k] += part.density * sum * reach;
  }
}

}  // namespace

Object shepp_logan_3d() {
  return {{1, .69, .92, .81, 0, 0, 0, 0},        {-.8, .6624, .874, .78, 0, -.0184, 0, 0},
          {-.2, .11, .31, .22, .22, 0, 0, -18},  {-.2, .16, .41, .28, -.22, 0, 0, 18},
          {.1, .21, .25, .41, 0, .35, -.15, 0},  {.1, .046, .046, .05, 0, .1, .25, 0},
          {.1, .046, .046, .05, 0, -.1, .25, 0}, {.1, .046, .023, .05, -.08, -.605, 0, 0},
          {.1, .023, .023, .02, 0, -.606, 0, 0}, {.1, .023, .046, .02, .06, -.605, 0, 0}};
}

Object shepp_logan() {
  Object object = shepp_logan_3d();
  for (Ellipsoid& part : object) part.c = kEndless, part.z = 0;
  return object;
}

void project(float* out, const Object& object, const Detector& detector, double angle, double z) {
  std::vector<double> sums(detector.num_bins, 0);
  if (detector.source_distance > 0)
    for (const Ellipsoid& part : object) add_rays(sums.data(), part, detector, angle, z);
  else
    for (const Ellipse& part : cut(object, detector.half, z)) add_parallel(sums.data(), part, detector, angle);
  std::copy(sums.begin(), sums.end(), out);
}

void rasterise(float* out, const Object& object, size_t size, double half, double z, unsigned samples) {
  std::vector<double> sums(size * size, 0);
  const double middle = static_cast<double>(size - 1) / 2, step = 1.0 / samples;
  for (const Ellipse& part : cut(object, half, z)) {
    const double cp = std::cos(part.phi), sp = std::sin(part.phi);
    const double reach = std::max(part.a, part.b) + 1;
    const auto bound = [&](double place) {
      return static_cast<size_t>(std::clamp(place, 0.0, static_cast<double>(size)));
    };
    const size_t top = bound(middle - part.y - reach), bottom = bound(middle - part.y + reach + 1);
    const size_t left = bound(middle + part.x - reach), right = bound(middle + part.x + reach + 1);
    for (size_t j = top; j < bottom; ++j) {
      for (size_t i = left; i < right; ++i) {
        unsigned inside = 0;
        for (unsigned v = 0; v < samples; ++v) {
          for (unsigned w = 0; w < samples; ++w) {
            const double x = static_cast<double>(i) - middle + (w + 0.5) * step - 0.5 - part.x;
            const double y = middle - static_cast<double>(j) + (v + 0.5) * step - 0.5 - part.y;
            const double p = (x * cp + y * sp) / part.a, q = (-x * sp + y * cp) / part.b;
            inside += p * p + q * q <= 1 ? 1 : 0;
          }
        }
        sums[j * size + i] += part.density * inside / (samples * samples);
      }
    }
  }
  std::copy(sums.begin(), sums.end(), out);
}

}  // namespace vsh::tomo
