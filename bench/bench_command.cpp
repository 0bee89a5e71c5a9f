#include "bench_command.hpp"

#include <initializer_list>
#include <limits>
#include <memory>
#include <stdexcept>

#include "cli/engine_options.hpp"
#include "device_bench.hpp"
#include "gpu/accelerate.hpp"
#include "measure.hpp"
#include "own.hpp"
#include "plan.hpp"
#include "study.hpp"

namespace vsh::bench {
namespace {

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

CLI::Validator device_name() {
  return CLI::Validator(
      [](std::string& word) {
        const auto wish = gpu::parse_wish(word);
        const bool fits = wish && (wish->is_named() || wish->kind == gpu::Wish::Kind::all);
        return std::string(fits ? "" : word + " is no device: cuda:N, opencl:P.D or all are");
      },
      "");
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
  vershina bench --plot cost.svg                        cost against size, from one block to 64 MiB
  vershina bench --device all                           GPUs: in their memory, from the host's, from files
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
  CLI::Option* plot = bench->add_option("--plot", o.plot, "Draw cost against size as an SVG; - for standard output");
  plot->type_name("FILE")->check(file_name());
  CLI::Option* study = bench->add_option("--study", o.study, "Repeat a published experiment: " + join(study_names()));
  study->type_name("NAME")->check(one_of(study_names()));
  add_list("--device", o.devices, "Measure devices: names of `vershina devices`, or all", "DEVICE", device_name());
  CLI::Option* device = bench->get_option("--device");
  for (const char* name : {"--kernels", "--threads", "--alignment", "--in-place", "--peers", "--plot", "--study"})
    device->excludes(bench->get_option(name));
  for (const char* name : {"--threads", "--alignment", "--in-place", "--json", "--study"})
    plot->excludes(bench->get_option(name));
  for (const char* name : {"--algorithms", "--modes", "--kernels", "--alignment", "--in-place", "--peers"})
    study->excludes(bench->get_option(name));
  bench->callback([parsed] {
    Options& options = parsed->options;
    for (const std::string& size : parsed->sizes) options.sizes.push_back(parse_size(size));
    options.in_place = parsed->in_place == "yes"    ? InPlace::yes
                       : parsed->in_place == "both" ? InPlace::both
                                                    : InPlace::no;
    !options.devices.empty()  ? measure_devices(options)
    : options.study.empty() ? measure(options)
                            : run_study(options);
  });
}
