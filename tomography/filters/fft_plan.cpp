#include "tomography/filters/fft_plan.hpp"

#include <cmath>
#include <numbers>

namespace vsh::tomography {
namespace {

std::complex<double> root(size_t numerator, size_t denominator) {
  const double angle =
      -2 * std::numbers::pi * static_cast<double>(numerator % denominator) / static_cast<double>(denominator);
  return {std::cos(angle), std::sin(angle)};
}

size_t smallest_factor(size_t n) {
  for (size_t f = 2; f * f <= n; ++f)
    if (n % f == 0) return f;
  return n;
}

// Decimation in time; data are `num` numbers, `stride` apart.
std::vector<std::complex<double>> transform(const std::complex<double>* data, size_t num, size_t stride) {
  if (num == 1) return {*data};
  const size_t radix = smallest_factor(num), rest = num / radix;
  std::vector<std::vector<std::complex<double>>> parts;
  for (size_t j = 0; j < radix; ++j) parts.push_back(transform(data + j * stride, rest, stride * radix));
  std::vector<std::complex<double>> out(num);
  std::vector<std::complex<double>> roots(num);
  for (size_t i = 0; i < num; ++i) roots[i] = root(i, num);
  for (size_t k = 0; k < num; ++k)
    for (size_t j = 0; j < radix; ++j) out[k] += parts[j][k % rest] * roots[j * k % num];
  return out;
}

}  // namespace

FftPlan::FftPlan(size_t length) {
  size_t rest = length, stride = 1;
  while (rest > 1) {
    const size_t radix = rest % 4 == 0 ? 4 : smallest_factor(rest);
    const size_t whole = rest;
    rest /= radix;
    std::vector<float>& w = twiddles_.emplace_back();
    for (size_t p = 0; p < rest; ++p) {
      for (size_t k = 1; k < radix; ++k) {
        w.push_back(static_cast<float>(root(p * k, whole).real()));
        w.push_back(static_cast<float>(root(p * k, whole).imag()));
      }
    }
    list_.push_back(
        {static_cast<uint32_t>(radix), static_cast<uint32_t>(rest), static_cast<uint32_t>(stride), nullptr});
    stride *= radix;
  }
  for (size_t i = 0; i < list_.size(); ++i) list_[i].twiddles = twiddles_[i].data();
  stages_ = {list_.data(), list_.size(), length};
}

size_t FftPlan::length_for(size_t at_least) {
  for (size_t length = at_least;; ++length) {
    size_t rest = length;
    for (const size_t factor : {2, 3, 5})
      while (rest % factor == 0) rest /= factor;
    if (rest == 1) return length;
  }
}

std::vector<std::complex<double>> transform(std::span<const std::complex<double>> data) {
  return transform(data.data(), data.size(), 1);
}

}  // namespace vsh::tomography
