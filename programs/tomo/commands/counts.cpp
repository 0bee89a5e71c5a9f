#include "programs/tomo/commands/counts.hpp"

#include <algorithm>
#include <cmath>

namespace vsh::tomo {

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

std::vector<float> least_transmission(const Fields& fields) {
  std::vector<float> least(fields.white.size());
  for (size_t i = 0; i < least.size(); ++i) {
    const float range = fields.white[i] - fields.dark[i];
    least[i] = range > 1 ? std::max(0.5F / range, 1e-6F) : 1e-6F;
  }
  return least;
}

uint64_t count_gaps(const std::vector<float>& values) {
  uint64_t count = 0;
  for (const float value : values) count += std::isfinite(value) ? 0 : 1;
  return count;
}

}  // namespace vsh::tomo
