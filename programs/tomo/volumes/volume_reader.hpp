// Volumes to be compared, viewed and segmented: HDF5, NumPy, TIFF, NIfTI, OME-Zarr, folders of pictures or of DICOM
// images.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace vsh::tomo {

class VolumeReader {
 public:
  virtual ~VolumeReader() = default;
  // Slices, rows, columns.
  const std::array<uint64_t, 3>& shape() const { return shape_; }
  const std::string& name() const { return name_; }
  std::optional<double> pixel_mm() const { return pixel_mm_; }  // if the file says so
  const std::string& unit() const { return unit_; }             // of the values; empty: the file does not say
  virtual void read(float* slice, size_t index) = 0;            // indices ascend. Throws Failure

 protected:
  std::array<uint64_t, 3> shape_{};
  std::string name_, unit_;
  std::optional<double> pixel_mm_;
};

// Throws Failure.
std::unique_ptr<VolumeReader> open_volume(const std::string& path);

}  // namespace vsh::tomo
