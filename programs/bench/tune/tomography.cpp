// `vershina tomo tune`: measures every kernel, and stores the costs where the library reads them.
#include <unistd.h>

#include <cstdio>
#include <memory>

#include "programs/bench/tune/command.hpp"
#include "programs/bench/tune/measure_slices.hpp"
#include "programs/common/files/cost_file.hpp"
#include "programs/common/options/option_values.hpp"
#include "programs/common/system/console.hpp"
#include "programs/common/system/machine.hpp"
#include "programs/common/text/columns.hpp"
#include "programs/common/text/json.hpp"
#include "programs/common/text/text.hpp"
#include "programs/common/text/translate.hpp"
#include "programs/common/text/tuning_text.hpp"
#include "tomography/slices/registry.hpp"

namespace vsh::bench {
namespace {

using cli::ExitCode;
using cli::tr;

struct TuneSettings {
  tomography::TuningSize size{511, 420};
  double seconds = 0.1;
  bool dry_run = false, json = false, reset = false;
};

std::string describe_costs() {
  const tuner::Source& source = tomography::source();
  return cli::describe_tuning(source.path, source.problem, source.missing);
}

std::string milliseconds(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", 1000 * seconds);
  return text;
}

const char* variant_for(tomography::Method work, const tomography::SliceCosts* costs) {
  return tomography::default_slice_kernel(work, costs)->info.variant;
}

void print_table(const std::vector<tomography::MeasuredMethod>& works, const tomography::SliceCosts& costs) {
  std::vector<std::vector<std::string>> table = {{tr("ALGORITHM")}};
  std::vector<size_t> numbers;
  for (const tomography::MeasuredRow& row : works[0].rows) {
    numbers.push_back(table[0].size());
    table[0].emplace_back(row.variant);
  }
  table[0].push_back(tr("DEFAULT"));
  table[0].push_back(tr("TUNED"));
  for (const tomography::MeasuredMethod& measured : works) {
    std::vector<std::string>& line = table.emplace_back();
    line.emplace_back(tomography::kMethodNames[static_cast<size_t>(measured.work)]);
    for (const tomography::MeasuredRow& row : measured.rows) line.push_back(milliseconds(row.seconds));
    line.emplace_back(variant_for(measured.work, nullptr));
    line.emplace_back(variant_for(measured.work, &costs));
  }
  cli::print(tr("Milliseconds of the processor a slice, one thread") + "\n" + cli::align_columns(table, numbers));
}

void print_json(const std::vector<tomography::MeasuredMethod>& works, const tomography::SliceCosts& costs,
                const tomography::TuningSize& size) {
  cli::JsonArray list(cli::JsonLayout::lines);
  for (const tomography::MeasuredMethod& measured : works) {
    cli::JsonArray kernels;
    for (const tomography::MeasuredRow& row : measured.rows) {
      cli::JsonObject kernel;
      kernel.add("kernel", row.variant).add("ms_per_slice", cli::Json::fixed(1000 * row.seconds, 4));
      kernels.add(kernel.add("cycles_per_slice", cli::Json::fixed(row.cycles, 0))
                      .add("spread", cli::Json::fixed(row.spread, 4)));
    }
    cli::JsonObject object;
    object.add("name", tomography::kMethodNames[static_cast<size_t>(measured.work)]);
    object.add("default", variant_for(measured.work, nullptr)).add("tuned", variant_for(measured.work, &costs));
    list.add(object.add("kernels", kernels));
  }
  cli::JsonObject top(cli::JsonLayout::lines);
  cli::print(top.add("size", size.bins).add("projections", size.projections).add("works", list).text() + "\n");
}

void tune(const TuneSettings& settings) {
  const std::string path = tuner::cost_path(tuner::kTomographySuffix);
  if (settings.reset) {
    cli::remove_cost_file(path, describe_costs());
    cli::print(tr("not tuned: there is no {1}", cli::quote_name(path)) + "\n");
    return;
  }
  if (!settings.dry_run) cli::check_cost_file(path, describe_costs());
  const tomography::TuningSize& size = settings.size;
  cli::check_memory(tomography::tuning_memory(size), tr("this benchmark"));
  const auto works = tomography::measure_works(size, settings.seconds, [](const std::string& name) {
    if (::isatty(STDERR_FILENO)) cli::show_status_line(tr("measuring {1}", name));
  });
  cli::clear_status_line();
  const tomography::SliceCosts costs = tomography::costs_of(works);
  if (settings.json) print_json(works, costs, size);
  else print_table(works, costs);
  if (!settings.dry_run) cli::write_cost_file(path, tomography::format_costs(tomography::identity_here(), costs));
  if (!settings.json)
    cli::print((settings.dry_run ? describe_costs() : tr("written: {1}", cli::quote_name(path))) + "\n");
}

constexpr const char* kFooter = cli::mark(
    R"(The costs of a slice of this size by each kernel are written to the file that the library reads at its
first plan: $XDG_CACHE_HOME/vershina/tune-CPU.txt.tomography, ~/.cache by default, or the path in
$VERSHINA_TUNE with .tomography behind it; VERSHINA_TUNE=off leaves it unread. Each algorithm then takes the
kernel that costs least. --kernel and VERSHINA_TOMOGRAPHY_KERNEL come before it. Without the file, or with one
of another CPU or build, the first kernel that runs is taken; --dry-run says so. Give the size of your scans:
another one may have another best kernel.)");

}  // namespace

void add_tomography_tune_command(cli::Program& program) {
  cli::Command& command =
      program.add_command("tune", tr("Measure the kernels and choose by what they cost on this machine"));
  const auto settings = std::make_shared<TuneSettings>();
  auto* const dry_run = command.add_flag("-n,--dry-run", settings->dry_run, tr("Measure and print, write nothing"));
  auto* const json = command.add_flag("--json", settings->json, tr("Print JSON"));
  auto* const reset = command.add_flag("--reset", settings->reset, tr("Remove the file: back to the defaults"));
  reset->excludes(dry_run)->excludes(json);
  cli::add_number(command, "--size", settings->size.bins, {.min = 8, .max = 8192}, tr("Bins and pixels (default: 511)"))
      ->manual("Bins and pixels, those of your scans; default 511.");
  cli::add_number(command, "--projections", settings->size.projections, {.min = 8, .max = 65536}, tr("Default: 420"));
  cli::add_seconds(command, settings->seconds, 0.001, 60, tr("Time for each measurement, at least three runs (0.1)"));
  command.footer(tr(kFooter));
  command.exit_status({ExitCode::ok, ExitCode::usage, ExitCode::output, ExitCode::internal});
  command.action([settings] { tune(*settings); });
}

}  // namespace vsh::bench
