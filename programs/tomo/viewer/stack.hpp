// Numbers in memory that the viewer shows: a volume [z][y][x], or the projections of a scan [angle][row][bin].
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "programs/tomo/formats/bytes.hpp"

namespace vsh::tomo {

struct Stack {
  std::string name, unit;
  bool is_scan = false;
  bool is_mask = false;  // classes of the volume, whole numbers from 0 on
  std::array<size_t, 3> shape{};
  size_t first = 0;  // the index in the file of slice 0, or of row 0
  std::vector<float> values;
  std::vector<double> radians;   // of a scan with a parallel beam; else empty
  std::optional<double> centre;  // the bin of its axis of rotation
};

// Returns the plane at `index` of dimension `axis`, row by row, as little-endian float32: rows and columns are the
// other two dimensions in their order. Both must be within the shape.
Bytes plane_of(const Stack& stack, size_t axis, size_t index);

// The range of the finite values, how many others there are, and how often each of equal steps of the range occurs.
struct Statistics {
  static constexpr size_t kSteps = 1024;
  float low = 0, high = 0;
  uint64_t num_gaps = 0;
  std::vector<uint64_t> histogram;
};
Statistics statistics_of(const std::vector<float>& values);

}  // namespace vsh::tomo
