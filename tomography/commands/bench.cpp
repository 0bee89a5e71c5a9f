// `vershina tomo bench`: what a slice costs here, from memory to memory.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <numbers>
#include <vector>

#include "cli/options/option_values.hpp"
#include "cli/system/console.hpp"
#include "cli/text/columns.hpp"
#include "cli/text/json.hpp"
#include "cli/text/translate.hpp"
#include "tomography/commands/commands.hpp"
#include "tomography/commands/engine.hpp"
#include "tomography/commands/room.hpp"
#include "tomography/phantom/ellipsoids.hpp"
#include "tomography/preparation/parallel.hpp"

namespace vsh::tomo {
namespace {

using cli::ExitCode;
using cli::tr;

struct BenchSettings {
  size_t size = 511, projections = 420, slices = 32;
  std::vector<std::string> algorithms = {"fbp", "dfr", "hfbp"};
  unsigned threads = 1;
  double seconds = 1;
  bool json = false;
};

struct Row {
  std::string algorithm, kernel;
  double milliseconds;  // a slice, the least of all runs
  size_t runs;
};

class BenchCommand {
 public:
  explicit BenchCommand(const BenchSettings& settings) : settings_(settings) {
    const size_t m = settings.size, num = settings.projections, slices = settings.slices;
    check_memory(4 * uint64_t{slices} * m * (num + 2 * m), tr("this benchmark"));
    projections_.resize(num * slices * m);
    volume_.resize(slices * m * m);
    std::vector<float> row(m);
    const Detector detector{m, static_cast<double>(m - 1) / 2, static_cast<double>(m) / 2};
    for (size_t i = 0; i < num; ++i) {
      angles_.push_back(std::numbers::pi * static_cast<double>(i) / static_cast<double>(num));
      project(row.data(), shepp_logan(), detector, angles_.back(), 0);
      for (size_t slice = 0; slice < slices; ++slice)
        std::copy(row.begin(), row.end(), projections_.begin() + static_cast<ptrdiff_t>((i * slices + slice) * m));
    }
  }

  void run() {
    std::vector<Row> rows;
    for (const std::string& algorithm : settings_.algorithms) rows.push_back(measure(algorithm));
    if (settings_.json) print_json(rows);
    else print_text(rows);
  }

 private:
  Row measure(const std::string& algorithm) {
    EngineOptions options;
    options.algorithm = algorithm;
    const EnginePlan plan = options.plan(angles_, settings_.size, settings_.threads);
    Row row{algorithm, vsh_tomo_plan_kernel(plan.get()), 1e300, 0};
    double spent = 0;
    while (row.runs < 3 || spent < settings_.seconds) {
      const auto start = std::chrono::steady_clock::now();
      check_tomo(vsh_tomo_reconstruct(plan.get(), volume_.data(), projections_.data(), 0, settings_.slices));
      const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
      spent += seconds.count();
      row.milliseconds = std::min(row.milliseconds, 1000 * seconds.count() / static_cast<double>(settings_.slices));
      ++row.runs;
    }
    return row;
  }

  void print_text(const std::vector<Row>& rows) const {
    cli::print(tr("{1} slices of {2} x {2} from {3} projections, parallel beam, {4} of {5} threads", settings_.slices,
                  settings_.size, settings_.projections, settings_.threads, default_threads()) +
               "\n");
    std::vector<std::vector<std::string>> table = {{tr("ALGORITHM"), tr("KERNEL"), tr("MS A SLICE"), tr("SLICES A SECOND"),
                                                    tr("RUNS")}};
    for (const Row& row : rows) {
      char each[32], rate[32];
      std::snprintf(each, sizeof each, "%.2f", row.milliseconds);
      std::snprintf(rate, sizeof rate, "%.1f", 1000 / row.milliseconds);
      table.push_back({row.algorithm, row.kernel, each, rate, std::to_string(row.runs)});
    }
    cli::print(cli::align_columns(table, {2, 3, 4}));
  }
  void print_json(const std::vector<Row>& rows) const {
    cli::JsonArray list;
    for (const Row& row : rows) {
      cli::JsonObject object;
      object.add("algorithm", row.algorithm).add("kernel", row.kernel);
      object.add("ms_per_slice", cli::Json::fixed(row.milliseconds, 4)).add("runs", row.runs);
      list.add(object);
    }
    cli::JsonObject top(cli::JsonLayout::lines);
    top.add("slices", settings_.slices).add("size", settings_.size).add("projections", settings_.projections);
    top.add("threads", settings_.threads).add("rows", list);
    cli::print(top.text() + "\n");
  }

  const BenchSettings& settings_;
  std::vector<double> angles_;
  std::vector<float> projections_, volume_;
};

}  // namespace

void add_bench_command(cli::Program& program) {
  cli::Command& command = program.add_command("bench", tr("Measure what a slice costs on this machine"));
  const auto settings = std::make_shared<BenchSettings>();
  cli::add_name(command, "-a,--algorithm", settings->algorithms, EngineOptions::algorithms(),
                tr("Of fbp, dfr, hfbp, sirt, cgls, tv, joined by commas (default: fbp,dfr,hfbp)"), "NAMES", ',');
  cli::add_number(command, "--size", settings->size, {.min = 8, .max = 8192}, tr("Bins and pixels (default: 511)"));
  cli::add_number(command, "--projections", settings->projections, {.min = 1, .max = 65536}, tr("Default: 420"));
  cli::add_number(command, "--slices", settings->slices, {.min = 1, .max = 4096}, tr("At a time (default: 32)"));
  cli::add_number(command, "-t,--threads", settings->threads, {.min = 1, .max = 256}, tr("Default: 1"));
  cli::add_seconds(command, settings->seconds, 0.001, 600, tr("Measure each at least so long (default: 1)"));
  command.add_flag("--json", settings->json, tr("Print an object"));
  command.footer(tr("From memory to memory, the least time of at least three runs; the projections are those of\n"
                    "Shepp and Logan's phantom."));
  command.exit_status({ExitCode::ok, ExitCode::usage, ExitCode::kernel, ExitCode::internal});
  command.action([settings] { BenchCommand(*settings).run(); });
}

}  // namespace vsh::tomo
