#include "tomography/filters/recursive.hpp"

#include <array>
#include <cmath>
#include <numbers>

namespace vsh::tomography {
namespace {

constexpr size_t kPoles = RecursiveFilter::kPoles;
constexpr size_t kUnknowns = 2 * kPoles;
using Unknowns = std::array<double, kUnknowns>;  // r = e^-e^q, then A = e^l
constexpr double kSums = 300;

struct Normal {
  double error = 0;
  std::array<Unknowns, kUnknowns> matrix{};
  Unknowns vector{};

  void add(double residual, const Unknowns& derivative) {
    error += residual * residual;
    for (size_t i = 0; i < kUnknowns; ++i) {
      vector[i] -= derivative[i] * residual;
      for (size_t j = 0; j <= i; ++j) matrix[i][j] += derivative[i] * derivative[j];
    }
  }
};

// Exponentials fit every bin of the Shepp-Logan kernel, and the odd ones of ram-lak's.
size_t lag_of(vsh_tomo_filter filter) { return filter == VSH_TOMO_SHEPP_LOGAN ? 1 : 2; }

double target_at(vsh_tomo_filter filter, double k) {
  const double pi = std::numbers::pi;
  return filter == VSH_TOMO_SHEPP_LOGAN ? 2 / (pi * pi * (4 * k * k - 1)) : 1 / (pi * pi * k * k);
}

Normal normal_equations(const Unknowns& u, size_t bins, vsh_tomo_filter filter) {
  Normal normal;
  const size_t lag = lag_of(filter);
  std::array<double, kPoles> power, r;
  for (size_t j = 0; j < kPoles; ++j) {
    r[j] = std::exp(-std::exp(u[j]));
    power[j] = static_cast<double>(lag) * std::exp(u[kPoles + j]) * r[j];
  }
  double sum = 0;
  Unknowns sums{};
  for (size_t k = 1; k < bins; k += lag) {
    const double x = static_cast<double>(k);
    const double target = target_at(filter, x);
    double residual = -target;
    Unknowns d;
    for (size_t j = 0; j < kPoles; ++j) {
      residual += power[j];
      d[kPoles + j] = power[j];
      d[j] = -power[j] * x * std::exp(u[j]);
      power[j] *= lag == 1 ? r[j] : r[j] * r[j];
    }
    sum += residual;
    for (size_t i = 0; i < kUnknowns; ++i) sums[i] += d[i];
    Unknowns scaled;
    const double weight = 1 / std::sqrt(target);
    for (size_t i = 0; i < kUnknowns; ++i) scaled[i] = weight * d[i];
    normal.add(weight * residual, scaled);
    for (size_t i = 0; i < kUnknowns; ++i) scaled[i] = kSums * sums[i];
    normal.add(kSums * sum, scaled);
  }
  return normal;
}

// Solves (matrix + damping * its diagonal) x = vector by Cholesky's method; false if it is not positive.
bool solve(const Normal& normal, double damping, Unknowns& x) {
  std::array<Unknowns, kUnknowns> l{};
  for (size_t i = 0; i < kUnknowns; ++i) {
    for (size_t j = 0; j <= i; ++j) {
      double value = normal.matrix[i][j];
      if (i == j) value = value * (1 + damping) + 1e-300;
      for (size_t k = 0; k < j; ++k) value -= l[i][k] * l[j][k];
      if (i == j && !(value > 0)) return false;
      l[i][j] = i == j ? std::sqrt(value) : value / l[j][j];
    }
  }
  for (size_t i = 0; i < kUnknowns; ++i) {
    x[i] = normal.vector[i];
    for (size_t k = 0; k < i; ++k) x[i] -= l[i][k] * x[k];
    x[i] /= l[i][i];
  }
  for (size_t i = kUnknowns; i-- > 0;) {
    for (size_t k = i + 1; k < kUnknowns; ++k) x[i] -= l[k][i] * x[k];
    x[i] /= l[i][i];
  }
  return true;
}

}  // namespace

RecursiveFilter fit_recursive_filter(vsh_tomo_filter window, size_t bins) {
  // The solution for 512 bins, and how its parts change with the number of bins.
  constexpr double kR[] = {.987483, .914617, .631618, .113864}, kA[] = {1.82678e-5, 7.08544e-4, .0166934, .494545};
  constexpr double kRPower[] = {-.613, -.38, -.197, -.072}, kAPower[] = {-1.13, -.634, -.297, -.111};
  const double size = std::log(static_cast<double>(bins) / 512);
  Unknowns u;
  for (size_t j = 0; j < kPoles; ++j) {
    u[j] = std::log(-std::log(kR[j])) + kRPower[j] * size;
    u[kPoles + j] = std::log(kA[j]) + kAPower[j] * size;
  }
  // Levenberg and Marquardt.
  double damping = 1e-3;
  Normal now = normal_equations(u, bins, window);
  for (int i = 0; i < 100 && damping < 1e12; ++i) {
    Unknowns step, tried = u;
    if (!solve(now, damping, step)) {
      damping *= 10;
      continue;
    }
    for (size_t k = 0; k < kUnknowns; ++k) tried[k] += step[k];
    const Normal next = normal_equations(tried, bins, window);
    if (!(next.error < now.error)) {  // NaN too
      damping *= 10;
      continue;
    }
    const bool settled = now.error - next.error < 1e-12 * now.error;
    u = tried;
    now = next;
    damping *= 0.1;
    if (settled) break;
  }
  RecursiveFilter filter{};
  const bool even = lag_of(window) == 1;
  filter.lag = static_cast<uint32_t>(lag_of(window));
  filter.centre = static_cast<float>(even ? 2 / (std::numbers::pi * std::numbers::pi) : 0.25);
  for (size_t j = 0; j < kPoles; ++j) {
    const double r = std::exp(-std::exp(u[j])), a = std::exp(u[kPoles + j]);
    filter.r[j] = static_cast<float>(even ? r : r * r);
    filter.ra[j] = static_cast<float>(even ? r * a : 2 * r * a);
  }
  filter.side = window == VSH_TOMO_HANN ? 0.25f : window == VSH_TOMO_HAMMING ? 0.23f : 0.0f;
  return filter;
}

}  // namespace vsh::tomography
