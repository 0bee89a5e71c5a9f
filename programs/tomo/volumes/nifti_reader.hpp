// NIfTI-1 in one file that is not packed, of either byte order (nifti1.h, nifti.nimh.nih.gov).
#pragma once

#include <memory>
#include <span>
#include <string>

#include "programs/tomo/volumes/volume_reader.hpp"

namespace vsh::tomo {

// By the first 348 bytes of a file.
bool is_nifti(std::span<const uint8_t> start);
// Voxels are shown as they are stored, whatever the file says about their directions. Throws Failure.
std::unique_ptr<VolumeReader> open_nifti(const std::string& path);

}  // namespace vsh::tomo
