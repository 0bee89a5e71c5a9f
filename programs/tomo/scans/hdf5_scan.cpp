#include "programs/tomo/scans/hdf5_scan.hpp"

#include "programs/common/text/failure.hpp"
#include "programs/common/text/text.hpp"
#include "programs/common/text/translate.hpp"
#if VSH_WITH_HDF5
#include <algorithm>
#include <cmath>
#include <numbers>

#include "programs/tomo/formats/elements.hpp"
#include "programs/tomo/formats/hdf5_file.hpp"
#endif

namespace vsh::tomo {

void refuse_hdf5(const std::string& path) {
  throw cli::Failure(cli::ExitCode::input, cli::tr("{1}: this program was built without HDF5", cli::quote_name(path)),
                     cli::tr("convert it to NumPy or TIFF"));
}

#if VSH_WITH_HDF5
namespace {

using cli::quote_name;
using cli::tr;

constexpr size_t kMostGroups = 10000, kMostNames = 20;  // that are looked at for entries; of entries in a message

double degrees_per(const std::string& unit, const Hdf5File& file) {
  const std::string word = cli::lower_case(unit);
  if (word.empty() || word.starts_with("deg") || word == "°") return 1;
  if (word.starts_with("rad")) return 180 / std::numbers::pi;
  file.refuse(tr("angles in the unit {1}", quote_name(unit)), tr("degrees and radians are known"));
}

double mm_per(const std::string& unit, const Hdf5File& file) {
  const std::string word = cli::lower_case(unit);
  if (word == "mm" || word.starts_with("millim")) return 1;
  if (word.empty() || word == "m" || word.starts_with("met")) return 1000;  // the default of NeXus
  if (word == "um" || word == "µm" || word == "μm" || word.starts_with("micro")) return 1e-3;
  if (word == "cm" || word.starts_with("centim")) return 10;
  if (word == "nm" || word.starts_with("nanom")) return 1e-6;
  file.refuse(tr("a length in the unit {1}", quote_name(unit)));
}

// Sorts frames [frame][row][bin] of one data set into projections, whites and darks. Frames are read in runs.
class Hdf5Scan : public Scan {
 public:
  Hdf5Scan(const std::string& path, const std::string& wanted) : file_(path) {
    info_.name = file_.name();
    const bool is_exchange = file_.has("exchange/data");
    if (is_exchange && wanted.empty()) open_data_exchange();
    else if (const std::string entry = choose_entry(wanted); !entry.empty()) open_nxtomo(entry);
    else
      file_.refuse(tr("is neither a Data Exchange file (/exchange/data) nor NeXus (NXtomo)"),
                   tr("see its contents with `h5ls -r`"));
  }

  std::vector<cli::ReadFile> sources() const override { return {file_.file()}; }
  void read(float* out, size_t first, size_t num_rows) override { read_turned(data_, out, first, num_rows); }
  void read_whites(float* out, size_t first, size_t num_rows) override { read_turned(whites_, out, first, num_rows); }
  void read_darks(float* out, size_t first, size_t num_rows) override { read_turned(darks_, out, first, num_rows); }

 private:
  struct Run {
    uint64_t first, num;
  };
  struct Frames {
    std::string path;
    bool is_flat = false;  // one frame, without the dimension of frames
    std::vector<Run> runs;
    size_t num() const {
      size_t sum = 0;
      for (const Run& run : runs) sum += run.num;
      return sum;
    }
    void add(uint64_t frame) {
      if (!runs.empty() && runs.back().first + runs.back().num == frame) ++runs.back().num;
      else runs.push_back({frame, 1});
    }
  };

  void open_data_exchange() {
    info_.format = "Data Exchange (HDF5)";
    const std::string path = "exchange/data";
    const Sizes sizes = file_.sizes(path);
    if (sizes.size() != 3)
      file_.refuse(tr("/exchange/data has {1} dimensions", sizes.size()), tr("three are needed: angles, rows, bins"));
    const std::string axes = file_.attribute(path, "axes");
    if (!axes.empty() && axes != "theta:y:x")
      file_.refuse(tr("the axes of /exchange/data are {1}", quote_name(axes)),
                   axes == "z:y:x" ? tr("this is a volume, not a scan") : tr("they must be theta:y:x"));
    take_sizes(path, sizes);
    data_ = {path, false, {{0, sizes[0]}}};
    info_.attempt(Part::whites, [&] { whites_ = frames_of("exchange/data_white"); });
    info_.attempt(Part::darks, [&] { darks_ = frames_of("exchange/data_dark"); });
    info_.num_whites = whites_.num();
    info_.num_darks = darks_.num();
    if (file_.has("exchange/theta"))
      info_.attempt(Part::angles, [&] {
        info_.angles = file_.numbers("exchange/theta", kMostAngles);
        scale_angles(file_.attribute("exchange/theta", "units"));
      });
    // Fields of this program's phantoms; Data Exchange has no names for them.
    info_.centre = file_.number("process/vershina/centre");
    info_.pixel_mm = file_.number("process/vershina/pixel_mm");
    if (const auto distance = file_.number("process/vershina/source_distance")) take_distance(*distance);
    if (const auto row = file_.number("process/vershina/source_row")) {
      if (info_.beam == VSH_TOMO_PARALLEL || !std::isfinite(*row)) file_.refuse(tr("a source row that is none"));
      info_.beam = VSH_TOMO_CONE;
      info_.source_row = *row;
    }
  }

  void take_distance(double distance) {
    if (!std::isfinite(distance) || !(distance > 0)) file_.refuse(tr("a source distance that is not above 0"));
    info_.beam = VSH_TOMO_FAN;
    info_.source_distance = distance;
  }

  void take_sizes(const std::string& path, const Sizes& sizes) {
    info_.num_angles = sizes[0], info_.num_rows = sizes[1], info_.num_bins = sizes[2];
    info_.element = file_.element(path);
  }

  // Whites or darks: of three dimensions, or one frame of two.
  Frames frames_of(const std::string& path) const {
    if (!file_.has(path)) return {};
    Sizes sizes = file_.sizes(path);
    const bool is_flat = sizes.size() == 2;
    if (is_flat) sizes.insert(sizes.begin(), 1);
    if (sizes.size() != 3 || sizes[1] != info_.num_rows || sizes[2] != info_.num_bins || sizes[0] > kMostAngles)
      file_.refuse(tr("{1} does not have the size of the projections, {2} x {3}", quote_name("/" + path),
                      info_.num_rows, info_.num_bins),
                   tr("it must be of the same detector"));
    if (sizes[0] == 0) return {};
    return {path, is_flat, {{0, sizes[0]}}};
  }

  void scale_angles(const std::string& unit) {
    const double scale = degrees_per(unit, file_);
    for (double& angle : info_.angles) angle *= scale;
  }

  // Paths of groups with the definition NXtomo, two levels deep.
  std::vector<std::string> find_nxtomo() const {
    std::vector<std::string> entries;
    size_t num_seen = 0;
    const auto take = [&](const std::string& path) {
      const bool is_one = file_.text(path + "/definition") == "NXtomo";
      if (is_one) entries.push_back(path);
      return is_one;
    };
    for (const std::string& entry : file_.members("/")) {
      if (!file_.is_group(entry) || take(entry)) continue;
      for (const std::string& inner : file_.members(entry)) {
        if (++num_seen > kMostGroups) return entries;
        (void)take(entry + "/" + inner);
      }
    }
    return entries;
  }

  // The entry of that name, or the first; empty: there is none.
  std::string choose_entry(const std::string& wanted) {
    const std::vector<std::string> entries = find_nxtomo();
    if (entries.empty() && wanted.empty()) return {};
    std::string names;
    for (size_t i = 0; i < entries.size() && i < kMostNames; ++i)
      names += (i == 0 ? "" : ", ") + quote_name(entries[i]);
    if (entries.size() > kMostNames) names += ", ...";
    const std::string path = wanted.starts_with('/') ? wanted.substr(1) : wanted;
    if (!wanted.empty() && std::find(entries.begin(), entries.end(), path) == entries.end())
      file_.refuse(tr("has no entry {1}", quote_name(wanted)),
                   entries.empty() ? tr("leave --entry out") : tr("it has {1}", names));
    if (entries.size() > 1 && wanted.empty())
      info_.notes.push_back(
          tr("it has {1} scans, {2}: the first is taken, --entry chooses another", entries.size(), names));
    return wanted.empty() ? entries.front() : path;
  }

  // The member of that NeXus class, by name first.
  std::string find_class(const std::string& group, const std::string& name, const std::string& nx_class) const {
    if (file_.is_group(group + "/" + name)) return group + "/" + name;
    if (file_.is_group(group))
      for (const std::string& member : file_.members(group))
        if (file_.is_group(group + "/" + member) && file_.attribute(group + "/" + member, "NX_class") == nx_class)
          return group + "/" + member;
    file_.refuse(tr("{1} has no group of the class {2}", quote_name("/" + group), nx_class),
                 tr("is it a whole NXtomo file?"));
  }

  void open_nxtomo(const std::string& entry) {
    info_.format = "NeXus NXtomo (HDF5)";
    const std::string detector = find_class(find_class(entry, "instrument", "NXinstrument"), "detector", "NXdetector");
    const std::string sample = find_class(entry, "sample", "NXsample");
    const std::string path = detector + "/data";
    const Sizes sizes = file_.sizes(path);
    if (sizes.size() != 3)
      file_.refuse(tr("{1} has {2} dimensions", quote_name("/" + path), sizes.size()),
                   tr("three are needed: angles, rows, bins"));
    if (sizes[0] > 2 * kMostAngles) file_.refuse(tr("it has {1} frames", sizes[0]));
    take_sizes(path, sizes);
    data_.path = whites_.path = darks_.path = path;
    sort_frames(detector, sample, sizes[0]);
    info_.num_angles = data_.num();
    info_.num_whites = whites_.num();
    info_.num_darks = darks_.num();
    info_.attempt(Part::pixel, [&] {
      const auto size = length_in_mm(detector + "/x_pixel_size");
      if (size && std::isfinite(*size) && *size > 0) info_.pixel_mm = size;
    });
    info_.attempt(Part::motion, [&] { find_turns(entry, detector); });
    info_.attempt(Part::centre, [&] { find_centre(entry, detector); });
    info_.attempt(Part::motion, [&] {
      for (const std::string& part : {sample, detector})
        for (const std::string axis : {"x", "y", "z"})
          for (const std::string& name : {axis + "_translation", "transformations/" + axis, "transformations/t" + axis})
            find_motion(part + "/" + name, sizes[0]);
    });
  }

  std::optional<double> length_in_mm(const std::string& path) const {
    const auto length = file_.number(path);
    return length ? std::optional(*length * mm_per(file_.attribute(path, "units"), file_)) : std::nullopt;
  }

  void sort_frames(const std::string& detector, const std::string& sample, uint64_t num) {
    std::vector<double> keys(num, 0), control(num, 0);
    const auto read_keys = [&](const std::string& path, std::vector<double>& out) {
      if (file_.has(path)) out = file_.numbers(path, 2 * kMostAngles);
      if (out.size() != num)
        file_.refuse(tr("{1} frames and {2} image keys", num, out.size()), tr("there must be as many of each"));
    };
    read_keys(detector + "/image_key", keys);
    read_keys(detector + "/image_key_control", control);
    std::vector<uint64_t> places;  // of projections
    size_t num_aligned = 0;
    for (uint64_t i = 0; i < num; ++i) {
      if (keys[i] == 0 && control[i] == -1) ++num_aligned;  // projections again, when the object may have moved
      else if (keys[i] == 0) data_.add(i), places.push_back(i);
      else if (keys[i] == 1) whites_.add(i);
      else if (keys[i] == 2) darks_.add(i);
      else ++info_.num_dropped;
    }
    info_.num_dropped += num_aligned;
    if (num_aligned > 0)
      info_.notes.push_back(cli::tr_count(num_aligned, "{1} frame taken for alignment is left out",
                                          "{1} frames taken for alignment are left out"));
    info_.attempt(Part::angles, [&] {
      const std::string path = sample + "/rotation_angle";
      info_.angles = file_.numbers(path, 2 * kMostAngles);
      if (info_.angles.size() == num && num > places.size()) {  // of all frames; else of projections
        std::vector<double> all(places.size());
        for (size_t i = 0; i < places.size(); ++i) all[i] = info_.angles[places[i]];
        info_.angles = std::move(all);
      }
      scale_angles(file_.attribute(path, "units"));
    });
  }

  // Returns scale * the first value of a detector's property, 0 of none; the others may differ by less than `most`.
  double constant(const std::string& path, double scale, double most) const {
    const std::vector<double> values = file_.numbers(path, 2 * kMostAngles);
    for (const double other : values)
      if (!(std::fabs(other - values[0]) * scale < most))
        file_.refuse(tr("{1} is not constant", quote_name("/" + path)), tr("the detector must not turn during a scan"));
    return values.empty() ? 0 : values[0] * scale;
  }

  // The detector's picture is turned over: left to right, or upside down. Writers before the group of transformations
  // say it in words; those before NXtomo's coordinates (McStas: z along the beam, y up) have x along the beam, z up.
  void find_turns(const std::string& entry, const std::string& detector) {
    const auto is_set = [&](const std::string& path) {
      const std::string word = cli::lower_case(file_.text(path).value_or(""));
      if (word == "true" || word == "false") return word == "true";
      return file_.has(path) && constant(path, 1, 0.5) != 0;
    };
    bool is_mirrored = is_set(detector + "/x_flipped"), is_upside_down = is_set(detector + "/y_flipped");
    const std::string group = detector + "/transformations/";
    const bool has_z_up = file_.attribute(entry, "NeXus_Coordinate_System") != "McStas";
    for (const char axis : {'x', 'y', 'z'}) {
      const std::string path = group + "r" + axis;
      if (!file_.has(path)) continue;
      const double turn = std::remainder(constant(path, degrees_per(file_.attribute(path, "units"), file_), 1e-3), 360);
      const bool is_vertical = axis == (has_z_up ? 'z' : 'y'), is_beam = axis == (has_z_up ? 'x' : 'z');
      if (std::fabs(std::fabs(turn) - 180) < 1e-3) {
        if (is_vertical || is_beam) is_mirrored = !is_mirrored;
        if (!is_vertical) is_upside_down = !is_upside_down;
      } else if (std::fabs(turn) >= 1e-3) {
        info_.notes.push_back(
            tr("the detector is turned by {1} degrees, which is not taken into account", shown(turn)));
      }
    }
    is_mirrored_ = is_mirrored, is_upside_down_ = is_upside_down;
    if (is_mirrored_) info_.notes.push_back(tr("its pictures are mirrored: left and right are exchanged"));
    if (is_upside_down_) info_.notes.push_back(tr("its pictures are upside down: rows count from below"));
  }

  // The NeXus field does not say where it counts from. Facilities count from the first bin; programs of the ESRF, which
  // leave the attribute `definition` in the entry, and an older name of the field, from the middle.
  void find_centre(const std::string& entry, const std::string& detector) {
    std::string path = detector + "/x_rotation_axis_pixel_position";
    const bool is_old = !file_.has(path);
    if (is_old) path = detector + "/estimated_cor_from_motor";
    const auto read = file_.number(path);
    if (!read || std::isnan(*read)) return;  // not known
    const double value = *read, bins = static_cast<double>(info_.num_bins), quarter = bins / 4;
    const bool from_middle = is_old || file_.attribute(entry, "definition") == "NXtomo";
    const bool is_half = file_.text(detector + "/field_of_view") == "Half";
    // With half a detector the axis is near an end: below a quarter from the first bin, above it from the middle.
    if (from_middle != is_half ? value > quarter && value <= bins / 2 : !from_middle && value < quarter)
      file_.refuse(
          tr("{1} is {2}, and may count from the first bin or from the middle", quote_name("/" + path), shown(value)));
    info_.centre = from_middle ? (bins - 1) / 2 + value : value;
    if (is_mirrored_) info_.centre = bins - 1 - *info_.centre;
    if (from_middle)
      info_.notes.push_back(tr("its axis of rotation counts from the middle of the detector: {1} is bin {2}",
                               shown(value), shown(*info_.centre)));
  }

  // Moved as a whole, the object is elsewhere in the slices; moved during the scan, it is in none.
  void find_motion(const std::string& path, uint64_t num) {
    if (!file_.has(path)) return;
    std::vector<double> places = file_.numbers(path, 2 * kMostAngles);
    if (places.size() == num) {  // of all frames: those without object may be taken elsewhere
      std::vector<double> of_data;
      for (const Run& run : data_.runs) {
        const auto first = places.begin() + static_cast<ptrdiff_t>(run.first);
        of_data.insert(of_data.end(), first, first + static_cast<ptrdiff_t>(run.num));
      }
      places = std::move(of_data);
    }
    std::erase_if(places, [](double place) { return !std::isfinite(place); });  // not known, as GDA writes it
    if (places.empty()) return;
    const auto [least, most] = std::minmax_element(places.begin(), places.end());
    if (*most == *least) return;
    const double scale = mm_per(file_.attribute(path, "units"), file_);
    info_.motions.push_back({path, (*most - *least) * scale, std::fabs(*most * scale)});
  }

  void read_all(const Frames& frames, float* out, size_t first, size_t num_rows) const {
    for (const Run& run : frames.runs) {
      if (frames.is_flat) file_.read(frames.path, out, {first, 0}, {num_rows, info_.num_bins});
      else file_.read(frames.path, out, {run.first, first, 0}, {run.num, num_rows, info_.num_bins});
      out += run.num * num_rows * info_.num_bins;
    }
  }

  void read_turned(const Frames& frames, float* out, size_t first, size_t num_rows) const {
    const size_t bins = info_.num_bins, num = frames.num();
    read_all(frames, out, is_upside_down_ ? info_.num_rows - first - num_rows : first, num_rows);
    for (size_t i = 0; i < num; ++i) {
      float* const frame = out + i * num_rows * bins;
      if (is_upside_down_)
        for (size_t row = 0; row < num_rows / 2; ++row)
          std::swap_ranges(frame + row * bins, frame + (row + 1) * bins, frame + (num_rows - 1 - row) * bins);
      if (is_mirrored_)
        for (size_t row = 0; row < num_rows; ++row) std::reverse(frame + row * bins, frame + (row + 1) * bins);
    }
  }

  Hdf5File file_;
  Frames data_, whites_, darks_;
  bool is_mirrored_ = false, is_upside_down_ = false;
};

}  // namespace

std::unique_ptr<Scan> open_hdf5_scan(const std::string& path, const std::string& entry) {
  return std::make_unique<Hdf5Scan>(path, entry);
}

bool is_hdf5_scan(const std::string& path) {
  const Hdf5File file(path);
  if (!file.has("exchange/data")) return true;
  const std::string axes = file.attribute("exchange/data", "axes");
  return axes.empty() ? file.has("exchange/theta") || file.has("exchange/data_white") : axes != "z:y:x";
}

#else

std::unique_ptr<Scan> open_hdf5_scan(const std::string& path, const std::string& /*entry*/) { refuse_hdf5(path); }
bool is_hdf5_scan(const std::string& path) { refuse_hdf5(path); }

#endif

}  // namespace vsh::tomo
