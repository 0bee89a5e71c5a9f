#include "programs/tomo/volumes/dicom_reader.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "programs/common/text/failure.hpp"
#include "programs/common/text/text.hpp"
#include "programs/common/text/translate.hpp"
#include "programs/tomo/formats/array_file.hpp"
#include "programs/tomo/formats/fields.hpp"
#include "programs/tomo/formats/regular_file.hpp"
#include "programs/tomo/scans/scan.hpp"

namespace vsh::tomo {
namespace {

using cli::ExitCode;
using cli::Failure;
using cli::quote_name;
using cli::tr;

struct Image {
  FileName file{""};
  std::string series, unit;
  uint64_t rows = 0, columns = 0, offset = 0;  // offset: of the pixels
  Element element;
  unsigned num_bits = 0;  // of those that are allocated, the lower ones
  double slope = 1, intercept = 0;
  std::optional<double> number;
  std::vector<double> spacing, position, orientation = {1, 0, 0, 0, 1, 0};
};

// Walks through the elements of a file. Sequences are left out: of items and sequences with a length by that, of others
// by counting how deep they are.
class Parser {
 public:
  explicit Parser(const FileName& file)
      : input_(open_regular(file)), len_(static_cast<uint64_t>(input_.status().st_size)) {
    image_.file = file;
  }

  Image read() {
    while (pixels_len_ == 0) {
      if (at_ == len_) refuse(tr("has no pixels"));
      step();
    }
    const uint64_t size = allocated_ / 8;
    if (allocated_ != 8 && allocated_ != 16) refuse(tr("{1} bits for each pixel", allocated_), tr("8 or 16 are read"));
    if (channels_ != 1 || frames_ != 1 || !colours_.starts_with("MONOCHROME"))
      refuse(tr("is not a picture of one frame of grey values"), tr("a series of CT images is read"));
    if (image_.num_bits == 0 || image_.num_bits > allocated_ || high_ + 1 != image_.num_bits || representation_ > 1)
      damaged();
    const auto wanted = product({image_.rows, image_.columns, size});
    if (!wanted || *wanted == 0 || pixels_len_ < *wanted) damaged();
    const bool is_signed = representation_ == 1;
    image_.element = {
        size == 1 ? (is_signed ? ElementKind::i8 : ElementKind::u8) : (is_signed ? ElementKind::i16 : ElementKind::u16),
        false};
    return std::move(image_);
  }

 private:
  static constexpr uint32_t kUndefined = 0xffffffff;
  static constexpr unsigned kMostDepth = 32;

  [[noreturn]] void refuse(const std::string& problem, const std::string& advice = {}) const {
    throw Failure(ExitCode::input, input_.name() + ": " + problem, advice);
  }
  [[noreturn]] void damaged() const { refuse(tr("a damaged DICOM file"), tr("copy it again")); }

  template <size_t num>
  std::array<uint8_t, num> bytes(uint64_t offset) const {
    if (len_ - at_ < offset + num) damaged();
    std::array<uint8_t, num> result;
    input_.read_at(result, at_ + offset);
    return result;
  }

  // One element, item or delimiter.
  void step() {
    const auto head = bytes<8>(0);
    const uint32_t tag = uint32_t{get<uint16_t>(head.data())} << 16 | get<uint16_t>(head.data() + 2);
    const bool is_item = tag >> 16 == 0xfffe;
    // The meta information is always explicit; an unknown element of no length has implicit ones in it (PS3.5 6.2.2).
    const bool is_implicit = (tag >> 16 != 2 && is_implicit_) || (implicit_depth_ > 0 && depth_ >= implicit_depth_);
    uint32_t len = get<uint32_t>(head.data() + 4);
    bool is_unknown = false;
    uint64_t head_len = 8;
    if (!is_item && !is_implicit) {
      const std::string_view vr(reinterpret_cast<const char*>(head.data()) + 4, 2);
      static constexpr std::string_view kLong[] = {"OB", "OD", "OF", "OL", "OV", "OW", "SQ",
                                                   "SV", "UC", "UN", "UR", "UT", "UV"};
      if (vr[0] < 'A' || vr[0] > 'Z' || vr[1] < 'A' || vr[1] > 'Z') damaged();
      is_unknown = vr == "UN";
      if (std::find(std::begin(kLong), std::end(kLong), vr) != std::end(kLong)) {
        len = get<uint32_t>(bytes<4>(8).data());
        head_len = 12;
      } else {
        len = get<uint16_t>(head.data() + 6);
      }
    }
    at_ += head_len;
    if (tag == 0xfffee00d || tag == 0xfffee0dd) {
      if (depth_ == 0 || len != 0) damaged();
      if (--depth_ < implicit_depth_) implicit_depth_ = 0;
    } else if (len == kUndefined) {
      if (tag == 0x7fe00010 || ++depth_ > kMostDepth) damaged();
      if (is_unknown && implicit_depth_ == 0) implicit_depth_ = depth_;
    } else {
      if (len > len_ - at_) refuse(tr("is truncated"), tr("copy it again"));
      if (depth_ == 0) take(tag, len);
      at_ += len;
    }
  }

  std::string text(uint32_t len) const {
    if (len > 1024) damaged();
    std::string result(len, '\0');
    input_.read_at({reinterpret_cast<uint8_t*>(result.data()), len}, at_);
    result.resize(result.find_last_not_of(std::string_view(" \0", 2)) + 1);
    return result;
  }
  uint16_t word(uint32_t len) const {
    if (len != 2) damaged();
    return get<uint16_t>(bytes<2>(0).data());
  }
  // Decimal strings, `num` of them.
  std::vector<double> numbers(uint32_t len, size_t num) const {
    std::string all = text(len) + '\\';
    std::vector<double> result;
    for (size_t begin = 0, end; (end = all.find('\\', begin)) != all.npos; begin = end + 1) {
      while (begin < end && all[begin] == ' ') ++begin;
      if (all[begin] == '+') ++begin;
      double number = 0;
      const auto [next, error] = std::from_chars(all.data() + begin, all.data() + end, number);
      const size_t rest = all.find_first_not_of(' ', static_cast<size_t>(next - all.data()));
      if (error != std::errc() || rest != end || !std::isfinite(number)) damaged();
      result.push_back(number);
    }
    if (result.size() != num) damaged();
    return result;
  }

  void take(uint32_t tag, uint32_t len) {
    // Elements without a value are those that nothing is known about.
    const bool is_empty = len == 0;
    switch (tag) {
      case 0x00020010: return take_syntax(text(len));
      case 0x0020000e: image_.series = text(len); return;
      case 0x00280002: channels_ = word(len); return;
      case 0x00280004: colours_ = text(len); return;
      case 0x00280010: image_.rows = word(len); return;
      case 0x00280011: image_.columns = word(len); return;
      case 0x00280100: allocated_ = word(len); return;
      case 0x00280101: image_.num_bits = word(len); return;
      case 0x00280102: high_ = word(len); return;
      case 0x00280103: representation_ = word(len); return;
      case 0x00281054: image_.unit = text(len); return;
      case 0x7fe00010:
        if (syntax_.empty() || is_empty) damaged();
        image_.offset = at_;
        pixels_len_ = len;
        return;
      default: break;
    }
    if (is_empty) return;
    switch (tag) {
      case 0x00200013: image_.number = numbers(len, 1)[0]; return;
      case 0x00200032: image_.position = numbers(len, 3); return;
      case 0x00200037: image_.orientation = numbers(len, 6); return;
      case 0x00280008: frames_ = numbers(len, 1)[0]; return;
      case 0x00280030: image_.spacing = numbers(len, 2); return;
      case 0x00281052: image_.intercept = numbers(len, 1)[0]; return;
      case 0x00281053: image_.slope = numbers(len, 1)[0]; return;
      default: return;
    }
  }
  void take_syntax(const std::string& syntax) {
    syntax_ = syntax;
    is_implicit_ = syntax == "1.2.840.10008.1.2";
    if (is_implicit_ || syntax == "1.2.840.10008.1.2.1") return;
    refuse(tr("is compressed, or not little-endian (transfer syntax {1})", quote_name(syntax)),
           tr("unpack it, for example with gdcmconv --raw"));
  }

  cli::InputFile input_;
  const uint64_t len_;
  uint64_t at_ = 132;
  bool is_implicit_ = false;
  unsigned depth_ = 0, implicit_depth_ = 0;  // implicit_depth_: from there on all is implicit; 0: nowhere
  Image image_;
  std::string syntax_, colours_;
  unsigned channels_ = 1, allocated_ = 0, high_ = 0, representation_ = 0;
  double frames_ = 1;
  uint64_t pixels_len_ = 0;
};

class DicomVolume : public VolumeReader {
 public:
  DicomVolume(const std::string& path, const std::vector<FileName>& files) {
    name_ = quote_name(path);
    bool has_places = true;
    for (const FileName& file : files) {
      if (!is_dicom(file))
        throw Failure(ExitCode::input, tr("{1}: is not a DICOM file", quote_name(file.path)), tr("copy it again"));
      images_.push_back(Parser(file).read());
      const Image &first = images_.front(), &image = images_.back();
      has_places = has_places && !image.position.empty();
      bool is_same = image.series == first.series && image.rows == first.rows && image.columns == first.columns;
      for (size_t i = 0; i < 6; ++i) is_same = is_same && std::fabs(image.orientation[i] - first.orientation[i]) < 1e-3;
      if (!is_same)
        throw Failure(
            ExitCode::input,
            tr("{1} and {2} are of different series or sizes", quote_name(first.file.path), quote_name(file.path)),
            tr("name a folder with one series"));
    }
    sort(has_places);
    const Image& first = images_.front();
    shape_ = {images_.size(), first.rows, first.columns};
    if (first.unit == "HU") unit_ = first.unit;
    if (!first.spacing.empty() && first.spacing[0] > 0 && first.spacing[0] == first.spacing[1])
      pixel_mm_ = first.spacing[0];
  }

  void read(float* slice, size_t index) override {
    const Image& image = images_[index];
    const size_t num = static_cast<size_t>(image.rows * image.columns);
    ArrayFile::plain(image.file, image.element, image.offset, {1, image.rows, image.columns}).read(slice, 0, num);
    // Bits above those that are stored may be anything.
    const unsigned above = static_cast<unsigned>(32 - image.num_bits);
    const bool is_signed = image.element.kind == ElementKind::i8 || image.element.kind == ElementKind::i16;
    for (size_t i = 0; i < num; ++i) {
      const auto bits = static_cast<uint32_t>(static_cast<int32_t>(slice[i])) << above;
      const double value = is_signed ? static_cast<double>(static_cast<int32_t>(bits) >> above) : bits >> above;
      slice[i] = static_cast<float>(value * image.slope + image.intercept);
    }
  }

 private:
  void sort(bool has_places) {
    if (images_.size() == 1) return;
    for (Image& image : images_) {
      if (has_places) {
        const auto &o = image.orientation, &p = image.position;
        image.number = (o[1] * o[5] - o[2] * o[4]) * p[0] + (o[2] * o[3] - o[0] * o[5]) * p[1] +
                       (o[0] * o[4] - o[1] * o[3]) * p[2];
      }
      if (!image.number)
        throw Failure(ExitCode::input, tr("{1}: nothing says its place among the slices", quote_name(image.file.path)));
    }
    std::sort(images_.begin(), images_.end(), [](const Image& a, const Image& b) { return *a.number < *b.number; });
    for (size_t i = 1; i < images_.size(); ++i)
      if (*images_[i].number == *images_[i - 1].number)
        throw Failure(ExitCode::input,
                      tr("{1} and {2} are at the same place", quote_name(images_[i - 1].file.path),
                         quote_name(images_[i].file.path)),
                      tr("name a folder with one series"));
    check_gaps();
  }

  // A volume that lacks slices would be compressed there.
  void check_gaps() const {
    std::vector<double> gaps;
    for (size_t i = 1; i < images_.size(); ++i) gaps.push_back(*images_[i].number - *images_[i - 1].number);
    std::vector<double> sorted = gaps;
    std::sort(sorted.begin(), sorted.end());
    const double usual = sorted[(sorted.size() - 1) / 2];
    for (size_t i = 0; i < gaps.size(); ++i)
      if (gaps[i] > 1.5 * usual)
        throw Failure(ExitCode::input,
                      tr("{1}: slices are missing between {2} and {3}", name_, quote_name(images_[i].file.path),
                         quote_name(images_[i + 1].file.path)),
                      tr("copy the whole series, or name a folder with the slices of one part"));
  }

  std::vector<Image> images_;
};

}  // namespace

bool is_dicom(const FileName& file) {
  cli::InputFile input = open_regular(file);
  std::array<uint8_t, 132> start{};
  return input.read_all(start) == start.size() && std::memcmp(start.data() + 128, "DICM", 4) == 0;
}

std::vector<FileName> dicom_files(const std::string& folder) {
  std::vector<FileName> files;
  std::error_code error;
  for (std::filesystem::directory_iterator file(folder, error), end; !error && file != end; file.increment(error)) {
    const std::string name = file->path().filename().string();
    if (name.starts_with('.') || name == "DICOMDIR" || !file->is_regular_file(error)) continue;
    if (!cli::lower_case(name).ends_with(".dcm") && !is_dicom({file->path().string(), folder})) continue;
    files.emplace_back(file->path().string(), folder);
    if (files.size() > kMostAngles) throw Failure(ExitCode::input, tr("{1}: too many files", quote_name(folder)));
  }
  if (error)
    throw Failure(ExitCode::input, quote_name(folder) + ": " + error.message(), tr("check its permissions"),
                  error.value());
  std::sort(files.begin(), files.end(), [](const FileName& a, const FileName& b) { return a.path < b.path; });
  return files;
}

std::unique_ptr<VolumeReader> open_dicom(const std::string& path, const std::vector<FileName>& files) {
  return std::make_unique<DicomVolume>(path, files);
}

}  // namespace vsh::tomo
