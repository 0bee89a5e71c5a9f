// Scans of NumPy arrays and of plain numbers with a sidecar.
#pragma once

#include <memory>
#include <string>

#include "programs/tomo/scans/scan.hpp"

namespace vsh::tomo {

std::unique_ptr<Scan> open_npy_scan(const std::string& path);
// Two dimensions are one frame, and no sidecar is looked for.
std::unique_ptr<Scan> open_npy_frames(const std::string& path);
// Throws a Failure that lists what can be read if there is no sidecar.
std::unique_ptr<Scan> open_raw_scan(const std::string& path);

}  // namespace vsh::tomo
