// `vershina tomo monitor`: shows slices while the projections are taken, and tells you to stop when they no longer
// change.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <memory>
#include <numbers>
#include <numeric>
#include <span>
#include <system_error>

#include "programs/common/files/output_file.hpp"
#include "programs/common/options/option_values.hpp"
#include "programs/common/system/console.hpp"
#include "programs/common/system/machine.hpp"
#include "programs/common/text/failure.hpp"
#include "programs/common/text/text.hpp"
#include "programs/common/text/translate.hpp"
#include "programs/tomo/commands/accumulation.hpp"
#include "programs/tomo/commands/arrivals.hpp"
#include "programs/tomo/commands/commands.hpp"
#include "programs/tomo/commands/engine.hpp"
#include "programs/tomo/commands/prepared_scan.hpp"
#include "programs/tomo/commands/socket_arrivals.hpp"
#include "programs/tomo/commands/volume_output.hpp"
#include "programs/tomo/formats/folder.hpp"

namespace vsh::tomo {
namespace {

using cli::ExitCode;
using cli::Failure;
using cli::quote_name;
using cli::tr;

struct MonitorSettings {
  ScanOptions scan;
  PlanOptions engine;
  VolumeOutput output;
  std::optional<double> centre, tolerance, timeout, settle;
  std::optional<IndexRange> slices;
  size_t first_number = 0, projections = 0, subset = 8, patience = 2;
  std::string stop_file;
  bool quiet = false;
};

double radians_of(double degrees, const ScanOptions& scan) {
  return (scan.clockwise ? -degrees : degrees) * std::numbers::pi / 180;
}

// Where frames without object and beam will be. A sidecar promises those that it names.
void plan_fields(ArrivalPlan& plan, const ScanOptions& scan) {
  const auto& sidecar = plan.sidecar;
  if (sidecar && !sidecar->whites.empty()) plan.whites.name = sidecar->whites, plan.whites.is_needed = true;
  if (sidecar && !sidecar->darks.empty()) plan.darks.name = sidecar->darks, plan.darks.is_needed = true;
  plan.darks.is_used = scan.may_be_counts();
  plan.whites.is_used = scan.may_be_counts() && !scan.white && scan.whites_file.empty();
}

// How many projections will come, and their angles, as far as options and the sidecar say it.
void plan_angles(ArrivalPlan& plan, const MonitorSettings& settings, bool is_socket) {
  const ScanOptions& scan = settings.scan;
  const auto& sidecar = plan.sidecar;
  size_t& num = plan.num_projections = settings.projections;
  plan.by_number = !scan.angles_file.empty() || scan.angle_step;
  if (is_socket && plan.by_number)
    throw Failure(ExitCode::usage, tr("{1}: each projection comes with its angle", quote_name(scan.path)),
                  tr("leave --angles and --angle-step out"));
  if (num == 0 && sidecar && sidecar->shape) num = (*sidecar->shape)[0];
  if (!scan.angles_file.empty()) plan.angles = read_angles(scan.angles_file);
  else if (!scan.angle_step && sidecar) plan.angles = sidecar->angles;
  if (num == 0) num = plan.angles.size();
  if (num > kMostAngles)
    throw Failure(ExitCode::usage, tr("{1} projections", num), tr("at most {1} are possible", kMostAngles));
  if (!plan.angles.empty() && plan.angles.size() != num)
    throw Failure(ExitCode::usage, tr("{1} angles for {2} projections", plan.angles.size(), num),
                  tr("check --angles, --projections and the sidecar"));
  plan.first_angle = scan.first_angle;
  plan.angle_step = scan.angle_step;
  if (!plan.angle_step && plan.angles.empty() && sidecar) {
    plan.first_angle = sidecar->first_angle;
    plan.angle_step = sidecar->angle_step;
  }
  if (plan.angle_step && plan.angles.empty())
    for (size_t i = 0; i < num; ++i)
      plan.angles.push_back(plan.first_angle.value_or(0) + static_cast<double>(i) * *plan.angle_step);
  if (plan.by_number) check_given_angles(scan, plan.angles, num);
  else if (const std::string problem = angles_problem(plan.angles, plan.angles.size()); !problem.empty())
    throw Failure(ExitCode::input, sidecar->name + ": " + problem,
                  tr("give them in degrees, with --angles or --angle-step"));
}

// Makes line integrals of projections as they come.
class ArrivalPreparation {
 public:
  ArrivalPreparation(const ScanOptions& options, Arrivals& arrivals) : options_(options), arrivals_(arrivals) {}

  // After the first projection: finds out what the numbers are. Returns false if they are counts, and frames without
  // object are still to come.
  bool begin() {
    GivenWhites given(options_, arrivals_.all_rows(), arrivals_.num_bins());
    if (options_.may_be_counts()) {
      fields_.white = given.are_there() ? given.mean(arrivals_.first_row(), arrivals_.num_rows()) : arrivals_.whites();
      fields_.dark = arrivals_.darks();
    }
    try {
      data_ = choose_data(
          options_, {quote_name(options_.path), arrivals_.element(), !fields_.white.empty(), !fields_.dark.empty()});
    } catch (const Failure& failure) {
      if (given.are_there() || !arrivals_.await_whites()) throw;
      lacking_ = failure;
      return false;
    }
    if (data_ == DataKind::counts && fields_.dark.empty()) fields_.dark.resize(fields_.white.size());
    return true;
  }

  // Throws Failure.
  void run(Projection& projection, const std::string& name) const {
    const uint64_t gaps = count_gaps(projection.values);
    if (gaps > 0 && !options_.fill)
      throw Failure(ExitCode::data, tr("{1}: {2} values are NaN or infinite", quote_name(name), gaps),
                    tr("--fill replaces them from their neighbours"));
    const RawProjections raw{quote_name(name), projection.values, 1, arrivals_.num_rows(), arrivals_.num_bins()};
    (void)raw.integrate(data_, fields_, gaps);
  }

  std::string data() const { return word_of(kDataKinds, std::optional(data_)); }
  // Frames without object, which projections wait for.
  const std::optional<Failure>& lacking() const { return lacking_; }
  void forget_lacking() { lacking_.reset(); }

 private:
  const ScanOptions& options_;
  Arrivals& arrivals_;
  DataKind data_{};
  Fields fields_;
  std::optional<Failure> lacking_;
};

// The slices of the projections so far: of those that were added, and of those that wait for the end of their subset.
class GrowingSlices {
 public:
  GrowingSlices(const MonitorSettings& settings, const ArrivalPlan& plan)
      : settings_(settings), num_planned_(plan.num_projections) {
    for (const double angle : plan.angles) radians_.push_back(radians_of(angle, settings.scan));
  }

  // The first projection is there: all sizes are known.
  void begin(size_t num_rows, size_t num_bins, double centre) {
    rows_ = num_rows, bins_ = num_bins;
    sum_.emplace(settings_.engine, settings_.scan.threads, rows_, bins_, centre, settings_.subset);
    if (radians_.empty()) return;
    sum_->take_as_parts_of(radians_);
    weights_ = sum_->weights_of(radians_);
    whole_ = std::accumulate(weights_.begin(), weights_.end(), 0.0);
  }
  bool has_begun() const { return sum_.has_value(); }
  // Projections that were added cannot be taken out again: they are not kept.
  void restart() {
    pending_.clear();
    kept_.clear();
    num_ = 0;
    sum_.reset();
  }

  void take(Projection projection) { pending_.push_back(std::move(projection)); }
  size_t num_added() const { return num_; }
  size_t num_taken() const { return num_ + pending_.size(); }
  bool are_all_taken() const { return num_taken() == num_planned_; }
  size_t size() const { return sum_->size(); }

  // Adds those that wait, unless all are added anew at the end of the subset.
  void add_pending() {
    if (pending_.empty() || is_mended()) return;
    add(pending_, weigh(pending_));
    num_ += pending_.size();
    for (Projection& projection : pending_)
      if (is_unweighed(projection)) kept_.push_back(std::move(projection));
    pending_.clear();
    cli::check_memory(4 * uint64_t{settings_.subset} * rows_ * bins_, tr("{1} projections", num_));
  }

  // Ends a subset. Returns how much the slices differ from the former ones in `slices`, as a share of them.
  double renew(std::vector<float>& slices) {
    if (is_mended()) mend_all();
    else add_pending();
    return sum_->take(slices, whole_);
  }

  // All projections are there. If their angles were not known before, and their weights are not equal (angles that were
  // seen twice, a missing wedge) or they are a whole turn, the slices are made anew. Returns whether they were.
  bool settle(std::vector<float>& slices) {
    if (kept_.size() != num_ ||
        std::none_of(kept_.begin(), kept_.end(), [&](const auto& p) { return is_unweighed(p); }))
      return false;
    std::vector<double> degrees;
    for (const Projection& projection : kept_) degrees.push_back(projection.degrees);
    if (const std::string problem = angles_problem(degrees, num_); !problem.empty())
      cli::print_note(quote_name(settings_.scan.path) + ": " + problem);
    const std::vector<double> radians = radians_of_all(kept_);
    const std::vector<double> weights = sum_->weights_of(radians);
    const double equal = std::numbers::pi / static_cast<double>(num_);
    if (!sum_->take_as_parts_of(radians) &&
        std::all_of(weights.begin(), weights.end(), [&](double w) { return std::fabs(w / equal - 1) < 1e-6; }))
      return false;
    sum_->clear();
    const size_t most = is_mended() ? num_ : settings_.subset;
    for (size_t first = 0; first < num_; first += most) {
      const auto begin = weights.begin() + static_cast<ptrdiff_t>(first);
      const size_t num = std::min(most, num_ - first);
      add({kept_.data() + first, num}, {begin, begin + static_cast<ptrdiff_t>(num)});
    }
    (void)sum_->take(slices, sum_->weight());
    return true;
  }

 private:
  // Stripes and zingers are found in sinograms of all angles, which another projection changes: then all projections
  // are kept, and the slices are made anew.
  bool is_mended() const { return settings_.scan.zingers || settings_.scan.stripes; }

  // Its weight is not known before all have come: they are kept for the last slices.
  bool is_unweighed(const Projection& projection) const { return weights_.empty() || !projection.number; }

  void mend_all() {
    num_ += pending_.size();
    std::move(pending_.begin(), pending_.end(), std::back_inserter(kept_));
    pending_.clear();
    std::stable_sort(kept_.begin(), kept_.end(),
                     [](const Projection& a, const Projection& b) { return a.degrees < b.degrees; });
    cli::check_memory(8 * uint64_t{num_} * rows_ * bins_, tr("{1} projections", num_));
    sum_->clear();
    add(kept_, weigh(kept_));
  }

  std::vector<double> radians_of_all(std::span<const Projection> projections) const {
    std::vector<double> angles;
    for (const Projection& projection : projections) angles.push_back(radians_of(projection.degrees, settings_.scan));
    return angles;
  }

  std::vector<double> weigh(std::span<const Projection> projections) const {
    std::vector<double> weights;
    for (const Projection& projection : projections)
      weights.push_back(!is_unweighed(projection) ? weights_[*projection.number]
                        : weights_.empty()        ? 1
                                                  : std::numbers::pi / static_cast<double>(num_planned_));
    return weights;
  }

  void add(std::span<const Projection> projections, const std::vector<double>& weights) {
    std::vector<float> values;
    for (const Projection& projection : projections)
      values.insert(values.end(), projection.values.begin(), projection.values.end());
    (void)mend_sinograms(values, projections.size(), bins_, settings_.scan);
    sum_->add(radians_of_all(projections), weights, values);
  }

  const MonitorSettings& settings_;
  const size_t num_planned_;              // 0: not known
  std::vector<double> radians_;           // of all planned projections; empty: not known
  std::vector<double> weights_;           // of those
  double whole_ = std::numbers::pi;       // what they are together
  size_t rows_ = 0, bins_ = 0, num_ = 0;  // num_: added
  std::optional<Accumulation> sum_;
  std::vector<Projection> pending_;  // read, and not added
  std::vector<Projection> kept_;     // added: if sinograms are mended, ascending by angle; without known weights
};

class MonitorCommand {
 public:
  explicit MonitorCommand(MonitorSettings& settings) : settings_(settings) {
    ArrivalPlan plan;
    plan.folder = settings.scan.path;
    const bool is_socket = is_socket_name(plan.folder);
    if (!is_socket) sidecar_ = read_sidecar({plan.folder + "/scan.json", plan.folder});
    if (sidecar_ && sidecar_->source_distance)
      throw Failure(ExitCode::usage, tr("{1}: a fan beam", sidecar_->name), tr("only parallel beams can be monitored"));
    if (!settings.stop_file.empty()) cli::check_output_name(settings.stop_file, cli::Force::not_offered());
    check_output(is_socket);
    plan.sidecar = sidecar_;
    plan_fields(plan, settings.scan);
    plan.rows = settings.slices;
    plan.middle_row = makes_picture();
    plan.first_number = settings.first_number;
    plan.settle = settings.settle.value_or(plan.settle);
    plan_angles(plan, settings, is_socket);
    slices_.emplace(settings, plan);
    if (is_socket) {
      auto socket = std::make_unique<SocketArrivals>(std::move(plan));
      cli::print("listening " + socket->address() + "\n");
      arrivals_ = std::move(socket);
    } else {
      arrivals_ = std::make_unique<FolderArrivals>(std::move(plan));
    }
    preparation_.emplace(settings.scan, *arrivals_);
  }

  ExitCode run() {
    while (true) {
      const std::vector<std::string> names = wait();
      if (names.empty()) return arrivals_->is_at_end() ? end() : give_up();
      if (arrivals_->take_restart()) restart();
      preparation_->forget_lacking();
      for (const std::string& name : names) {
        if (!take(name)) {
          if (preparation_->lacking()) break;
          continue;
        }
        const bool is_last = slices_->are_all_taken();
        if (is_last || slices_->num_taken() % settings_.subset == 0) renew();
        if (num_saturated_ >= settings_.patience) return stop();
        if (is_last) return end();
      }
      slices_->add_pending();
    }
  }

 private:
  // Projections from before a connection broke stay.
  std::vector<std::string> wait() {
    try {
      return arrivals_->wait(settings_.timeout.value_or(0));
    } catch (const Failure&) {
      renew_rest();
      if (slices_->num_added() > 0) say("broken", false);
      throw;
    }
  }

  void restart() {
    slices_->restart();
    num_renewed_ = num_saturated_ = 0;
  }

  bool makes_picture() const { return cli::lower_case(settings_.output.name()).ends_with(".png"); }

  // Checks for failures before the first projection.
  void check_output(bool is_socket) {
    const std::string name = cli::lower_case(settings_.output.name());
    bool is_file = false;
    for (const char* suffix : {".h5", ".tif", ".nii", ".npy", ".png"}) is_file |= name.ends_with(suffix);
    if (!is_file)
      throw Failure(ExitCode::usage, tr("{1}: cannot be renewed", quote_name(settings_.output.name())),
                    tr("name a file .h5, .tif, .nii, .npy or .png"));
    const auto [folder, file] = split_path(settings_.output.name());
    std::error_code error;
    if (!is_socket && is_arrival_name(file) && std::filesystem::equivalent(folder, settings_.scan.path, error))
      throw Failure(ExitCode::usage, tr("{1}: would be taken for a projection", quote_name(settings_.output.name())),
                    tr("write it into another folder"));
    VolumeInfo info;
    info.num_slices = 1, info.size = 1;
    settings_.output.check(info);
  }

  // Returns whether the file is a projection of this scan.
  bool take(const std::string& name) {
    const auto unless_unfit = [&](auto&& work) {
      try {
        work();
        return true;
      } catch (const Failure& failure) {
        if (failure.code() != ExitCode::input && failure.code() != ExitCode::data) throw;
        cli::print_note(tr("{1}; it is left out", failure.what()));
        return false;
      }
    };
    Projection projection;
    if (!unless_unfit([&] { projection = arrivals_->read(name); })) return false;
    if (!slices_->has_begun() && !begin()) return false;
    if (!unless_unfit([&] { preparation_->run(projection, name); })) return false;
    arrivals_->accept(name, projection);
    slices_->take(std::move(projection));
    return true;
  }

  // The first projection is there: all sizes are known. Returns false if it needs frames without object that are not.
  bool begin() {
    const size_t bins = arrivals_->num_bins();
    check_centre(bins);
    if (!preparation_->begin()) return false;
    slices_->begin(arrivals_->num_rows(), bins, centre_);
    volume_.num_slices = arrivals_->num_rows();
    volume_.size = slices_->size();
    if (sidecar_) volume_.pixel_mm = sidecar_->pixel_mm;
    settings_.output.check(volume_);
    cli::print_note(tr("{1}: projections of {2} x {3}, parallel beam, {4}; {5} slices of {6} x {6}, centre bin {7}",
                       quote_name(settings_.scan.path), arrivals_->num_rows(), bins, preparation_->data(),
                       volume_.num_slices, volume_.size, shown(centre_)));
    return true;
  }

  void check_centre(size_t bins) {
    const double middle = static_cast<double>(bins - 1) / 2;
    centre_ = settings_.centre.value_or(sidecar_ && sidecar_->centre ? *sidecar_->centre : middle);
    if (is_on_detector(centre_, bins)) return;
    if (settings_.centre)
      throw Failure(ExitCode::usage, tr("--centre {1}: outside of the detector", shown(centre_)),
                    tr("its bins are 0 to {1}", bins - 1));
    throw Failure(
        ExitCode::input,
        sidecar_->name + ": " +
            tr("the axis of rotation, bin {1}, is outside of the detector, bins 0 to {2}", shown(centre_), bins - 1),
        tr("give it with --centre"));
  }

  // Ends a subset: writes the slices, and says how much they changed.
  void renew() {
    const bool is_first = values_.empty();
    change_ = slices_->renew(values_);
    num_renewed_ = slices_->num_added();
    num_saturated_ = !is_first && change_ <= settings_.tolerance.value_or(0.05) ? num_saturated_ + 1 : 0;
    write();
    say("projections", !is_first);
  }

  // After the last projection, whole subset or not.
  void renew_rest() {
    if (slices_->num_taken() > num_renewed_) renew();
  }

  void write() {
    volume_.history = {{"scan", settings_.scan.path},
                       {"projections", std::to_string(slices_->num_added())},
                       {"centre", shown(centre_)},
                       {"data", preparation_->data()}};
    for (const auto& step : sinogram_steps(settings_.scan, arrivals_->num_bins())) volume_.history.push_back(step);
    for (const auto& step : settings_.engine.steps()) volume_.history.push_back(step);
    volume_.history.emplace_back("first_slice", std::to_string(arrivals_->first_row()));
    Window window;
    if (const auto given = settings_.output.window()) {
      window = {given->low, given->high};
    } else {
      const auto [low, high] = std::minmax_element(values_.begin(), values_.end());
      const double margin = std::max(0.1 * static_cast<double>(*high - *low), 1e-6);
      window = {static_cast<double>(*low) - margin, static_cast<double>(*high) + margin};
    }
    const auto writer = settings_.output.open(volume_, window, {}, "");
    writer->write(values_.data(), 0, volume_.num_slices);
    writer->commit();
    settings_.output.renew();
  }

  // A line for programs: a word, the number of projections and, of a subset after the first, the change.
  void say(const std::string& word, bool with_change) {
    line_ = word + " " + std::to_string(slices_->num_added());
    if (with_change) line_ += " change " + shown(change_);
    line_ += "\n";
    cli::print(line_);
  }

  ExitCode stop() {
    say("stop", true);
    arrivals_->tell(line_);
    if (settings_.stop_file.empty()) return ExitCode::ok;
    cli::OutputFile file(settings_.stop_file, cli::Force::not_offered(), cli::Content::any, {});
    file.write({reinterpret_cast<const uint8_t*>(line_.data()), line_.size()});
    file.commit();
    return ExitCode::ok;
  }

  ExitCode end() {
    renew_rest();
    const size_t num = slices_->num_added();
    if (num == 0)
      throw Failure(ExitCode::data, tr("{1}: the client sent no projection", quote_name(settings_.scan.path)));
    if (slices_->settle(values_)) write();
    say("end", values_.size() > 0 && num > settings_.subset);
    arrivals_->tell(line_);
    return ExitCode::ok;
  }

  ExitCode give_up() {
    renew_rest();
    say("timeout", false);
    if (preparation_->lacking()) throw Failure(*preparation_->lacking());
    throw Failure(
        ExitCode::data,
        tr("{1}: no projection came for {2} seconds", quote_name(settings_.scan.path), shown(*settings_.timeout)),
        tr("{1} were there", slices_->num_added()));
  }

  MonitorSettings& settings_;
  std::optional<Sidecar> sidecar_;
  std::unique_ptr<Arrivals> arrivals_;
  std::optional<ArrivalPreparation> preparation_;
  std::optional<GrowingSlices> slices_;
  VolumeInfo volume_;
  std::vector<float> values_;  // of the slices as they were written
  double centre_ = 0, change_ = 0;
  size_t num_renewed_ = 0, num_saturated_ = 0;
  std::string line_;
};

constexpr const char* kMonitorExamples = cli::mark(
    R"(A projection is a file .tif, .png, .npy or .raw. It is taken as soon as it is renamed into the folder, or
when it has not changed for --settle and nobody has it open for writing. Its angle is in its name, in front
of "deg", or that of its number in the sidecar scan.json; --angles and --angle-step go by numbers alone.
Files that are not projections are left out, with a note.

After each subset standard output gets a line `projections N change C`, where C is by how much the slices
differ from those before: the root of the sum of squares, as a share of their own. At the end it gets
`stop N change C`, if C was not above the tolerance in as many subsets in a row as --patience says;
`end N change C`, if all projections were there before; `timeout N`; or `broken N`.

Through a socket, unix:NAME or tcp:PORT of 127.0.0.1, one client sends frames, which docs/tomography.md
describes; the line with `stop` or `end` is the answer. The first line says the address: `listening ...`.

With --stripes or --zingers all projections so far are kept, and the slices are made of them anew each time.

Examples:
  vershina tomo monitor arriving --angle-step 0.5 --projections 360 -o slice.png
  vershina tomo monitor arriving --slices 100:104 --tolerance 0.02 --stop-file arriving/stop -o slices.h5
  vershina tomo monitor unix:scan.socket --stripes wavelet --projections 360 -o slice.png)");

}  // namespace

void add_monitor_command(cli::Program& program) {
  cli::Command& command =
      program.add_command("monitor", tr("Reconstruct while projections arrive, and say when to stop"));
  const auto settings = std::make_shared<MonitorSettings>();
  command.add_operand("DIR", settings->scan.path, tr("The folder where they arrive; unix:NAME or tcp:PORT, a socket"))
      ->required();
  settings->scan.add_projection_to(command);
  settings->scan.add_sinogram_to(command);
  cli::add_number(command, "--first-number", settings->first_number, {.max = UINT32_MAX},
                  tr("The number in the name of the first projection (default: 0)"));
  cli::add_number(command, "--projections", settings->projections, {.min = 1, .max = kMostAngles},
                  tr("How many there will be (default: as many as angles are given)"));
  add_signed(command, "--centre", settings->centre, -0.5, 65536, "BIN",
             tr("Bin of the axis of rotation, from 0 and with fractions (default: the sidecar's, else the middle)"));
  settings->engine.add_fbp_to(command);
  add_range(command, "--slices", settings->slices,
            tr("Rows of the detector (default: all, for a picture the middle one)"));
  cli::add_number(command, "--subset", settings->subset, {.min = 1, .max = 65536},
                  tr("Projections between two updates of the output (default: 8)"));
  add_positive(command, "--tolerance", settings->tolerance, 0, 1, "C",
               tr("The change of the slices in a subset at which they are good enough (default: 0.05)"));
  cli::add_number(command, "--patience", settings->patience, {.min = 1, .max = 65536},
                  tr("In this many subsets in a row (default: 2)"));
  add_positive(command, "--timeout", settings->timeout, 0.001, 1e6, "SECONDS",
               tr("Give up when nothing comes for so long (default: wait)"));
  add_positive(command, "--settle", settings->settle, 0, 3600, "SECONDS",
               tr("A file that was not renamed is complete when it rests for so long (default: 1)"));
  command
      .add_option("--stop-file", settings->stop_file, "FILE", tr("Write this file when the acquisition should stop"))
      ->manual("Write this file, with the last line, when the acquisition should stop; it must not exist.");
  settings->output.add_renewed_to(command);
  command.add_flag("-q,--quiet", settings->quiet, tr("Print only errors"));
  command.footer(tr(kMonitorExamples));
  command.exit_status({{ExitCode::ok, tr("stop, or all projections were there")},
                       {ExitCode::data, tr("nothing came for --timeout")},
                       ExitCode::usage,
                       ExitCode::input,
                       ExitCode::output,
                       ExitCode::kernel,
                       ExitCode::internal,
                       ExitCode::closed_pipe});
  command.action([settings] { return MonitorCommand(*settings).run(); });
}

}  // namespace vsh::tomo
