#include "tomography/preparation/counts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace vsh::tomography {

Findings& Findings::operator+=(const Findings& other) {
  num_values += other.num_values;
  not_finite += other.not_finite;
  dead += other.dead;
  clipped += other.clipped;
  filled += other.filled;
  zingers += other.zingers;
  return *this;
}

std::vector<float> mean_frame(const std::vector<float>& frames, size_t num_frames, size_t len) {
  std::vector<float> mean(len, 0);
  if (num_frames == 0) return mean;
  for (size_t i = 0; i < len; ++i) {
    double sum = 0;
    for (size_t frame = 0; frame < num_frames; ++frame) sum += static_cast<double>(frames[frame * len + i]);
    mean[i] = static_cast<float>(sum / static_cast<double>(num_frames));
  }
  return mean;
}

Findings normalise(float* projections, size_t num_angles, size_t frame_len, const Fields& fields) {
  Findings found;
  found.num_values = num_angles * frame_len;
  std::vector<float> factor(frame_len);
  for (size_t i = 0; i < frame_len; ++i) {
    const float range = fields.white[i] - fields.dark[i];
    const bool is_dead = !(range > 1e-6F);
    factor[i] = is_dead ? std::numeric_limits<float>::quiet_NaN() : 1 / range;
    found.dead += is_dead ? num_angles : 0;
  }
  for (size_t angle = 0; angle < num_angles; ++angle) {
    float* const frame = projections + angle * frame_len;
    for (size_t i = 0; i < frame_len; ++i) {
      found.not_finite += std::isfinite(frame[i]) ? 0 : 1;
      frame[i] = (frame[i] - fields.dark[i]) * factor[i];
    }
  }
  return found;
}

std::vector<float> least_transmission(const Fields& fields) {
  std::vector<float> least(fields.white.size());
  for (size_t i = 0; i < least.size(); ++i) {
    const float range = fields.white[i] - fields.dark[i];
    least[i] = range > 1 ? std::max(0.5F / range, 1e-6F) : 1e-6F;
  }
  return least;
}

Findings minus_log(float* projections, size_t num_angles, size_t frame_len, std::span<const float> least) {
  Findings found;
  for (size_t angle = 0; angle < num_angles; ++angle) {
    float* const frame = projections + angle * frame_len;
    for (size_t i = 0; i < frame_len; ++i) {
      const float bound = least.empty() ? 1e-6F : least[i];
      found.clipped += frame[i] < bound ? 1 : 0;
      frame[i] = frame[i] < bound ? -std::log(bound) : -std::log(frame[i]);  // NaN stays
    }
  }
  return found;
}

uint64_t count_gaps(const float* values, size_t num) {
  uint64_t count = 0;
  for (size_t i = 0; i < num; ++i) count += std::isfinite(values[i]) ? 0 : 1;
  return count;
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
