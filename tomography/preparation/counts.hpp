// From counts of photons to line integrals: flat and dark fields, minus-log.
#pragma once

#include <cstddef>
#include <cstdint>

namespace vsh::tomography {

// The transmission (I - D) / (W - D) of projections [angle][row][bin] in place; dark null: zeros. Dead bins, whose
// white is not above their dark, become NaN; returns how many values that were.
uint64_t normalise(float* projections, size_t num_angles, size_t frame_len, const float* white, const float* dark);

// The line integrals -log(T) in place. A value below `least` [row][bin], null: 1e-6, is raised to it; returns how many
// were.
uint64_t minus_log(float* projections, size_t num_angles, size_t frame_len, const float* least);

// Replaces values that are not finite by linear interpolation between their neighbours in the row of bins; returns how
// many there were. A row without any other value stays.
uint64_t fill_gaps(float* rows, size_t num_rows, size_t num_bins);
bool are_finite(const float* values, size_t num);

}  // namespace vsh::tomography
