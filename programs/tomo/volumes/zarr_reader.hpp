// Arrays of Zarr 2 and 3 whose chunks are not packed, and the finest level of OME-Zarr 0.4 and 0.5.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "programs/tomo/formats/elements.hpp"
#include "programs/tomo/formats/regular_file.hpp"
#include "programs/tomo/volumes/volume_reader.hpp"

namespace vsh::tomo {

// The metadata: `.zarray` of Zarr 2, `zarr.json` of Zarr 3.
struct ZarrArray {
  std::array<uint64_t, 3> shape{}, chunk{};
  Element element;
  float fill = 0;                 // what chunks that are not there consist of
  std::string prefix, separator;  // of a chunk's name: PREFIX z SEPARATOR y SEPARATOR x
};
// Throws Failure.
ZarrArray read_zarr_array(const FileName& file);

bool is_zarr(const std::string& folder);
// Throws Failure.
std::unique_ptr<VolumeReader> open_zarr(const std::string& folder);

}  // namespace vsh::tomo
