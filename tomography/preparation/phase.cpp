#include "tomography/preparation/phase.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "tomography/preparation/fourier.hpp"

namespace vsh::tomography {
namespace {

constexpr double kMillimetresKev = 1.2398419843e-6;  // h c

// The place in a line of `num` values of place i in one of `padded`: half of the places beyond continues the end, the
// rest the beginning.
size_t clamped(size_t i, size_t num, size_t padded) {
  if (i < num) return i;
  return i - num < (padded - num) / 2 ? num - 1 : 0;
}

double frequency(size_t i, size_t num) { return static_cast<double>(std::min(i, num - i)) / static_cast<double>(num); }

}  // namespace

double paganin_alpha(double delta_beta, double energy_kev, double distance_mm, double pixel_mm) {
  return std::numbers::pi * kMillimetresKev / energy_kev * distance_mm * delta_beta / (pixel_mm * pixel_mm);
}

size_t paganin_reach(double alpha) {
  return static_cast<size_t>(std::min(std::ceil(7 * std::sqrt(alpha) / (2 * std::numbers::pi)) + 1, 1e15));
}

std::pair<size_t, size_t> paganin_extent(size_t rows, size_t bins, size_t reach) {
  return {power_of_two(rows + 2 * reach), power_of_two(bins + 2 * reach)};
}

void paganin(float* transmission, size_t rows, size_t bins, double alpha) {
  const auto [height, width] = paganin_extent(rows, bins, paganin_reach(alpha));
  std::vector<Complex> data(height * width);
  for (size_t j = 0; j < height; ++j)
    for (size_t i = 0; i < width; ++i)
      data[j * width + i] =
          static_cast<double>(transmission[clamped(j, rows, height) * bins + clamped(i, bins, width)]);
  const Fourier2 fourier(height, width);
  fourier.forward(data.data());
  for (size_t j = 0; j < height; ++j) {
    const double v = frequency(j, height);
    for (size_t i = 0; i < width; ++i) {
      const double u = frequency(i, width);
      data[j * width + i] /= 1 + alpha * (u * u + v * v);
    }
  }
  fourier.inverse(data.data());
  for (size_t j = 0; j < rows; ++j)
    for (size_t i = 0; i < bins; ++i) transmission[j * bins + i] = static_cast<float>(data[j * width + i].real());
}

}  // namespace vsh::tomography
