#include "programs/tomo/scans/array_scan.hpp"

#include <optional>

#include "programs/common/text/failure.hpp"
#include "programs/common/text/text.hpp"
#include "programs/common/text/translate.hpp"
#include "programs/tomo/formats/array_file.hpp"
#include "programs/tomo/scans/sidecar.hpp"

namespace vsh::tomo {
namespace {

using cli::ExitCode;
using cli::Failure;
using cli::tr;

class ArrayScan : public Scan {
 public:
  ArrayScan(const std::string& path, ArrayFile data, std::string format, const std::optional<Sidecar>& sidecar,
            ArrayFile::Two two = ArrayFile::Two::sinogram)
      : data_(std::move(data)), shape_(data_.shape3(two)) {
    info_.name = data_.name();
    info_.format = std::move(format);
    info_.element = data_.element().name();
    info_.num_angles = shape_[0], info_.num_rows = shape_[1], info_.num_bins = shape_[2];
    if (!sidecar) return;
    sidecar->apply(info_);
    sidecar_ = sidecar->file;
    info_.attempt(Part::whites, [&] { info_.num_whites = take_frames(whites_, path, sidecar->whites, *sidecar); });
    info_.attempt(Part::darks, [&] { info_.num_darks = take_frames(darks_, path, sidecar->darks, *sidecar); });
  }

  std::vector<cli::ReadFile> sources() const override {
    std::vector<cli::ReadFile> files = {data_.file()};
    if (sidecar_) files.push_back(*sidecar_);
    for (const Frames* frames : {&whites_, &darks_})
      if (frames->file) files.push_back(frames->file->file());
    return files;
  }
  void read(float* out, size_t first, size_t num_rows) override { data_.read_rows(out, shape_, first, num_rows); }
  void read_whites(float* out, size_t first, size_t num_rows) override { whites_.read(out, first, num_rows); }
  void read_darks(float* out, size_t first, size_t num_rows) override { darks_.read(out, first, num_rows); }

 private:
  struct Frames {
    std::optional<ArrayFile> file;
    std::array<uint64_t, 3> shape{};
    void read(float* out, size_t first, size_t num_rows) {
      if (file) file->read_rows(out, shape, first, num_rows);
    }
  };

  size_t take_frames(Frames& frames, const std::string& path, const std::string& name, const Sidecar& sidecar) const {
    if (name.empty()) return 0;
    const FileName frames_path = beside(path, name);
    if (name.ends_with(".npy")) frames.file = ArrayFile::npy(frames_path);
    else frames.file = ArrayFile::raw(frames_path, sidecar.element, sidecar.offset, {0, shape_[1], shape_[2]});
    frames.shape = frames.file->shape3(ArrayFile::Two::frame);
    if (frames.shape[1] != shape_[1] || frames.shape[2] != shape_[2])
      throw Failure(ExitCode::input,
                    tr("{1}: frames of {2} x {3} numbers, and the projections have {4} x {5}", frames.file->name(),
                       frames.shape[1], frames.shape[2], shape_[1], shape_[2]),
                    tr("they must be of the same detector"));
    return frames.shape[0];
  }

  ArrayFile data_;
  std::array<uint64_t, 3> shape_;
  Frames whites_, darks_;
  std::optional<cli::ReadFile> sidecar_;
};

}  // namespace

std::unique_ptr<Scan> open_npy_scan(const std::string& path) {
  const std::optional<Sidecar> sidecar = sidecar_of(path);
  return std::make_unique<ArrayScan>(path, ArrayFile::npy(path), "NumPy array", sidecar);
}

std::unique_ptr<Scan> open_npy_frames(const std::string& path) {
  return std::make_unique<ArrayScan>(path, ArrayFile::npy(path), "NumPy array", std::nullopt, ArrayFile::Two::frame);
}

std::unique_ptr<Scan> open_raw_scan(const std::string& path) {
  const std::optional<Sidecar> sidecar = sidecar_of(path);
  if (!sidecar || !sidecar->shape)
    throw Failure(ExitCode::input, tr("{1}: neither HDF5, TIFF nor NumPy", cli::quote_name(path)),
                  tr("for plain numbers write a sidecar {1}.json with \"shape\" and \"type\"", cli::quote_name(path)));
  if ((*sidecar->shape)[0] == 0)
    throw Failure(ExitCode::input, tr("{1}: \"shape\" has a 0", sidecar->name), tr("give angles, rows and bins"));
  return std::make_unique<ArrayScan>(path, ArrayFile::raw(path, sidecar->element, sidecar->offset, *sidecar->shape),
                                     cli::mark("plain numbers"), sidecar);
}

}  // namespace vsh::tomo
