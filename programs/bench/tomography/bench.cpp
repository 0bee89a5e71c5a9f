#include "programs/bench/tomography/bench.hpp"

#include <unistd.h>
#include <vershina/tomography.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <memory>
#include <numbers>
#include <vector>

#include "programs/bench/tomography/peers.hpp"
#include "programs/common/options/option_values.hpp"
#include "programs/common/phantom/ellipsoids.hpp"
#include "programs/common/system/console.hpp"
#include "programs/common/system/machine.hpp"
#include "programs/common/text/columns.hpp"
#include "programs/common/text/failure.hpp"
#include "programs/common/text/json.hpp"
#include "programs/common/text/text.hpp"
#include "programs/common/text/translate.hpp"

namespace vsh::bench {
namespace {

using cli::ExitCode;
using cli::Failure;
using cli::tr;

// In the order of the library's enumerators, which count from 1.
const std::vector<std::string> kAlgorithms = {"fbp", "dfr", "hfbp", "sirt", "cgls", "tv"};

void check(vsh_tomo_status status) {
  if (status == VSH_TOMO_E_MEMORY) throw std::bad_alloc();
  if (status == VSH_TOMO_E_KERNEL_UNKNOWN || status == VSH_TOMO_E_KERNEL_CPU)
    throw Failure(ExitCode::kernel, vsh_tomo_status_message(status));
  if (status != VSH_TOMO_OK)
    throw Failure(ExitCode::usage, vsh_tomo_status_message(status), tr("see the limits in docs/tomography.md"));
}

struct FreePlan {
  void operator()(vsh_tomo_plan* plan) const { vsh_tomo_plan_free(plan); }
};

// Makes a plan for a parallel beam about the middle.
std::unique_ptr<vsh_tomo_plan, FreePlan> make_plan(const std::string& algorithm, bool is_fast,
                                                   const std::vector<double>& angles, size_t num_bins,
                                                   unsigned threads) {
  vsh_tomo_geometry geometry = VSH_TOMO_GEOMETRY_INIT;
  geometry.num_angles = angles.size();
  geometry.angles = angles.data();
  geometry.num_bins = num_bins;
  vsh_tomo_options options = VSH_TOMO_OPTIONS_INIT;
  const auto place = std::find(kAlgorithms.begin(), kAlgorithms.end(), algorithm) - kAlgorithms.begin();
  options.algorithm = static_cast<vsh_tomo_algorithm>(place + 1);
  if (is_fast) options.quality = VSH_TOMO_FAST;
  options.threads = threads;
  vsh_tomo_plan* plan = nullptr;
  check(vsh_tomo_plan_new(&plan, &geometry, &options));
  return std::unique_ptr<vsh_tomo_plan, FreePlan>(plan);
}

struct BenchSettings {
  size_t size = 0, projections = 0, slices = 32;  // size, projections: 0 where not given
  std::vector<std::string> algorithms = {"fbp", "dfr", "hfbp"};
  unsigned threads = 1;
  double seconds = 1;
  bool json = false, peers = false;
  std::string python = "python3";
};

struct Row {
  std::string algorithm, kernel;
  bool is_fast;
  unsigned threads;
  size_t slices, runs;
  double milliseconds, processor;  // a slice, the least of all runs; the processors' time
};

std::string fixed(double value, int digits) {
  char text[32];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

std::string shortest(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", value);
  return text;
}

// The processors' time of this process, in seconds.
double processor_time() {
  timespec time;
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

// Projections of Shepp and Logan's phantom, on as many rows.
class PhantomScan {
 public:
  PhantomScan(size_t size, size_t projections, size_t slices) : size_(size), slices_(slices) {
    cli::check_memory(4 * uint64_t{slices} * size * (projections + 2 * size), tr("this benchmark"));
    projections_.resize(projections * slices * size);
    volume_.resize(slices * size * size);
    std::vector<float> row(size);
    const tomo::Detector detector{size, static_cast<double>(size - 1) / 2, static_cast<double>(size) / 2};
    for (size_t i = 0; i < projections; ++i) {
      angles_.push_back(std::numbers::pi * static_cast<double>(i) / static_cast<double>(projections));
      tomo::project(row.data(), tomo::shepp_logan(), detector, angles_.back(), 0);
      for (size_t slice = 0; slice < slices; ++slice)
        std::copy(row.begin(), row.end(), projections_.begin() + static_cast<ptrdiff_t>((i * slices + slice) * size));
    }
  }

  size_t slices() const { return slices_; }

  // slices: at most as many as there are.
  Row measure(const std::string& algorithm, bool is_fast, unsigned threads, size_t slices, double seconds) {
    const auto plan = make_plan(algorithm, is_fast, angles_, size_, threads);
    Row row{algorithm, vsh_tomo_plan_kernel(plan.get()), is_fast, threads, slices, 0, 1e300, 1e300};
    double spent = 0;
    while (row.runs < 3 || spent < seconds) {
      const auto start = std::chrono::steady_clock::now();
      const double used = processor_time();
      check(vsh_tomo_reconstruct(plan.get(), volume_.data(), projections_.data(), slices_ * size_, slices));
      const double num = static_cast<double>(slices);
      row.processor = std::min(row.processor, 1000 * (processor_time() - used) / num);
      const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
      spent += wall.count();
      row.milliseconds = std::min(row.milliseconds, 1000 * wall.count() / num);
      ++row.runs;
    }
    return row;
  }

  // Returns the error of the first slice of the last measurement, in the circle less two pixels, against the phantom.
  double rmse() const {
    std::vector<float> exact(size_ * size_);
    const double half = static_cast<double>(size_) / 2, middle = (static_cast<double>(size_) - 1) / 2;
    tomo::rasterise(exact.data(), tomo::shepp_logan(), size_, half, 0, 8);
    double sum = 0, num = 0;
    for (size_t j = 0; j < size_; ++j) {
      for (size_t i = 0; i < size_; ++i) {
        const double x = static_cast<double>(i) - middle, y = static_cast<double>(j) - middle;
        if (x * x + y * y > (half - 2) * (half - 2)) continue;
        const double difference = static_cast<double>(volume_[j * size_ + i] - exact[j * size_ + i]);
        sum += difference * difference;
        ++num;
      }
    }
    return std::sqrt(sum / num);
  }

 private:
  size_t size_, slices_;
  std::vector<double> angles_;
  std::vector<float> projections_, volume_;
};

void print_table(const std::vector<Row>& rows, const BenchSettings& settings) {
  cli::print(tr("{1} slices of {2} x {2} from {3} projections, parallel beam, {4} of {5} threads", settings.slices,
                settings.size, settings.projections, settings.threads, cli::default_threads()) +
             "\n");
  std::vector<std::vector<std::string>> table = {
      {tr("ALGORITHM"), tr("KERNEL"), tr("MS A SLICE"), tr("SLICES A SECOND"), tr("RUNS")}};
  for (const Row& row : rows)
    table.push_back({row.algorithm, row.kernel, fixed(row.milliseconds, 2), fixed(1000 / row.milliseconds, 1),
                     std::to_string(row.runs)});
  cli::print(cli::align_columns(table, {2, 3, 4}));
}

void print_json(const std::vector<Row>& rows, const BenchSettings& settings) {
  cli::JsonArray list;
  for (const Row& row : rows) {
    cli::JsonObject object;
    object.add("algorithm", row.algorithm).add("kernel", row.kernel);
    object.add("ms_per_slice", cli::Json::fixed(row.milliseconds, 4)).add("runs", row.runs);
    list.add(object);
  }
  cli::JsonObject top(cli::JsonLayout::lines);
  top.add("slices", settings.slices).add("size", settings.size).add("projections", settings.projections);
  top.add("threads", settings.threads).add("rows", list);
  cli::print(top.text() + "\n");
}

// Compares with the published work and with other programs.
class Comparison {
 public:
  explicit Comparison(const BenchSettings& settings) : settings_(settings) {
    if (settings.size == 0 && settings.projections == 0) sets_ = published_sets();
    else sets_ = {{settings.size > 0 ? settings.size : 511, settings.projections > 0 ? settings.projections : 420, 0}};
    for (PublishedSet& set : sets_)
      for (const PublishedSet& published : published_sets())
        if (set.size == published.size && set.projections == published.projections) set.slices = published.slices;
  }

  void run() {
    for (const PublishedSet& set : sets_) measure(set);
    if (!settings_.json) print_peers_head();
    for (const std::string& name : peer_names()) {
      if (::isatty(STDERR_FILENO)) cli::show_status_line(name);
      peers_.push_back(run_peer(settings_.python, name, sets_[0].size, sets_[0].projections));
    }
    cli::clear_status_line();
    if (settings_.json) print_json();
    else print_peers();
  }

 private:
  struct Own {
    Row row;
    double rmse;
  };

  static std::string name_of(const Row& row) { return row.algorithm + (row.is_fast ? " fast" : ""); }

  void measure(const PublishedSet& set) {
    PhantomScan scan(set.size, set.projections, settings_.slices);
    std::vector<std::vector<std::string>> table = {
        {tr("ALGORITHM"), tr("KERNEL"), tr("THREADS"), tr("MS A SLICE"), tr("SECONDS"), tr("PUBLISHED"), tr("TIMES")}};
    for (const std::string& algorithm : settings_.algorithms) {
      for (const bool is_fast : {false, true}) {
        if (is_fast && algorithm != "hfbp") continue;
        for (const unsigned threads : {1u, cli::default_threads()}) {
          const Row row = scan.measure(algorithm, is_fast, threads, scan.slices(), settings_.seconds);
          const std::optional<double> published = published_seconds(algorithm, set, threads == 1);
          const double seconds = row.milliseconds * static_cast<double>(set.slices) / 1000;
          table.push_back({name_of(row), row.kernel, std::to_string(threads), fixed(row.milliseconds, 2),
                           set.slices > 0 ? fixed(seconds, 1) : "", published ? shortest(*published) : "",
                           published ? fixed(*published / seconds, 1) : ""});
          cli::JsonObject object;
          object.add("algorithm", name_of(row)).add("kernel", row.kernel).add("size", set.size);
          object.add("projections", set.projections).add("threads", threads);
          object.add("ms_per_slice", cli::Json::fixed(row.milliseconds, 4)).add("runs", row.runs);
          object.add("seconds", set.slices > 0 ? cli::Json::fixed(seconds, 3) : cli::Json());
          object.add("published_seconds", published ? cli::Json::fixed(*published, 3) : cli::Json());
          rows_.add(object);
          if (threads == 1 && &set == &sets_[0]) own_.push_back({row, scan.rmse()});
          if (cli::default_threads() == 1) break;
        }
        if (&set != &sets_[0] || algorithm != "fbp") continue;
        const Row one = scan.measure(algorithm, is_fast, 1, 1, settings_.seconds);
        own_.push_back({one, scan.rmse()});
      }
    }
    if (settings_.json) return;
    cli::print(tr("{1} x {1} from {2} projections, parallel beam, {3} slices at a time", set.size, set.projections,
                  settings_.slices) +
               "\n" + cli::align_columns(table, {2, 3, 4, 5, 6}) + "\n");
  }

  void print_peers_head() const {
    if (sets_[0].slices > 0)
      cli::print(
          tr("SECONDS: {1} slices at this rate, by the clock; PUBLISHED: on an AMD Threadripper 3970X, one thread and\n"
             "64, for a fan beam (Smart Tomo Engine, 2020).",
             sets_.size() > 1 ? "511, 1261" : std::to_string(sets_[0].slices)) +
          "\n\n");
    cli::print(tr("Compared with other programs: {1} x {1} from {2} projections, one thread each, the processor's time",
                  sets_[0].size, sets_[0].projections) +
               "\n");
  }

  // The own row for the work of a peer; null where it was not measured.
  const Own* own(const std::string& peer, size_t slices) const {
    const std::string wanted = peer == "finufft" ? "dfr" : peer == "adrt" ? "hfbp fast" : "fbp";
    for (const Own& each : own_)
      if (name_of(each.row) == wanted && each.row.slices == slices) return &each;
    return nullptr;
  }

  void print_peers() const {
    std::vector<std::vector<std::string>> table = {
        {tr("PROGRAM"), tr("SLICES"), tr("MS A SLICE"), "RMSE", tr("TIMES"), tr("OF ONE")}};
    for (const Own& each : own_)
      table.push_back({name_of(each.row), std::to_string(each.row.slices), fixed(each.row.processor, 2),
                       fixed(each.rmse, 5), "", ""});
    for (const Peer& peer : peers_) {
      if (!peer.missing.empty() || peer.gmac) continue;
      const Own *const many = own(peer.name, settings_.slices), *const one = own(peer.name, 1);
      const auto times = [&](const Own* each) { return each ? fixed(peer.milliseconds / each->row.processor, 1) : ""; };
      table.push_back({peer.name + " " + peer.version, "1", fixed(peer.milliseconds, 2),
                       peer.rmse ? fixed(*peer.rmse, 5) : "", times(many), times(one)});
    }
    cli::print(cli::align_columns(table, {1, 2, 3, 4, 5}));
    for (const Peer& peer : peers_)
      if (peer.gmac)
        cli::print(tr("U-Net of 256 x 256, 64 to 1024 channels, ONNX Runtime {1}: {2} GMAC in {3} s; published: {4} s",
                      peer.version, fixed(*peer.gmac, 1), fixed(peer.milliseconds / 1000, 2),
                      fixed(published_unet_seconds(), 2)) +
                   "\n");
    for (const Peer& peer : peers_)
      if (!peer.missing.empty()) cli::print(tr("not run: {1}: {2}", peer.name, cli::quote_name(peer.missing)) + "\n");
  }

  void print_json() const {
    cli::JsonArray own, peers;
    for (const Own& each : own_) {
      cli::JsonObject object;
      object.add("algorithm", name_of(each.row)).add("slices", each.row.slices);
      object.add("processor_ms", cli::Json::fixed(each.row.processor, 4)).add("rmse", cli::Json::fixed(each.rmse, 6));
      own.add(object);
    }
    for (const Peer& peer : peers_) {
      cli::JsonObject object;
      object.add("name", peer.name).add("version", peer.version);
      const bool ran = peer.missing.empty();
      object.add("processor_ms", ran ? cli::Json::fixed(peer.milliseconds, 4) : cli::Json());
      object.add("rmse", peer.rmse ? cli::Json::fixed(*peer.rmse, 6) : cli::Json());
      object.add("gmac", peer.gmac ? cli::Json::fixed(*peer.gmac, 2) : cli::Json());
      object.add("published_seconds",
                 peer.name == "u-net" ? cli::Json::fixed(published_unet_seconds(), 3) : cli::Json());
      object.add("not_run", ran ? cli::Json() : cli::Json(peer.missing));
      peers.add(object);
    }
    cli::JsonObject top(cli::JsonLayout::lines);
    top.add("slices", settings_.slices).add("rows", rows_).add("one_thread", own).add("peers", peers);
    cli::print(top.text() + "\n");
  }

  const BenchSettings& settings_;
  std::vector<PublishedSet> sets_;
  std::vector<Own> own_;
  std::vector<Peer> peers_;
  cli::JsonArray rows_;
};

void run_bench(BenchSettings& settings) {
  if (settings.peers) return Comparison(settings).run();
  if (settings.size == 0) settings.size = 511;
  if (settings.projections == 0) settings.projections = 420;
  PhantomScan scan(settings.size, settings.projections, settings.slices);
  std::vector<Row> rows;
  for (const std::string& algorithm : settings.algorithms)
    rows.push_back(scan.measure(algorithm, false, settings.threads, settings.slices, settings.seconds));
  if (settings.json) print_json(rows, settings);
  else print_table(rows, settings);
}

constexpr const char* kFooter =
    cli::mark(R"(From memory to memory, the least time of at least three runs; the projections are those of
Shepp and Logan's phantom. --peers measures both published sets, or the size that is given, on one thread
and on all, and runs astra-toolbox, scikit-image, finufft, adrt and a U-Net by onnxruntime where Python
has them:
  vershina tomo bench --peers --python peers/bin/python)");

}  // namespace

void add_tomography_bench_command(cli::Program& program) {
  cli::Command& command = program.add_command("bench", tr("Measure what a slice costs on this machine"));
  const auto settings = std::make_shared<BenchSettings>();
  cli::add_name(command, "-a,--algorithm", settings->algorithms, {cli::mark("algorithm"), [] { return kAlgorithms; }},
                tr("Some of fbp, dfr, hfbp, sirt, cgls, tv, joined by commas (default: fbp,dfr,hfbp)"), "NAMES", ',');
  cli::add_number(command, "--size", settings->size, {.min = 8, .max = 8192}, tr("Bins and pixels (default: 511)"));
  cli::add_number(command, "--projections", settings->projections, {.min = 1, .max = 65536}, tr("Default: 420"));
  cli::add_number(command, "--slices", settings->slices, {.min = 1, .max = 4096}, tr("At a time (default: 32)"));
  auto* const threads =
      cli::add_number(command, "-t,--threads", settings->threads, {.min = 1, .max = 256}, tr("Default: 1"));
  cli::add_seconds(command, settings->seconds, 0.001, 600, tr("Measure each at least so long (default: 1)"));
  auto* const peers =
      command.add_flag("--peers", settings->peers, tr("Compare with the published work and with other programs"))
          ->manual(
              "Measure both published sets, or the size that is given, on one thread and on all, compared with "
              "the published times; then, on one thread, astra-toolbox, scikit-image, finufft and adrt, and "
              "onnxruntime with a U-Net, where Python has them. What could not be run is named with the reason.");
  peers->excludes(threads);
  command.add_option("--python", settings->python, "PROGRAM", tr("The Python that runs them (default: python3)"))
      ->needs(peers);
  command.add_flag("--json", settings->json, tr("Print an object"));
  command.footer(tr(kFooter));
  command.exit_status({ExitCode::ok, ExitCode::usage, ExitCode::kernel, ExitCode::internal});
  command.action([settings] { run_bench(*settings); });
}

}  // namespace vsh::bench
