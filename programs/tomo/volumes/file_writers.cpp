#include <algorithm>
#include <cmath>
#include <cstdio>

#include "programs/common/text/failure.hpp"
#include "programs/common/text/json.hpp"
#include "programs/common/text/translate.hpp"
#include "programs/tomo/formats/hdf5_frame.hpp"
#include "programs/tomo/volumes/volume_writer.hpp"

namespace vsh::tomo {
namespace {

using cli::ExitCode;
using cli::Failure;
using cli::tr;

std::string as_json(const VolumeInfo& info) {
  cli::JsonObject history;
  history.add("program", "vershina tomo");
  for (const auto& [word, value] : info.history) history.add(word, value);
  return history.text();
}

Hdf5Frame volume_frame(const VolumeInfo& info) {
  Hdf5Layout layout;
  layout.texts = {{"/implements", "exchange:process"}, {"/process/vershina/history", as_json(info)}};
  if (info.pixel_mm) layout.arrays.push_back({"/process/vershina/pixel_mm", {}, {*info.pixel_mm}});
  layout.path = "/exchange/data";
  layout.sizes = {info.num_slices, info.size, info.size};
  layout.attributes = {{layout.path, "axes", "z:y:x"}, {layout.path, "units", info.unit}};
  return hdf5_frame(layout);
}

Bytes npy_header(const VolumeInfo& info) {
  const std::string size = std::to_string(info.size);
  std::string text = "{'descr': '<f4', 'fortran_order': False, 'shape': (" + std::to_string(info.num_slices) + ", " +
                     size + ", " + size + "), }";
  text.resize((10 + text.size() + 1 + 63) / 64 * 64 - 10 - 1, ' ');
  text += '\n';
  Bytes bytes;
  put_text(bytes, "\x93NUMPY");
  put<uint8_t>(bytes, 1);
  put<uint8_t>(bytes, 0);
  put<uint16_t>(bytes, static_cast<uint16_t>(text.size()));
  put_text(bytes, text);
  return bytes;
}

// NIfTI-1.1, the header of nifti1.h: x grows to the right of the patient in RAS, so DICOM's x and y are negated.
Bytes nifti_header(const VolumeInfo& info) {
  if (info.size > 32767 || info.num_slices > 32767)
    throw Failure(ExitCode::usage, tr("NIfTI has at most 32767 slices of 32767 x 32767 pixels"),
                  tr("choose another --format"));
  const auto pixel = static_cast<float>(info.pixel_mm.value_or(1));
  Bytes bytes;
  put<int32_t>(bytes, 348);
  bytes.resize(40);
  for (const size_t size :
       {size_t{3}, info.size, info.size, info.num_slices, size_t{1}, size_t{1}, size_t{1}, size_t{1}})
    put(bytes, static_cast<int16_t>(size));
  bytes.resize(70);
  put<int16_t>(bytes, 16);  // float32
  put<int16_t>(bytes, 32);
  bytes.resize(76);
  for (const float size : {1.F, pixel, pixel, pixel, 0.F, 0.F, 0.F, 0.F}) put(bytes, size);
  put(bytes, 352.F);  // vox_offset
  put(bytes, 1.F);    // scl_slope
  bytes.resize(123);
  put<uint8_t>(bytes, info.pixel_mm ? 2 : 0);  // mm, or unknown
  bytes.resize(148);
  put_text(bytes, "vershina tomo, " + info.unit.substr(0, 40));
  bytes.resize(252);
  put<int16_t>(bytes, 0);  // qform_code
  put<int16_t>(bytes, 1);  // sform_code: scanner
  bytes.resize(280);
  const float middle = static_cast<float>(info.size - 1) / 2 * pixel;
  const float below = -static_cast<float>(info.num_slices - 1) / 2 * pixel;
  for (const float number : {-pixel, 0.F, 0.F, middle, 0.F, -pixel, 0.F, middle, 0.F, 0.F, pixel, below})
    put(bytes, number);
  bytes.resize(344);
  put_text(bytes, "n+1");
  bytes.resize(352);
  return bytes;
}

// A header, the values of all slices, and what comes after them.
class PlainWriter : public VolumeWriter {
 public:
  PlainWriter(cli::Output& output, Bytes head, Bytes tail, const VolumeInfo& info)
      : output_(output), tail_(std::move(tail)), slice_(info.size * info.size) {
    output_.write(head);
  }
  void write(const float* slices, size_t, size_t num) override {
    for (size_t i = 0; i < num; ++i) {
      bytes_.clear();
      put_floats(bytes_, slices + i * slice_, slice_);
      output_.write(bytes_);
    }
  }
  void commit() override {
    output_.write(tail_);
    output_.commit();
  }

 private:
  cli::Output& output_;
  Bytes tail_, bytes_;
  size_t slice_;
};

// TIFF 6.0, or BigTIFF above 4 GB: a directory before each page, so that nothing has to be written twice.
class TiffWriter : public VolumeWriter {
 public:
  TiffWriter(cli::Output& output, const VolumeInfo& info, std::optional<Window> window)
      : output_(output), info_(info), window_(window), is_big_(is_big(info, window.has_value())) {
    Bytes head;
    put_text(head, "II");
    if (is_big_) {
      put<uint16_t>(head, 43);
      put<uint16_t>(head, 8);
      put<uint16_t>(head, 0);
      put<uint64_t>(head, 16);
    } else {
      put<uint16_t>(head, 42);
      put<uint32_t>(head, 8);
    }
    at_ = head.size();
    output_.write(head);
  }

  static uint64_t page_len(const VolumeInfo& info, bool is_16, bool big) {
    return directory_len(big) + uint64_t{info.size} * info.size * (is_16 ? 2 : 4);
  }
  static bool is_big(const VolumeInfo& info, bool is_16) {
    return page_len(info, is_16, false) * info.num_slices >= UINT32_MAX - 4096;
  }

  void write(const float* slices, size_t first, size_t num) override {
    const size_t slice = info_.size * info_.size;
    for (size_t i = 0; i < num; ++i) {
      bytes_.clear();
      put_directory(first + i + 1 == info_.num_slices);
      if (window_) clipped_ += put_words(bytes_, slices + i * slice, slice, *window_);
      else put_floats(bytes_, slices + i * slice, slice);
      if (bytes_.size() % 2 != 0) bytes_.push_back(0);
      output_.write(bytes_);
      at_ += bytes_.size();
    }
  }
  void commit() override { output_.commit(); }
  uint64_t num_clipped() const override { return clipped_; }

 private:
  static constexpr size_t kEntries = 15;
  static size_t directory_len(bool big) { return big ? 8 + kEntries * 20 + 8 + 36 : 2 + kEntries * 12 + 4 + 34; }

  void put_entry(unsigned tag, unsigned type, uint64_t value) {
    put(bytes_, static_cast<uint16_t>(tag));
    put(bytes_, static_cast<uint16_t>(type));
    if (is_big_) {
      put<uint64_t>(bytes_, 1);
      put<uint64_t>(bytes_, value);
    } else {
      put<uint32_t>(bytes_, 1);
      put<uint32_t>(bytes_, static_cast<uint32_t>(value));
    }
  }

  void put_directory(bool is_last) {
    constexpr unsigned kShort = 3, kLong = 4, kRational = 5, kLong8 = 16;
    const unsigned size_type = is_big_ ? kLong8 : kLong;
    const uint64_t data = at_ + directory_len(is_big_), len = uint64_t{info_.size} * info_.size * (window_ ? 2 : 4);
    const uint64_t values = at_ + directory_len(is_big_) - 32;  // two rationals
    if (is_big_) put<uint64_t>(bytes_, kEntries);
    else put<uint16_t>(bytes_, kEntries);
    put_entry(254, kLong, 2);  // a page of several
    put_entry(256, kLong, info_.size);
    put_entry(257, kLong, info_.size);
    put_entry(258, kShort, window_ ? 16 : 32);
    put_entry(259, kShort, 1);  // not compressed
    put_entry(262, kShort, 1);  // 0 is black
    put_entry(273, size_type, data);
    put_entry(277, kShort, 1);
    put_entry(278, kLong, info_.size);
    put_entry(279, size_type, len);
    // In BigTIFF two numbers of 32 bits fit into the entry itself; in both they may stand elsewhere only if they do
    // not.
    const uint64_t resolution = is_big_ ? rational() : values;
    put_entry(282, kRational, resolution);
    put_entry(283, kRational, is_big_ ? rational() : values + 8);
    put_entry(284, kShort, 1);
    put_entry(296, kShort, info_.pixel_mm ? 3 : 1);  // centimetres, or without unit
    put_entry(339, kShort, window_ ? 1 : 3);         // uint, IEEE float
    const uint64_t next = is_last ? 0 : data + len + len % 2;
    if (is_big_) put<uint64_t>(bytes_, next);
    else put<uint32_t>(bytes_, static_cast<uint32_t>(next));
    const size_t pad = static_cast<size_t>(directory_len(is_big_) - 32);
    bytes_.resize(pad);
    for (int i = 0; i < 2; ++i) put<uint64_t>(bytes_, rational());
    bytes_.resize(directory_len(is_big_));
  }

  // Pixels per centimetre as numerator (low half) and denominator.
  uint64_t rational() const {
    if (!info_.pixel_mm) return 1 | uint64_t{1} << 32;
    const double per_cm = 10 / *info_.pixel_mm;
    double denominator = 1e6;
    while (denominator > 1 && per_cm * denominator > 4e9) denominator /= 10;
    const auto numerator = static_cast<uint64_t>(std::clamp(per_cm * denominator, 1.0, 4e9));
    return numerator | static_cast<uint64_t>(denominator) << 32;
  }

  cli::Output& output_;
  const VolumeInfo info_;
  const std::optional<Window> window_;
  const bool is_big_;
  Bytes bytes_;
  uint64_t at_ = 0, clipped_ = 0;
};

}  // namespace

uint64_t put_words(Bytes& bytes, const float* values, size_t num, const Window& window, bool is_big_endian) {
  const size_t begin = bytes.size();
  bytes.resize(begin + 2 * num);
  uint8_t* out = bytes.data() + begin;
  const double scale = 65535 / (window.high - window.low);
  uint64_t clipped = 0;
  for (size_t i = 0; i < num; ++i) {
    const double value = (static_cast<double>(values[i]) - window.low) * scale;
    clipped += value >= -0.5 && value <= 65535.5 ? 0 : 1;
    const auto word = static_cast<uint16_t>(value > 0 ? std::min(value, 65535.0) + 0.5 : 0);  // NaN: 0
    out[2 * i + (is_big_endian ? 1 : 0)] = static_cast<uint8_t>(word);
    out[2 * i + (is_big_endian ? 0 : 1)] = static_cast<uint8_t>(word >> 8);
  }
  return clipped;
}

std::string label_text(const std::vector<std::string>& labels, size_t most) {
  std::string text;
  for (size_t i = 0; i < labels.size(); ++i) {
    const std::string label = (i > 0 ? "; " : "") + std::to_string(i) + " " + labels[i];
    if (text.size() + label.size() > most) break;
    text += label;
  }
  return text;
}

uint64_t file_len(VolumeFormat format, const VolumeInfo& info) {
  const uint64_t values = info.num_values();
  const bool is_16 = format == VolumeFormat::tiff16;
  if (format == VolumeFormat::tiff || is_16)
    return 16 + TiffWriter::page_len(info, is_16, TiffWriter::is_big(info, is_16)) * info.num_slices;
  return 4096 + 4 * values;
}

std::unique_ptr<VolumeWriter> new_file_writer(VolumeFormat format, cli::Output& output, const VolumeInfo& info,
                                              const Window& window) {
  switch (format) {
    case VolumeFormat::hdf5: {
      Hdf5Frame frame = volume_frame(info);
      return std::make_unique<PlainWriter>(output, std::move(frame.head), std::move(frame.tail), info);
    }
    case VolumeFormat::npy: return std::make_unique<PlainWriter>(output, npy_header(info), Bytes(), info);
    case VolumeFormat::nifti: return std::make_unique<PlainWriter>(output, nifti_header(info), Bytes(), info);
    case VolumeFormat::tiff: return std::make_unique<TiffWriter>(output, info, std::nullopt);
    case VolumeFormat::tiff16: return std::make_unique<TiffWriter>(output, info, window);
    default: return nullptr;
  }
}

}  // namespace vsh::tomo
