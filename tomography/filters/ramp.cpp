#include "tomography/filters/ramp.hpp"

#include <cmath>
#include <numbers>

#include "tomography/filters/fft_plan.hpp"

namespace vsh::tomography {

using std::numbers::pi;

double window(vsh_tomo_filter filter, double omega) {
  switch (filter) {
    case VSH_TOMO_RAM_LAK: return 1;
    case VSH_TOMO_SHEPP_LOGAN: return omega == 0 ? 1 : std::sin(omega / 2) / (omega / 2);
    case VSH_TOMO_COSINE: return std::cos(omega / 2);
    case VSH_TOMO_HAMMING: return 0.54 + 0.46 * std::cos(omega);
    case VSH_TOMO_HANN: return (1 + std::cos(omega)) / 2;
  }
  return 1;
}

std::vector<double> ramp(vsh_tomo_filter filter, size_t length) {
  std::vector<std::complex<double>> kernel(length);
  kernel[0] = 0.25;
  for (size_t k = 1; k <= length / 2; k += 2) {
    const double h = -1 / (pi * static_cast<double>(k) * pi * static_cast<double>(k));
    kernel[k] = h;
    kernel[length - k] = h;
  }
  const std::vector<std::complex<double>> spectrum = transform(kernel);
  std::vector<double> result(length);
  for (size_t k = 0; k < length; ++k) {
    const double omega = 2 * pi * static_cast<double>(k <= length / 2 ? k : length - k) / static_cast<double>(length);
    result[k] = spectrum[k].real() * window(filter, omega);
  }
  return result;
}

}  // namespace vsh::tomography
