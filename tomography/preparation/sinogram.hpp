// Repairs in the sinogram of one slice, [angle][bin] line integrals.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace vsh::tomography {

// The sinogram [angle][bin] of one row out of projections [angle][row][bin], and back again.
std::vector<float> gather(const float* projections, size_t num_angles, size_t num_rows, size_t num_bins, size_t row);
void scatter(float* projections, const std::vector<float>& sinogram, size_t num_rows, size_t num_bins, size_t row);

// Replaces zingers, values below the median of their 3 x 3 neighbours by more than log(1 + threshold): a transmission
// that is too high by that share. Returns their number.
uint64_t remove_zingers(float* sinogram, size_t num_angles, size_t num_bins, double threshold);

// Removes stripes, which become rings, by sorting: each bin's values are sorted, the median over `window` bins is taken
// of equal ranks, and the order restored (Vo, Atwood, Drakopoulos 2018, doi 10.1364/OE.26.028396, algorithm 3).
void remove_stripes_sorting(float* sinogram, size_t num_angles, size_t num_bins, size_t window);
size_t default_window(size_t num_bins);

// Removes them by wavelets (Daubechies 5) and Fourier transforms: of the details across bins, what does not change with
// the angle is damped by 1 - exp(-v^2 / 2 sigma^2) (Muench et al. 2009, doi 10.1364/OE.17.008567).
void remove_stripes_wavelet(float* sinogram, size_t num_angles, size_t num_bins, double sigma);
uint64_t wavelet_bytes(size_t num_angles, size_t num_bins);  // that it takes

}  // namespace vsh::tomography
