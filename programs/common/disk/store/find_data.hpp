// Finds data in a store before they are overwritten.
#pragma once

#include <cstdint>
#include <optional>

#include "programs/common/disk/store/store.hpp"

namespace vsh::disk {

inline constexpr uint64_t kLookedAtEnd = uint64_t{16} << 20;  // of a device, at either end

// Looks for a byte that is not zero from `begin` to `end`: everywhere in a file, whose holes are passed over, and in
// the first and last 16 MiB of anything else. Returns where the first one is. Shows its progress where that takes long.
// Throws IoError.
std::optional<uint64_t> find_data(Store& store, uint64_t begin, uint64_t end, bool shows_progress);

}  // namespace vsh::disk
