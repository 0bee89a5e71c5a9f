// Exhaustive search for circuits of three-input gates that compute a 4-bit S-box.

#pragma once

#include <cstdint>
#include <vector>

#include "network.hpp"

namespace vsh::search {

// Looks for a circuit of at most `gates` gates; false proves that there is none. Practical up to 7
// gates (less than a minute); refuses (false) above.
bool nibble_exhaustive(const std::vector<std::uint8_t>& table, int gates, Network& result);

}  // namespace vsh::search
