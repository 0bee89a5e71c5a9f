#include "programs/bench/command.hpp"

#include <climits>
#include <initializer_list>
#include <memory>

#include "programs/bench/device/bench.hpp"
#include "programs/bench/measure.hpp"
#include "programs/bench/rows/plan.hpp"
#include "programs/bench/rows/vershina_adapter.hpp"
#include "programs/bench/studies/study.hpp"
#include "programs/common/options/engine_options.hpp"
#include "programs/common/options/option_values.hpp"
#include "programs/common/text/translate.hpp"

namespace vsh::bench {
namespace {

constexpr cli::NumberRule kSize = {.min = 8, .max = SIZE_MAX / 4, .is_size = true, .multiple_of = 8};

std::vector<std::string> with(std::vector<std::string> names, std::initializer_list<const char*> more) {
  names.insert(names.begin(), more.begin(), more.end());
  return names;
}

constexpr const char* kExamples = cli::mark(R"(Examples:
  vershina bench                                        every kernel, then large buffers on all processors
  vershina bench --all                                  the same, with the long tables
  vershina bench --peers --algorithms kuznyechik        beside OpenSSL, libgcrypt, Nettle, Botan, RustCrypto
  vershina bench --quick --html speed.html              a page of plots and tables, in seconds
  vershina bench --plot cost.svg                        cost against size, from one block to 64 MiB
  vershina bench --device all                           GPUs: in their memory, from the host's, from files
  vershina bench --sizes 16,16KiB,64MiB --threads 1,0 --modes ctr --kernels default --json ctr.json)");

}  // namespace

void add_bench_command(cli::Program& program) {
  using namespace cli;
  struct Parsed {
    Options options;
    std::string in_place = "no";
  };
  const auto parsed = std::make_shared<Parsed>();
  Options& o = parsed->options;
  o.kernels = {"all"};
  Command& bench =
      program.add_command("bench", tr("Measure this machine's speed, beside other libraries and published figures"));
  bench.footer(tr(kExamples));
  const auto add_names = [&](const char* names, auto& values, const std::string& text, const char* what,
                             const std::vector<std::string>& all) {
    add_name(bench, names, values, {what, [all] { return all; }}, text, "NAME", ',');
  };
  add_names("-a,--algorithms", o.algorithms, tr("Only these: {1}", join(algorithm_names())), mark("algorithm"),
            algorithm_names());
  add_names("-m,--modes", o.modes, tr("Only these: {1}", join(mode_names())), mark("mode"), mode_names());
  add_names("-k,--kernels", o.kernels, tr("all, default (the library's choice), or names of `vershina kernels`"),
            mark("kernel"), with(kernel_names(), {"all", "default"}));
  add_number(bench, "-s,--sizes", o.sizes, kSize, tr("Message sizes: 16, 4KiB, 64MiB, 1GiB; multiples of 8 bytes"),
             "SIZE", ',');
  add_number(bench, "-t,--threads", o.threads, {.max = kMaxThreads}, tr("Numbers of threads; 0 means all processors"),
             "N", ',');
  add_number(bench, "--alignment", o.alignments, {.max = 63},
             tr("Buffers start N bytes past a 64-byte boundary: 0 to 63"), "N", ',');
  add_name(bench, "--in-place", parsed->in_place,
           {mark("way"),
            [] {
              return std::vector<std::string>{"no", "yes", "both"};
            }},
           tr("Output over input: no (default), yes or both"), "WHICH");
  add_seconds(bench, o.seconds, 0.001, 600, tr("Time for each row (0.1; with --quick 0.03)"));
  add_number(bench, "--processor", o.processor, {.max = INT_MAX},
             tr("Pin single-threaded rows to processor N (the last one)"));
  bench.add_flag("-q,--quick", o.quick,
                 tr("16 KiB, the most used modes, shorter samples; counter modes on all processors"));
  bench.add_flag("--all", o.all, tr("Print the long tables below the summary"));
  bench.add_flag("-p,--peers", o.peers, tr("Measure other libraries on the same buffers in the same run"));
  bench.add_option("--peers-dir", o.peers_dir, "DIR", tr("Where `make peers` put its library (build/peers/release)"));
  bench.add_option("--library-dir", o.library_dir, "DIR", tr("Look for the peers' libraries here only"));
  bench.add_option("-j,--json", o.json, "FILE", tr("Write the results as JSON; - for standard output"));
  Option* plot =
      bench.add_option("--plot", o.plot, "FILE", tr("Draw cost against size as an SVG; - for standard output"));
  bench.add_option("--html", o.html, "FILE", tr("Write a page of plots and tables; - for standard output"));
  bench.add_option("--submit", o.submit, "FILE",
                   tr("Write figures, CPU and compiler, to send and compare; - for standard output"));
  Option* study = add_name(bench, "--study", o.study, {mark("study"), study_names},
                           tr("Repeat a published experiment: {1}", join(study_names())), "NAME");
  add_value(bench, "--device", o.devices, tr("Measure devices: names of `vershina devices`, or all"), "DEVICE",
            read_measured_device, ',')
      ->offers(device_names);
  Option* device = bench.find("--device");
  for (const char* name :
       {"--kernels", "--threads", "--alignment", "--in-place", "--peers", "--plot", "--html", "--study"})
    device->excludes(bench.find(name));
  for (const char* name : {"--alignment", "--in-place", "--html", "--submit"}) plot->excludes(bench.find(name));
  for (const char* name : {"--kernels", "--alignment", "--in-place", "--peers", "--html", "--submit"})
    study->excludes(bench.find(name));
  bench.exit_status({ExitCode::ok,
                     {ExitCode::data, tr("a result was wrong")},
                     ExitCode::usage,
                     ExitCode::output,
                     ExitCode::kernel,
                     ExitCode::device});
  bench.action([parsed] {
    Options& options = parsed->options;
    options.in_place = parsed->in_place == "yes"    ? InPlace::yes
                       : parsed->in_place == "both" ? InPlace::both
                                                    : InPlace::no;
    if (!options.submit.empty() && !options.devices.empty())
      throw Failure(ExitCode::usage, tr("{1} excludes {2}", "--device", "--submit"));
    // Of plots only those of a study go with these.
    const auto refuse = [](bool given, const char* option) {
      if (given) throw Failure(ExitCode::usage, tr("{1} excludes {2}", "--plot", option));
    };
    refuse(!options.plot.empty() && options.study.empty() && !options.threads.empty(), "--threads");
    refuse(!options.plot.empty() && options.study.empty() && !options.json.empty(), "--json");
    !options.devices.empty() ? measure_devices(options) : options.study.empty() ? measure(options) : run_study(options);
  });
}

}  // namespace vsh::bench
