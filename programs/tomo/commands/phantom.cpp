// `vershina tomo phantom`: a test scan of a known object.
#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <optional>
#include <vector>

#include "programs/common/files/ordered_map.hpp"
#include "programs/common/files/output_file.hpp"
#include "programs/common/options/option_values.hpp"
#include "programs/common/system/console.hpp"
#include "programs/common/system/machine.hpp"
#include "programs/common/system/progress.hpp"
#include "programs/common/text/failure.hpp"
#include "programs/common/text/text.hpp"
#include "programs/common/text/translate.hpp"
#include "programs/tomo/commands/commands.hpp"
#include "programs/tomo/commands/numbers.hpp"
#include "programs/tomo/commands/room.hpp"
#include "programs/tomo/formats/hdf5_frame.hpp"
#include "programs/tomo/phantom/faults.hpp"
#include "programs/tomo/phantom/object_file.hpp"
#include "programs/tomo/volumes/volume_writer.hpp"

namespace vsh::tomo {
namespace {

using cli::ExitCode;
using cli::Failure;
using cli::tr;

constexpr size_t kNumWhites = 10, kNumDarks = 10;

struct PhantomSettings {
  std::string output, object = "shepp-logan", volume;
  size_t size = 256, rows = 0, projections = 0;
  std::optional<double> range, first, shift, row_shift, noise, counts, peak, fan, cone, pixel;
  size_t rings = 0, zingers = 0;
  uint64_t seed = 1;
  unsigned threads = 0;
  bool force = false, quiet = false, no_progress = false;
};

class PhantomCommand {
 public:
  explicit PhantomCommand(const PhantomSettings& settings) : settings_(settings) {
    const bool is_flat = settings.object == "shepp-logan";
    if (is_flat) object_ = shepp_logan();
    else if (settings.object == "shepp-logan-3d") object_ = shepp_logan_3d();
    else object_ = read_object(settings.object);
    rows_ = settings.rows > 0 ? settings.rows : is_flat ? 1 : settings.size;
    angles_.resize(settings.projections > 0 ? settings.projections : settings.size);
    half_ = static_cast<double>(settings.size) / 2;
    detector_ = {settings.size, static_cast<double>(settings.size - 1) / 2 + settings.shift.value_or(0), half_,
                 settings.fan.value_or(settings.cone.value_or(0)), settings.cone.has_value()};
    if (detector_.source_distance > 0 && detector_.source_distance <= half_ * std::numbers::sqrt2)
      throw Failure(ExitCode::usage, tr("{1}: the source is in the slice", settings.cone ? "--cone" : "--fan"),
                    tr("give more than {1} bins", shown(half_ * std::numbers::sqrt2)));
    const double range = settings.range.value_or(detector_.source_distance > 0 ? 360 : 180);
    for (size_t i = 0; i < angles_.size(); ++i)
      angles_[i] = settings.first.value_or(0) + range * static_cast<double>(i) / static_cast<double>(angles_.size());
    if (detector_.source_distance > 0) check_source();
    faults_ = {
        settings.noise.value_or(0), settings.counts.value_or(0), 1, settings.rings, settings.zingers, settings.seed};
    if (faults_.counts > 0) faults_.scale = settings.peak.value_or(2) / greatest();
  }

  void run() {
    const uint64_t frame = uint64_t{rows_} * settings_.size;
    const uint64_t frames = faults_.counts > 0 ? 20 * frame * 24 : 0;
    cli::check_memory(std::max(frames + 12 * frame, 12 * uint64_t{settings_.size} * settings_.size), tr("this scan"));
    check_disk(settings_.output, 4 * frame * angles_.size());
    if (!settings_.volume.empty()) check_disk(settings_.volume, 4 * frame * settings_.size);
    // Both outputs are opened before the work begins.
    cli::OutputFile output(settings_.output, settings_.force, cli::Content::binary, {});
    std::optional<cli::OutputFile> volume;
    if (!settings_.volume.empty())
      volume.emplace(settings_.volume, settings_.force, cli::Content::binary, std::vector<cli::ReadFile>());
    if (volume && volume->is_same_as(output))
      throw Failure(ExitCode::usage, tr("--output and --volume are one file"), tr("give them two names"));
    write_scan(output);
    if (volume) write_volume(*volume);
    const bool is_file = !output.is_direct();
    output.commit();
    if (is_file)
      cli::print_done(
          tr("{1} written: {2} projections of {3} x {4}", output.name(), angles_.size(), rows_, settings_.size));
  }

 private:
  void check_source() const {
    for (const Ellipsoid& part : object_)
      if ((std::hypot(part.x, part.y) + std::max(part.a, part.b)) * half_ >= detector_.source_distance)
        throw Failure(ExitCode::usage,
                      tr("{1}: the object reaches as far as the source", detector_.is_cone ? "--cone" : "--fan"),
                      tr("give more bins, or a smaller object"));
  }

  // The row that is level with the source of a cone, or the middle of the object.
  double source_row() const { return static_cast<double>(rows_ - 1) / 2 + settings_.row_shift.value_or(0); }
  double height(size_t row) const { return (static_cast<double>(row) - source_row()) / half_; }

  // The greatest line integral, nearly: of some angles and rows.
  double greatest() const {
    std::vector<float> row(settings_.size);
    float most = 0;
    for (size_t i = 0; i < 64; ++i) {
      const size_t angle = i * angles_.size() / 64, z = rows_ * (i % 8) / 8 + rows_ / 16;
      project(row.data(), object_, detector_, angles_[angle] * std::numbers::pi / 180, height(std::min(z, rows_ - 1)));
      for (const float value : row) most = std::max(most, value);
    }
    if (!(most > 0)) throw Failure(ExitCode::usage, tr("the object absorbs nothing"), tr("give it a density above 0"));
    return most;
  }

  void write_scan(cli::OutputFile& output) {
    const FaultMaker maker(faults_, rows_, settings_.size);
    Hdf5Layout layout;
    const std::string data = "/exchange/data";
    layout.texts = {{"/implements", "exchange:process"}};
    layout.arrays = {{"/exchange/theta", {angles_.size()}, angles_},
                     {"/process/vershina/centre", {}, {detector_.centre}},
                     {"/process/vershina/scale", {}, {faults_.scale}}};
    if (settings_.pixel) layout.arrays.push_back({"/process/vershina/pixel_mm", {}, {*settings_.pixel}});
    if (detector_.source_distance > 0)
      layout.arrays.push_back({"/process/vershina/source_distance", {}, {detector_.source_distance}});
    if (detector_.is_cone) layout.arrays.push_back({"/process/vershina/source_row", {}, {source_row()}});
    layout.attributes = {{data, "axes", "theta:y:x"}, {"/exchange/theta", "units", "degrees"}};
    if (faults_.counts > 0) {
      add_frames(layout, "/exchange/data_white", kNumWhites, [&](float* out, size_t i) { maker.white(out, i); });
      add_frames(layout, "/exchange/data_dark", kNumDarks, [&](float* out, size_t i) { maker.dark(out, i); });
      layout.attributes.push_back({data, "units", "counts"});
    }
    layout.path = data;
    layout.sizes = {angles_.size(), rows_, settings_.size};
    const Hdf5Frame frame = hdf5_frame(layout);
    const size_t len = rows_ * settings_.size;
    cli::Progress progress(is_shown(), output.name(), frame.len);
    output.write(frame.head);
    const auto make = [&](size_t angle) {
      std::vector<float> projection(len);
      for (size_t row = 0; row < rows_; ++row)
        project(projection.data() + row * settings_.size, object_, detector_, angles_[angle] * std::numbers::pi / 180,
                height(row));
      maker.apply(projection.data(), angle);
      return projection;
    };
    make_in_order(angles_.size(), len, make, [&](size_t, const std::vector<float>& projection) {
      Bytes bytes;
      put_floats(bytes, projection.data(), len);
      output.write(bytes);
      progress.add(bytes.size());
    });
    output.write(frame.tail);
  }

  // Makes `num` pieces of `len` floats, on no more threads than have room for their pieces.
  template <class Make, class Take>
  void make_in_order(size_t num, size_t len, Make&& make, Take&& take) const {
    const uint64_t room = std::max<uint64_t>(1, cli::free_memory() / 4 / (16 * uint64_t{len}));
    const unsigned threads = settings_.threads > 0 ? settings_.threads : cli::default_threads();
    size_t next = 0;
    const auto index = [&] { return next < num ? std::optional(next++) : std::nullopt; };
    cli::in_order(static_cast<unsigned>(std::min<uint64_t>(threads, room)), index, make, take);
  }

  template <class Make>
  void add_frames(Hdf5Layout& layout, const std::string& path, size_t num, Make make) const {
    std::vector<float> frame(rows_ * settings_.size);
    Hdf5Layout::Array array{path, {num, rows_, settings_.size}, {}, true};
    for (size_t i = 0; i < num; ++i) {
      make(frame.data(), i);
      array.numbers.insert(array.numbers.end(), frame.begin(), frame.end());
    }
    layout.arrays.push_back(std::move(array));
  }

  void write_volume(cli::OutputFile& output) {
    VolumeInfo info;
    info.num_slices = rows_;
    info.size = settings_.size;
    info.pixel_mm = settings_.pixel;
    info.history = {{"object", settings_.object}};
    const auto writer = new_file_writer(VolumeFormat::hdf5, output, info, {});
    cli::Progress progress(is_shown(), output.name(), 4 * info.num_values());
    const size_t len = info.size * info.size;
    const auto make = [&](size_t z) {
      std::vector<float> slice(len);
      rasterise(slice.data(), object_, info.size, half_, height(z), 8);
      for (float& value : slice) value *= static_cast<float>(faults_.scale);
      return slice;
    };
    make_in_order(rows_, len, make, [&](size_t z, const std::vector<float>& slice) {
      writer->write(slice.data(), z, 1);
      progress.add(4 * len);
    });
    writer->commit();
  }

  bool is_shown() const { return !settings_.quiet && !settings_.no_progress; }

  const PhantomSettings& settings_;
  Object object_;
  size_t rows_ = 1;
  std::vector<double> angles_;  // degrees
  double half_ = 0;
  Detector detector_{};
  Faults faults_;
};

constexpr const char* kPhantomExamples =
    cli::mark(R"(The scan is Data Exchange HDF5 with its centre of rotation. Without --counts it has line integrals,
each the mean over its bin; with it counts of photons, with 10 frames without object and 10 without beam.
A file of ellipsoids has lines of density, half axes a, b, c, centre x, y, z (in half widths of the
slice), and a turn in degrees; # begins a comment. The same options make the same numbers.

Examples:
  vershina tomo phantom -o scan.h5
  vershina tomo phantom --object shepp-logan-3d --size 128 --projections 200 -o scan.h5
  vershina tomo phantom --counts 20000 --rings 12 --shift 3.5 --seed 7 -o raw.h5
  vershina tomo phantom --fan 600 --volume true.h5 -o fan.h5
  vershina tomo phantom --object shepp-logan-3d --size 128 --cone 300 --volume true.h5 -o cone.h5)");

}  // namespace

void add_phantom_command(cli::Program& program) {
  cli::Command& command = program.add_command("phantom", tr("Make a test scan of a known object"));
  const auto settings = std::make_shared<PhantomSettings>();
  command.add_option("-o,--output", settings->output, "SCAN", tr("The file to write, or - for standard output"))
      ->required();
  command
      .add_option("--object", settings->object, "NAME|FILE",
                  tr("shepp-logan, shepp-logan-3d or a file of ellipsoids (default: shepp-logan)"))
      ->manual(
          "`shepp-logan` (default), `shepp-logan-3d`, or a file of ellipsoids: lines of density, half axes "
          "a, b, c, centre x, y, z in half widths of the slice, and a turn in degrees.")
      ->offers([] {
        return cli::Texts{"shepp-logan", "shepp-logan-3d"};
      });
  cli::add_number(command, "--size", settings->size, {.min = 8, .max = 16384}, tr("Bins of a row (default: 256)"));
  cli::add_number(command, "--rows", settings->rows, {.min = 1, .max = 16384},
                  tr("Rows of the detector (default: 1, of an object with depth as --size)"));
  cli::add_number(command, "--projections", settings->projections, {.min = 1, .max = 65536},
                  tr("Number of projections (default: as --size)"));
  add_signed(command, "--range", settings->range, -3600, 3600, "DEGREES",
             tr("They are spread over this (default: 180; of a fan or cone 360); its end is not one of them"));
  add_signed(command, "--first-angle", settings->first, -3600, 3600, "DEGREES", tr("The first angle (default: 0)"));
  add_signed(command, "--shift", settings->shift, -8192, 8192, "BINS",
             tr("Shift the axis of rotation from the middle of the rows"));
  auto* const flat = add_positive(command, "--fan", settings->fan, 8, 1e6, "BINS",
                                  tr("A fan beam whose source is as far from the axis (default: parallel)"));
  auto* const cone = add_positive(command, "--cone", settings->cone, 8, 1e6, "BINS", tr("A cone beam, likewise"));
  cone->excludes(flat);
  add_signed(command, "--row-shift", settings->row_shift, -8192, 8192, "ROWS",
             tr("For a cone: shift the row that is level with the source from the middle one"))
      ->needs(cone);
  add_positive(command, "--noise", settings->noise, 0, 1e6, "SIGMA",
               tr("Add normal noise of this deviation to the line integrals"));
  add_positive(command, "--counts", settings->counts, 1, 1e7, "N", tr("Make counts, of N photons a bin without object"))
      ->manual(
          "Counts of photons instead of line integrals, N without object, with 10 frames without object and "
          "10 without beam.");
  add_positive(command, "--peak", settings->peak, 0.01, 20, "P",
               tr("The greatest line integral, where --counts is given (default: 2)"));
  cli::add_number(command, "--rings", settings->rings, {.max = 16384}, tr("Bins with a wrong gain, which make rings"));
  cli::add_number(command, "--zingers", settings->zingers, {.max = 1000000}, tr("Zingers in each projection"));
  cli::add_number(command, "--seed", settings->seed, {}, tr("Seed of random numbers (default: 1)"));
  add_positive(command, "--pixel", settings->pixel, 1e-9, 1e6, "MM", tr("The width of a bin, in millimetres"));
  command.add_option("--volume", settings->volume, "FILE", tr("Write the object itself, too, as HDF5"));
  cli::add_number(command, "-t,--threads", settings->threads, {.min = 1, .max = 256},
                  tr("Use at most N threads (default: all processors)"));
  command.add_flag("-f,--force", settings->force, tr("Replace existing files"));
  command.add_flag("-q,--quiet", settings->quiet, tr("Show no progress bar, and do not say what was written"));
  command.add_flag("--no-progress", settings->no_progress, tr("Show no progress bar"));
  command.footer(tr(kPhantomExamples));
  command.exit_status({ExitCode::ok, ExitCode::usage, ExitCode::input, ExitCode::output, ExitCode::closed_pipe});
  command.action([settings] { PhantomCommand(*settings).run(); });
}

}  // namespace vsh::tomo
