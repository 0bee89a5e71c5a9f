#include "programs/tomo/volumes/nifti_reader.hpp"

#include <cmath>
#include <cstring>
#include <string_view>
#include <utility>

#include "programs/common/text/failure.hpp"
#include "programs/common/text/translate.hpp"
#include "programs/tomo/formats/array_file.hpp"
#include "programs/tomo/formats/regular_file.hpp"

namespace vsh::tomo {
namespace {

using cli::ExitCode;
using cli::Failure;
using cli::tr;

constexpr size_t kHeader = 348;

std::optional<ElementKind> element_of_type(int code) {
  static constexpr std::pair<int, ElementKind> kTypes[] = {
      {2, ElementKind::u8},   {4, ElementKind::i16},  {8, ElementKind::i32},   {16, ElementKind::f32},
      {64, ElementKind::f64}, {256, ElementKind::i8}, {512, ElementKind::u16}, {768, ElementKind::u32}};
  for (const auto& [type, kind] : kTypes)
    if (type == code) return kind;
  return std::nullopt;
}

class NiftiVolume : public VolumeReader {
 public:
  explicit NiftiVolume(const std::string& path) : file_(open(path)) {}

  void read(float* slice, size_t index) override {
    const size_t num = static_cast<size_t>(shape_[1] * shape_[2]);
    file_.read(slice, index * num, num);
    if (slope_ == 1 && intercept_ == 0) return;
    for (size_t i = 0; i < num; ++i) slice[i] = static_cast<float>(static_cast<double>(slice[i]) * slope_ + intercept_);
  }

 private:
  ArrayFile open(const std::string& path) {
    cli::InputFile input = open_regular(path);
    name_ = input.name();
    const auto refuse = [&](const std::string& problem, const std::string& advice) {
      throw Failure(ExitCode::input, name_ + ": " + problem, advice);
    };
    std::array<uint8_t, kHeader> header{};
    if (input.read_all(header) < kHeader) refuse(tr("is truncated"), tr("copy it again"));
    if (!is_nifti(header)) refuse(tr("a damaged NIfTI header"), tr("copy it again"));
    const bool is_big_endian = header[0] == 0;
    const auto field = [&](size_t offset, ElementKind kind) {  // int16 and float32 are exact in a float
      float value = 0;
      to_floats(&value, header.data() + offset, 1, {kind, is_big_endian});
      return value;
    };
    const auto whole = [&](size_t offset) { return static_cast<int>(field(offset, ElementKind::i16)); };

    const int num_dimensions = whole(40);
    if (num_dimensions < 1 || num_dimensions > 7) refuse(tr("a damaged NIfTI header"), tr("copy it again"));
    for (size_t i = 1; i <= 7; ++i) {
      const int size = i <= static_cast<size_t>(num_dimensions) ? whole(40 + 2 * i) : 1;
      if (size < 1) refuse(tr("a damaged NIfTI header"), tr("copy it again"));
      if (i <= 3) shape_[3 - i] = static_cast<uint64_t>(size);
      else if (size > 1) refuse(tr("has more than three dimensions"), tr("save one volume of it"));
    }
    const auto kind = element_of_type(whole(70));
    if (!kind) refuse(tr("numbers of the NIfTI type {1}", whole(70)), tr("save them as float32"));
    const Element element{*kind, is_big_endian};
    const float offset = field(108, ElementKind::f32), size = field(80, ElementKind::f32);
    if (whole(72) != static_cast<int>(8 * element.size()) || !(offset >= 352 && offset < 1e9F) ||
        offset != std::floor(offset))
      refuse(tr("a damaged NIfTI header"), tr("copy it again"));
    const auto slope = static_cast<double>(field(112, ElementKind::f32));
    if (std::isfinite(slope) && slope != 0) {  // else there is no scale
      slope_ = slope;
      intercept_ = static_cast<double>(field(116, ElementKind::f32));
    }
    const double units[] = {0, 1000, 1, 0.001};  // millimetres in a metre, a millimetre, a micrometre
    const double pixel = static_cast<double>(std::fabs(size)) * units[header[123] & 3];
    if (std::isfinite(pixel) && pixel > 0) pixel_mm_ = pixel;
    // This program's own description is "vershina tomo, UNIT".
    const std::string_view text(reinterpret_cast<const char*>(header.data()) + 148, 80), mine = "vershina tomo, ";
    if (text.starts_with(mine)) unit_ = text.substr(mine.size(), text.find('\0') - mine.size());
    return ArrayFile::plain(path, element, static_cast<uint64_t>(offset), shape_);
  }

  double slope_ = 1, intercept_ = 0;
  ArrayFile file_;
};

}  // namespace

bool is_nifti(std::span<const uint8_t> start) {
  static constexpr uint8_t kLittle[] = {0x5c, 1, 0, 0}, kBig[] = {0, 0, 1, 0x5c};  // 348
  return start.size() >= kHeader && std::memcmp(start.data() + 344, "n+1", 4) == 0 &&
         (std::memcmp(start.data(), kLittle, 4) == 0 || std::memcmp(start.data(), kBig, 4) == 0);
}

std::unique_ptr<VolumeReader> open_nifti(const std::string& path) { return std::make_unique<NiftiVolume>(path); }

}  // namespace vsh::tomo
