#include "programs/tomo/segmentation/tiles.hpp"

#include <algorithm>
#include <cmath>

namespace vsh::tomo {

Tiling::Tiling(const TileSettings& settings) : settings_(settings) {
  const auto size = static_cast<std::ptrdiff_t>(settings.size), tile = static_cast<std::ptrdiff_t>(settings.tile);
  const auto overlap = static_cast<std::ptrdiff_t>(settings.overlap);
  if (size <= tile) {
    starts_ = {(size - tile) / 2};
  } else {
    const std::ptrdiff_t num = (size - overlap + tile - overlap - 1) / (tile - overlap);
    for (std::ptrdiff_t i = 0; i < num; ++i) starts_.push_back(i * (size - tile) / (num - 1));
  }
  weights_.resize(settings.tile);
  for (size_t i = 0; i < settings.tile; ++i) {
    const auto inside = static_cast<float>(std::min(i, settings.tile - 1 - i) + 1);
    weights_[i] = std::min(1.F, inside / static_cast<float>(settings.overlap + 1));
  }
  sums_.resize(settings.size);
  for (const std::ptrdiff_t start : starts_)
    for (std::ptrdiff_t i = std::max<std::ptrdiff_t>(0, -start); i < tile && start + i < size; ++i)
      sums_[static_cast<size_t>(start + i)] += weights_[static_cast<size_t>(i)];
  values_.resize(settings.tile * settings.tile);
  scores_.resize(settings.num_scores * settings.size * settings.size);
}

unsigned long long Tiling::memory(const TileSettings& settings) {
  return 4ULL * settings.num_scores * settings.size * settings.size + 4ULL * settings.tile * settings.tile;
}

bool Tiling::run(const float* slice, float* mask, const ScoreTile& score) {
  const auto last = static_cast<std::ptrdiff_t>(settings_.size) - 1;
  std::fill(scores_.begin(), scores_.end(), 0.F);
  for (const std::ptrdiff_t top : starts_) {
    for (const std::ptrdiff_t left : starts_) {
      for (size_t y = 0; y < settings_.tile; ++y) {
        const auto row = std::clamp<std::ptrdiff_t>(top + static_cast<std::ptrdiff_t>(y), 0, last);
        for (size_t x = 0; x < settings_.tile; ++x) {
          const auto column = std::clamp<std::ptrdiff_t>(left + static_cast<std::ptrdiff_t>(x), 0, last);
          values_[y * settings_.tile + x] = slice[row * (last + 1) + column];
        }
      }
      add(score(values_), top, left);
    }
  }
  const size_t len = settings_.size * settings_.size;
  for (size_t i = 0; i < len; ++i) {
    size_t best = 0;
    for (size_t c = 0; c < settings_.num_scores; ++c) {
      if (!std::isfinite(scores_[c * len + i])) return false;
      if (scores_[c * len + i] > scores_[best * len + i]) best = c;
    }
    if (settings_.num_scores == 1) {
      const double weight =
          static_cast<double>(sums_[i / settings_.size]) * static_cast<double>(sums_[i % settings_.size]);
      best = static_cast<double>(scores_[i]) / weight >= settings_.threshold ? 1 : 0;
    }
    mask[i] = static_cast<float>(best);
  }
  return true;
}

void Tiling::add(const std::vector<float>& scores, std::ptrdiff_t top, std::ptrdiff_t left) {
  const auto size = static_cast<std::ptrdiff_t>(settings_.size), tile = static_cast<std::ptrdiff_t>(settings_.tile);
  for (size_t c = 0; c < settings_.num_scores; ++c) {
    const float* in = scores.data() + c * settings_.tile * settings_.tile;
    float* const out = scores_.data() + c * settings_.size * settings_.size;
    for (std::ptrdiff_t y = std::max<std::ptrdiff_t>(0, -top); y < tile && top + y < size; ++y)
      for (std::ptrdiff_t x = std::max<std::ptrdiff_t>(0, -left); x < tile && left + x < size; ++x)
        out[(top + y) * size + left + x] +=
            in[y * tile + x] * weights_[static_cast<size_t>(y)] * weights_[static_cast<size_t>(x)];
  }
}

}  // namespace vsh::tomo
