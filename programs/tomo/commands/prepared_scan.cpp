#include "programs/tomo/commands/prepared_scan.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>
#include <span>

#include "programs/common/options/option_values.hpp"
#include "programs/common/system/console.hpp"
#include "programs/common/system/machine.hpp"
#include "programs/common/system/progress.hpp"
#include "programs/common/text/failure.hpp"
#include "programs/common/text/text.hpp"
#include "programs/common/text/translate.hpp"
#include "programs/tomo/commands/engine.hpp"

namespace vsh::tomo {
namespace {

using cli::ExitCode;
using cli::Failure;
using cli::tr;

constexpr double kRadians = std::numbers::pi / 180;
constexpr double kDefaultSigma = 2;

constexpr Word<PictureNumbers> kPictureNumbers[] = {{"places", PictureNumbers::places},
                                                    {"order", PictureNumbers::order}};
constexpr Word<StripeMethod> kStripeMethods[] = {{"sorting", StripeMethod::sorting},
                                                 {"wavelet", StripeMethod::wavelet}};
constexpr Word<vsh_tomo_centre_method> kCentreMethods[] = {{"auto", VSH_TOMO_CENTRE_AUTO},
                                                           {"fourier", VSH_TOMO_CENTRE_FOURIER},
                                                           {"correlation", VSH_TOMO_CENTRE_CORRELATION},
                                                           {"mass", VSH_TOMO_CENTRE_MASS},
                                                           {"opposite", VSH_TOMO_CENTRE_OPPOSITE},
                                                           {"symmetry", VSH_TOMO_CENTRE_SYMMETRY}};

std::string percent(uint64_t part, uint64_t whole) {
  return shown(whole > 0 ? 100.0 * static_cast<double>(part) / static_cast<double>(whole) : 0);
}

}  // namespace

void ScanOptions::add_projection_to(cli::Command& command) {
  auto* const file =
      command
          .add_option("--angles", angles_file, "FILE",
                      tr("Angles in degrees, one a line, or a NumPy array (default: the scan's)"))
          ->manual(
              "Angles in degrees, one a line, or a NumPy array; else the scan's. Angles that are all the same, "
              "or less than 7 degrees in all, are refused.");
  auto* const step = add_signed(command, "--angle-step", angle_step, -360, 360, "DEGREES",
                                tr("Angles at equal steps, from --first-angle on"));
  add_signed(command, "--first-angle", first_angle, -3600, 3600, "DEGREES", tr("The first of them (default: 0)"))
      ->needs(step);
  file->excludes(step);
  command.add_flag("--clockwise", clockwise, tr("The angles count clockwise: where slices would be mirrored"));
  add_word(command, "--data", data, cli::mark("kind of data"), kDataKinds,
           tr("counts: flat and dark fields and minus-log; transmission: minus-log; integrals: as they are "
              "(default: auto, which is counts where there are frames without object)"),
           "KIND")
      ->manual(
          "`counts`: flat and dark fields and minus-log; `transmission`: minus-log; `integrals`: as they "
          "are; `auto` (default): counts where there are frames without object, else integrals. Integers "
          "without them, and frames without beam alone, are refused.");
  auto* const whites = command.add_option("--whites", whites_file, "FILE",
                                          tr("Frames without object, instead of the scan's: a picture, a folder of "
                                             "pictures, an array or another scan"));
  add_positive(command, "--white", white, 1e-9, 1e12, "LEVEL",
               tr("The same level of light in all bins, instead of them, as 65535"))
      ->excludes(whites);
  command.add_flag("--fill", fill, tr("Replace NaN and infinity from their neighbours"))
      ->manual("Replace NaN and infinity from their neighbours; else they are an error.");
  cli::add_number(command, "-t,--threads", threads, {.min = 1, .max = 256},
                  tr("Use at most N threads (default: all processors)"));
}

void ScanOptions::add_to(cli::Command& command) {
  command.add_operand("SCAN", path, tr("A file, or a folder of pictures"))->required();
  add_without_scan_to(command);
}

void ScanOptions::add_without_scan_to(cli::Command& command) {
  add_projection_to(command);
  command.add_option("--entry", entry, "NAME", tr("Which scan of an NXtomo file with several (default: the first)"));
  command
      .add_flag("--still", still,
                tr("Go on where the scan says that object or detector move, or says it in an unknown way"))
      ->manual(
          "Go on where the scan says that object or detector move, or says it in an unknown way, as if they "
          "did not.");
  add_word(command, "--numbers", numbers, cli::mark("kind of numbers"), kPictureNumbers,
           tr("For pictures whose names leave numbers out, with angles at equal steps: places, where a missing one "
              "is lost, or order alone, as of times"),
           "KIND")
      ->manual(
          "For a folder of pictures whose names leave numbers out, with angles at equal steps. `places`: a "
          "missing one is a lost frame, and a step; `order`: the pictures follow each other, as where "
          "numbers are times. Without it such a scan is refused.");
  auto* const flat = add_positive(command, "--fan", fan, 8, 1e6, "BINS",
                                  tr("A fan beam whose source is so far from the axis, in bins at the axis"));
  add_positive(command, "--cone", cone, 8, 1e6, "BINS",
               tr("A cone beam, likewise, whose rows are as high as bins are wide"))
      ->manual(
          "A cone beam, likewise (Feldkamp, Davis and Kress 1984; of less than a turn with Parker's weights, "
          "1982). Rows are as high as bins are wide. All slices are in memory together; only `fbp`.")
      ->excludes(flat);
  add_signed(command, "--source-row", source_row, -131072, 131072, "ROW",
             tr("For a cone: the row of the detector that is level with the source, from 0 and with fractions "
                "(default: the scan's, else the middle one)"));
  add_positive(command, "--pixel", pixel, 1e-9, 1e6, "MM", tr("The width of a bin at the axis, in millimetres"));
  add_sinogram_to(command);
  auto* const ratio = add_positive(command, "--phase", phase, 0.001, 1e6, "RATIO",
                                   tr("Phase retrieval (Paganin 2002); delta over beta of the object"));
  auto* const kev =
      add_positive(command, "--energy", energy, 0.1, 1000, "KEV", tr("Energy of the photons, for --phase"));
  auto* const path_mm =
      add_positive(command, "--distance", distance, 0.001, 1e6, "MM", tr("From object to detector, for --phase"));
  ratio->needs(kev)->needs(path_mm);
  kev->needs(ratio);
  path_mm->needs(ratio);
}

void ScanOptions::add_sinogram_to(cli::Command& command) {
  add_positive(command, "--zingers", zingers, 0.001, 100, "T",
               tr("Replace transmissions that exceed the median around them by this share, as 0.1"));
  add_word(command, "--stripes", stripes, cli::mark("method"), kStripeMethods,
           tr("Remove stripes of the sinograms, which make rings: sorting or wavelet"), "METHOD")
      ->manual("Remove stripes of the sinograms, which make rings: `sorting` (Vo 2018) or `wavelet` (Muench 2009).");
  cli::add_number(command, "--stripe-window", stripe_window, {.min = 3, .max = 1001},
                  tr("Bins of the median of sorting (default: 5 to 21, or 1 % of the bins)"));
  add_positive(command, "--stripe-sigma", stripe_sigma, 0.1, 1000, "S",
               tr("How much of the frequencies wavelet damps (default: 2)"));
}

std::vector<std::pair<std::string, std::string>> sinogram_steps(const ScanOptions& options, size_t num_bins) {
  std::vector<std::pair<std::string, std::string>> steps;
  if (options.zingers) steps.emplace_back("zingers", shown(*options.zingers));
  if (options.stripes == StripeMethod::sorting)
    steps.emplace_back(
        "stripes", "sorting, window " + std::to_string(options.stripe_window > 0 ? options.stripe_window
                                                                                 : vsh_tomo_stripe_window(num_bins)));
  if (options.stripes == StripeMethod::wavelet)
    steps.emplace_back("stripes", "wavelet, sigma " + shown(options.stripe_sigma.value_or(kDefaultSigma)));
  return steps;
}

uint64_t mend_sinograms(std::vector<float>& values, size_t num_angles, size_t num_bins, const ScanOptions& options) {
  const size_t num_rows = values.size() / num_angles / num_bins;
  uint64_t zingers = 0;
  if (options.zingers)
    check_tomo(vsh_tomo_remove_zingers(values.data(), num_angles, num_rows, num_bins, *options.zingers, options.threads,
                                       &zingers));
  if (options.stripes == StripeMethod::sorting)
    check_tomo(vsh_tomo_remove_stripes_sorting(values.data(), num_angles, num_rows, num_bins, options.stripe_window,
                                               options.threads));
  if (options.stripes == StripeMethod::wavelet)
    check_tomo(vsh_tomo_remove_stripes_wavelet(values.data(), num_angles, num_rows, num_bins,
                                               options.stripe_sigma.value_or(kDefaultSigma), options.threads));
  return zingers;
}

uint64_t mending_bytes(size_t num_angles, size_t num_bins, const ScanOptions& options) {
  const auto bytes = [&](bool is_wanted, vsh_tomo_preparation step) {
    return is_wanted ? vsh_tomo_preparation_memory(step, num_angles, 1, num_bins, 0) : 0;
  };
  return std::max({bytes(options.zingers.has_value(), VSH_TOMO_REMOVE_ZINGERS),
                   bytes(options.stripes == StripeMethod::sorting, VSH_TOMO_REMOVE_STRIPES_SORTING),
                   bytes(options.stripes == StripeMethod::wavelet, VSH_TOMO_REMOVE_STRIPES_WAVELET)});
}

GivenWhites::GivenWhites(const ScanOptions& options, size_t num_rows, size_t num_bins)
    : level_(options.white), bins_(num_bins) {
  if (options.whites_file.empty()) return;
  frames_ = open_frames(options.whites_file);
  const ScanInfo& info = frames_->info();
  are_of_scan_ = info.num_whites > 0;
  if (info.num_rows != num_rows || info.num_bins != num_bins)
    throw Failure(ExitCode::input,
                  tr("{1}: frames of {2} x {3} numbers, and the projections have {4} x {5}", info.name, info.num_rows,
                     info.num_bins, num_rows, num_bins),
                  tr("they must be of the same detector"));
}

size_t GivenWhites::num() const {
  if (!frames_) return level_ ? 1 : 0;
  return are_of_scan_ ? frames_->info().num_whites : frames_->info().num_angles;
}

std::vector<float> GivenWhites::mean(size_t first, size_t num_rows) {
  const size_t len = num_rows * bins_;
  if (!frames_) return std::vector<float>(len, static_cast<float>(*level_));
  std::vector<float> all(num() * len);
  if (are_of_scan_) frames_->read_whites(all.data(), first, num_rows);
  else frames_->read(all.data(), first, num_rows);
  return mean_frame(all, num(), len);
}

std::vector<cli::ReadFile> GivenWhites::sources() const {
  return frames_ ? frames_->sources() : std::vector<cli::ReadFile>();
}

DataKind choose_data(const ScanOptions& options, const DataSigns& signs) {
  const bool are_given = options.white || !options.whites_file.empty();
  if (are_given && !options.may_be_counts())
    throw Failure(ExitCode::usage,
                  tr("--data {1}: has no use for --white and --whites", word_of(kDataKinds, options.data)),
                  tr("leave them out"));
  if (!options.may_be_counts()) return *options.data;
  if (are_given || signs.has_whites) return DataKind::counts;
  const bool are_integers = signs.element.find("int") != std::string::npos;
  if (!options.data && !are_integers && !signs.has_darks) return DataKind::integrals;
  throw Failure(ExitCode::usage,
                options.data ? tr("{1}: has no frames without object", signs.name)
                : are_integers
                    ? tr("{1}: has counts, of type {2}, and no frames without object", signs.name, signs.element)
                    : tr("{1}: has frames without beam, and none without object", signs.name),
                tr("give --whites FILE or --white LEVEL, or --data transmission or integrals if they are that"));
}

void check_given_angles(const ScanOptions& options, const std::vector<double>& angles, size_t num_projections) {
  const std::string problem = angles_problem(angles, num_projections);
  if (problem.empty()) return;
  if (options.angle_step)
    throw Failure(ExitCode::usage, "--angle-step " + shown(*options.angle_step) + ": " + problem,
                  tr("give degrees from one projection to the next"));
  throw Failure(ExitCode::input, cli::quote_name(options.angles_file) + ": " + problem,
                tr("give a number of degrees for each projection"));
}

PreparedScan::PreparedScan(const ScanOptions& options)
    : options_(options),
      scan_(open_scan(options.path, options.entry)),
      whites_(options, scan_->info().num_rows, scan_->info().num_bins) {
  for (const std::string& note : info().notes) cli::print_note(info().name + ": " + note);
  if (options.pixel) scan_->info().pixel_mm = options.pixel;
  else info().need(Part::pixel);
  scan_->info().check_motion();
  if (!options.still) info().need(Part::motion);
  choose_beam();
  choose_angles();
  choose_data();
  choose_phase();
}

std::vector<cli::ReadFile> PreparedScan::sources() const {
  std::vector<cli::ReadFile> files = scan_->sources();
  for (cli::ReadFile& file : whites_.sources()) files.push_back(std::move(file));
  return files;
}

void PreparedScan::choose_beam() {
  ScanInfo& info = scan_->info();
  if (options_.cone && info.beam != VSH_TOMO_CONE) info.source_row = info.middle_row();
  if (options_.cone) info.beam = VSH_TOMO_CONE, info.source_distance = *options_.cone;
  if (options_.fan) info.beam = VSH_TOMO_FAN, info.source_distance = *options_.fan;
  if (options_.source_row && info.beam != VSH_TOMO_CONE)
    throw Failure(ExitCode::usage, tr("--source-row: {1} has no cone beam", info.name), tr("give --cone, too"));
  if (options_.source_row) info.source_row = *options_.source_row;
}

void PreparedScan::choose_phase() {
  if (!options_.phase) return;
  if (data_ == DataKind::integrals)
    throw Failure(ExitCode::usage, tr("--phase: {1} has line integrals", info().name),
                  tr("it works on counts or a transmission"));
  if (!info().pixel_mm)
    throw Failure(ExitCode::usage, tr("--phase: the size of a pixel is not known"),
                  tr("give it with --pixel, in millimetres"));
  reach_ = vsh_tomo_phase_reach(*options_.phase, *options_.energy, *options_.distance, *info().pixel_mm);
  if (reach_ == 0 || reach_ > 4096)
    throw Failure(ExitCode::usage, tr("--phase: reaches over {1} bins", reach_),
                  tr("check --phase, --energy, --distance and the pixel's size"));
}

void PreparedScan::choose_angles() {
  ScanInfo& info = scan_->info();
  if (options_.numbers == PictureNumbers::order) info.places = {}, info.problems.erase(Part::places);
  if (options_.angle_step) info.first_angle = options_.first_angle.value_or(0), info.angle_step = options_.angle_step;
  if (!options_.angles_file.empty()) info.angles = info.places.choose(read_angles(options_.angles_file));
  else if (info.angle_step) {
    if (!options_.numbers) info.need(Part::places);
    info.count_steps();
  }
  info.places.report();
  if (!options_.angles_file.empty() || options_.angle_step) {
    check_given_angles(options_, info.angles, info.num_angles);
  } else {
    info.check_angles();
    info.need(Part::angles);
  }
  if (info.angles.empty())
    throw Failure(ExitCode::usage, tr("{1}: has no angles", info.name),
                  tr("give --angle-step (half a turn would be {1}) or --angles",
                     shown(180.0 / static_cast<double>(info.num_angles))));
  radians_.clear();
  for (const double angle : info.angles) radians_.push_back((options_.clockwise ? -angle : angle) * kRadians);
}

void PreparedScan::choose_data() {
  if (options_.may_be_counts() && !whites_.are_there()) info().need(Part::whites);
  if (options_.may_be_counts()) info().need(Part::darks);
  data_ = tomo::choose_data(options_, {info().name, info().element, info().num_whites > 0, info().num_darks > 0});
}

std::vector<std::pair<std::string, std::string>> PreparedScan::steps() const {
  std::vector<std::pair<std::string, std::string>> steps;
  if (info().beam != VSH_TOMO_PARALLEL) steps.emplace_back("source_distance", shown(info().source_distance));
  if (info().beam == VSH_TOMO_CONE) steps.emplace_back("source_row", shown(info().source_row));
  steps.emplace_back("data", word_of(kDataKinds, std::optional(data_)));
  if (options_.white) steps.emplace_back("white", shown(*options_.white));
  if (!options_.whites_file.empty()) steps.emplace_back("whites", options_.whites_file);
  for (auto& step : sinogram_steps(options_, info().num_bins)) steps.push_back(std::move(step));
  if (options_.phase)
    steps.emplace_back("phase", shown(*options_.phase) + ", " + shown(*options_.energy) + " keV, " +
                                    shown(*options_.distance) + " mm");
  if (options_.fill) steps.emplace_back("fill", "from neighbours");
  return steps;
}

void PreparedScan::read(Block& block, size_t first, size_t num) {
  const ScanInfo& about = scan_->info();
  block.first = first;
  block.num = num;
  block.before = std::min(first, reach_);
  block.rows = std::min(first + num + reach_, about.num_rows) - first + block.before;
  first -= block.before;
  num = block.rows;
  const size_t len = num * about.num_bins;
  block.values.resize(about.num_angles * len);
  scan_->read(block.values.data(), first, num);
  if (data_ != DataKind::counts) return;
  if (whites_.are_there()) {
    block.fields.white = whites_.mean(first, num);
  } else {
    frames_.resize(about.num_whites * len);
    scan_->read_whites(frames_.data(), first, num);
    block.fields.white = mean_frame(frames_, about.num_whites, len);
  }
  frames_.resize(about.num_darks * len);
  scan_->read_darks(frames_.data(), first, num);
  block.fields.dark = mean_frame(frames_, about.num_darks, len);
}

void PreparedScan::prepare(Block& block) {
  const size_t num_angles = info().num_angles;
  const uint64_t gaps = count_gaps(block.values);
  if (gaps > 0 && !options_.fill)
    throw Failure(ExitCode::data,
                  tr("{1}: {2} values of rows {3} to {4} are NaN or infinite", info().name, gaps, block.first,
                     block.first + block.num - 1),
                  tr("they would spoil their slices; --fill replaces them from their neighbours"));
  if (data_ == DataKind::integrals) look_at_integrals(block);
  const Findings found = raw(block).integrate(data_, block.fields, gaps, [&] { retrieve_phase(block); });
  findings_.num_values += found.num_values;
  findings_.not_finite += found.not_finite;
  findings_.dead += found.dead;
  findings_.clipped += found.clipped;
  if (block.rows > block.num) {
    for (size_t i = 0; i < num_angles; ++i)
      std::copy_n(block.values.data() + (i * block.rows + block.before) * info().num_bins, block.num * info().num_bins,
                  block.values.data() + i * block.num * info().num_bins);
    block.values.resize(num_angles * block.num * info().num_bins);
    block.rows = block.num, block.before = 0;
  }
  mend(block);
}

// For a scan that was broken off, HDF5 and others have zeros where nothing was written.
void PreparedScan::look_at_integrals(const Block& block) {
  const size_t num_angles = info().num_angles, len = block.rows * info().num_bins;
  size_t num = 0;
  for (size_t i = 0; i < num_angles; ++i) {
    const auto begin = block.values.begin() + static_cast<ptrdiff_t>(i * len);
    num += std::all_of(begin, begin + static_cast<ptrdiff_t>(len), [](float value) { return value == 0; }) ? 1 : 0;
  }
  if (num < num_angles) num_unwritten_ = std::max(num_unwritten_, num);
  if (!options_.data)
    for (const float value : block.values) largest_ = std::max(largest_, value);  // not of NaN
}

RawProjections PreparedScan::raw(Block& block) const {
  return {info().name, block.values, info().num_angles, block.rows, info().num_bins};
}

void PreparedScan::retrieve_phase(Block& block) {
  if (reach_ == 0) return;
  raw(block).fill();
  if (options_.zingers) remove_spikes(block);
  check_tomo(vsh_tomo_retrieve_phase(block.values.data(), info().num_angles, block.rows, info().num_bins,
                                     *options_.phase, *options_.energy, *options_.distance, *info().pixel_mm,
                                     options_.threads));
}

// Phase retrieval would spread a zinger over its neighbours, so that it is none any more.
void PreparedScan::remove_spikes(Block& block) {
  const size_t len = block.rows * info().num_bins, first = block.before * info().num_bins;
  const auto integral = [](float value) { return -std::log(std::max(value, 1e-6F)); };
  std::vector<float> integrals(block.values.size());
  std::transform(block.values.begin(), block.values.end(), integrals.begin(), integral);
  check_tomo(vsh_tomo_remove_zingers(integrals.data(), info().num_angles, block.rows, info().num_bins,
                                     *options_.zingers, options_.threads, nullptr));
  for (size_t i = 0; i < integrals.size(); ++i) {
    if (integrals[i] == integral(block.values[i])) continue;
    block.values[i] = std::exp(-integrals[i]);
    // Those of rows in front of the block and behind it are counted with theirs.
    findings_.zingers += i % len >= first && i % len < first + block.num * info().num_bins ? 1 : 0;
  }
}

void PreparedScan::mend(Block& block) {
  ScanOptions options = options_;
  if (reach_ > 0) options.zingers.reset();
  findings_.zingers += mend_sinograms(block.values, info().num_angles, info().num_bins, options);
}

uint64_t PreparedScan::block_bytes(size_t num) const {
  const ScanInfo& about = scan_->info();
  const uint64_t frames =
      data_ == DataKind::counts ? std::max({about.num_whites, about.num_darks, whites_.num()}) + 2 : 0;
  const uint64_t rows = std::min(num + 2 * reach_, about.num_rows);
  return 4 * about.num_bins * (about.num_angles + frames) * rows;
}

uint64_t PreparedScan::work_bytes(size_t num) const {
  const ScanInfo& about = scan_->info();
  const uint64_t rows = std::min(num + 2 * reach_, about.num_rows);
  const uint64_t threads = options_.threads > 0 ? options_.threads : cli::default_threads();
  uint64_t most = std::min<uint64_t>(threads, num) * mending_bytes(about.num_angles, about.num_bins, options_);
  if (reach_ > 0) {
    most = std::max(most, threads * vsh_tomo_preparation_memory(VSH_TOMO_RETRIEVE_PHASE, about.num_angles, rows,
                                                                about.num_bins, reach_));
    if (options_.zingers)
      most = std::max(
          most, rows * 4 * about.num_angles * about.num_bins +
                    std::min(threads, rows) *
                        vsh_tomo_preparation_memory(VSH_TOMO_REMOVE_ZINGERS, about.num_angles, 1, about.num_bins, 0));
  }
  return most;
}

std::vector<float> PreparedScan::sinogram(size_t row) {
  cli::check_memory(3 * block_bytes(1) + work_bytes(1), info().name);
  const Findings before = findings_;
  Block block;
  read(block, row, 1);
  prepare(block);
  findings_ = before;
  return std::move(block.values);
}

std::vector<FoundCentre> PreparedScan::find_centres(const std::vector<float>& sinogram) const {
  vsh_tomo_geometry geometry = VSH_TOMO_GEOMETRY_INIT;
  geometry.beam = info().beam == VSH_TOMO_PARALLEL ? VSH_TOMO_PARALLEL : VSH_TOMO_FAN;
  geometry.source_distance = info().source_distance;
  geometry.num_angles = radians_.size();
  geometry.angles = radians_.data();
  geometry.num_bins = info().num_bins;
  vsh_tomo_centre found[std::size(kCentreMethods)];
  size_t num = 0;
  const vsh_tomo_status status = vsh_tomo_find_centres(found, &num, std::size(found), sinogram.data(), 0, &geometry);
  if (status == VSH_TOMO_E_CENTRE) return {};
  check_tomo(status);
  std::vector<FoundCentre> guesses;
  for (const vsh_tomo_centre& centre : std::span(found, num))
    guesses.push_back({word_of(kCentreMethods, centre.method),
                       centre.centre_offset + static_cast<double>(info().num_bins - 1) / 2, centre.confidence});
  return guesses;
}

uint64_t PreparedScan::centre_bytes() const {
  const ScanInfo& about = scan_->info();
  const uint64_t search =
      vsh_tomo_preparation_memory(about.beam == VSH_TOMO_PARALLEL ? VSH_TOMO_FIND_CENTRE : VSH_TOMO_FIND_CENTRE_FAN,
                                  about.num_angles, 1, about.num_bins, 0);
  return std::max(3 * block_bytes(1) + work_bytes(1), 4 * uint64_t{about.num_angles} * about.num_bins + search);
}

size_t PreparedScan::central_row() const {
  if (info().beam != VSH_TOMO_CONE) return info().num_rows / 2;
  if (!(std::fabs(info().source_row - info().middle_row()) < static_cast<double>(info().num_rows) / 2))
    throw Failure(ExitCode::data,
                  tr("{1}: the axis of rotation cannot be found: no row is level with the source", info().name),
                  tr("give it with --centre"));
  return static_cast<size_t>(std::lround(std::max(info().source_row, 0.0)));
}

void PreparedScan::report() const {
  const auto note = [&](uint64_t count, const std::string& what) {
    if (count > 0) cli::print_note(info().name + ": " + what);
  };
  const uint64_t all = findings_.num_values;
  note(findings_.not_finite, tr("{1} values were NaN or infinite ({2} %), replaced from their neighbours",
                                findings_.not_finite, percent(findings_.not_finite, all)));
  note(findings_.dead, tr("{1} values of dead bins ({2} %), replaced from their neighbours", findings_.dead,
                          percent(findings_.dead, all)));
  note(findings_.clipped, tr("{1} values without light ({2} %), taken as half a count", findings_.clipped,
                             percent(findings_.clipped, all)));
  note(findings_.zingers, tr("{1} zingers replaced ({2} %)", findings_.zingers, percent(findings_.zingers, all)));
  note(num_unwritten_, cli::tr_count(num_unwritten_, "{1} projection is 0 throughout: was the scan broken off?",
                                     "{1} projections are 0 throughout: was the scan broken off?"));
  // Nothing lets so little through; some simulations have such numbers all the same.
  note(largest_ > 30, tr("values up to {1} were taken for line integrals; counts need --white LEVEL or --whites FILE",
                         shown(largest_)));
}

void CentreOption::add_to(cli::Command& command) {
  const auto take = [this](const cli::Texts& texts) {
    is_auto = texts.back() == "auto";
    if (!is_auto) bin = read_signed("--centre", texts.back(), -65536, 131072);
  };
  command
      .add_option("--centre", "BIN|auto",
                  tr("Bin of the axis of rotation, from 0 and with fractions: the middle of 640 is 319.5 (default: the "
                     "scan's, else auto, which finds it)"),
                  false, take)
      ->manual(
          "The bin of the axis of rotation, from 0 and with fractions, or `auto`; default: the scan's, else "
          "it is found. Outside of the detector it is refused, also that of a file.")
      ->offers([] { return cli::Texts{"auto"}; });
}

Centre choose_centre(PreparedScan& scan, const CentreOption& option, uint64_t memory) {
  if (option.bin && !is_on_detector(*option.bin, scan.info().num_bins))
    throw Failure(ExitCode::usage, tr("--centre {1}: outside of the detector", shown(*option.bin)),
                  tr("its bins are 0 to {1}", scan.info().num_bins - 1));
  if (option.bin) return {*option.bin, tr("given")};
  if (!option.is_auto) scan.info().need(Part::centre);
  if (!option.is_auto && scan.info().centre) return {*scan.info().centre, tr("of the scan")};
  if (memory > 0 && scan.centre_bytes() > memory)
    throw Failure(
        ExitCode::internal,
        tr("finding the axis of rotation takes {1} of memory, and {2} may be used",
           cli::format_bytes(static_cast<double>(scan.centre_bytes())), cli::format_bytes(static_cast<double>(memory))),
        tr("give it with --centre, or more with --memory"));
  cli::check_memory(scan.centre_bytes(), tr("finding the axis of rotation"), tr("give it with --centre"));
  const std::vector<float> sinogram = scan.sinogram(scan.central_row());
  const std::vector<FoundCentre> guesses = scan.find_centres(sinogram);
  if (guesses.empty() || guesses.front().confidence < 0.05)
    throw Failure(ExitCode::data, tr("{1}: the axis of rotation cannot be found", scan.info().name),
                  tr("give it with --centre; `vershina tomo centre --sheet` shows candidates"));
  const auto& [method, bin, confidence] = guesses.front();
  return {bin, tr("found by the method {1}, confidence {2}", method, shown(confidence))};
}

}  // namespace vsh::tomo
