#include "measure.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <set>
#include <sstream>
#include <system_error>

#include <unistd.h>

#include "measure/machine.hpp"
#include "programs/bench/report/format.hpp"
#include "programs/bench/report/json.hpp"
#include "programs/bench/report/page.hpp"
#include "programs/bench/report/plot.hpp"
#include "programs/bench/report/summary.hpp"
#include "programs/bench/report/table.hpp"
#include "programs/bench/rows/key_setup.hpp"
#include "programs/bench/rows/run.hpp"
#include "programs/bench/rows/vershina_adapter.hpp"
#include "programs/bench/setup/environment.hpp"
#include "programs/common/options/engine_options.hpp"
#include "programs/common/system/console.hpp"
#include "programs/common/text/failure.hpp"
#include "programs/common/text/translate.hpp"

namespace vsh::bench {
namespace {

using cli::ExitCode;
using cli::Failure;
using cli::tr;

// `make peers` builds into build/peers; the program is in build/<preset>/ or installed.
std::filesystem::path built_peers(const Options& options) {
  if (!options.peers_dir.empty()) return options.peers_dir;
  std::error_code none;
  const auto above = std::filesystem::read_symlink("/proc/self/exe", none).parent_path().parent_path();
  const auto installed = above / "lib" / "vershina";
  return std::filesystem::exists(installed, none) ? installed : above / "peers" / "release";
}

// Fails for named kernels that serve none of the work or cannot run here, instead of a silent gap.
void check_kernels(const Options& options, const std::vector<Group>& plan) {
  for (const std::string& kernel : options.kernels) {
    if (kernel == "all" || kernel == "default") continue;
    const bool used = std::any_of(plan.begin(), plan.end(), [&](const Group& g) {
      return std::find(g.kernels.begin(), g.kernels.end(), kernel) != g.kernels.end();
    });
    if (!used)
      throw Failure(ExitCode::kernel,
                    cli::tr("kernel {1}: this CPU cannot run it, or none of the algorithms has it", kernel),
                    cli::tr("see `vershina kernels`"));
  }
}

// Every row is checked against the library's default, which an invalid VERSHINA_KERNEL prevents.
void check_environment(const std::vector<Group>& plan) {
  std::set<std::string> checked;
  for (const Group& g : plan) {
    const Work& work = g.work;
    if (work.algorithm == "aes256" || !checked.insert(work.algorithm + work.mode).second) continue;
    const vsh_status status = default_status(work);
    if (status == VSH_OK) continue;
    const Failure failure = cli::engine_failure(status, work.algorithm, VSH_OPTIONS_INIT);
    if (status != VSH_E_KERNEL_TABLES) throw failure;
    throw Failure(failure.code(), failure.problem(), cli::tr("to measure it, name it with --kernels"));
  }
}

Buffers buffers_for(const std::vector<Group>& plan) {
  size_t largest = 0, offset = 0;
  for (const Group& g : plan) largest = std::max(largest, g.bytes), offset = std::max(offset, g.alignment);
  return make_buffers(largest, offset);
}

double seconds_for_each(const Options& options) {
  if (options.seconds > 0) return options.seconds;
  return options.quick || !options.plot.empty() ? 0.03 : 0.1;
}

void add_efficiency(std::vector<Result>& results, const std::vector<Result>& earlier) {
  for (Result& r : results)
    for (const Result& one : earlier)
      if (r.threads > 1 && one.threads == 1 && same_but_threads(r, one))
        r.efficiency = one.cost.wall_seconds / r.cost.wall_seconds / r.threads;
}

// Shown by `--quick` and the whole benchmark, not with chosen sizes, threads or modes.
bool shows_key_setup(const Options& options) {
  return options.plot.empty() && options.sizes.empty() && options.threads.empty() && options.modes.empty();
}

// Adds one table for a work instead of rows, when its last size is done.
void add_plotted(std::ostream& out, const std::vector<Result>& results, const Work& work) {
  std::vector<Result> rows;
  std::copy_if(results.begin(), results.end(), std::back_inserter(rows),
               [&](const Result& r) { return r.work == work; });
  for (const Chart& chart : to_charts(rows)) out << "\n" << to_text(chart);
  const WorstChoice worst = worst_choice(rows);
  if (worst.ratio > 0)
    out << "  the library's choice costs at most " << short_number(worst.ratio)
        << " times the best constant-time kernel (" << worst.best << " at " << format_size(worst.bytes) << ")\n";
  else out << "  how good the library's choice is cannot be told: every constant-time kernel was disturbed\n";
}

// The long tables: rows of each algorithm, or a table of sizes for each work of a plot.
void add_tables(std::ostream& out, const Report& report, const std::vector<Group>& plan,
                const std::vector<Outcome>& outcomes, const Options& options) {
  Table table(out);
  out << "\n" << measure::to_text(report.machine);
  table.peers(report.peers);
  for (size_t i = 0; i < plan.size(); ++i) {
    const Work& work = plan[i].work;
    const bool first = i == 0 || plan[i - 1].work.algorithm != work.algorithm;
    const bool last = i + 1 == plan.size() || plan[i + 1].work.algorithm != work.algorithm;
    if (!options.plot.empty()) {
      table.wrong(outcomes[i]);
      if (i + 1 == plan.size() || plan[i + 1].work != work) add_plotted(out, report.results, work);
      continue;
    }
    if (first) table.heading(work.algorithm);
    table.add(outcomes[i]);
    if (!last) continue;
    std::vector<KeySetup> key_setups;
    std::copy_if(report.key_setups.begin(), report.key_setups.end(), std::back_inserter(key_setups),
                 [&](const KeySetup& k) { return k.algorithm == work.algorithm; });
    table.key_setup(key_setups);
    table.published(work.algorithm);
  }
  table.legend();
}

void show_step(const Work& work, size_t done, size_t all) {
  if (::isatty(STDERR_FILENO)) cli::show_status_line(cli::tr("measuring {1} ({2} of {3})", work_name(work), done, all));
}

// The last line of the summary.
std::string closing_line(const Report& report, const Options& options, double seconds) {
  std::string text = format("%zu rows in %.0f s", report.results.size(), seconds);
  if (!options.all) text += "; --all prints them";
  if (options.html.empty() && options.plot.empty())
    text += options.all ? "; --html FILE draws them" : ", --html FILE draws them";
  return text + "\n";
}

std::string to_plot(const measure::Machine& machine, const std::vector<Result>& results) {
  const std::vector<std::string> captions = {machine.cpu + ": " + machine.features,
                                             "Vershina " + machine.version + ", " + machine.compiler};
  return to_svg(to_charts(results), "Vershina: cost of one message against its size", captions);
}

}  // namespace

void measure(const Options& options) {
  Place place(options);
  const std::vector<Group> plan = make_plan(options, place.count);
  if (plan.empty())
    throw Failure(ExitCode::usage,
                  cli::tr("nothing to measure: no such combination of algorithms, modes, sizes and threads"));
  check_kernels(options, plan);
  check_environment(plan);
  ResultFile json(options.json), plot(options.plot), html(options.html), submission(options.submit);
  const Buffers buffers = buffers_for(plan);

  if (place.processor >= 0) place.affinity.pin(place.processor);
  const measure::Machine machine = machine_of_run(place.count, place.processor);
  Peers peers;
  if (options.peers) peers = load_peers({options.library_dir, built_peers(options)});

  std::ostream& out = table_stream(options);
  const std::string head = summary_head(machine, peers) + "\n";
  print(out, [&] { out << head; });

  const auto start = std::chrono::steady_clock::now();
  const measure::Sampler sampler(machine.quiet, seconds_for_each(options));
  Runner runner(sampler, buffers, peers, place.affinity, place.processor);
  Report report{machine, peers, {}, {}, {}, command_line()};
  std::vector<Outcome> outcomes;
  for (size_t i = 0; i < plan.size(); ++i) {
    const Work& work = plan[i].work;
    show_step(work, i + 1, plan.size());
    Outcome outcome = runner.measure(plan[i]);
    add_efficiency(outcome.results, report.results);
    report.results.insert(report.results.end(), outcome.results.begin(), outcome.results.end());
    report.wrong.insert(report.wrong.end(), outcome.wrong.begin(), outcome.wrong.end());
    outcomes.push_back(std::move(outcome));
    const bool last = i + 1 == plan.size() || plan[i + 1].work.algorithm != work.algorithm;
    if (!last || !shows_key_setup(options)) continue;
    const std::vector<KeySetup> key_setups = measure_key_setup(work.algorithm, sampler, buffers);
    report.key_setups.insert(report.key_setups.end(), key_setups.begin(), key_setups.end());
  }
  place.affinity.release();
  cli::clear_status_line();
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  print(out, [&] {
    const size_t above = static_cast<size_t>(std::count(head.begin(), head.end(), '\n'));
    out << at_most(summary_text(report), kSummaryLines - above - 1) << closing_line(report, options, seconds.count());
    if (options.all) add_tables(out, report, plan, outcomes, options);
  });
  json.write(to_json(report));
  plot.write(plot ? to_plot(machine, report.results) : "");
  html.write(html ? to_html(report) : "");
  submission.write(to_submission(report));
  if (!report.wrong.empty()) throw Failure(ExitCode::data, tr("some results were wrong (see above)"));
}

}  // namespace vsh::bench
