#include "tomography/preparation/counts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace vsh::tomography {

uint64_t normalise(float* projections, size_t num_angles, size_t frame_len, const float* white, const float* dark) {
  const std::vector<float> zeros(dark ? 0 : frame_len);
  if (!dark) dark = zeros.data();
  std::vector<float> factor(frame_len);
  uint64_t dead = 0;
  for (size_t i = 0; i < frame_len; ++i) {
    const float range = white[i] - dark[i];
    const bool is_dead = !(range > 1e-6F);
    factor[i] = is_dead ? std::numeric_limits<float>::quiet_NaN() : 1 / range;
    dead += is_dead ? num_angles : 0;
  }
  for (size_t angle = 0; angle < num_angles; ++angle) {
    float* const frame = projections + angle * frame_len;
    for (size_t i = 0; i < frame_len; ++i) frame[i] = (frame[i] - dark[i]) * factor[i];
  }
  return dead;
}

uint64_t minus_log(float* projections, size_t num_angles, size_t frame_len, const float* least) {
  uint64_t clipped = 0;
  for (size_t angle = 0; angle < num_angles; ++angle) {
    float* const frame = projections + angle * frame_len;
    for (size_t i = 0; i < frame_len; ++i) {
      const float bound = least ? least[i] : 1e-6F;
      clipped += frame[i] < bound ? 1 : 0;
      frame[i] = frame[i] < bound ? -std::log(bound) : -std::log(frame[i]);  // NaN stays
    }
  }
  return clipped;
}

bool are_finite(const float* values, size_t num) {
  return std::all_of(values, values + num, [](float value) { return std::isfinite(value); });
}

uint64_t fill_gaps(float* rows, size_t num_rows, size_t num_bins) {
  uint64_t count = 0;
  for (size_t row = 0; row < num_rows; ++row) {
    float* const bins = rows + row * num_bins;
    for (size_t i = 0; i < num_bins; ++i) {
      if (std::isfinite(bins[i])) continue;
      size_t end = i;
      while (end < num_bins && !std::isfinite(bins[end])) ++end;
      count += end - i;
      if (i == 0 && end == num_bins) break;
      const float left = i > 0 ? bins[i - 1] : bins[end], right = end < num_bins ? bins[end] : left;
      for (size_t k = i; k < end; ++k)
        bins[k] = left + (right - left) * static_cast<float>(k - i + 1) / static_cast<float>(end - i + 1);
      i = end;
    }
  }
  return count;
}

}  // namespace vsh::tomography
