// From counts of photons to line integrals: flat and dark fields, minus-log.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace vsh::tomography {

// Values that were not as they should be.
struct Findings {
  uint64_t num_values = 0;
  uint64_t not_finite = 0;  // NaN and infinity
  uint64_t dead = 0;        // of bins whose white is not above their dark
  uint64_t clipped = 0;     // a transmission of half a count or less
  uint64_t filled = 0;      // of those above, replaced from their neighbours
  uint64_t zingers = 0;

  Findings& operator+=(const Findings& other);
};

// Frames without object and without beam, averaged: [row][bin].
struct Fields {
  std::vector<float> white, dark;
};
// Averages frames [frame][row][bin]; no frames: zeros.
std::vector<float> mean_frame(const std::vector<float>& frames, size_t num_frames, size_t len);

// The transmission (I - D) / (W - D) of projections [angle][row][bin] in place. NaN for dead bins.
Findings normalise(float* projections, size_t num_angles, size_t frame_len, const Fields& fields);

// The line integrals -log(T) in place. least [row][bin]: the transmission of half a count; empty: 1e-6.
Findings minus_log(float* projections, size_t num_angles, size_t frame_len, std::span<const float> least);
std::vector<float> least_transmission(const Fields& fields);

// Replaces values that are not finite by what is between their neighbours in the row of bins; returns how many there
// were. A row without any other value stays.
uint64_t fill_gaps(float* rows, size_t num_rows, size_t num_bins);
uint64_t count_gaps(const float* values, size_t num);
bool are_finite(const float* values, size_t num);

}  // namespace vsh::tomography
