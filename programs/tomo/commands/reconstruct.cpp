// `vershina tomo reconstruct`: from projections to a volume.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>

#include "programs/common/options/option_values.hpp"
#include "programs/common/system/console.hpp"
#include "programs/common/system/machine.hpp"
#include "programs/common/system/progress.hpp"
#include "programs/common/text/failure.hpp"
#include "programs/common/text/text.hpp"
#include "programs/common/text/translate.hpp"
#include "programs/tomo/commands/commands.hpp"
#include "programs/tomo/commands/engine.hpp"
#include "programs/tomo/commands/pipeline.hpp"
#include "programs/tomo/commands/prepared_scan.hpp"
#include "programs/tomo/commands/volume_output.hpp"

namespace vsh::tomo {
namespace {

using cli::ExitCode;
using cli::Failure;
using cli::tr;

enum class Length { pixel, millimetre, centimetre };
constexpr Word<Length> kLengths[] = {{"pixel", Length::pixel}, {"mm", Length::millimetre}, {"cm", Length::centimetre}};

struct ReconstructSettings {
  ScanOptions scan;
  CentreOption centre;
  PlanOptions engine;
  VolumeOutput output;
  std::optional<IndexRange> slices;
  std::optional<double> water, air;
  Length per = Length::pixel;
  uint64_t memory = 0;
  bool quiet = false, no_progress = false;

  bool shows_progress() const { return !quiet && !no_progress; }
};

std::string digits(double value, int num) {
  char text[32];
  std::snprintf(text, sizeof text, "%.*g", num, value);
  return text;
}

class ReconstructCommand {
 public:
  explicit ReconstructCommand(ReconstructSettings& settings) : settings_(settings), scan_(settings.scan) {
    choose_slices();
    choose_values();
  }

  void run() {
    // Steps that can fail at once, before those that take time. The size is that of a plan with any centre.
    plan_ = settings_.engine.plan(scan_, static_cast<double>(scan_.info().num_bins - 1) / 2);
    volume_.size = vsh_tomo_plan_size(plan_.get());
    settings_.output.check(volume_);
    if (is_cone()) check_cone();
    else choose_block();
    settings_.output.ask();
    centre_ = choose_centre(scan_, settings_.centre, settings_.memory);
    if (is_cone()) settings_.engine.report_to(move_bar, this);
    plan_ = settings_.engine.plan(scan_, centre_.bin);
    say_choices();
    if (is_cone()) compute_cone();
    const Window window = choose_window();
    describe();
    const auto writer = settings_.output.open(volume_, window, scan_.sources(), fingerprint());
    write(*writer);
    scan_.report();
    if (writer->num_clipped() > 0)
      cli::print_note(
          tr("{1} values ({2} %) are beyond the window {3} to {4}", writer->num_clipped(),
             shown(100.0 * static_cast<double>(writer->num_clipped()) / static_cast<double>(volume_.num_values())),
             shown(window.low), shown(window.high)));
    writer->commit();
    if (!settings_.output.is_standard_output())
      cli::print_done(tr("{1} written: {2} slices of {3} x {3}, {4}", cli::quote_name(settings_.output.name()),
                         volume_.num_slices, volume_.size, volume_.unit));
  }

 private:
  bool is_cone() const { return scan_.info().beam == VSH_TOMO_CONE; }

  void choose_slices() {
    const size_t rows = scan_.info().num_rows;
    const IndexRange range = settings_.slices.value_or(IndexRange{});
    first_ = range.first;
    end_ = range.end.value_or(rows);
    if (first_ >= rows || end_ > rows)
      throw Failure(ExitCode::usage, tr("--slices: the scan has rows 0 to {1}", rows - 1),
                    tr("give FIRST:END with END at most {1}", rows));
    volume_.num_slices = end_ - first_;
  }

  void choose_values() {
    volume_.pixel_mm = scan_.info().pixel_mm;
    if (settings_.per != Length::pixel) {
      const std::string per = word_of(kLengths, settings_.per);
      if (!volume_.pixel_mm)
        throw Failure(ExitCode::usage, tr("--per {1}: the size of a pixel is not known", per),
                      tr("give it with --pixel, in millimetres"));
      scale_ = (settings_.per == Length::centimetre ? 10 : 1) / *volume_.pixel_mm;
      volume_.unit = "1/" + per;
    }
    if (settings_.water) {
      const double air = settings_.air.value_or(0);
      if (!(*settings_.water > air))
        throw Failure(ExitCode::usage, tr("--hounsfield: water is not above --air"), tr("check the two values"));
      const double factor = 1000 / (*settings_.water - air);
      shift_ = -*settings_.water * factor;
      scale_ *= factor;
      volume_.unit = "HU";
      volume_.is_hounsfield = true;
    }
  }

  // Returns the bytes of a block of `num` slices, with its double in the pipeline and the memory of preparation, engine
  // and writer.
  uint64_t block_memory(size_t num) const {
    return 2 * scan_.block_bytes(num) + scan_.work_bytes(num) + 2 * num * 4 * uint64_t{volume_.size} * volume_.size +
           vsh_tomo_plan_memory(plan_.get(), num) + settings_.output.memory(volume_);
  }

  void choose_block() {
    const uint64_t free = cli::free_memory();
    const uint64_t limit = settings_.memory > 0 ? settings_.memory : free == UINT64_MAX ? free : free / 10 * 6;
    const size_t batch = std::max<size_t>(1, vsh_tomo_plan_batch(plan_.get()));
    // At least four blocks, so that reading and writing overlap; not more memory than serves that.
    const size_t wanted = (volume_.num_slices / 4 + batch - 1) / batch * batch;
    block_ = std::clamp<size_t>(wanted, 1, std::min<size_t>(volume_.num_slices, 4 * batch));
    while (block_ > 1 && block_memory(block_) > limit) block_ = block_ > batch ? block_ - batch : block_ / 2;
    if (block_memory(block_) > limit)
      throw Failure(
          ExitCode::internal,
          tr("a single slice takes {1} of memory, and {2} may be used",
             cli::format_bytes(static_cast<double>(block_memory(1))), cli::format_bytes(static_cast<double>(limit))),
          settings_.memory > 0 ? tr("give more with --memory") : tr("give a smaller --size"));
  }

  // All rows of a cone make all slices, so that nothing is read or computed by blocks.
  void check_cone() {
    block_ = scan_.info().num_rows;
    const uint64_t needed = scan_.block_bytes(block_) + 4 * uint64_t{block_} * volume_.size * volume_.size +
                            std::max(scan_.work_bytes(block_), vsh_tomo_plan_memory(plan_.get(), block_)) +
                            settings_.output.memory(volume_);
    const uint64_t limit = settings_.memory > 0 ? settings_.memory : cli::free_memory();
    if (needed > limit)
      throw Failure(ExitCode::internal,
                    tr("the slices of a cone take {1} of memory together, and {2} may be used",
                       cli::format_bytes(static_cast<double>(needed)), cli::format_bytes(static_cast<double>(limit))),
                    settings_.memory > 0 ? tr("give more with --memory") : tr("give a smaller --size"));
  }
  void compute_cone() {
    cone_.resize(block_ * volume_.size * volume_.size);
    cli::Progress bar(settings_.shows_progress(), scan_.info().name, 4 * uint64_t{cone_.size()});
    bar_ = &bar;
    PreparedScan::Block block;
    scan_.read(block, 0, block_);
    scan_.prepare(block);
    compute(plan_.get(), cone_.data(), block);
  }
  static int move_bar(void* command, double done) {
    auto& self = *static_cast<ReconstructCommand*>(command);
    const auto now = static_cast<uint64_t>(done * 4 * static_cast<double>(self.cone_.size()));
    self.bar_->add(now - self.bar_done_);
    self.bar_done_ = now;
    return 0;
  }
  const float* cone_slice(size_t row) const { return cone_.data() + row * volume_.size * volume_.size; }

  void say_choices() const {
    const ScanInfo& info = scan_.info();
    cli::print_note(tr("{1}: {2} projections of {3} x {4}, {5}, {6}", info.name, info.num_angles, info.num_rows,
                       info.num_bins,
                       info.beam == VSH_TOMO_CONE  ? tr("cone beam")
                       : info.beam == VSH_TOMO_FAN ? tr("fan beam")
                                                   : tr("parallel beam"),
                       scan_.data() == DataKind::counts         ? tr("counts: flat and dark fields, minus-log")
                       : scan_.data() == DataKind::transmission ? tr("transmission: minus-log")
                                                                : tr("line integrals")));
    cli::print_note(tr("centre of rotation: bin {1}, {2}", shown(centre_.bin), centre_.source));
    std::string text;
    for (const auto& [word, value] : settings_.engine.steps()) text += (text.empty() ? "" : ", ") + word + " " + value;
    cli::print_note(tr("{1}; kernel {2}; {3} slices at a time", text, vsh_tomo_plan_kernel(plan_.get()), block_));
  }

  void compute(vsh_tomo_plan* plan, float* volume, const PreparedScan::Block& block) const {
    check_tomo(vsh_tomo_reconstruct(plan, volume, block.values.data(), 0, block.num));
    if (scale_ == 1 && shift_ == 0) return;
    const size_t len = volume_.size * volume_.size;
    std::transform(volume, volume + block.num * len, volume,
                   [&](float value) { return static_cast<float>(static_cast<double>(value) * scale_ + shift_); });
  }

  Window choose_window() {
    if (const auto window = settings_.output.window()) return {window->low, window->high};
    if (!settings_.output.needs_window()) return {};
    if (volume_.is_hounsfield) return {-1024, -1024 + 65535};
    float low = INFINITY, high = -INFINITY;
    std::vector<float> slice(volume_.size * volume_.size);
    const size_t num = volume_.num_slices;
    for (const size_t index : {num / 4, num / 2, num * 3 / 4}) {
      PreparedScan::Block block;
      if (is_cone()) {
        std::copy_n(cone_slice(first_ + index), slice.size(), slice.begin());
      } else {
        scan_.read(block, first_ + index, 1);
        scan_.prepare(block);
        compute(plan_.get(), slice.data(), block);
      }
      for (const float value : slice) low = std::min(low, value), high = std::max(high, value);
    }
    if (!is_cone()) scan_.forget_findings();
    const double margin = std::max(0.1 * static_cast<double>(high - low), 1e-6);
    const Window window{static_cast<double>(low) - margin, static_cast<double>(high) + margin};
    cli::print_note(tr("window: {1} to {2}, found from three slices", shown(window.low), shown(window.high)));
    return window;
  }

  void describe() {
    volume_.history = {{"scan", settings_.scan.path}, {"centre", digits(centre_.bin, 9)}};
    for (const auto& step : scan_.steps()) volume_.history.push_back(step);
    for (const auto& step : settings_.engine.steps()) volume_.history.push_back(step);
    volume_.history.emplace_back("first_slice", std::to_string(first_));
  }

  // Everything that decides the values: a resumed run must have the same.
  std::string fingerprint() const {
    std::string text = std::to_string(volume_.num_slices) + " " + std::to_string(volume_.size) + " " + volume_.unit;
    for (const auto& [word, value] : volume_.history) text += "\n" + word + " " + value;
    for (const cli::ReadFile& file : scan_.sources())
      text += "\n" + std::to_string(file.status.st_size) + " " + std::to_string(file.status.st_mtim.tv_sec) + "." +
              std::to_string(file.status.st_mtim.tv_nsec);
    for (const double angle : scan_.radians()) text += " " + digits(angle, 17);
    return text + "\n" + digits(scale_, 17) + " " + digits(shift_, 17);
  }

  void write(VolumeWriter& writer) {
    const size_t done = settings_.output.first_slice();
    if (done > 0) cli::print_note(tr("{1} slices were there already", done));
    const uint64_t len = 4 * uint64_t{volume_.size} * volume_.size;
    cli::Progress progress(settings_.shows_progress(), scan_.info().name, len * (volume_.num_slices - done));
    if (is_cone()) {
      for (size_t i = done; i < volume_.num_slices; ++i) {
        writer.write(cone_slice(first_ + i), i, 1);
        progress.add(len);
      }
      return;
    }
    run_blocks(
        scan_, {first_ + done, end_, block_, volume_.size}, first_,
        [this](float* volume, const PreparedScan::Block& block) { compute(plan_.get(), volume, block); }, writer,
        [&](size_t num) { progress.add(num * len); });
  }

  ReconstructSettings& settings_;
  PreparedScan scan_;
  VolumeInfo volume_;
  EnginePlan plan_;
  Centre centre_{};
  size_t first_ = 0, end_ = 0, block_ = 1;
  double scale_ = 1, shift_ = 0;
  std::vector<float> cone_;       // all slices of a cone
  cli::Progress* bar_ = nullptr;  // while they are computed
  uint64_t bar_done_ = 0;
};

constexpr const char* kReconstructExamples = cli::mark(
    R"(Values are in units per pixel. Settings not given are taken from the scan, or found, and printed. Nothing
but flat and dark fields and minus-log, for counts, changes values unless an option asks for it.

Examples:
  vershina tomo reconstruct scan.h5 -o volume.h5
  vershina tomo reconstruct raw.h5 --stripes sorting --zingers 0.1 -o volume.tif
  vershina tomo reconstruct raw.h5 -a hfbp --slices 60:61 -o slice.png
  vershina tomo reconstruct raw.h5 --format dicom --hounsfield 0.02 -o series
  vershina tomo reconstruct raw.h5 --per mm -o volume.zarr
  vershina tomo reconstruct raw.h5 --seal -k office.key -o volume.h5.sealed)");

}  // namespace

void add_reconstruct_command(cli::Program& program) {
  cli::Command& command = program.add_command("reconstruct", tr("Reconstruct the slices of a scan"));
  const auto settings = std::make_shared<ReconstructSettings>();
  settings->scan.add_to(command);
  settings->centre.add_to(command);
  settings->engine.add_to(command);
  add_range(command, "--slices", settings->slices, tr("Rows of the detector to reconstruct, END not included"));
  add_word(command, "--per", settings->per, cli::mark("length"), kLengths,
           tr("Values per pixel, mm or cm (default: pixel)"), "LENGTH");
  auto* const water = add_positive(command, "--hounsfield", settings->water, 1e-9, 1e9, "WATER",
                                   tr("Hounsfield units; WATER is its value, per pixel"));
  add_signed(command, "--air", settings->air, -1e9, 1e9, "AIR", tr("The value of air, per pixel (default: 0)"))
      ->needs(water);
  cli::add_number(command, "--memory", settings->memory, {.min = 1 << 20, .is_size = true},
                  tr("Memory that may be used (default: 60 % of the free memory)"), "SIZE");
  settings->output.add_to(command);
  command.add_flag("-q,--quiet", settings->quiet, tr("Print only errors"));
  command.add_flag("--no-progress", settings->no_progress, tr("Show no progress bar"));
  command.footer(tr(kReconstructExamples));
  command.exit_status({ExitCode::ok,
                       {ExitCode::data, tr("NaN or infinite values, no centre found")},
                       ExitCode::usage,
                       ExitCode::input,
                       {ExitCode::output, tr("the output cannot be written, or exists")},
                       ExitCode::kernel,
                       ExitCode::internal,
                       ExitCode::closed_pipe});
  command.action([settings] { ReconstructCommand(*settings).run(); });
}

}  // namespace vsh::tomo
