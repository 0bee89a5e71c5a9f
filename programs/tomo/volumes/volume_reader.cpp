#include "programs/tomo/volumes/volume_reader.hpp"

#include <sys/stat.h>

#include <cmath>
#include <cstring>
#include <optional>
#include <vector>

#include "programs/common/files/input_file.hpp"
#include "programs/common/system/console.hpp"
#include "programs/common/text/failure.hpp"
#include "programs/common/text/text.hpp"
#include "programs/common/text/translate.hpp"
#include "programs/tomo/formats/array_file.hpp"
#include "programs/tomo/formats/picture.hpp"
#include "programs/tomo/formats/picture_name.hpp"
#include "programs/tomo/formats/regular_file.hpp"
#include "programs/tomo/scans/hdf5_scan.hpp"
#include "programs/tomo/scans/scan.hpp"
#include "programs/tomo/scans/stack_scan.hpp"
#include "programs/tomo/volumes/dicom_reader.hpp"
#include "programs/tomo/volumes/nifti_reader.hpp"
#include "programs/tomo/volumes/zarr_reader.hpp"
#if VSH_WITH_HDF5
#include "programs/tomo/formats/hdf5_file.hpp"
#endif

namespace vsh::tomo {
namespace {

using cli::ExitCode;
using cli::Failure;
using cli::quote_name;
using cli::tr;

class ArrayVolume : public VolumeReader {
 public:
  explicit ArrayVolume(const std::string& path) : file_(ArrayFile::npy(path)) {
    name_ = file_.name();
    shape_ = file_.shape3(ArrayFile::Two::frame);
  }
  void read(float* slice, size_t index) override {
    file_.read(slice, index * shape_[1] * shape_[2], shape_[1] * shape_[2]);
  }

 private:
  ArrayFile file_;
};

class PictureVolume : public VolumeReader {
 public:
  PictureVolume(const std::string& path, std::vector<FileName> files) : files_(std::move(files)) {
    name_ = quote_name(path);
    if (files_.empty())
      throw Failure(ExitCode::input, tr("{1}: a folder without slices: neither TIFF, PNG, DICOM nor OME-Zarr", name_),
                    tr("name a volume"));
    places_of(names_of(files_), path).report();
    open(0);
    if (const std::string note = pictures_->note(); !note.empty()) cli::print_note(note);
    const PictureShape shape = pictures_->shape();
    shape_ = {files_.size() == 1 ? pictures_->num_pages() : files_.size(), shape.rows, shape.columns};
  }
  void read(float* slice, size_t index) override {
    if (files_.size() > 1) {
      open(index);
    } else {
      for (; page_ < index; ++page_) pictures_->next_page();
    }
    const PictureShape shape = pictures_->shape();
    if (shape.rows != shape_[1] || shape.columns != shape_[2])
      throw Failure(ExitCode::input, tr("{1}: pictures of several sizes", name_),
                    tr("a volume has slices of one size"));
    pictures_->read_rows(slice, 0, shape_[1]);
  }

 private:
  void open(size_t index) { pictures_ = open_picture(files_[index]); }

  std::vector<FileName> files_;
  std::unique_ptr<Pictures> pictures_;
  size_t page_ = 0;
};

#if VSH_WITH_HDF5
class Hdf5Volume : public VolumeReader {
 public:
  explicit Hdf5Volume(const std::string& path) : file_(path) {
    name_ = file_.name();
    if (file_.attribute(kPath, "axes") == "theta:y:x")
      file_.refuse(tr("is a scan, not a volume"), tr("reconstruct it first"));
    const Sizes sizes = file_.sizes(kPath);
    if (sizes.size() != 3) file_.refuse(tr("/exchange/data has {1} dimensions", sizes.size()), tr("three are needed"));
    shape_ = {sizes[0], sizes[1], sizes[2]};
    const auto pixel = file_.number("process/vershina/pixel_mm");
    if (pixel && std::isfinite(*pixel) && *pixel > 0) pixel_mm_ = pixel;
    unit_ = file_.attribute(kPath, "units");
  }
  void read(float* slice, size_t index) override { file_.read(kPath, slice, {index, 0, 0}, {1, shape_[1], shape_[2]}); }

 private:
  static constexpr const char* kPath = "exchange/data";
  Hdf5File file_;
};
#endif

std::unique_ptr<VolumeReader> open_folder(const std::string& path) {
  if (is_zarr(path)) return open_zarr(path);
  std::vector<FileName> pictures = pictures_of(path);
  if (pictures.empty())
    if (const std::vector<FileName> files = dicom_files(path); !files.empty()) return open_dicom(path, files);
  return std::make_unique<PictureVolume>(path, std::move(pictures));
}

}  // namespace

std::unique_ptr<VolumeReader> open_volume(const std::string& path) {
  struct stat status {};
  std::unique_ptr<VolumeReader> volume;
  if (::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode)) {
    volume = open_folder(path);
  } else {
    cli::InputFile input = open_regular(path);
    std::array<uint8_t, 348> start{};
    (void)input.read_all(start);
    if (std::memcmp(start.data(), "\x93NUMPY", 6) == 0) volume = std::make_unique<ArrayVolume>(path);
    else if (std::memcmp(start.data(), "\x89HDF", 4) == 0) {
#if VSH_WITH_HDF5
      volume = std::make_unique<Hdf5Volume>(path);
#else
      refuse_hdf5(path);
#endif
    } else if (std::memcmp(start.data(), "\x89PNG", 4) == 0 || std::memcmp(start.data(), "II", 2) == 0 ||
               std::memcmp(start.data(), "MM", 2) == 0) {
      volume = std::make_unique<PictureVolume>(path, std::vector{FileName(path)});
    } else if (is_nifti(start)) {
      volume = open_nifti(path);
    } else if (is_dicom(path)) {
      volume = open_dicom(path, {path});
    } else {
      throw Failure(ExitCode::input,
                    tr("{1}: not a volume: neither HDF5, NumPy, TIFF, PNG, NIfTI-1 nor DICOM", quote_name(path)),
                    tr("check the name, and unpack .gz"));
    }
  }
  const auto& shape = volume->shape();
  if (shape[0] == 0 || shape[1] == 0 || shape[2] == 0 || shape[0] > kMostRows || shape[1] > kMostBins ||
      shape[2] > kMostBins)
    throw Failure(ExitCode::input,
                  tr("{1}: a volume of {2} x {3} x {4} numbers", volume->name(), shape[0], shape[1], shape[2]),
                  tr("this is too large, or nothing"));
  return volume;
}

}  // namespace vsh::tomo
