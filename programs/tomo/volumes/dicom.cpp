#include "programs/tomo/volumes/dicom.hpp"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string_view>

#include "programs/common/system/random.hpp"
#include "programs/common/text/failure.hpp"
#include "programs/common/text/text.hpp"
#include "programs/common/text/translate.hpp"

namespace vsh::tomo {
namespace {

using cli::ExitCode;
using cli::Failure;
using cli::tr;

constexpr const char* kCtImageStorage = "1.2.840.10008.5.1.4.1.1.2";

// Elements in ascending order of their tags.
class Elements {
 public:
  // Texts are padded to an even length with a blank, identifiers with a zero byte.
  void text(uint16_t group, uint16_t element, const char* vr, std::string value) {
    if (value.size() % 2 != 0) value += std::string_view(vr) == "UI" ? '\0' : ' ';
    begin(group, element, vr);
    put<uint16_t>(bytes, static_cast<uint16_t>(value.size()));
    put_text(bytes, value);
  }
  void number(uint16_t group, uint16_t element, uint16_t value) {
    begin(group, element, "US");
    put<uint16_t>(bytes, 2);
    put<uint16_t>(bytes, value);
  }
  void long_value(uint16_t group, uint16_t element, const char* vr, const Bytes& value) {
    begin(group, element, vr);
    put<uint16_t>(bytes, 0);
    put<uint32_t>(bytes, static_cast<uint32_t>(value.size()));
    bytes.insert(bytes.end(), value.begin(), value.end());
  }
  void begin(uint16_t group, uint16_t element, const char* vr) {
    put<uint16_t>(bytes, group);
    put<uint16_t>(bytes, element);
    put_text(bytes, vr);
  }

  Bytes bytes;
};

// A decimal string of at most 16 characters.
std::string decimal(double value) {
  for (int digits = 15; digits > 0; --digits) {
    char text[48];
    std::snprintf(text, sizeof text, "%.*g", digits, value);
    if (std::string_view(text).size() <= 16) return text;
  }
  return "0";
}

// "2.25." and a random UUID of version 4 in decimal digits.
std::string new_uid() {
  std::array<uint8_t, 16> bytes{};
  cli::fill_random(bytes);
  bytes[6] = static_cast<uint8_t>((bytes[6] & 0x0f) | 0x40);
  bytes[8] = static_cast<uint8_t>((bytes[8] & 0x3f) | 0x80);
  std::string digits;
  for (bool any = true; any;) {  // long division by 10
    unsigned rest = 0;
    any = false;
    for (uint8_t& byte : bytes) {
      const unsigned value = rest << 8 | byte;
      byte = static_cast<uint8_t>(value / 10);
      rest = value % 10;
      any = any || byte != 0;
    }
    digits.insert(digits.begin(), static_cast<char>('0' + rest));
  }
  return "2.25." + digits;
}

}  // namespace

void make_identifiers(DicomSeries& series) {
  series.study_uid = new_uid();
  series.series_uid = new_uid();
  series.frame_uid = new_uid();
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  ::localtime_r(&now, &local);
  char text[16];
  (void)std::strftime(text, sizeof text, "%Y%m%d", &local);
  series.date = text;
  (void)std::strftime(text, sizeof text, "%H%M%S", &local);
  series.time = text;
}

std::string dicom_text(const std::string& option, const std::string& text, size_t most) {
  if (cli::columns_of(text) > most)
    throw Failure(ExitCode::usage, tr("{1}: the text has more than {2} characters", option, most),
                  tr("DICOM allows no more"));
  std::string result = cli::to_utf8(text);
  for (char& c : result)
    if (c == '\\' || static_cast<unsigned char>(c) < ' ' || c == 0x7f) c = '_';
  return result;
}

DicomScale dicom_scale(const Window& window, bool is_hounsfield) {
  if (is_hounsfield) return {"1", "-1024", {-1024, -1024 + 65535}};
  DicomScale scale{decimal((window.high - window.low) / 65535), decimal(window.low), {}};
  const double slope = std::strtod(scale.slope.c_str(), nullptr);
  scale.window.low = std::strtod(scale.intercept.c_str(), nullptr);
  scale.window.high = scale.window.low + 65535 * slope;
  return scale;
}

Bytes dicom_file(const DicomSeries& series, const VolumeInfo& info, const DicomScale& scale, size_t index,
                 const Bytes& pixels) {
  const double pixel = info.pixel_mm.value_or(1);
  const std::string instance_uid = new_uid();
  Elements meta;
  meta.long_value(2, 1, "OB", {0, 1});
  meta.text(2, 2, "UI", kCtImageStorage);
  meta.text(2, 3, "UI", instance_uid);
  meta.text(2, 0x10, "UI", "1.2.840.10008.1.2.1");
  meta.text(2, 0x12, "UI", "2.25.198372450912744829034711829300172930001");  // this program
  meta.text(2, 0x13, "SH", "VERSHINA");

  Elements set;
  set.text(8, 5, "CS", "ISO_IR 192");
  set.text(8, 8, "CS", "DERIVED\\PRIMARY\\AXIAL");
  set.text(8, 0x16, "UI", kCtImageStorage);
  set.text(8, 0x18, "UI", instance_uid);
  set.text(8, 0x20, "DA", series.date);
  set.text(8, 0x30, "TM", series.time);
  set.text(8, 0x50, "SH", "");
  set.text(8, 0x60, "CS", "CT");
  set.text(8, 0x70, "LO", "Vershina");
  set.text(8, 0x90, "PN", "");
  if (!series.study_description.empty()) set.text(8, 0x1030, "LO", series.study_description);
  if (!series.series_description.empty()) set.text(8, 0x103e, "LO", series.series_description);
  set.text(0x10, 0x10, "PN", series.patient_name);
  set.text(0x10, 0x20, "LO", series.patient_id);
  set.text(0x10, 0x30, "DA", "");
  set.text(0x10, 0x40, "CS", "O");
  set.text(0x18, 0x15, "CS", "HEAD");  // one that is not paired: else the laterality would be missing
  set.text(0x18, 0x50, "DS", decimal(pixel));
  set.text(0x18, 0x60, "DS", "");
  set.text(0x18, 0x5100, "CS", "HFS");
  set.text(0x20, 0xd, "UI", series.study_uid);
  set.text(0x20, 0xe, "UI", series.series_uid);
  set.text(0x20, 0x10, "SH", "1");
  set.text(0x20, 0x11, "IS", "1");
  set.text(0x20, 0x12, "IS", "1");
  set.text(0x20, 0x13, "IS", std::to_string(index + 1));
  const std::string corner = decimal(-static_cast<double>(info.size - 1) / 2 * pixel);
  const double z = (static_cast<double>(index) - static_cast<double>(info.num_slices - 1) / 2) * pixel;
  set.text(0x20, 0x32, "DS", corner + "\\" + corner + "\\" + decimal(z));
  set.text(0x20, 0x37, "DS", "1\\0\\0\\0\\1\\0");
  set.text(0x20, 0x52, "UI", series.frame_uid);
  set.text(0x20, 0x1040, "LO", "");
  if (!info.labels.empty()) set.text(0x20, 0x4000, "LT", label_text(info.labels, 10240));
  set.number(0x28, 2, 1);
  set.text(0x28, 4, "CS", "MONOCHROME2");
  set.number(0x28, 0x10, static_cast<uint16_t>(info.size));
  set.number(0x28, 0x11, static_cast<uint16_t>(info.size));
  set.text(0x28, 0x30, "DS", decimal(pixel) + "\\" + decimal(pixel));
  set.number(0x28, 0x100, 16);
  set.number(0x28, 0x101, 16);
  set.number(0x28, 0x102, 15);
  set.number(0x28, 0x103, 0);
  // How it is shown at first: soft tissue, all classes, or all values.
  const auto last = static_cast<double>(info.labels.size()) - 1;
  const double centre = info.is_hounsfield ? 40 : last > 0 ? last / 2 : (scale.window.low + scale.window.high) / 2;
  const double width = info.is_hounsfield ? 400 : last > 0 ? last : scale.window.high - scale.window.low;
  set.text(0x28, 0x1050, "DS", decimal(centre));
  set.text(0x28, 0x1051, "DS", decimal(width));
  set.text(0x28, 0x1052, "DS", scale.intercept);
  set.text(0x28, 0x1053, "DS", scale.slope);
  set.text(0x28, 0x1054, "LO", info.is_hounsfield ? "HU" : "US");
  // The default function needs a width of at least 1.
  set.text(0x28, 0x1056, "CS", info.is_hounsfield ? "LINEAR" : "LINEAR_EXACT");
  set.long_value(0x7fe0, 0x10, "OW", pixels);

  Bytes file(128);
  put_text(file, "DICM");
  Elements length;
  length.begin(2, 0, "UL");
  put<uint16_t>(length.bytes, 4);
  put<uint32_t>(length.bytes, static_cast<uint32_t>(meta.bytes.size()));
  for (const Elements* part : {&length, &meta, &set}) file.insert(file.end(), part->bytes.begin(), part->bytes.end());
  return file;
}

}  // namespace vsh::tomo
