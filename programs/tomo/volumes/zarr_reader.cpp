#include "programs/tomo/volumes/zarr_reader.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <string_view>
#include <vector>

#include "programs/common/text/failure.hpp"
#include "programs/common/text/parse_json.hpp"
#include "programs/common/text/text.hpp"
#include "programs/common/text/translate.hpp"
#include "programs/tomo/formats/array_file.hpp"
#include "programs/tomo/formats/regular_file.hpp"

namespace vsh::tomo {
namespace {

using cli::ExitCode;
using cli::Failure;
using cli::quote_name;
using cli::tr;
using Value = nlohmann::json;

constexpr size_t kMostBytes = 16 << 20;
constexpr uint64_t kMostChunks = 1 << 16;  // of a slice: each is looked for, also if none is there

bool exists(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0;
}

[[noreturn]] void refuse(const std::string& path, const std::string& problem, const std::string& advice) {
  throw Failure(ExitCode::input, quote_name(path) + ": " + problem, advice);
}
[[noreturn]] void damaged(const std::string& path) {
  refuse(path, tr("damaged metadata of Zarr"), tr("copy it again"));
}

// Returns what `work` makes of a JSON file; whatever it misses there is damage.
template <class Work>
auto from_json(const FileName& file, Work&& work) {
  const std::string& path = file.path;
  cli::InputFile input = open_regular(file);
  const auto len = static_cast<uint64_t>(input.status().st_size);
  if (len > kMostBytes) damaged(path);
  std::vector<uint8_t> text(len);
  text.resize(input.read_all(text));
  const Value top = cli::parse_json({reinterpret_cast<const char*>(text.data()), text.size()});
  if (top.is_discarded()) damaged(path);
  try {
    return work(top);
  } catch (const Value::exception&) {
    damaged(path);
  }
}

class ArrayReader {
 public:
  ArrayReader(const std::string& path, const Value& top) : path_(path), top_(top) {}

  ZarrArray read() {
    const bool is_3 = top_.at("zarr_format") == 3;
    if (!is_3 && top_.at("zarr_format") != 2) damaged(path_);
    if (is_3) read_3();
    else read_2();
    array_.fill = fill();
    return std::move(array_);
  }

 private:
  void read_2() {
    static constexpr std::string_view kCodes[] = {"u1", "i1", "u2", "i2", "u4", "i4", "f4", "f8"};
    if (top_.at("order") != "C") refuse(path_, tr("the array is in Fortran's order"), tr("save it in C's"));
    const Value& filters = top_.at("filters");
    if (!top_.at("compressor").is_null() || !(filters.is_null() || filters.empty())) packed();
    const std::string type = top_.at("dtype").get<std::string>();
    const auto code =
        std::find(std::begin(kCodes), std::end(kCodes), std::string_view(type).substr(type.empty() ? 0 : 1));
    if (type.size() != 3 || code == std::end(kCodes)) wrong_type(type);
    array_.element = {static_cast<ElementKind>(code - std::begin(kCodes)), type[0] == '>'};
    array_.separator = separator(top_, ".");
    take_sizes(top_.at("shape"), top_.at("chunks"));
  }

  void read_3() {
    const std::string type = top_.at("data_type").is_string() ? top_.at("data_type").get<std::string>() : "";
    const auto kind = element_of(type);
    if (!kind) wrong_type(type);
    const Value& codecs = top_.at("codecs");
    if (!codecs.is_array() || codecs.size() != 1 || codecs[0].at("name") != "bytes") packed();
    array_.element.kind = *kind;
    if (array_.element.size() > 1) {
      const auto endian = codecs[0].at("configuration").at("endian").get<std::string>();
      if (endian != "little" && endian != "big") damaged(path_);
      array_.element.is_big_endian = endian == "big";
    }
    const Value& grid = top_.at("chunk_grid");
    if (grid.at("name") != "regular") damaged(path_);
    const Value& keys = top_.at("chunk_key_encoding");
    const bool is_default = keys.at("name") == "default";
    if (!is_default && keys.at("name") != "v2") damaged(path_);
    const Value none = Value::object();
    array_.separator =
        separator(keys.contains("configuration") ? keys.at("configuration") : none, is_default ? "/" : ".");
    if (is_default) array_.prefix = "c" + array_.separator;
    take_sizes(top_.at("shape"), grid.at("configuration").at("chunk_shape"));
  }

  std::string separator(const Value& object, const std::string& usual) const {
    const std::string found = object.contains("dimension_separator")
                                  ? object.at("dimension_separator").get<std::string>()
                              : object.contains("separator") ? object.at("separator").get<std::string>()
                                                             : usual;
    if (found != "/" && found != ".") damaged(path_);
    return found;
  }

  // The last three dimensions; those before them, times and channels, must be one.
  void take_sizes(const Value& shape, const Value& chunk) {
    if (!shape.is_array() || !chunk.is_array() || shape.size() != chunk.size() || shape.size() > 5) damaged(path_);
    if (shape.size() < 3) refuse(path_, tr("an array of {1} dimensions", shape.size()), tr("three are needed"));
    const size_t before = shape.size() - 3;
    for (size_t i = 0; i < shape.size(); ++i) {
      if (!shape[i].is_number_unsigned() || !chunk[i].is_number_unsigned() || chunk[i] == 0) damaged(path_);
      if (i >= before) {
        array_.shape[i - before] = shape[i].get<uint64_t>();
        array_.chunk[i - before] = chunk[i].get<uint64_t>();
        continue;
      }
      if (shape[i] != 1 || chunk[i] != 1)
        refuse(path_, tr("has more than three dimensions"), tr("save one volume of it"));
      array_.prefix += "0" + array_.separator;
    }
    if (!product({array_.chunk[0], array_.chunk[1], array_.chunk[2], array_.element.size()})) damaged(path_);
  }

  float fill() const {
    const Value& value = top_.at("fill_value");
    if (value.is_null()) return 0;
    if (value == "NaN") return NAN;
    if (value == "Infinity") return INFINITY;
    if (value == "-Infinity") return -INFINITY;
    return static_cast<float>(value.get<double>());
  }

  [[noreturn]] void packed() const {
    refuse(path_, tr("its chunks are packed or filtered"), tr("save the array without compressor and filters"));
  }
  [[noreturn]] void wrong_type(const std::string& type) const {
    refuse(path_, tr("numbers of the type {1}", quote_name(type)), tr("save them as float32"));
  }

  const std::string& path_;
  const Value& top_;
  ZarrArray array_;
};

class ZarrVolume : public VolumeReader {
 public:
  explicit ZarrVolume(const std::string& folder) : top_(folder), folder_(folder) {
    name_ = quote_name(folder);
    find_array();
    const std::string file = folder_ + (exists(folder_ + "/zarr.json") ? "/zarr.json" : "/.zarray");
    array_ = read_zarr_array({file, top_});
    shape_ = array_.shape;
    const auto chunks = [&](size_t i) { return shape_[i] / array_.chunk[i] + (shape_[i] % array_.chunk[i] != 0); };
    if (const auto num = product({chunks(1), chunks(2)}); !num || *num > kMostChunks)
      refuse(folder_, tr("a slice has more than {1} chunks", kMostChunks), tr("save the array in larger chunks"));
  }

  void read(float* slice, size_t index) override {
    const auto& chunk = array_.chunk;
    const uint64_t rows = shape_[1], columns = shape_[2];
    for (uint64_t y = 0; y * chunk[1] < rows; ++y) {
      for (uint64_t x = 0; x * chunk[2] < columns; ++x) {
        const std::string path = folder_ + "/" + array_.prefix + std::to_string(index / chunk[0]) + array_.separator +
                                 std::to_string(y) + array_.separator + std::to_string(x);
        const uint64_t height = std::min(chunk[1], rows - y * chunk[1]),
                       width = std::min(chunk[2], columns - x * chunk[2]);
        std::optional<ArrayFile> file;
        if (exists(path)) file = ArrayFile::plain({path, top_}, array_.element, 0, chunk);
        for (uint64_t j = 0; j < height; ++j) {
          float* const row = slice + (y * chunk[1] + j) * columns + x * chunk[2];
          if (file) file->read(row, (index % chunk[0] * chunk[1] + j) * chunk[2], width);
          else std::fill_n(row, width, array_.fill);
        }
      }
    }
  }

 private:
  // Goes from a group to the first, finest, array of its multiscales.
  void find_array() {
    const bool is_3 = exists(folder_ + "/zarr.json");
    if (!is_3 && exists(folder_ + "/.zarray")) return;
    const std::string file = folder_ + (is_3 ? "/zarr.json" : "/.zattrs");
    std::string path;
    from_json({file, top_}, [&](const Value& top) {
      if (is_3 && top.at("node_type") == "array") return;
      const Value none = Value::object();
      const Value& attributes = !is_3 ? top : top.contains("attributes") ? top.at("attributes") : none;
      const Value& image = attributes.contains("ome") ? attributes.at("ome") : attributes;
      if (!image.contains("multiscales"))
        refuse(folder_, tr("a Zarr group without \"multiscales\""), tr("name the folder of an image or an array"));
      const Value& scales = image.at("multiscales").at(0);
      path = scales.at("datasets").at(0).at("path").get<std::string>();
      read_scale(scales);
    });
    if (path.empty()) return;
    // A name below this folder, whatever the file says.
    if (path.find('\0') != path.npos) damaged(file);
    for (size_t begin = 0, end = 0; end != path.npos; begin = end + 1) {
      end = path.find('/', begin);
      const std::string part = path.substr(begin, end == path.npos ? end : end - begin);
      if (part.empty() || part == "." || part == "..") damaged(file);
    }
    folder_ += "/" + path;
  }

  // By what the transformations of an array, or of all arrays of an image, multiply a column's number.
  static double scale_of(const Value& object) {
    double product = 1;
    if (!object.contains("coordinateTransformations")) return product;
    for (const Value& step : object.at("coordinateTransformations"))
      if (step.at("type") == "scale") product *= step.at("scale").at(step.at("scale").size() - 1).get<double>();
    return product;
  }

  // The size of a voxel in the plane and the unit of the values, where they are said.
  void read_scale(const Value& scales) {
    const Value none;
    const Value& axes = scales.contains("axes") ? scales.at("axes") : none;
    const Value& first = scales.at("datasets").at(0);
    if (axes.is_array() && !axes.empty() && axes.back().is_object() && axes.back().value("unit", "") == "millimeter" &&
        first.contains("coordinateTransformations")) {
      const double scale = scale_of(first) * scale_of(scales);
      if (std::isfinite(scale) && scale > 0) pixel_mm_ = scale;
    }
    if (scales.contains("metadata") && scales.at("metadata").is_object() && scales.at("metadata").contains("unit"))
      unit_ = scales.at("metadata").at("unit").get<std::string>();
  }

  const std::string top_;  // nothing leads out of it
  std::string folder_;
  ZarrArray array_;
};

}  // namespace

ZarrArray read_zarr_array(const FileName& file) {
  return from_json(file, [&](const Value& top) { return ArrayReader(file.path, top).read(); });
}

bool is_zarr(const std::string& folder) {
  return exists(folder + "/zarr.json") || exists(folder + "/.zarray") || exists(folder + "/.zgroup");
}

std::unique_ptr<VolumeReader> open_zarr(const std::string& folder) { return std::make_unique<ZarrVolume>(folder); }

}  // namespace vsh::tomo
