#include "bench_command.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iostream>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>

#include <sys/stat.h>

#include "cli/engine_options.hpp"
#include "cli/failure.hpp"
#include "cli/output_file.hpp"
#include "core/executor.hpp"
#include "machine.hpp"
#include "own.hpp"
#include "report_json.hpp"
#include "run.hpp"
#include "table.hpp"

namespace vsh::bench {
namespace {

using cli::ExitCode;
using cli::Failure;
using cli::OutputFile;

// Writes something at once; a reader that went away ends the run.
template <class F>
void print(std::ostream& out, F write) {
  errno = 0;
  write();
  if (out.flush()) return;
  if (errno == EPIPE) throw Failure(ExitCode::closed_pipe, "closed pipe", {}, EPIPE);
  throw Failure(ExitCode::output, std::string("the results cannot be written: ") + std::strerror(errno));
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
      throw Failure(ExitCode::kernel,
                    "kernel " + kernel + ": this CPU cannot run it, or none of the algorithms has it",
                    "see `vershina kernels`");
  }
}

// Every row is checked against the library's own choice, which VERSHINA_KERNEL may have made impossible.
void check_environment(const std::vector<Group>& plan) {
  std::set<std::string> checked;
  for (const Group& g : plan) {
    const Work& work = g.work;
    if (work.algorithm == "aes256" || !checked.insert(work.algorithm + work.mode).second) continue;
    const vsh_status status = default_status(work);
    if (status == VSH_OK) continue;
    const Failure failure = cli::engine_failure(status, work.algorithm, VSH_OPTIONS_INIT);
    if (status != VSH_E_KERNEL_TABLES) throw failure;
    throw Failure(failure.code(), failure.problem(), "to measure it, name it with --kernels");
  }
}

// Null where no JSON is asked for. An older file is replaced when the new one is complete.
std::unique_ptr<OutputFile> open_json(const std::string& name) {
  if (name.empty()) return nullptr;
  struct stat status {};
  if (::stat(name.c_str(), &status) == 0 && S_ISBLK(status.st_mode))  // which OutputFile would take with force
    throw Failure(ExitCode::output, name + ": a block device: writing would destroy what it holds");
  return std::make_unique<OutputFile>(name, true, OutputFile::Content::any, std::vector<cli::ReadFile>{});
}

int choose_processor(const Options& options, const std::vector<int>& processors) {
  if (options.processor < 0) return processors.empty() ? -1 : processors.back();
  if (std::find(processors.begin(), processors.end(), options.processor) == processors.end())
    throw Failure(ExitCode::usage, "--processor " + std::to_string(options.processor) +
                                       ": this process may not use that processor");
  return options.processor;
}

void run(const Options& options) {
  available_threads();  // before any pinning: oneTBB counts the processors once, when it is first asked
  Affinity affinity;
  const auto processors = affinity.processors();
  const unsigned count = std::max<unsigned>(1, static_cast<unsigned>(processors.size()));
  const int processor = choose_processor(options, processors);
  const std::vector<Group> plan = make_plan(options, count);
  if (plan.empty())
    throw Failure(ExitCode::usage,
                  "nothing to measure: no such combination of algorithms, modes, sizes and threads");
  check_kernels(options, plan);
  check_environment(plan);
  const std::unique_ptr<OutputFile> json = open_json(options.json);

  std::optional<Buffers> buffers;
  size_t largest = 0, offset = 0;
  for (const Group& g : plan) largest = std::max(largest, g.bytes), offset = std::max(offset, g.alignment);
  try {
    buffers.emplace(largest, offset);
  } catch (const std::bad_alloc&) {
    throw Failure(ExitCode::usage, "not enough memory for two buffers of " + format_size(largest) + " bytes",
                  "ask for smaller --sizes");
  }

  if (processor >= 0) affinity.pin(processor);
  const Machine machine = describe_machine(count, processor);
  Peers peers;
  if (options.peers) peers = load_peers({options.library_dir, built_peers(options)});

  std::ostream& out = options.json == "-" ? std::cerr : std::cout;
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

  if (json) {
    const std::string text = to_json(machine, peers, results);
    json->write({reinterpret_cast<const uint8_t*>(text.data()), text.size()});
    json->commit();
  }
  if (wrong) throw Failure(ExitCode::data, "some results were wrong (see above)");
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
      "");
}

// Refuses other names, without listing them twice in the help text.
CLI::Validator one_of(const std::vector<std::string>& names) { return CLI::IsMember(names).description(""); }

CLI::Validator file_name() {
  return CLI::Validator(
      [](std::string& name) { return std::string(name.empty() ? "the name of a file is needed" : ""); }, "");
}

std::string join(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

std::vector<std::string> with(std::vector<std::string> names, std::initializer_list<const char*> more) {
  names.insert(names.begin(), more.begin(), more.end());
  return names;
}

constexpr const char* kExamples = R"(Examples:
  vershina bench                                        every kernel, then large buffers on all processors
  vershina bench --peers --algorithms kuznyechik        beside OpenSSL, libgcrypt, Nettle, Botan, RustCrypto
  vershina bench --sizes 16,16KiB,64MiB --threads 1,0 --modes ctr --kernels default --json ctr.json

Exit status: 0; 1 a result was wrong; 2 usage; 4 the output cannot be written; 5 the kernel is not available;
see vershina-bench(1).)";

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
  const auto add_list = [&](const char* names, auto& values, const std::string& text, const char* type,
                            const CLI::Validator& check) {
    bench->add_option(names, values, text)->delimiter(',')->take_all()->type_name(type)->check(check);
  };
  add_list("-a,--algorithms", o.algorithms, "Only these: " + join(algorithm_names()), "NAME",
           one_of(algorithm_names()));
  add_list("-m,--modes", o.modes, "Only these: " + join(mode_names()), "NAME", one_of(mode_names()));
  add_list("-k,--kernels", o.kernels, "all, default (the library's choice), or names of `vershina kernels`",
           "NAME", one_of(with(kernel_names(), {"all", "default"})));
  add_list("-s,--sizes", parsed->sizes, "Message sizes: 16, 4KiB, 64MiB, 1GiB; multiples of 8 bytes", "SIZE",
           size_text());
  add_list("-t,--threads", o.threads, "Numbers of threads; 0 means all processors", "N",
           vsh::cli::in_range(0, 4096));
  add_list("--alignment", o.alignments, "Buffers start N bytes past a 64-byte boundary: 0 to 63", "N",
           vsh::cli::in_range(0, 63));
  bench->add_option("--in-place", parsed->in_place, "Output over input: no (default), yes or both")
      ->type_name("WHICH")
      ->check(one_of({"no", "yes", "both"}));
  bench->add_option("--min-time", o.seconds, "Time for each row (0.1; with --quick 0.03)")
      ->type_name("SECONDS")
      ->check(CLI::Range(0.001, 600.0).description(""));
  bench->add_option("--processor", o.processor, "Pin single-threaded rows to processor N (the last one)")
      ->type_name("N")
      ->check(vsh::cli::in_range(0, std::numeric_limits<int>::max()));
  bench->add_flag("-q,--quick", o.quick, "One size, the most used modes, shorter samples");
  bench->add_flag("-p,--peers", o.peers, "Measure other libraries on the same buffers in the same run");
  bench->add_option("--peers-dir", o.peers_dir, "Where `make peers` put its library (build/peers/release)")
      ->type_name("DIR");
  bench->add_option("--library-dir", o.library_dir, "Look for the peers' libraries here only")
      ->type_name("DIR");
  bench->add_option("-j,--json", o.json, "Write the results as JSON; - for standard output")
      ->type_name("FILE")
      ->check(file_name());
  bench->callback([parsed] {
    Options& options = parsed->options;
    for (const std::string& size : parsed->sizes) options.sizes.push_back(parse_size(size));
    options.in_place = parsed->in_place == "yes"    ? InPlace::yes
                       : parsed->in_place == "both" ? InPlace::both
                                                    : InPlace::no;
    run(options);
  });
}
