#include "bench_command.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iostream>
#include <memory>
#include <optional>
#include <stdexcept>

#include "machine.hpp"
#include "report_json.hpp"
#include "run.hpp"
#include "table.hpp"

namespace vsh::bench {
namespace {

constexpr int kUsage = 2, kOutput = 4, kKernel = 5, kClosedPipe = 141;  // the program's exit codes

[[noreturn]] void fail(const std::string& message, int code) {
  std::cerr << "vershina: " << message << "\n";
  throw CLI::RuntimeError(message, code);
}

// Writes something at once; a reader that went away ends the run.
template <class F>
void print(std::ostream& out, F write) {
  errno = 0;
  write();
  if (out.flush()) return;
  if (errno == EPIPE) throw CLI::RuntimeError("closed pipe", kClosedPipe);
  fail(std::string("the results cannot be written: ") + std::strerror(errno), kOutput);
}

// `make peers` builds into build/peers; the program stands in build/<preset>/ or is installed.
std::filesystem::path built_peers(const Options& options) {
  if (!options.peers_dir.empty()) return options.peers_dir;
  std::error_code none;
  const auto above = std::filesystem::read_symlink("/proc/self/exe", none).parent_path().parent_path();
  const auto installed = above / "lib" / "vershina";
  return std::filesystem::exists(installed, none) ? installed : above / "peers" / "release";
}

// Kernels that were named but serve none of the work, or cannot run here, are an error and not a silent gap.
void check_kernels(const Options& options, const std::vector<Group>& plan) {
  for (const std::string& kernel : options.kernels) {
    if (kernel == "all" || kernel == "default") continue;
    const bool used = std::any_of(plan.begin(), plan.end(), [&](const Group& g) {
      return std::find(g.kernels.begin(), g.kernels.end(), kernel) != g.kernels.end();
    });
    if (!used)
      fail("kernel " + kernel +
               ": this CPU cannot run it, or none of the algorithms has it: see `vershina kernels`",
           kKernel);
  }
}

int choose_processor(const Options& options, const std::vector<int>& processors) {
  if (options.processor < 0) return processors.empty() ? -1 : processors.back();
  if (std::find(processors.begin(), processors.end(), options.processor) == processors.end())
    fail("--processor " + std::to_string(options.processor) + ": this process may not use that processor",
         kUsage);
  return options.processor;
}

void run(const Options& options) {
  Affinity affinity;
  const auto processors = affinity.processors();
  const unsigned count = std::max<unsigned>(1, static_cast<unsigned>(processors.size()));
  const int processor = choose_processor(options, processors);
  const std::vector<Group> plan = make_plan(options, count);
  if (plan.empty())
    fail("nothing to measure: no such combination of algorithms, modes, sizes and threads", kUsage);
  check_kernels(options, plan);

  const bool json_on_stdout = options.json == "-";
  std::optional<NewFile> json;
  std::optional<Buffers> buffers;
  size_t largest = 0, offset = 0;
  for (const Group& g : plan) largest = std::max(largest, g.bytes), offset = std::max(offset, g.alignment);
  try {
    if (!options.json.empty() && !json_on_stdout) json.emplace(options.json);
    buffers.emplace(largest, offset);
  } catch (const std::bad_alloc&) {
    fail("not enough memory for two buffers of " + format_size(largest) + " bytes: ask for smaller --sizes",
         kUsage);
  } catch (const std::runtime_error& error) {
    fail(error.what(), kOutput);
  }

  if (processor >= 0) affinity.pin(processor);
  const Machine machine = describe_machine(count, processor);
  Peers peers;
  if (options.peers) peers = load_peers({options.library_dir, built_peers(options)});

  std::ostream& out = json_on_stdout ? std::cerr : std::cout;
  Table table(out);
  print(out, [&] {
    out << to_text(machine);
    table.peers(peers);
  });

  const Sampler sampler(machine.quiet, options.seconds > 0 ? options.seconds : options.quick ? 0.03 : 0.1);
  Runner runner(sampler, *buffers, peers, affinity, processor);
  std::vector<Result> results;
  bool wrong = false;
  for (size_t i = 0; i < plan.size(); ++i) {
    const std::string& algorithm = plan[i].work.algorithm;
    Outcome outcome = runner.measure(plan[i]);
    print(out, [&] {
      if (i == 0 || plan[i - 1].work.algorithm != algorithm) table.heading(algorithm);
      table.add(outcome);
      if (i + 1 == plan.size() || plan[i + 1].work.algorithm != algorithm) table.published(algorithm);
    });
    wrong = wrong || !outcome.wrong.empty();
    std::move(outcome.results.begin(), outcome.results.end(), std::back_inserter(results));
  }
  print(out, [&] { table.legend(); });
  affinity.release();

  const std::string text = to_json(machine, peers, results);
  if (json_on_stdout) print(std::cout, [&] { std::cout << text; });
  try {
    if (json) json->complete(text);
  } catch (const std::runtime_error& error) {
    fail(error.what(), kOutput);
  }
  if (wrong) fail("some results were wrong (see above)", 1);
}

CLI::Validator size_text() {
  return CLI::Validator(
      [](std::string& text) {
        try {
          parse_size(text);
          return std::string();
        } catch (const std::invalid_argument& error) {
          return std::string(error.what());
        }
      },
      "SIZE");
}

std::vector<std::string> with(std::vector<std::string> names, std::initializer_list<const char*> more) {
  names.insert(names.begin(), more.begin(), more.end());
  return names;
}

constexpr const char* kExamples = R"(Examples:
  vershina bench                                        every kernel, then large buffers on all processors
  vershina bench --peers --algorithms kuznyechik        beside OpenSSL, libgcrypt, Nettle, Botan, RustCrypto
  vershina bench --sizes 16,16KiB,64MiB --threads 1,0 --modes ctr --kernels default --json ctr.json)";

}  // namespace
}  // namespace vsh::bench

void vsh::cli::add_bench_command(CLI::App& app) {
  using namespace vsh::bench;
  struct Parsed {
    Options options;
    std::vector<std::string> sizes;
    std::string in_place = "no";
  };
  const auto parsed = std::make_shared<Parsed>();
  Options& o = parsed->options;
  o.kernels = {"all"};
  CLI::App* bench = app.add_subcommand(
      "bench", "Measure this machine's speed, beside other libraries and published figures");
  bench->footer(kExamples);
  const auto list = [&](CLI::Option* option) { option->delimiter(',')->take_all(); };
  list(bench->add_option("-a,--algorithms", o.algorithms, "Only these")
           ->check(CLI::IsMember(algorithm_names())));
  list(bench->add_option("-m,--modes", o.modes, "Only these")->check(CLI::IsMember(mode_names())));
  list(bench->add_option("-k,--kernels", o.kernels, "all, default (the library's choice), or kernels by name")
           ->check(CLI::IsMember(with(kernel_names(), {"all", "default"}))));
  list(bench
           ->add_option("-s,--sizes", parsed->sizes,
                        "Message sizes: 16, 4KiB, 64MiB, 1GiB; multiples of 8 bytes")
           ->check(size_text()));
  list(bench->add_option("-t,--threads", o.threads, "Numbers of threads; 0 means all processors")
           ->check(CLI::Range(0, 4096)));
  list(bench->add_option("--alignment", o.alignments, "Buffers start so many bytes past a 64-byte boundary")
           ->check(CLI::Range(0, 63)));
  bench->add_option("--in-place", parsed->in_place, "Output over input")
      ->check(CLI::IsMember({"no", "yes", "both"}));
  bench->add_option("--min-time", o.seconds, "Time for each row (0.1; with --quick 0.03)")
      ->check(CLI::Range(0.001, 600.0));
  bench->add_option("--processor", o.processor, "Pin single-threaded rows to this processor (the last one)")
      ->check(CLI::NonNegativeNumber);
  bench->add_flag("-q,--quick", o.quick, "One size, the most used modes, shorter samples");
  bench->add_flag("-p,--peers", o.peers, "Measure other libraries on the same buffers in the same run");
  bench->add_option("--peers-dir", o.peers_dir, "Where `make peers` put its library (build/peers/release)");
  bench->add_option("--library-dir", o.library_dir, "Look for the peers' libraries here only");
  bench->add_option("-j,--json", o.json, "Write the results as JSON; - for standard output");
  bench->callback([parsed] {
    Options& options = parsed->options;
    for (const std::string& size : parsed->sizes) options.sizes.push_back(parse_size(size));
    options.in_place = parsed->in_place == "yes"    ? InPlace::yes
                       : parsed->in_place == "both" ? InPlace::both
                                                    : InPlace::no;
    run(options);
  });
}
