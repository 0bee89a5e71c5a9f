// `vershina tomo segment`: a class for each pixel of a volume, by a network of the user's.
#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "programs/common/options/option_values.hpp"
#include "programs/common/system/console.hpp"
#include "programs/common/system/machine.hpp"
#include "programs/common/system/progress.hpp"
#include "programs/common/text/failure.hpp"
#include "programs/common/text/text.hpp"
#include "programs/common/text/translate.hpp"
#include "programs/tomo/commands/commands.hpp"
#include "programs/tomo/commands/numbers.hpp"
#include "programs/tomo/commands/volume_output.hpp"
#include "programs/tomo/segmentation/network.hpp"
#include "programs/tomo/segmentation/onnx_model.hpp"
#include "programs/tomo/segmentation/tiles.hpp"
#include "programs/tomo/volumes/volume_reader.hpp"

namespace vsh::tomo {
namespace {

using cli::ExitCode;
using cli::Failure;
using cli::tr;

struct SegmentSettings {
  std::string volume, model, runtime, labels;
  VolumeOutput output;
  std::optional<Pair> range;
  std::optional<IndexRange> slices;
  std::optional<double> threshold, pixel;
  size_t tile = 0;
  std::optional<size_t> overlap;
  unsigned threads = 0;
  bool quiet = false, no_progress = false;
};

class SegmentCommand {
 public:
  explicit SegmentCommand(SegmentSettings& settings)
      : settings_(settings), reader_(open_volume(settings.volume)), model_(read_model(settings.model)) {
    const auto& shape = reader_->shape();
    if (shape[1] != shape[2])
      throw Failure(ExitCode::usage, tr("{1}: slices of {2} x {3}", reader_->name(), shape[1], shape[2]),
                    tr("only square ones can be written"));
    const IndexRange range = settings.slices.value_or(IndexRange{});
    first_ = range.first;
    end_ = range.end.value_or(shape[0]);
    if (first_ >= shape[0] || end_ > shape[0])
      throw Failure(ExitCode::usage, tr("--slices: the volume has slices 0 to {1}", shape[0] - 1),
                    tr("give FIRST:END with END at most {1}", shape[0]));
    mask_.num_slices = end_ - first_;
    mask_.size = shape[1];
    mask_.pixel_mm = settings.pixel ? settings.pixel : reader_->pixel_mm();
    mask_.unit = "class";
  }

  void run() {
    const unsigned threads = settings_.threads > 0 ? settings_.threads : cli::default_threads();
    // The model decides how much ONNX Runtime allocates; arenas of threads are address space, not memory.
    cli::limit_memory(cli::free_memory(), (threads + 4) * (uint64_t{128} << 20));
    Network network(model_, settings_.runtime, threads);
    choose_tiles(network);
    choose_labels(network.num_scores());
    settings_.output.check(mask_);
    settings_.output.ask();
    Tiling tiling(tiles_);
    std::string names;
    for (const std::string& label : mask_.labels) names += (names.empty() ? "" : ", ") + cli::quote_name(label);
    cli::print_note(tr("{1}: classes {2}; tiles of {3} x {3}, {4} for a slice; ONNX Runtime {5}, threads: {6}",
                       model_.name, names, tiles_.tile, tiling.num_tiles(), cli::quote_name(network.version()),
                       threads));
    describe();
    const auto writer = settings_.output.open(mask_, {0, 65535}, sources(), fingerprint());
    write(network, tiling, *writer);
    writer->commit();
    report();
  }

 private:
  void choose_tiles(const Network& network) {
    if (network.tile() > 0 && settings_.tile > 0 && settings_.tile != network.tile())
      throw Failure(ExitCode::usage, tr("--tile {1}: the model takes {2}", settings_.tile, network.tile()),
                    tr("leave --tile out"));
    tiles_.size = mask_.size;
    tiles_.tile = network.tile() > 0 ? network.tile() : settings_.tile > 0 ? settings_.tile : 256;
    tiles_.overlap = settings_.overlap.value_or(tiles_.tile / 4);
    if (tiles_.overlap > tiles_.tile / 2)
      throw Failure(ExitCode::usage, tr("--overlap {1}: tiles have {2} pixels", tiles_.overlap, tiles_.tile),
                    tr("give at most half of them"));
    tiles_.num_scores = network.num_scores();
    tiles_.threshold = settings_.threshold.value_or(0.5);
    if (settings_.threshold && network.num_scores() > 1)
      throw Failure(ExitCode::usage, tr("--threshold: the model has {1} classes", network.num_scores()),
                    tr("leave it out: the greatest score decides"));
    cli::check_memory(Tiling::memory(tiles_) + 8 * uint64_t{mask_.size} * mask_.size, reader_->name());
  }

  void choose_labels(size_t num_scores) {
    const bool is_given = !settings_.labels.empty();
    const size_t num = std::max<size_t>(2, num_scores);
    if (is_given || model_.labels)
      for (const std::string& label : cli::split({is_given ? settings_.labels : *model_.labels}, ','))
        mask_.labels.push_back(dicom_text(is_given ? "--labels" : model_.name, label, 64));
    else
      for (size_t i = 0; i < num; ++i) mask_.labels.push_back("class " + std::to_string(i));
    if (mask_.labels.size() != num)
      throw Failure(
          is_given ? ExitCode::usage : ExitCode::input,
          tr("{1}: {2} labels for {3} classes", is_given ? "--labels" : model_.name, mask_.labels.size(), num),
          tr("name all of them with --labels, as --labels air,bone"));
    counts_.resize(num);
  }

  void describe() {
    std::string labels;
    for (const std::string& label : mask_.labels) labels += (labels.empty() ? "" : ",") + label;
    mask_.history = {{"volume", settings_.volume},
                     {"model", settings_.model},
                     {"labels", labels},
                     {"tile", std::to_string(tiles_.tile)},
                     {"overlap", std::to_string(tiles_.overlap)},
                     {"first_slice", std::to_string(first_)}};
    if (settings_.range)
      mask_.history.emplace_back("range", shown(settings_.range->low) + ":" + shown(settings_.range->high));
    if (tiles_.num_scores == 1) mask_.history.emplace_back("threshold", shown(tiles_.threshold));
  }

  std::vector<cli::ReadFile> sources() const {
    std::vector<cli::ReadFile> files;
    for (const std::string& path : {settings_.volume, settings_.model}) {
      cli::ReadFile file{cli::quote_name(path), {}};
      if (::stat(path.c_str(), &file.status) == 0) files.push_back(file);
    }
    return files;
  }
  // Everything that decides the values: a resumed run must have the same.
  std::string fingerprint() const {
    std::string text = std::to_string(mask_.num_slices) + " " + std::to_string(mask_.size);
    for (const auto& [word, value] : mask_.history) text += "\n" + word + " " + value;
    for (const cli::ReadFile& file : sources())
      text += "\n" + std::to_string(file.status.st_size) + " " + std::to_string(file.status.st_mtim.tv_sec) + "." +
              std::to_string(file.status.st_mtim.tv_nsec);
    return text;
  }

  void write(Network& network, Tiling& tiling, VolumeWriter& writer) {
    const size_t done = settings_.output.first_slice();
    if (done > 0) cli::print_note(tr("{1} slices were there already", done));
    const size_t len = mask_.size * mask_.size;
    cli::Progress progress(!settings_.quiet && !settings_.no_progress, reader_->name(),
                           4 * uint64_t{len} * (mask_.num_slices - done));
    std::vector<float> slice(len), classes(len);
    for (size_t z = first_ + done; z < end_; ++z) {
      reader_->read(slice.data(), z);
      for (float& value : slice) {
        if (!std::isfinite(value))
          throw Failure(ExitCode::data, tr("{1}: slice {2} has NaN or infinite values", reader_->name(), z),
                        tr("leave such slices out with --slices"));
        if (settings_.range)
          value = static_cast<float>(std::clamp(
              (static_cast<double>(value) - settings_.range->low) / (settings_.range->high - settings_.range->low), 0.0,
              1.0));
      }
      const bool is_good = tiling.run(
          slice.data(),
          classes.data(), [&](std::vector<float> & values) -> auto& { return network.run(values, tiles_.tile); });
      if (!is_good)
        throw Failure(ExitCode::data, tr("{1}: slice {2} has NaN or infinite scores", model_.name, z),
                      tr("check --range, or use another model"));
      for (const float value : classes) ++counts_[static_cast<size_t>(value)];
      writer.write(classes.data(), z - first_, 1);
      progress.add(4 * uint64_t{len});
    }
  }

  void report() const {
    uint64_t all = 0;
    for (const uint64_t count : counts_) all += count;
    for (size_t i = 0; i < counts_.size() && all > 0; ++i)
      cli::print_note(tr("class {1}, {2}: {3} pixels, {4} %", i, cli::quote_name(mask_.labels[i]), counts_[i],
                         shown(100 * static_cast<double>(counts_[i]) / static_cast<double>(all))));
    if (!settings_.output.is_standard_output())
      cli::print_done(tr("{1} written: {2} slices of {3} x {3}, {4}", cli::quote_name(settings_.output.name()),
                         mask_.num_slices, mask_.size, mask_.unit));
  }

  SegmentSettings& settings_;
  std::unique_ptr<VolumeReader> reader_;
  const OnnxModel model_;
  VolumeInfo mask_;
  TileSettings tiles_;
  size_t first_ = 0, end_ = 0;
  std::vector<uint64_t> counts_;
};

constexpr const char* kSegmentExamples = cli::mark(
    R"(The model takes float32 [1, 1, n, n] and gives scores [1, classes, n, n]; the greatest one is a pixel's class.
With a single score, the threshold decides. Slices of another size are covered with tiles that overlap. ONNX
Runtime is searched by --runtime, VERSHINA_ONNXRUNTIME, and as libonnxruntime.so in the system's folders.

Examples:
  vershina tomo segment volume.h5 --model bones.onnx -o mask.h5
  vershina tomo segment volume.h5 --model bones.onnx --labels air,bone --format dicom -o masks)");

}  // namespace

void add_segment_command(cli::Program& program) {
  cli::Command& command = program.add_command("segment", tr("Give each pixel of a volume a class, by a network"));
  const auto settings = std::make_shared<SegmentSettings>();
  command
      .add_operand("VOLUME", settings->volume,
                   tr("HDF5, NumPy, TIFF, PNG, NIfTI, or a folder: pictures, DICOM, OME-Zarr"))
      ->required();
  command.add_option("--model", settings->model, "FILE", tr("The network, an ONNX file without external data"))
      ->required();
  command.add_option("--runtime", settings->runtime, "FILE", tr("The library of ONNX Runtime, libonnxruntime.so"));
  add_pair(command, "--range", settings->range,
           tr("Values that the network sees as 0 and 1; those beyond are cut off (default: all as they are)"));
  add_signed(command, "--threshold", settings->threshold, -1e30, 1e30, "T",
             tr("For a model with one score: class 1 from here on (default: 0.5)"));
  command
      .add_option("--labels", settings->labels, "NAMES",
                  tr("Names of the classes from 0 on, joined by commas (default: those of the model)"))
      ->manual(
          "Names of the classes from 0 on, joined by commas; default those of the model's metadata property "
          "`labels`.");
  cli::add_number(command, "--tile", settings->tile, {.min = 8, .max = Network::kMostTile},
                  tr("Pixels of a tile's side, if the model leaves that open (default: 256)"));
  cli::add_number(command, "--overlap", settings->overlap, {.max = Network::kMostTile / 2},
                  tr("Pixels that tiles have in common, at least (default: a quarter of a tile)"));
  add_range(command, "--slices", settings->slices, tr("Slices of the volume, END not included"));
  add_positive(command, "--pixel", settings->pixel, 1e-9, 1e6, "MM",
               tr("The width of a pixel (default: the volume's, of HDF5)"));
  cli::add_number(command, "-t,--threads", settings->threads, {.min = 1, .max = 256},
                  tr("Use at most N threads (default: all processors)"));
  settings->output.add_to(command, VolumeOutput::Values::classes);
  command.add_flag("-q,--quiet", settings->quiet, tr("Print only errors"));
  command.add_flag("--no-progress", settings->no_progress, tr("Show no progress bar"));
  command.footer(tr(kSegmentExamples));
  command.exit_status({ExitCode::ok,
                       {ExitCode::data, tr("NaN or infinite values or scores")},
                       ExitCode::usage,
                       {ExitCode::input, tr("the volume or the model cannot be read")},
                       ExitCode::output,
                       {ExitCode::internal, tr("out of memory, no ONNX Runtime")},
                       ExitCode::closed_pipe});
  command.action([settings] { SegmentCommand(*settings).run(); });
}

}  // namespace vsh::tomo
