// Volumes on their way into files: slices come in order, whatever the format.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "programs/common/files/output.hpp"
#include "programs/tomo/formats/bytes.hpp"

namespace vsh::tomo {

// The values that 16 bits begin and end with.
struct Window {
  double low = 0, high = 1;
};

struct VolumeInfo {
  size_t num_slices = 0, size = 0;  // slices of size x size pixels
  std::optional<double> pixel_mm;   // nothing: unknown
  std::string unit = "1/pixel";     // of the values
  bool is_hounsfield = false;
  // The meaning of a mask's values, whole numbers from 0 on. Empty: not a mask.
  std::vector<std::string> labels;
  // How it was made: pairs of a word and its value, in order.
  std::vector<std::pair<std::string, std::string>> history;

  uint64_t num_values() const { return static_cast<uint64_t>(num_slices) * size * size; }
};

class VolumeWriter {
 public:
  virtual ~VolumeWriter() = default;
  // Slices number `first`, ..., each after the one before. Throws Failure.
  virtual void write(const float* slices, size_t first, size_t num) = 0;
  // Gives the output its final name. Throws Failure.
  virtual void commit() = 0;
  // Values outside of the window so far; 0 for formats of floats.
  virtual uint64_t num_clipped() const { return 0; }
};

// dicom and png: a file for each slice. zarr2, zarr3: OME-Zarr 0.4 over Zarr 2, 0.5 over Zarr 3.
enum class VolumeFormat { hdf5, tiff, tiff16, png, dicom, nifti, npy, zarr3, zarr2 };

// The writers of formats that are one file. `output` must outlive the writer. Throws Failure.
std::unique_ptr<VolumeWriter> new_file_writer(VolumeFormat format, cli::Output& output, const VolumeInfo& info,
                                              const Window& window);
// Bytes of the file.
uint64_t file_len(VolumeFormat format, const VolumeInfo& info);

// Returns "0 air; 1 bone", cut to whole labels where it would have more than `most` bytes.
std::string label_text(const std::vector<std::string>& labels, size_t most);

// Converts to 16 bits, rounded; counts the values beyond the window, NaN among them.
uint64_t put_words(Bytes& bytes, const float* values, size_t num, const Window& window, bool is_big_endian = false);

}  // namespace vsh::tomo
