// Sizes beyond these are a damaged header, or not for this program.
#pragma once

#include <cstdint>

namespace vsh::tomo {

inline constexpr uint64_t kMostBins = 65536, kMostAngles = 65536, kMostRows = 1 << 20;

}  // namespace vsh::tomo
