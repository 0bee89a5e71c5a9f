#include "programs/tomo/volumes/folder_writers.hpp"

#include <algorithm>
#include <cstdio>

#include "programs/common/text/failure.hpp"
#include "programs/common/text/translate.hpp"
#include "programs/tomo/formats/png_encoder.hpp"

namespace vsh::tomo {
namespace {

using cli::ExitCode;
using cli::Failure;
using cli::tr;

constexpr size_t kMostDicomSize = 46340;  // 2^32 bytes are too many

std::string number_text(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", value);
  return text;
}

// A TIFF file in memory.
class Memory : public cli::Output {
 public:
  void write(std::span<const uint8_t> data) override { bytes.insert(bytes.end(), data.begin(), data.end()); }
  void commit() override {}
  bool is_direct() const override { return false; }
  const std::string& name() const override { return name_; }

  Bytes bytes;

 private:
  std::string name_ = "memory";
};

class FolderWriter : public VolumeWriter {
 public:
  FolderWriter(VolumeFormat format, std::unique_ptr<Folder> folder, const VolumeInfo& info, const Window& window,
               DicomSeries series)
      : format_(format), folder_(std::move(folder)), info_(info), window_(window), series_(std::move(series)) {
    digits_ = std::max<size_t>(4, std::to_string(info.num_slices).size());
    if (format_ != VolumeFormat::dicom) return;
    if (info.size > kMostDicomSize)
      throw Failure(ExitCode::usage, tr("DICOM has at most {1} x {1} pixels", kMostDicomSize),
                    tr("choose another --format"));
    scale_ = dicom_scale(window, info.is_hounsfield);
    make_identifiers(series_);
  }

  void write(const float* slices, size_t first, size_t num) override {
    const size_t len = info_.size * info_.size;
    for (size_t i = 0; i < num; ++i) add(slices + i * len, len, first + i);
  }
  void commit() override { folder_->commit(); }
  uint64_t num_clipped() const override { return clipped_; }

 private:
  void add(const float* values, size_t len, size_t index) {
    Bytes words;
    switch (format_) {
      case VolumeFormat::dicom:
        clipped_ += put_words(words, values, len, scale_.window);
        return folder_->add(file_name(index + 1, ".dcm"), dicom_file(series_, info_, scale_, index, words));
      case VolumeFormat::png:
        if (!info_.labels.empty()) {
          for (size_t i = 0; i < len; ++i) words.push_back(static_cast<uint8_t>(values[i]));
          return folder_->add(file_name(index, ".png"),
                              encode_png(words, info_.size, info_.size, 8, texts(), PngColours::of_classes));
        }
        clipped_ += put_words(words, values, len, window_, true);
        return folder_->add(file_name(index, ".png"), encode_png(words, info_.size, info_.size, 16, texts()));
      default: {
        VolumeInfo page = info_;
        page.num_slices = 1;
        Memory memory;
        const auto writer = new_file_writer(format_, memory, page, window_);
        writer->write(values, 0, 1);
        clipped_ += writer->num_clipped();
        return folder_->add(file_name(index, ".tif"), memory.bytes);
      }
    }
  }

  std::string file_name(size_t index, const char* suffix) const {
    std::string number = std::to_string(index);
    number.insert(0, digits_ - std::min(digits_, number.size()), '0');
    return "slice" + number + suffix;
  }
  std::vector<std::pair<std::string, std::string>> texts() const {
    if (!info_.labels.empty()) return {{"Software", "vershina tomo"}, {kPngLabels, label_text(info_.labels, SIZE_MAX)}};
    return {{"Software", "vershina tomo"},
            {"Window", number_text(window_.low) + ":" + number_text(window_.high)},
            {"Unit", info_.unit}};
  }

  const VolumeFormat format_;
  std::unique_ptr<Folder> folder_;
  const VolumeInfo info_;
  const Window window_;
  DicomSeries series_;
  DicomScale scale_;
  size_t digits_ = 4;
  uint64_t clipped_ = 0;
};

}  // namespace

std::unique_ptr<VolumeWriter> new_folder_writer(VolumeFormat format, std::unique_ptr<Folder> folder,
                                                const VolumeInfo& info, const Window& window,
                                                const DicomSeries& series) {
  return std::make_unique<FolderWriter>(format, std::move(folder), info, window, series);
}

uint64_t folder_len(VolumeFormat format, const VolumeInfo& info) {
  return info.num_values() * (format == VolumeFormat::tiff ? 4 : 2) + info.num_slices * 4096;
}

}  // namespace vsh::tomo
