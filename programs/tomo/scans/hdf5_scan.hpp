// Scans in HDF5: Data Exchange (De Carlo et al. 2014, doi 10.1107/S160057751401604X) and NeXus' NXtomo.
#pragma once

#include <memory>
#include <string>

#include "programs/tomo/scans/scan.hpp"

namespace vsh::tomo {

// entry: of NXtomo; empty: the first. Throws Failure.
std::unique_ptr<Scan> open_hdf5_scan(const std::string& path, const std::string& entry);

// Returns whether there is none of the signs of a volume: `axes` of z:y:x, or /exchange/data alone. Throws Failure.
bool is_hdf5_scan(const std::string& path);

// Throws the Failure of a build without HDF5.
[[noreturn]] void refuse_hdf5(const std::string& path);

}  // namespace vsh::tomo
