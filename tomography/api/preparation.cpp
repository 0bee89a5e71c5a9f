// The C ABI of the steps before the reconstruction.
#include <algorithm>
#include <atomic>
#include <cmath>

#include "tomography/api/checks.hpp"
#include "tomography/geometry/parallel.hpp"
#include "tomography/preparation/centre.hpp"
#include "tomography/preparation/counts.hpp"
#include "tomography/preparation/fourier.hpp"
#include "tomography/preparation/phase.hpp"
#include "tomography/preparation/sinogram.hpp"

using namespace vsh;
using namespace vsh::tomography;

namespace {

vsh_tomo_status check_sizes(size_t angles, size_t rows, size_t bins) {
  if (bins > VSH_TOMO_MAX_BINS || !addressable({angles, rows, bins})) return VSH_TOMO_E_SIZE;
  return angles > VSH_TOMO_MAX_ANGLES ? VSH_TOMO_E_ANGLES : VSH_TOMO_OK;
}

// Projections in the caller's memory, [angle][row][bin].
struct ProjectionStack {
  float* values;
  size_t angles, rows, bins;

  size_t frame_len() const { return rows * bins; }
  float* frame(size_t angle) const { return values + angle * frame_len(); }

  vsh_tomo_status check() const { return values ? check_sizes(angles, rows, bins) : VSH_TOMO_E_ARGUMENT; }
};

// Runs work(i) for each i below num.
template <class F>
void for_each_part(size_t num, unsigned threads, F&& work) {
  const vsh_tomo_options silent = VSH_TOMO_OPTIONS_INIT;
  in_parallel(num, threads, Progress(silent), [&](size_t begin, size_t end, const auto& step) {
    for (size_t i = begin; i < end; ++i, step()) work(i);
  });
}

// Steps that sort values, or transform them, need finite numbers.
vsh_tomo_status check_values(const ProjectionStack& stack, unsigned threads) {
  std::atomic<bool> is_fit{true};
  for_each_part(stack.angles, threads, [&](size_t i) {
    if (!are_finite(stack.frame(i), stack.frame_len())) is_fit = false;
  });
  return is_fit ? VSH_TOMO_OK : VSH_TOMO_E_VALUES;
}

// Runs mend(sinogram) on the sinogram [angle][bin] of each row.
template <class F>
vsh_tomo_status for_each_sinogram(const ProjectionStack& stack, unsigned threads, F&& mend) {
  if (const vsh_tomo_status status = stack.check(); status != VSH_TOMO_OK) return status;
  return guarded([&] {
    if (const vsh_tomo_status status = check_values(stack, threads); status != VSH_TOMO_OK) return status;
    for_each_part(stack.rows, threads, [&](size_t row) {
      std::vector<float> sinogram = gather(stack.values, stack.angles, stack.rows, stack.bins, row);
      mend(sinogram.data());
      scatter(stack.values, sinogram, stack.rows, stack.bins, row);
    });
    return VSH_TOMO_OK;
  });
}

bool is_above_zero(double value, double most) { return value > 0 && value <= most; }  // NaN is not

// Pi lambda z (delta / beta) in squares of a bin; NaN where one of them is out of range.
double alpha_of(double delta_beta, double energy_kev, double distance_mm, double pixel_mm) {
  for (const double value : {delta_beta, energy_kev, distance_mm, pixel_mm})
    if (!is_above_zero(value, 1e9)) return NAN;
  return paganin_alpha(delta_beta, energy_kev, distance_mm, pixel_mm);
}

// Runs find(sinogram) on one row in the caller's memory.
template <class F>
vsh_tomo_status with_sinogram(const float* projections, size_t angle_stride, const vsh_tomo_geometry* geometry,
                              F&& find) {
  if (!projections || !geometry) return VSH_TOMO_E_ARGUMENT;
  if (const vsh_tomo_status status = check_geometry(*geometry); status != VSH_TOMO_OK) return status;
  const size_t num_angles = geometry->num_angles, num_bins = geometry->num_bins;
  if (angle_stride == 0) angle_stride = num_bins;
  if (angle_stride < num_bins || !addressable({num_angles, angle_stride})) return VSH_TOMO_E_SIZE;
  const Sinogram sinogram{projections,      num_angles,
                          num_bins,         angle_stride,
                          geometry->angles, geometry->beam == VSH_TOMO_PARALLEL ? 0 : geometry->source_distance};
  for (size_t i = 0; i < num_angles; ++i)
    if (!are_finite(sinogram.row(i), num_bins)) return VSH_TOMO_E_VALUES;
  return guarded([&] { return find(sinogram); });
}

vsh_tomo_centre centre_of(const CentreGuess& guess, const Sinogram& sinogram) {
  return {guess.method, guess.centre - (static_cast<double>(sinogram.num_bins) - 1) / 2, guess.confidence};
}

}  // namespace

vsh_tomo_status vsh_tomo_normalise(float* projections, size_t num_angles, size_t num_rows, size_t num_bins,
                                   const float* white, const float* dark, uint64_t* found) {
  const ProjectionStack stack{projections, num_angles, num_rows, num_bins};
  if (!white) return VSH_TOMO_E_ARGUMENT;
  if (const vsh_tomo_status status = stack.check(); status != VSH_TOMO_OK) return status;
  return guarded([&] {
    const uint64_t count = normalise(projections, num_angles, stack.frame_len(), white, dark);
    if (found) *found = count;
    return VSH_TOMO_OK;
  });
}

vsh_tomo_status vsh_tomo_fill_gaps(float* projections, size_t num_angles, size_t num_rows, size_t num_bins,
                                   uint64_t* found) {
  const ProjectionStack stack{projections, num_angles, num_rows, num_bins};
  if (const vsh_tomo_status status = stack.check(); status != VSH_TOMO_OK) return status;
  const uint64_t count = fill_gaps(projections, num_angles * num_rows, num_bins);
  if (found) *found = count;
  return VSH_TOMO_OK;
}

vsh_tomo_status vsh_tomo_minus_log(float* projections, size_t num_angles, size_t num_rows, size_t num_bins,
                                   const float* least, uint64_t* found) {
  const ProjectionStack stack{projections, num_angles, num_rows, num_bins};
  if (const vsh_tomo_status status = stack.check(); status != VSH_TOMO_OK) return status;
  for (size_t i = 0; least && i < stack.frame_len(); ++i)
    if (!is_above_zero(static_cast<double>(least[i]), 1)) return VSH_TOMO_E_PARAMETERS;
  const uint64_t count = minus_log(projections, num_angles, stack.frame_len(), least);
  if (found) *found = count;
  return VSH_TOMO_OK;
}

vsh_tomo_status vsh_tomo_retrieve_phase(float* projections, size_t num_angles, size_t num_rows, size_t num_bins,
                                        double delta_beta, double energy_kev, double distance_mm, double pixel_mm,
                                        unsigned threads) {
  const ProjectionStack stack{projections, num_angles, num_rows, num_bins};
  if (const vsh_tomo_status status = stack.check(); status != VSH_TOMO_OK) return status;
  const double alpha = alpha_of(delta_beta, energy_kev, distance_mm, pixel_mm);
  if (!is_above_zero(alpha, kMostAlpha)) return VSH_TOMO_E_PARAMETERS;
  return guarded([&] {
    if (const vsh_tomo_status status = check_values(stack, threads); status != VSH_TOMO_OK) return status;
    for_each_part(num_angles, threads, [&](size_t i) { paganin(stack.frame(i), num_rows, num_bins, alpha); });
    return VSH_TOMO_OK;
  });
}

size_t vsh_tomo_phase_reach(double delta_beta, double energy_kev, double distance_mm, double pixel_mm) {
  const double alpha = alpha_of(delta_beta, energy_kev, distance_mm, pixel_mm);
  return std::isnan(alpha) ? 0 : paganin_reach(alpha);
}

vsh_tomo_status vsh_tomo_remove_zingers(float* projections, size_t num_angles, size_t num_rows, size_t num_bins,
                                        double threshold, unsigned threads, uint64_t* found) {
  if (!is_above_zero(threshold, 1e6)) return VSH_TOMO_E_PARAMETERS;
  std::atomic<uint64_t> count{0};
  const vsh_tomo_status status =
      for_each_sinogram({projections, num_angles, num_rows, num_bins}, threads,
                        [&](float* sinogram) { count += remove_zingers(sinogram, num_angles, num_bins, threshold); });
  if (found && status == VSH_TOMO_OK) *found = count;
  return status;
}

vsh_tomo_status vsh_tomo_remove_stripes_sorting(float* projections, size_t num_angles, size_t num_rows, size_t num_bins,
                                                size_t window, unsigned threads) {
  if (window != 0 && (window < 3 || window > 1001)) return VSH_TOMO_E_PARAMETERS;
  return for_each_sinogram({projections, num_angles, num_rows, num_bins}, threads, [&](float* sinogram) {
    remove_stripes_sorting(sinogram, num_angles, num_bins, window ? window : default_window(num_bins));
  });
}

size_t vsh_tomo_stripe_window(size_t num_bins) {
  return num_bins == 0 || num_bins > VSH_TOMO_MAX_BINS ? 0 : default_window(num_bins);
}

vsh_tomo_status vsh_tomo_remove_stripes_wavelet(float* projections, size_t num_angles, size_t num_rows, size_t num_bins,
                                                double sigma, unsigned threads) {
  if (!is_above_zero(sigma, 1e6)) return VSH_TOMO_E_PARAMETERS;
  return for_each_sinogram({projections, num_angles, num_rows, num_bins}, threads,
                           [&](float* sinogram) { remove_stripes_wavelet(sinogram, num_angles, num_bins, sigma); });
}

vsh_tomo_status vsh_tomo_find_centre(double* centre_offset, double* confidence, const float* projections,
                                     size_t angle_stride, const vsh_tomo_geometry* geometry,
                                     vsh_tomo_centre_method method) {
  if (!centre_offset || !geometry || !within(method, VSH_TOMO_CENTRE_SYMMETRY)) return VSH_TOMO_E_ARGUMENT;
  if (const vsh_tomo_status status = check_geometry(*geometry); status != VSH_TOMO_OK) return status;
  const bool diverges = geometry->beam != VSH_TOMO_PARALLEL;
  if (method != VSH_TOMO_CENTRE_AUTO && diverges != (method >= VSH_TOMO_CENTRE_OPPOSITE)) return VSH_TOMO_E_COMBINATION;
  return with_sinogram(projections, angle_stride, geometry, [&](const Sinogram& sinogram) {
    const std::optional<CentreGuess> guess = [&]() -> std::optional<CentreGuess> {
      switch (method) {
        case VSH_TOMO_CENTRE_FOURIER: return centre_by_fourier(sinogram);
        case VSH_TOMO_CENTRE_CORRELATION: return centre_by_correlation(sinogram);
        case VSH_TOMO_CENTRE_MASS: return centre_by_mass(sinogram);
        case VSH_TOMO_CENTRE_OPPOSITE: return centre_by_opposite(sinogram);
        case VSH_TOMO_CENTRE_SYMMETRY: return centre_by_symmetry(sinogram);
        default: return best_guess(centre_guesses(sinogram));
      }
    }();
    if (!guess) return VSH_TOMO_E_CENTRE;
    const vsh_tomo_centre centre = centre_of(*guess, sinogram);
    *centre_offset = centre.centre_offset;
    if (confidence) *confidence = centre.confidence;
    return VSH_TOMO_OK;
  });
}

vsh_tomo_status vsh_tomo_find_centres(vsh_tomo_centre* centres, size_t* num, size_t capacity, const float* projections,
                                      size_t angle_stride, const vsh_tomo_geometry* geometry) {
  if (!centres || !num) return VSH_TOMO_E_ARGUMENT;
  if (capacity == 0) return VSH_TOMO_E_SIZE;
  return with_sinogram(projections, angle_stride, geometry, [&](const Sinogram& sinogram) {
    const std::vector<CentreGuess> guesses = centre_guesses(sinogram);
    const std::optional<CentreGuess> chosen = best_guess(guesses);
    if (!chosen) return VSH_TOMO_E_CENTRE;
    *num = std::min(capacity, 1 + guesses.size());
    for (size_t i = 0; i < *num; ++i) centres[i] = centre_of(i == 0 ? *chosen : guesses[i - 1], sinogram);
    return VSH_TOMO_OK;
  });
}

uint64_t vsh_tomo_preparation_memory(vsh_tomo_preparation preparation, size_t num_angles, size_t num_rows,
                                     size_t num_bins, size_t reach) {
  if (!within(preparation, VSH_TOMO_FIND_CENTRE_FAN) || check_sizes(num_angles, num_rows, num_bins) != VSH_TOMO_OK)
    return 0;
  const uint64_t sinogram = sizeof(float) * uint64_t{num_angles} * num_bins;
  switch (preparation) {
    case VSH_TOMO_REMOVE_ZINGERS: return 2 * sinogram;
    case VSH_TOMO_REMOVE_STRIPES_SORTING: return 3 * sinogram;
    case VSH_TOMO_REMOVE_STRIPES_WAVELET: return sinogram + wavelet_bytes(num_angles, num_bins);
    case VSH_TOMO_FIND_CENTRE: return centre_bytes(num_angles, num_bins, false);
    case VSH_TOMO_FIND_CENTRE_FAN: return centre_bytes(num_angles, num_bins, true);
    default: break;
  }
  if (reach == 0 || reach > VSH_TOMO_MAX_BINS) return 0;
  const auto [height, width] = paganin_extent(num_rows, num_bins, reach);
  return addressable({height, width, sizeof(Complex) / sizeof(float)}) ? sizeof(Complex) * uint64_t{height} * width : 0;
}
