// `vershina tomo monitor`: slices while the projections are taken, and the word to stop when they change no more.
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

// Filtered back-projection is a sum over projections: those that come are added to those that were there, each with its
// weight, and the sum is scaled to that of all, or half a turn.
class Accumulation {
 public:
  Accumulation(const MonitorSettings& settings, size_t num_rows, size_t num_bins, double centre)
      : engine_(settings.engine), threads_(settings.scan.threads), rows_(num_rows), bins_(num_bins), centre_(centre) {
    engine_.weigh_equally();
    engine_.take_as_parts(false);
    size_ = vsh_tomo_plan_size(plan({0}).get());
    // The sum, a part of it, two states of the slices; projections as they come and together.
    cli::check_memory(4 * uint64_t{rows_} * (4 * uint64_t{size_} * size_ + 2 * uint64_t{settings.subset} * bins_),
                      tr("{1} slices of {2} x {2}", rows_, size_));
    sum_.resize(rows_ * size_ * size_);
    part_.resize(sum_.size());
  }

  size_t size() const { return size_; }

  // What is added from now on is a part of these angles: a whole turn has weights of its own (vsh_tomo_displaced).
  // Returns whether it is one.
  bool take_as_parts_of(const std::vector<double>& radians) {
    int is_whole = 0;
    check_tomo(vsh_tomo_whole_turn(&is_whole, radians.data(), radians.size()));
    engine_.take_as_parts(is_whole != 0);
    return is_whole != 0;
  }

  // The shares of pi of so many angles.
  std::vector<double> weights_of(const std::vector<double>& radians) const {
    std::vector<double> weights(radians.size());
    check_tomo(vsh_tomo_plan_weights(PlanOptions().plan(radians, bins_, 1, centre_).get(), weights.data()));
    return weights;
  }

  // values [angle][row][bin] of so many angles; they are scaled.
  void add(const std::vector<double>& radians, const std::vector<double>& weights, std::vector<float>& values) {
    const size_t num = radians.size(), len = rows_ * bins_;
    for (size_t i = 0; i < num; ++i) {
      const auto scale = static_cast<float>(weights[i] * static_cast<double>(num) / std::numbers::pi);
      for (float* value = values.data() + i * len; value < values.data() + (i + 1) * len; ++value) *value *= scale;
      weight_ += weights[i];
    }
    check_tomo(vsh_tomo_reconstruct(plan(radians).get(), part_.data(), values.data(), 0, rows_));
    for (size_t i = 0; i < sum_.size(); ++i) sum_[i] += part_[i];
  }

  void clear() {
    std::fill(sum_.begin(), sum_.end(), 0.F);
    weight_ = 0;
  }

  double weight() const { return weight_; }

  // Copies the slices, as if the weights were `whole` together, and returns how much they differ from what was in
  // `slices`, as a share of them.
  double take(std::vector<float>& slices, double whole) const {
    const double scale = whole / weight_;
    double difference = 0, square = 0;
    slices.resize(sum_.size());
    for (size_t i = 0; i < sum_.size(); ++i) {
      const double value = static_cast<double>(sum_[i]) * scale, change = value - static_cast<double>(slices[i]);
      difference += change * change;
      square += value * value;
      slices[i] = static_cast<float>(value);
    }
    return square > 0 ? std::sqrt(difference / square) : 0;
  }

 private:
  EnginePlan plan(const std::vector<double>& radians) const {
    return engine_.plan(radians, bins_, threads_ > 0 ? threads_ : cli::default_threads(), centre_);
  }

  PlanOptions engine_;
  unsigned threads_;
  size_t rows_, bins_, size_ = 0;
  double centre_, weight_ = 0;
  std::vector<float> sum_, part_;
};

class MonitorCommand {
 public:
  explicit MonitorCommand(MonitorSettings& settings)
      : settings_(settings), is_socket_(is_socket_name(settings.scan.path)) {
    if (!is_socket_) sidecar_ = read_sidecar({settings.scan.path + "/scan.json", settings.scan.path});
    if (sidecar_ && sidecar_->source_distance)
      throw Failure(ExitCode::usage, tr("{1}: a fan beam", sidecar_->name), tr("only parallel beams can be monitored"));
    if (!settings.stop_file.empty()) cli::check_output_name(settings.stop_file, cli::Force::not_offered());
    check_output();
    ArrivalPlan plan = plan_arrivals();
    if (!is_socket_) {
      arrivals_ = std::make_unique<FolderArrivals>(std::move(plan));
      return;
    }
    auto socket = std::make_unique<SocketArrivals>(std::move(plan));
    cli::print("listening " + socket->address() + "\n");
    arrivals_ = std::move(socket);
  }

  ExitCode run() {
    while (true) {
      const std::vector<std::string> names = wait();
      if (names.empty()) return arrivals_->is_at_end() ? end() : give_up();
      if (arrivals_->take_restart()) restart();
      lacking_.reset();
      for (const std::string& name : names) {
        if (!take(name)) {
          if (lacking_) break;
          continue;
        }
        const bool is_last = num_ + pending_.size() == num_planned_;
        if (is_last || (num_ + pending_.size()) % settings_.subset == 0) renew();
        if (num_saturated_ >= settings_.patience) return stop();
        if (is_last) return end();
      }
      add_pending();
    }
  }

 private:
  // What came before a connection broke stays.
  std::vector<std::string> wait() {
    try {
      return arrivals_->wait(settings_.timeout.value_or(0));
    } catch (const Failure&) {
      renew_rest();
      if (num_ > 0) say("broken", false);
      throw;
    }
  }

  // What was added cannot be taken out again: it is not kept.
  void restart() {
    pending_.clear();
    kept_.clear();
    num_ = num_renewed_ = num_saturated_ = 0;
    accumulation_.reset();
  }

  // Where frames without object and beam will be. A sidecar promises those that it names.
  void plan_fields(ArrivalPlan& plan) const {
    const ScanOptions& scan = settings_.scan;
    const bool are_used = scan.may_be_counts();
    if (sidecar_ && !sidecar_->whites.empty()) plan.whites.name = sidecar_->whites, plan.whites.is_needed = true;
    if (sidecar_ && !sidecar_->darks.empty()) plan.darks.name = sidecar_->darks, plan.darks.is_needed = true;
    plan.darks.is_used = are_used;
    plan.whites.is_used = are_used && !scan.white && scan.whites_file.empty();
  }

  ArrivalPlan plan_arrivals() {
    ArrivalPlan plan;
    const ScanOptions& scan = settings_.scan;
    plan.folder = scan.path;
    plan.sidecar = sidecar_;
    plan_fields(plan);
    plan.rows = settings_.slices;
    plan.middle_row = makes_picture();
    plan.first_number = settings_.first_number;
    plan.by_number = !scan.angles_file.empty() || scan.angle_step;
    plan.settle = settings_.settle.value_or(plan.settle);
    num_planned_ = settings_.projections;
    if (is_socket_ && (!scan.angles_file.empty() || scan.angle_step))
      throw Failure(ExitCode::usage, tr("{1}: each projection comes with its angle", quote_name(scan.path)),
                    tr("leave --angles and --angle-step out"));
    if (num_planned_ == 0 && sidecar_ && sidecar_->shape) num_planned_ = (*sidecar_->shape)[0];
    if (!scan.angles_file.empty()) plan.angles = read_angles(scan.angles_file);
    else if (!scan.angle_step && sidecar_) plan.angles = sidecar_->angles;
    if (num_planned_ == 0) num_planned_ = plan.angles.size();
    if (num_planned_ > kMostAngles)
      throw Failure(ExitCode::usage, tr("{1} projections", num_planned_), tr("at most {1} are possible", kMostAngles));
    if (!plan.angles.empty() && plan.angles.size() != num_planned_)
      throw Failure(ExitCode::usage, tr("{1} angles for {2} projections", plan.angles.size(), num_planned_),
                    tr("check --angles, --projections and the sidecar"));
    plan.first_angle = scan.first_angle;
    plan.angle_step = scan.angle_step;
    if (!plan.angle_step && plan.angles.empty() && sidecar_) {
      plan.first_angle = sidecar_->first_angle;
      plan.angle_step = sidecar_->angle_step;
    }
    if (plan.angle_step && plan.angles.empty())
      for (size_t i = 0; i < num_planned_; ++i)
        plan.angles.push_back(plan.first_angle.value_or(0) + static_cast<double>(i) * *plan.angle_step);
    if (!scan.angles_file.empty() || scan.angle_step) check_given_angles(scan, plan.angles, num_planned_);
    else if (const std::string problem = angles_problem(plan.angles, plan.angles.size()); !problem.empty())
      throw Failure(ExitCode::input, sidecar_->name + ": " + problem,
                    tr("give them in degrees, with --angles or --angle-step"));
    for (const double angle : plan.angles) radians_.push_back(radians(angle));
    return plan;
  }

  double radians(double degrees) const {
    return (settings_.scan.clockwise ? -degrees : degrees) * std::numbers::pi / 180;
  }

  bool makes_picture() const { return cli::lower_case(settings_.output.name()).ends_with(".png"); }

  // What can fail before the first projection.
  void check_output() {
    const std::string name = cli::lower_case(settings_.output.name());
    bool is_file = false;
    for (const char* suffix : {".h5", ".tif", ".nii", ".npy", ".png"}) is_file |= name.ends_with(suffix);
    if (!is_file)
      throw Failure(ExitCode::usage, tr("{1}: cannot be renewed", quote_name(settings_.output.name())),
                    tr("name a file .h5, .tif, .nii, .npy or .png"));
    const auto [folder, file] = split_path(settings_.output.name());
    std::error_code error;
    if (!is_socket_ && is_arrival_name(file) && std::filesystem::equivalent(folder, settings_.scan.path, error))
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
    if (!accumulation_ && !begin()) return false;
    if (!unless_unfit([&] { prepare(projection, name); })) return false;
    arrivals_->accept(name, projection);
    pending_.push_back(std::move(projection));
    return true;
  }

  // The first projection is there: all sizes are known. Returns false if it needs frames without object that are not.
  bool begin() {
    const size_t bins = arrivals_->num_bins();
    const double middle = static_cast<double>(bins - 1) / 2;
    centre_ = settings_.centre.value_or(sidecar_ && sidecar_->centre ? *sidecar_->centre : middle);
    if (!is_on_detector(centre_, bins)) {
      if (settings_.centre)
        throw Failure(ExitCode::usage, tr("--centre {1}: outside of the detector", shown(centre_)),
                      tr("its bins are 0 to {1}", bins - 1));
      throw Failure(
          ExitCode::input,
          sidecar_->name + ": " +
              tr("the axis of rotation, bin {1}, is outside of the detector, bins 0 to {2}", shown(centre_), bins - 1),
          tr("give it with --centre"));
    }
    if (!choose_data()) return false;
    accumulation_.emplace(settings_, arrivals_->num_rows(), bins, centre_);
    if (!radians_.empty()) {
      accumulation_->take_as_parts_of(radians_);
      weights_ = accumulation_->weights_of(radians_);
      whole_ = std::accumulate(weights_.begin(), weights_.end(), 0.0);
    }
    volume_.num_slices = arrivals_->num_rows();
    volume_.size = accumulation_->size();
    if (sidecar_) volume_.pixel_mm = sidecar_->pixel_mm;
    settings_.output.check(volume_);
    cli::print_note(tr("{1}: projections of {2} x {3}, parallel beam, {4}; {5} slices of {6} x {6}, centre bin {7}",
                       quote_name(settings_.scan.path), arrivals_->num_rows(), bins,
                       word_of(kDataKinds, std::optional(data_)), volume_.num_slices, volume_.size, shown(centre_)));
    return true;
  }

  bool choose_data() {
    const ScanOptions& scan = settings_.scan;
    GivenWhites given(scan, arrivals_->all_rows(), arrivals_->num_bins());
    if (scan.may_be_counts()) {
      fields_.white =
          given.are_there() ? given.mean(arrivals_->first_row(), arrivals_->num_rows()) : arrivals_->whites();
      fields_.dark = arrivals_->darks();
    }
    try {
      data_ = tomo::choose_data(
          scan, {quote_name(scan.path), arrivals_->element(), !fields_.white.empty(), !fields_.dark.empty()});
    } catch (const Failure& failure) {
      if (given.are_there() || !arrivals_->await_whites()) throw;
      lacking_ = failure;
      return false;
    }
    if (data_ == DataKind::counts && fields_.dark.empty()) fields_.dark.resize(fields_.white.size());
    return true;
  }

  // Makes line integrals of it. Throws Failure.
  void prepare(Projection& projection, const std::string& name) const {
    const uint64_t gaps = count_gaps(projection.values);
    if (gaps > 0 && !settings_.scan.fill)
      throw Failure(ExitCode::data, tr("{1}: {2} values are no numbers", quote_name(name), gaps),
                    tr("--fill replaces them from their neighbours"));
    const RawProjections raw{quote_name(name), projection.values, 1, arrivals_->num_rows(), arrivals_->num_bins()};
    (void)raw.integrate(data_, fields_, gaps);
  }

  // Stripes and zingers are found in sinograms of all angles, which another projection changes: then all projections
  // are kept, and the slices are made anew.
  bool is_mended() const { return settings_.scan.zingers || settings_.scan.stripes; }

  // Its weight is not known before all have come: they are kept for the last slices.
  bool is_unweighed(const Projection& projection) const { return weights_.empty() || !projection.number; }

  void add_pending() {
    if (pending_.empty() || is_mended()) return;
    add(pending_, weigh(pending_));
    num_ += pending_.size();
    for (Projection& projection : pending_)
      if (is_unweighed(projection)) kept_.push_back(std::move(projection));
    pending_.clear();
    cli::check_memory(4 * uint64_t{settings_.subset} * arrivals_->num_rows() * arrivals_->num_bins(),
                      tr("{1} projections", num_));
  }

  void mend_all() {
    num_ += pending_.size();
    std::move(pending_.begin(), pending_.end(), std::back_inserter(kept_));
    pending_.clear();
    std::stable_sort(kept_.begin(), kept_.end(),
                     [](const Projection& a, const Projection& b) { return a.degrees < b.degrees; });
    cli::check_memory(8 * uint64_t{num_} * arrivals_->num_rows() * arrivals_->num_bins(), tr("{1} projections", num_));
    accumulation_->clear();
    add(kept_, weigh(kept_));
  }

  std::vector<double> radians_of(std::span<const Projection> projections) const {
    std::vector<double> angles;
    for (const Projection& projection : projections) angles.push_back(radians(projection.degrees));
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
    (void)mend_sinograms(values, projections.size(), arrivals_->num_bins(), settings_.scan);
    accumulation_->add(radians_of(projections), weights, values);
  }

  // All projections are there. If their angles were not known before, and their weights are not equal (angles that were
  // seen twice, a missing wedge) or they are a whole turn, the slices are made anew.
  void settle() {
    if (kept_.size() != num_ ||
        std::none_of(kept_.begin(), kept_.end(), [&](const auto& p) { return is_unweighed(p); }))
      return;
    std::vector<double> degrees;
    for (const Projection& projection : kept_) degrees.push_back(projection.degrees);
    if (const std::string problem = angles_problem(degrees, num_); !problem.empty())
      cli::print_note(quote_name(settings_.scan.path) + ": " + problem);
    const std::vector<double> radians = radians_of(kept_);
    const std::vector<double> weights = accumulation_->weights_of(radians);
    const double equal = std::numbers::pi / static_cast<double>(num_);
    if (!accumulation_->take_as_parts_of(radians) &&
        std::all_of(weights.begin(), weights.end(), [&](double w) { return std::fabs(w / equal - 1) < 1e-6; }))
      return;
    accumulation_->clear();
    const size_t most = is_mended() ? num_ : settings_.subset;
    for (size_t first = 0; first < num_; first += most) {
      const auto begin = weights.begin() + static_cast<ptrdiff_t>(first);
      const size_t num = std::min(most, num_ - first);
      add({kept_.data() + first, num}, {begin, begin + static_cast<ptrdiff_t>(num)});
    }
    (void)accumulation_->take(slices_, accumulation_->weight());
    write();
  }

  // Ends a subset: writes the slices, and says how much they changed.
  void renew() {
    if (is_mended()) mend_all();
    else add_pending();
    num_renewed_ = num_;
    const bool is_first = slices_.empty();
    change_ = accumulation_->take(slices_, whole_);
    num_saturated_ = !is_first && change_ <= settings_.tolerance.value_or(0.05) ? num_saturated_ + 1 : 0;
    write();
    say("projections", !is_first);
  }

  // After the last projection, whole subset or not.
  void renew_rest() {
    if (num_ + pending_.size() > num_renewed_) renew();
  }

  void write() {
    volume_.history = {{"scan", settings_.scan.path},
                       {"projections", std::to_string(num_)},
                       {"centre", shown(centre_)},
                       {"data", word_of(kDataKinds, std::optional(data_))}};
    for (const auto& step : sinogram_steps(settings_.scan, arrivals_->num_bins())) volume_.history.push_back(step);
    for (const auto& step : settings_.engine.steps()) volume_.history.push_back(step);
    volume_.history.emplace_back("first_slice", std::to_string(arrivals_->first_row()));
    Window window;
    if (const auto given = settings_.output.window()) {
      window = {given->low, given->high};
    } else {
      const auto [low, high] = std::minmax_element(slices_.begin(), slices_.end());
      const double margin = std::max(0.1 * static_cast<double>(*high - *low), 1e-6);
      window = {static_cast<double>(*low) - margin, static_cast<double>(*high) + margin};
    }
    const auto writer = settings_.output.open(volume_, window, {}, "");
    writer->write(slices_.data(), 0, volume_.num_slices);
    writer->commit();
    settings_.output.renew();
  }

  // A line for programs: a word, the number of projections and, of a subset after the first, the change.
  void say(const std::string& word, bool with_change) {
    line_ = word + " " + std::to_string(num_);
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
    if (num_ == 0)
      throw Failure(ExitCode::data, tr("{1}: the client sent no projection", quote_name(settings_.scan.path)));
    settle();
    say("end", slices_.size() > 0 && num_ > settings_.subset);
    arrivals_->tell(line_);
    return ExitCode::ok;
  }

  ExitCode give_up() {
    renew_rest();
    say("timeout", false);
    if (lacking_) throw Failure(*lacking_);
    throw Failure(
        ExitCode::data,
        tr("{1}: no projection came for {2} seconds", quote_name(settings_.scan.path), shown(*settings_.timeout)),
        tr("{1} were there", num_));
  }

  MonitorSettings& settings_;
  const bool is_socket_;
  std::optional<Sidecar> sidecar_;
  size_t num_planned_ = 0;       // 0: not known
  std::vector<double> radians_;  // of all planned projections; empty: not known
  std::unique_ptr<Arrivals> arrivals_;
  std::vector<double> weights_;      // of those
  double whole_ = std::numbers::pi;  // what they are together
  DataKind data_{};
  std::optional<Failure> lacking_;  // frames without object, which projections wait for
  Fields fields_;
  double centre_ = 0, change_ = 0;
  std::optional<Accumulation> accumulation_;
  VolumeInfo volume_;
  std::vector<Projection> pending_;  // read, and not added
  std::vector<Projection> kept_;     // added: if sinograms are mended, ascending by angle; without known weights
  size_t num_ = 0, num_renewed_ = 0, num_saturated_ = 0;  // num_: added
  std::vector<float> slices_;                             // as they were written
  std::string line_;
};

constexpr const char* kMonitorExamples = cli::mark(
    R"(A projection is a file .tif, .png, .npy or .raw. It is taken as soon as it is renamed into the folder, or
when it has not changed for --settle and nobody has it open for writing. Its angle is in its name, in front
of "deg", or that of its number in the sidecar scan.json; --angles and --angle-step go by numbers alone.
Files that are no projection are left out, with a note.

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
                  tr("In so many subsets in a row (default: 2)"));
  add_positive(command, "--timeout", settings->timeout, 0.001, 1e6, "SECONDS",
               tr("Give up when nothing comes for so long (default: wait)"));
  add_positive(command, "--settle", settings->settle, 0, 3600, "SECONDS",
               tr("A file that was not renamed is complete when it rests for so long (default: 1)"));
  command.add_option("--stop-file", settings->stop_file, "FILE",
                     tr("Write this file when the acquisition should stop"));
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
