// Phase retrieval: the absorption of a homogeneous object out of a transmission with fringes of propagation.
#pragma once

#include <cstddef>
#include <utility>

namespace vsh::tomography {

// pi lambda z (delta / beta) in squares of a bin. All but bins in millimetres and keV.
double paganin_alpha(double delta_beta, double energy_kev, double distance_mm, double pixel_mm);

// Above this a value is spread over more bins than a detector has.
constexpr double kMostAlpha = 1e9;

// The rows and bins that a value is spread over, to 1e-3: exp(-2 pi r / sqrt(alpha)). At most 1e15.
size_t paganin_reach(double alpha);
// The height and width of the transform: `reach` more on each side, and then powers of two.
std::pair<size_t, size_t> paganin_extent(size_t rows, size_t bins, size_t reach);

// Divides the spectrum of a transmission [row][bin] by 1 + alpha f^2, f in cycles a bin (Paganin et al. 2002, doi
// 10.1046/j.1365-2818.2002.01010.x); beyond its edges it is continued by their values.
void paganin(float* transmission, size_t rows, size_t bins, double alpha);

}  // namespace vsh::tomography
