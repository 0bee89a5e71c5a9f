#include "programs/bench/tune/command.hpp"

#include <vershina/vershina.h>

#include <memory>

#include <unistd.h>

#include "core/registry.hpp"
#include "core/row_costs.hpp"
#include "programs/bench/tune/devices.hpp"
#include "programs/bench/tune/report.hpp"
#include "programs/common/files/cost_file.hpp"
#include "programs/common/options/engine_options.hpp"
#include "programs/common/options/option_values.hpp"
#include "programs/common/system/console.hpp"
#include "programs/common/text/columns.hpp"
#include "programs/common/text/failure.hpp"
#include "programs/common/text/text.hpp"
#include "programs/common/text/translate.hpp"
#include "programs/common/text/tuning_text.hpp"

namespace vsh::bench {
namespace {

using cli::ExitCode;
using cli::Failure;
using cli::print;
using cli::quote_name;
using cli::tr;

constexpr const char* kMore = "--all prints the tables\n";

struct TuneOptions {
  bool dry_run = false, json = false, reset = false, check = false, all = false;
  double seconds = 0.03;
  std::string device;
  std::string algorithm;  // of devices; empty: all
};

std::string describe_costs() { return cli::describe_tuning(VSH_TUNING_KERNELS); }

std::string path_to_write(std::string_view suffix) {
  const std::string path = tuner::cost_path(suffix);
  cli::check_cost_file(path, describe_costs());
  return path;
}

void reset() {
  const std::string path = tuner::cost_path();
  for (const std::string& file : {path, path + tuner::kDevicesSuffix}) cli::remove_cost_file(file, describe_costs());
  print(tr("not tuned: there is no {1}", quote_name(path)) + "\n");
}

// Refuses to measure kernels that compute wrongly.
void check_results() {
  const char* failed = nullptr;
  if (vsh_selftest(&failed) == VSH_OK) return;
  throw Failure(ExitCode::data, tr("selftest: wrong result: {1}", failed ? failed : ""),
                tr("do not use this build on this machine, and report it"));
}

void show_step(const std::string& name) {
  if (::isatty(STDERR_FILENO)) cli::show_status_line(tr("measuring {1}", name));
}

// A row appears once with named S-boxes and, in Magma's family, once with user-defined ones.
void add_costs(tuner::RowCosts& costs, const std::vector<MeasuredRow>& rows, bool custom_sbox) {
  const auto infos = kernel_infos();
  for (const MeasuredRow& row : rows) {
    for (size_t i = 0; i < infos.size(); ++i) {
      if (infos[i] != row.info) continue;
      if (!custom_sbox) costs.of[i].pass = row.pass, costs.of[i].figures = row.figures;
      costs.of[i].custom = row.pass;
    }
  }
}

std::vector<TunedFamily> measure_all(const RowBenchmark& bench, tuner::RowCosts& costs) {
  std::vector<TunedFamily> families;
  for (const Workload& workload : kCipherWorkloads) {
    show_step(workload.name);
    families.push_back({workload.name, tuning::measure_rows(bench, workload), {}});
    add_costs(costs, families.back().rows, workload.custom_sbox);
  }
  show_step("streebog");
  families.push_back({"streebog", tuning::measure_hash_rows(bench), {}});
  add_costs(costs, families.back().rows, false);
  for (const bool public_input : {false, true})
    families.back().choices.push_back(compare_hash_choice(families.back().rows, public_input, costs));
  show_step("streebog, many messages");
  families.push_back({"streebog, many messages", tuning::measure_hash_lanes_rows(bench), {}});
  add_costs(costs, families.back().rows, false);
  families.back().choices.push_back(compare_hash_lanes_choice(families.back().rows, costs));
  for (size_t i = 0; i < std::size(kCipherWorkloads); ++i) {
    show_step(std::string("the choice for ") + kCipherWorkloads[i].name);
    families[i].choices.push_back(compare_choice(bench, kCipherWorkloads[i], costs));
  }
  return families;
}

void tune(const TuneOptions& options) {
  const std::string path = options.dry_run ? "" : path_to_write({});
  check_results();
  tuner::RowCosts costs;
  const auto families = measure_all(RowBenchmark(options.seconds), costs);
  if (options.json) {
    print(tune_json(families));
  } else {
    std::string text = cpu::model() + "\n" + tune_summary(families);
    if (!options.all) {
      text += kMore;
    } else {
      text += "\nCore cycles a byte by the number of blocks in a request\n\n";
      for (const TunedFamily& family : families) text += tune_table(family);
    }
    print(text);
  }
  if (options.dry_run) return;
  cli::write_cost_file(path, tuner::format_row_costs(tuner::identity_here(), kernel_infos(), costs));
  if (!options.json) print(tr("written: {1}", quote_name(path)) + "\n");
}

std::vector<std::string> algorithm_names() {
  std::vector<std::string> names;
  for (const AlgorithmInfo& info : kAlgorithms)
    if (info.algorithm != Algorithm::gf2n) names.emplace_back(info.name);
  return names;
}

// From which sizes devices beat the processor.
void tune_devices(const TuneOptions& options) {
  std::optional<Algorithm> only;
  if (const AlgorithmInfo* const info = info_by_name(options.algorithm)) only = info->algorithm;
  const std::string path = options.dry_run ? "" : path_to_write(tuner::kDevicesSuffix);
  check_results();
  const std::vector<gpu::Crossover> rows = measure_crossovers(options.device, only, show_step);
  print(crossovers_summary(rows) + (options.all ? "\n" + crossovers_table(rows) : kMore));
  if (options.dry_run) return;
  cli::write_cost_file(path, gpu::format_crossovers(rows));
  print(tr("written: {1}", quote_name(path)) + "\n");
}

void check(const TuneOptions& options) {
  check_results();
  const RowBenchmark bench(options.seconds);
  bool within = true;
  const cli::English table_is_english;
  print(cpu::model() + ": core cycles of a request by the library's choice (" + describe_costs() +
        "), and by the constant-time kernel that is best for it\n\n");
  for (const Workload& workload : kCipherWorkloads) {
    show_step(workload.name);
    const auto sizes = check_sizes(bench, workload);
    for (const CheckedSize& size : sizes) within = within && size.ratio() <= kWorstRatio;
    print(options.all ? check_table(workload, sizes) : check_line(workload, sizes));
  }
  if (!within)
    throw Failure(ExitCode::data, tr("a choice costs more than 1.3 times the best kernel"),
                  options.all ? tr("see the table") : tr("--all prints the table"));
}

constexpr const char* kExplanation = cli::mark(
    R"(Every kernel is tested, measured (median over undisturbed samples; tables too, which stay forbidden unless
allowed), and written with its cost to the file that the library reads at its first choice:
$XDG_CACHE_HOME/vershina/tune-CPU.txt, ~/.cache by default, or the path in $VERSHINA_TUNE; VERSHINA_TUNE=off
leaves it unread. A file of another CPU or build is ignored; `vershina kernels` says so.

With --device, devices are measured against the processor: from which size of a request, and from how many
messages of a batch, they are faster. That is written to the same name with .devices behind it, and --device
auto of other commands goes by it. With --algorithm the results of other algorithms stay.)");

}  // namespace

void add_tune_command(cli::Program& program) {
  using namespace cli;
  Command& command =
      program.add_command("tune", tr("Measure the kernels and choose by what they cost on this machine"));
  const auto options = std::make_shared<TuneOptions>();
  auto* dry_run = command.add_flag("-n,--dry-run", options->dry_run, tr("Measure and print, write nothing"));
  auto* json =
      command.add_flag("--json", options->json, tr("Print JSON"))
          ->manual(
              "Print an object with `blocks` (the sizes of the requests) and `families`, each with its `name`, "
              "`kernels` and `choices`.");
  auto* reset_flag = command.add_flag("--reset", options->reset, tr("Remove the file: back to the defaults"));
  auto* check_flag =
      command.add_flag("--check", options->check, tr("Measure the choice in force against every kernel, at all sizes"))
          ->manual(
              "Measure the choice that is in force at some 150 sizes from 1 to 1024 blocks against every single "
              "constant-time kernel. A size at which it costs more than 1.3 times the best of them is an error.");
  add_seconds(command, options->seconds, 0.001, 60, tr("Time for each measurement (0.03)"));
  auto* all = command.add_flag("--all", options->all, tr("Print the long tables below the summary"));
  auto* device =
      add_value(command, "--device", options->device,
                tr("Measure the sizes from which devices are faster: all, cuda:N, opencl:P.D"), "DEVICE",
                read_measured_device)
          ->manual(
              "Measure devices (`all`, `cuda:N`, `opencl:P.D`; see vershina-devices(1)) against the processor, "
              "host to host: in every cipher and mode that they support under one key, the size of a request "
              "from which they are faster, and the size of pieces; in batches of messages (`batch-` works of "
              "each cipher, `batch-mgm` of packets, and `batch-hash` of Streebog), the number of messages of "
              "512, 4096 and 16384 bytes. A device counts as faster from a size if it is faster at all larger "
              "measured sizes, up to 64 MiB; similar works are measured once. The result is written to the file "
              "of the kernels' costs with .devices appended to its name, and used by `--device auto` of other "
              "commands: for a batch the longest of these lengths that its messages have counts; messages "
              "shorter than 512 bytes go to the processor. Without the file `auto` is the processor; "
              "vershina-devices(1) shows whether there is one. The first time a device's compiler may need a "
              "minute or two.")
          ->offers(device_names);
  device->excludes(json)->excludes(check_flag)->excludes(reset_flag);
  add_name(command, "-a,--algorithm", options->algorithm, {mark("algorithm"), algorithm_names},
           tr("With --device: measure only kuznyechik, magma, gost28147 or streebog"), "NAME")
      ->manual(
          "Measure `kuznyechik`, `magma`, `gost28147` or `streebog` only on the device; the other results "
          "are kept.")
      ->needs(device);
  reset_flag->excludes(dry_run)->excludes(json)->excludes(check_flag)->excludes(all);
  all->excludes(json);
  check_flag->excludes(dry_run)->excludes(json);
  command.footer(tr(kExplanation));
  command.exit_status({ExitCode::ok,
                       {ExitCode::data, tr("a result was wrong, or --check found a size beyond 1.3")},
                       {ExitCode::usage, tr("usage, or no path for the file")},
                       ExitCode::output,
                       {ExitCode::kernel, tr("VERSHINA_KERNEL cannot be used")},
                       ExitCode::device});
  command.action([=] {
    (void)check_kernels_of_environment();
    if (options->reset) reset();
    else if (options->check) check(*options);
    else if (!options->device.empty()) tune_devices(*options);
    else tune(*options);
  });
}

}  // namespace vsh::bench
