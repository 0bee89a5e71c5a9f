// Slices of any size through a network of tiles. Tiles, not resampling: the network sees pixels of the size that it was
// trained with, and small things stay.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

namespace vsh::tomo {

// Returns scores [class][tile][tile] of values [tile][tile].
using ScoreTile = std::function<const std::vector<float>&(std::vector<float>& values)>;

struct TileSettings {
  size_t size = 0;     // of a slice: size x size pixels
  size_t tile = 0;     // at least 1
  size_t overlap = 0;  // of neighbours, at least; at most half a tile
  size_t num_scores = 0;
  double threshold = 0;  // of one score: class 1 begins there
};

// Tiles are spread evenly. Where they overlap, scores are means whose weights fall towards a tile's edges, where a
// network sees only half of what surrounds a pixel. Beyond a small slice a tile repeats the slice's edge.
class Tiling {
 public:
  explicit Tiling(const TileSettings& settings);

  size_t num_tiles() const { return starts_.size() * starts_.size(); }
  // Bytes that an object takes.
  static unsigned long long memory(const TileSettings& settings);

  // Fills `mask`, size x size, with class numbers: the class of the greatest score. Returns false if a score is no
  // number.
  bool run(const float* slice, float* mask, const ScoreTile& score);

 private:
  void add(const std::vector<float>& scores, std::ptrdiff_t top, std::ptrdiff_t left);

  TileSettings settings_;
  std::vector<std::ptrdiff_t> starts_;  // of tiles, the same for rows and columns
  std::vector<float> weights_;          // of a row of a tile
  std::vector<float> sums_;             // of these, for each row of the slice
  std::vector<float> values_, scores_;
};

}  // namespace vsh::tomo
