#include "programs/tomo/scans/sidecar.hpp"

#include <sys/stat.h>

#include "programs/common/files/input_file.hpp"
#include "programs/common/text/failure.hpp"
#include "programs/common/text/parse_json.hpp"
#include "programs/common/text/text.hpp"
#include "programs/common/text/translate.hpp"
#include "programs/tomo/formats/regular_file.hpp"

namespace vsh::tomo {
namespace {

using cli::ExitCode;
using cli::Failure;
using cli::quote_name;
using cli::tr;
using Value = nlohmann::json;

constexpr size_t kMostBytes = 16 << 20;

class Reader {
 public:
  explicit Reader(const FileName& file) : input_(open_regular(file)) {
    sidecar_.name = quote_name(file.path);
    sidecar_.file = {input_.name(), input_.status()};
  }

  Sidecar read() {
    const auto len = static_cast<uint64_t>(input_.status().st_size);
    if (len > kMostBytes) refuse(tr("is not a sidecar: it has more than 16 MiB"));
    std::vector<uint8_t> text(len);
    text.resize(input_.read_all(text));
    const Value top = cli::parse_json({reinterpret_cast<const char*>(text.data()), text.size()});
    if (!top.is_object()) refuse(tr("is not a JSON object"));
    for (const auto& [key, value] : top.items()) take(key, value);
    if (sidecar_.source_row && !sidecar_.source_distance) refuse(tr("\"source_row\" without \"source_distance\""));
    return std::move(sidecar_);
  }

 private:
  [[noreturn]] void refuse(const std::string& problem) const {
    throw Failure(ExitCode::input, sidecar_.name + ": " + problem, tr("docs/tomography.md describes the sidecar"));
  }
  double number(const std::string& key, const Value& value) const {
    if (!value.is_number()) refuse(tr("\"{1}\" is not a number", key));
    return value.get<double>();
  }
  uint64_t whole(const std::string& key, const Value& value) const {
    if (!value.is_number_unsigned()) refuse(tr("\"{1}\" is not a whole number", key));
    return value.get<uint64_t>();
  }
  std::string text(const std::string& key, const Value& value) const {
    if (!value.is_string()) refuse(tr("\"{1}\" is not a string", key));
    return value.get<std::string>();
  }
  // The name of a file of the same folder: a sidecar from elsewhere may not point at other files.
  std::string file_name(const std::string& key, const Value& value) const {
    const std::string name = text(key, value);
    if (name.empty() || name.find('/') != name.npos || name == "." || name == ".." || name.find('\0') != name.npos)
      refuse(tr("\"{1}\" is not the name of a file next to it", key));
    return name;
  }
  void take_angles(const Value& value) {
    if (value.is_array()) {
      for (const Value& angle : value) sidecar_.angles.push_back(number("angles", angle));
    } else if (value.is_object() && value.size() == 2 && value.contains("first") && value.contains("step")) {
      sidecar_.first_angle = number("first", value["first"]);
      sidecar_.angle_step = number("step", value["step"]);
    } else {
      refuse(tr("\"angles\" is neither a list of degrees nor an object of \"first\" and \"step\""));
    }
  }
  void take(const std::string& key, const Value& value) {
    if (key == "shape") {
      if (!value.is_array() || value.size() != 3) refuse(tr("\"shape\" is not a list of angles, rows and bins"));
      sidecar_.shape = {whole(key, value[0]), whole(key, value[1]), whole(key, value[2])};
    } else if (key == "type") {
      const auto kind = element_of(text(key, value));
      if (!kind) refuse(tr("\"type\" is none of uint8, int8, uint16, int16, uint32, int32, float32, float64"));
      sidecar_.element.kind = *kind;
    } else if (key == "order") {
      const std::string order = text(key, value);
      if (order != "little" && order != "big") refuse(tr("\"order\" is neither \"little\" nor \"big\""));
      sidecar_.element.is_big_endian = order == "big";
    } else if (key == "offset") {
      sidecar_.offset = whole(key, value);
    } else if (key == "angles") {
      take_angles(value);
    } else if (key == "whites") {
      sidecar_.whites = file_name(key, value);
    } else if (key == "darks") {
      sidecar_.darks = file_name(key, value);
    } else if (key == "centre") {
      sidecar_.centre = number(key, value);
    } else if (key == "pixel_mm") {
      sidecar_.pixel_mm = number(key, value);
      if (!(*sidecar_.pixel_mm > 0)) refuse(tr("\"pixel_mm\" is not above 0"));
    } else if (key == "source_distance") {
      sidecar_.source_distance = number(key, value);
      if (!(*sidecar_.source_distance > 0)) refuse(tr("\"source_distance\" is not above 0"));
    } else if (key == "source_row") {
      sidecar_.source_row = number(key, value);
    } else {
      refuse(tr("has the unknown entry {1}", quote_name(key)));
    }
  }

  cli::InputFile input_;
  Sidecar sidecar_;
};

}  // namespace

void Sidecar::apply(ScanInfo& info) const {
  if (!angles.empty()) info.angles = info.places.choose(angles);
  if (first_angle) {
    info.first_angle = *first_angle, info.angle_step = angle_step;
    if (!info.problems.contains(Part::places)) info.count_steps();
  }
  if (centre) info.centre = centre;
  if (pixel_mm) info.pixel_mm = pixel_mm;
  if (source_distance) {
    info.beam = VSH_TOMO_FAN;
    info.source_distance = *source_distance;
  }
  if (source_row) {
    info.beam = VSH_TOMO_CONE;
    info.source_row = *source_row;
  }
}

std::optional<Sidecar> read_sidecar(const FileName& file) {
  struct stat status {};
  if (::stat(file.path.c_str(), &status) != 0) return std::nullopt;
  return Reader(file).read();
}

std::optional<Sidecar> sidecar_of(const std::string& path) {
  const std::string name = path.substr(path.rfind('/') + 1);
  if (auto sidecar = read_sidecar(beside(path, name + ".json"))) return sidecar;
  const size_t dot = name.rfind('.');
  return dot == name.npos ? std::nullopt : read_sidecar(beside(path, name.substr(0, dot) + ".json"));
}

FileName beside(const std::string& path, const std::string& name) {
  const std::string folder = path.substr(0, path.rfind('/') + 1);
  return {folder + name, folder.empty() ? "." : folder};
}

}  // namespace vsh::tomo
