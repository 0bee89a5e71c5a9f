#include "programs/tomo/scans/stack_scan.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "programs/common/files/input_file.hpp"
#include "programs/common/system/console.hpp"
#include "programs/common/text/failure.hpp"
#include "programs/common/text/text.hpp"
#include "programs/common/text/translate.hpp"
#include "programs/tomo/formats/picture.hpp"
#include "programs/tomo/formats/picture_name.hpp"
#include "programs/tomo/formats/regular_file.hpp"
#include "programs/tomo/scans/sidecar.hpp"

namespace vsh::tomo {
namespace {

using cli::ExitCode;
using cli::Failure;
using cli::quote_name;
using cli::tr;

// Frames of one size: each a picture, or a page.
class Frames {
 public:
  void open(std::vector<FileName> names) {
    names_ = std::move(names);
    for (const FileName& name : names_) {
      const std::string& path = name.path;
      auto pictures = open_picture(name);
      if (note_.empty() && !pictures->note().empty()) cli::print_note(note_ = pictures->note());
      const cli::InputFile file = open_regular(name);
      files_.push_back({file.name(), file.status()});
      for (size_t page = 0; page < pictures->num_pages(); ++page) {
        if (page > 0) pictures->next_page();
        check(pictures->shape(), path);
      }
      pages_.push_back(pictures->num_pages());
      num_ += pictures->num_pages();
      if (num_ > kMostAngles)
        throw Failure(ExitCode::input, quote_name(path) + ": " + tr("more than {1} frames of one kind", kMostAngles));
    }
  }
  size_t num() const { return num_; }
  const PictureShape& shape() const { return shape_; }
  const std::vector<cli::ReadFile>& files() const { return files_; }
  std::vector<std::string> names() const { return names_of(names_); }
  const std::string& first() const { return names_.front().path; }

  void read(float* out, size_t first, size_t num_rows) const {
    for (size_t i = 0; i < names_.size(); ++i) {
      const auto pictures = open_picture(names_[i]);
      if (pictures->num_pages() != pages_[i]) changed(names_[i].path);
      for (size_t page = 0; page < pages_[i]; ++page) {
        if (page > 0) pictures->next_page();
        if (!(pictures->shape() == shape_)) changed(names_[i].path);
        pictures->read_rows(out, first, num_rows);
        out += num_rows * shape_.columns;
      }
    }
  }

 private:
  void check(const PictureShape& shape, const std::string& path) {
    if (num_ == 0 && pages_.empty() && shape_.rows == 0) shape_ = shape;
    if (shape == shape_) return;
    throw Failure(ExitCode::input,
                  tr("{1}: {2} x {3} numbers of type {4}, and {5} has {6} x {7} of type {8}", quote_name(path),
                     shape.rows, shape.columns, shape.element.name(), quote_name(first()), shape_.rows, shape_.columns,
                     shape_.element.name()),
                  tr("a stack has pictures of one size and type"));
  }
  [[noreturn]] static void changed(const std::string& path) {
    throw Failure(ExitCode::input, tr("{1}: was changed while it was read", quote_name(path)), tr("try again"));
  }

  std::vector<FileName> names_;
  std::string note_;
  std::vector<size_t> pages_;
  std::vector<cli::ReadFile> files_;
  PictureShape shape_;
  size_t num_ = 0;
};

// A picture itself, or those of a folder, of which there must be some.
std::vector<FileName> pictures_in(const FileName& file) {
  if (!is_folder(file.path)) return {file};
  std::vector<FileName> pictures = pictures_of(file.path, file.folder);
  if (pictures.empty())
    throw Failure(ExitCode::input, tr("{1}: a folder without TIFF or PNG pictures", quote_name(file.path)),
                  tr("name a folder of projections, or a file"));
  return pictures;
}

class StackScan : public Scan {
 public:
  StackScan(const std::string& path, const std::vector<FileName>& pictures, std::string format) : path_(path) {
    data_.open(pictures);
    info_.name = quote_name(path);
    info_.format = std::move(format);
    info_.element = data_.shape().element.name();
    info_.num_angles = data_.num();
    info_.num_rows = data_.shape().rows;
    info_.num_bins = data_.shape().columns;
  }

  // When all frames are there.
  void describe(const std::optional<Sidecar>& sidecar) {
    const std::vector<std::string> names = data_.names();
    const bool is_each = is_folder(path_) && data_.num() == names.size();
    if (is_each) info_.places = places_of(names, path_, {whites_.names(), darks_.names()});
    if (!info_.places.problem.empty()) info_.problems.emplace(Part::places, info_.places.problem);
    if (sidecar) {
      sidecar->apply(info_);
      sidecar_ = sidecar->file;
    }
    if (is_each) info_.attempt(Part::angles, [&] { take_angles(names); });
    if (info_.places.has_hyphens)
      info_.notes.push_back(tr("the hyphens in front of its numbers are not signs, for all names have them"));
  }

  // An angle in a name is more than a place in a list, for `monitor`, too.
  void take_angles(const std::vector<std::string>& names) {
    std::vector<double> angles;
    for (const std::string& name : names) {
      const PictureName about = read_picture_name(name);
      if (about.degrees) angles.push_back(*about.degrees);
      if (!about.is_clear) throw unclear_angle(name);
    }
    if (angles.empty()) return;
    if (angles.size() != names.size())
      throw Failure(
          ExitCode::input,
          tr("{1}: {2} of {3} pictures have an angle in their names", info_.name, angles.size(), names.size()),
          tr("name all of them alike"));
    info_.angles = std::move(angles);
    info_.angle_step.reset();
  }

  void add_frames(Frames& frames, size_t& num, std::vector<FileName> pictures) const {
    frames.open(std::move(pictures));
    if (frames.shape().rows != info_.num_rows || frames.shape().columns != info_.num_bins)
      throw Failure(
          ExitCode::input,
          tr("{1}: frames of {2} x {3} numbers, and the projections have {4} x {5}", quote_name(frames.first()),
             frames.shape().rows, frames.shape().columns, info_.num_rows, info_.num_bins),
          tr("they must be of the same detector"));
    num = frames.num();
  }
  // Adds those of a file, or of a folder of pictures.
  void add_whites(const FileName& file) {
    info_.attempt(Part::whites, [&] { add_frames(whites_, info_.num_whites, pictures_in(file)); });
  }
  void add_darks(const FileName& file) {
    info_.attempt(Part::darks, [&] { add_frames(darks_, info_.num_darks, pictures_in(file)); });
  }

  std::vector<cli::ReadFile> sources() const override {
    std::vector<cli::ReadFile> files = data_.files();
    for (const Frames* frames : {&whites_, &darks_})
      files.insert(files.end(), frames->files().begin(), frames->files().end());
    if (sidecar_) files.push_back(*sidecar_);
    return files;
  }
  void read(float* out, size_t first, size_t num_rows) override { data_.read(out, first, num_rows); }
  void read_whites(float* out, size_t first, size_t num_rows) override { whites_.read(out, first, num_rows); }
  void read_darks(float* out, size_t first, size_t num_rows) override { darks_.read(out, first, num_rows); }

 private:
  std::string path_;
  Frames data_, whites_, darks_;
  std::optional<cli::ReadFile> sidecar_;
};

}  // namespace

bool is_folder(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

std::vector<std::string> names_of(const std::vector<FileName>& files) {
  std::vector<std::string> names;
  for (const FileName& file : files) names.push_back(file.path.substr(file.path.rfind('/') + 1));
  return names;
}

std::vector<FileName> pictures_of(const std::string& folder, const std::string& within) {
  std::vector<std::string> names;
  std::error_code error;
  for (std::filesystem::directory_iterator file(folder, error), end; !error && file != end; file.increment(error)) {
    const std::string name = file->path().filename().string();
    if (is_picture_name(name)) names.push_back(name);
    if (names.size() > kMostAngles) break;
  }
  if (error)
    throw Failure(ExitCode::input, quote_name(folder) + ": " + error.message(), tr("check its permissions"),
                  error.value());
  sort_names(names);
  std::vector<FileName> files;
  for (const std::string& name : names)
    files.emplace_back(folder + (folder.ends_with('/') ? "" : "/") + name, within.empty() ? folder : within);
  return files;
}

std::unique_ptr<Scan> open_stack(const std::string& path) {
  std::vector<FileName> pictures = pictures_in(path);
  const std::string folder = path + (path.ends_with('/') ? "" : "/");
  const std::optional<Sidecar> sidecar = read_sidecar({folder + "scan.json", folder});
  if (sidecar)
    std::erase_if(pictures, [&](const FileName& picture) {
      return picture.path == folder + sidecar->whites || picture.path == folder + sidecar->darks;
    });
  auto scan = std::make_unique<StackScan>(path, pictures, cli::mark("stack of pictures"));
  const auto frames = [&](const std::string& named, const std::string& usual) -> std::optional<FileName> {
    if (!named.empty()) return FileName(folder + named, folder);
    return is_folder(folder + usual) ? std::optional(FileName(folder + usual, folder)) : std::nullopt;
  };
  if (const auto whites = frames(sidecar ? sidecar->whites : "", "whites")) scan->add_whites(*whites);
  if (const auto darks = frames(sidecar ? sidecar->darks : "", "darks")) scan->add_darks(*darks);
  scan->describe(sidecar);
  return scan;
}

std::unique_ptr<Scan> open_tiff_scan(const std::string& path) {
  const std::optional<Sidecar> sidecar = sidecar_of(path);
  auto scan = std::make_unique<StackScan>(path, std::vector{FileName(path)}, "TIFF file");
  if (sidecar && !sidecar->whites.empty()) scan->add_whites(beside(path, sidecar->whites));
  if (sidecar && !sidecar->darks.empty()) scan->add_darks(beside(path, sidecar->darks));
  scan->describe(sidecar);
  return scan;
}

std::unique_ptr<Scan> open_picture_frames(const std::string& path) {
  return std::make_unique<StackScan>(path, std::vector{FileName(path)}, cli::mark("stack of pictures"));
}

}  // namespace vsh::tomo
