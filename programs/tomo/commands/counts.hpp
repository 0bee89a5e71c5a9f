// Counts of photons: frames without object and without beam, and values that are no numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace vsh::tomo {

// Averages frames [frame][row][bin]; no frames: zeros.
std::vector<float> mean_frame(const std::vector<float>& frames, size_t num_frames, size_t len);

// Those without object and without beam, averaged: [row][bin].
struct Fields {
  std::vector<float> white, dark;
};
// The transmission of half a count [row][bin].
std::vector<float> least_transmission(const Fields& fields);

// Returns how many are NaN or infinity.
uint64_t count_gaps(const std::vector<float>& values);

}  // namespace vsh::tomo
