// DICOM images of one frame and one channel, not compressed: implicit and explicit VR little endian (PS3.5 A.1, A.2).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "programs/tomo/formats/regular_file.hpp"
#include "programs/tomo/volumes/volume_reader.hpp"

namespace vsh::tomo {

bool is_dicom(const FileName& file);
// Returns the paths of a folder's DICOM files: those that say so, and whatever is called .dcm. Throws Failure.
std::vector<FileName> dicom_files(const std::string& folder);

// The slices of one series in the order of their places along the normal of their plane, or of their numbers. Values
// are those of the rescale slope and intercept. Throws Failure.
std::unique_ptr<VolumeReader> open_dicom(const std::string& path, const std::vector<FileName>& files);

}  // namespace vsh::tomo
