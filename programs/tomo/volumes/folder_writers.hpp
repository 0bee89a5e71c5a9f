// Volumes as a folder with a file for each slice.
#pragma once

#include <memory>

#include "programs/tomo/formats/folder.hpp"
#include "programs/tomo/volumes/dicom.hpp"
#include "programs/tomo/volumes/volume_writer.hpp"

namespace vsh::tomo {

// The writers of dicom, png, tiff and tiff16.
std::unique_ptr<VolumeWriter> new_folder_writer(VolumeFormat format, std::unique_ptr<Folder> folder,
                                                const VolumeInfo& info, const Window& window,
                                                const DicomSeries& series);
// About as many bytes as all files have.
uint64_t folder_len(VolumeFormat format, const VolumeInfo& info);

}  // namespace vsh::tomo
