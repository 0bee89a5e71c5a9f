// Scans of pictures: a folder with one for each projection, or one TIFF file with a page for each.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "programs/tomo/formats/regular_file.hpp"
#include "programs/tomo/scans/scan.hpp"

namespace vsh::tomo {

// The folder's pictures in the order of their names, numbers in them by value. Frames without object are in its folders
// `whites` and `darks`, or those that its sidecar scan.json names.
std::unique_ptr<Scan> open_stack(const std::string& path);
std::unique_ptr<Scan> open_tiff_scan(const std::string& path);
// A picture, or pages of one, without sidecar.
std::unique_ptr<Scan> open_picture_frames(const std::string& path);

bool is_folder(const std::string& path);

// Returns their names without those of folders.
std::vector<std::string> names_of(const std::vector<FileName>& files);

// Returns a folder's pictures, so ordered. `within`: the folder that they may not lead out of, if not this one.
std::vector<FileName> pictures_of(const std::string& folder, const std::string& within = {});

}  // namespace vsh::tomo
