#include "programs/bench/command.hpp"

#include <climits>
#include <initializer_list>
#include <iostream>
#include <memory>

#include "programs/bench/device/bench.hpp"
#include "programs/bench/measure.hpp"
#include "programs/bench/report/picture.hpp"
#include "programs/bench/rows/plan.hpp"
#include "programs/bench/rows/vershina_adapter.hpp"
#include "programs/bench/studies/order.hpp"
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
  vershina bench --peers --algorithms kuznyechik        with OpenSSL, libgcrypt, Nettle, Botan, RustCrypto
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
  Command& bench = program.add_command(
      "bench", tr("Measure this machine's speed, compared with other libraries and published results"));
  bench.footer(tr(kExamples));
  const auto add_names = [&](const char* names, auto& values, const std::string& text, const char* what,
                             const std::vector<std::string>& all) {
    return add_name(bench, names, values, {what, [all] { return all; }}, text, "NAME", ',');
  };
  add_names("-a,--algorithms", o.algorithms, tr("Only these: {1}", join(algorithm_names())), mark("algorithm"),
            algorithm_names())
      ->manual(
          "Only these: `kuznyechik`, `magma`, `gost28147`, `streebog256`, `streebog512`, and `aes256` among "
          "the peers.");
  add_names("-m,--modes", o.modes, tr("Only these: {1}", join(mode_names())), mark("mode"), mode_names())
      ->manual("Only these: `ecb`, `ctr`, `ofb`, `cbc`, `cfb`, `cnt`, `mac`, `imit`, `hash`.");
  add_names("-k,--kernels", o.kernels, tr("all, default (the library's choice), or names of `vershina kernels`"),
            mark("kernel"), with(kernel_names(), {"all", "default"}))
      ->manual(
          "`all` (default), `default` for the library's own choice, or names of vershina-kernels(1). With "
          "`all`, kernels of many lanes are left out of serial modes.");
  add_number(bench, "-s,--sizes", o.sizes, kSize, tr("Message sizes: 16, 4KiB, 64MiB, 1GiB; multiples of 8 bytes"),
             "SIZE", ',');
  add_number(bench, "-t,--threads", o.threads, {.max = kMaxThreads}, tr("Numbers of threads; 0 means all processors"),
             "N", ',')
      ->manual("Numbers of threads; 0 means all processors. Wall time and CPU time are both shown.");
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
             tr("Pin single-threaded rows to processor N (the last one)"))
      ->manual("Pin rows of one thread to this processor; by default the last one that the process may use.");
  bench
      .add_flag("-q,--quick", o.quick,
                tr("16 KiB, the most used modes, shorter samples; counter modes on all processors"))
      ->manual(
          "16 KiB, the most used modes and shorter samples; and 16 MiB in counter modes on one thread and on "
          "all processors.");
  bench.add_flag("--all", o.all, tr("Print the long tables below the summary"));
  bench.add_flag("-p,--peers", o.peers, tr("Measure other libraries on the same buffers in the same run"))
      ->manual(
          "Measure other libraries on the same buffers in the same run, and print ratios: OpenSSL with its "
          "GOST engine or provider (and its AES-256-CTR as a yardstick), libgcrypt, Nettle, Botan, and "
          "RustCrypto's crates, which `make peers` builds. One that is not installed is reported as not "
          "measured; one with different results is reported as wrong and not timed.");
  bench.add_option("--peers-dir", o.peers_dir, "DIR", tr("Where `make peers` put its library (build/peers/release)"))
      ->manual(
          "The folder of libvershina_peer_rustcrypto.so and of the Botan that `make peers BOTAN=source` "
          "builds; by default ../lib/vershina or ../peers/release from the program's folder.");
  bench.add_option("--library-dir", o.library_dir, "DIR", tr("Look for the peers' libraries here only"));
  bench.add_option("-j,--json", o.json, "FILE", tr("Write the results as JSON; - for standard output"))
      ->manual(
          "Write the results as JSON, too; `-` for standard output, where the tables go to standard error. "
          "It is opened before any measurement. A regular file appears when it is complete and replaces an "
          "existing one, through a symbolic link too; pipes and character devices are written directly, "
          "block devices never. docs/benchmark.md describes the fields.");
  Option* plot =
      bench.add_option("--plot", o.plot, "FILE", tr("Draw cost against size as an SVG; - for standard output"))
          ->manual(
              "Measure from one block to 64 MiB on one thread, in CTR, CNT and the hashes unless -m names "
              "others, and draw core cycles per byte against size as an SVG; `-` for standard output. The thick "
              "line is the library's own choice. Tables of the same figures replace the usual ones.");
  bench.add_option("--html", o.html, "FILE", tr("Write a page of plots and tables; - for standard output"))
      ->manual(
          "Write a page of plots and tables; `-` for standard output. It has speed by algorithm and mode, "
          "compared with the other libraries (with -p) and published figures, by size and by number of threads, "
          "every row as a table, and the machine, governor, compiler, date and command line. Without -s and "
          "-t the run also measures the sizes from 16 bytes to 1 MiB and the numbers of threads that the "
          "plots need. The page has no scripts and loads nothing; it appears when it is complete.");
  bench
      .add_option("--submit", o.submit, "FILE",
                  tr("Write figures, CPU and compiler, to send and compare; - for standard output"))
      ->manual(
          "Write the figures with the processor, its instruction sets and clock, the compiler and the "
          "version of the library, a line for each work, size and number of threads, as JSON; `-` for "
          "standard output. The file has nothing else: no name of the machine or of its user, no date, no "
          "path.");
  const Option* bars =
      bench
          .add_option("--bars", o.bars, "FILE",
                      tr("Draw a file of --submit and the best other library, as an SVG on standard output"))
          ->manual(
              "Measure nothing: draw the figures of a file of --submit as bars, compared with the best other library, "
              "an SVG on standard output.");
  Option* study =
      add_name(bench, "--study", o.study, {mark("study"), study_names},
               tr("Repeat a published experiment: {1}", join(study_names())), "NAME")
          ->manual(
              "Repeat a published experiment instead of the benchmark:\n"
              "- `streebog`: plain C by the installed compilers, with inlining left to them or forced, guided by "
              "a profile, intrinsics, and the library's kernels; only the hash and whole programs; 64-bit and "
              "32-bit; sizes from 8 MiB halving to one block, or -s.\n"
              "- `threads`: 100 MiB (or -s) by one thread, and divided among all (or -t) contiguously and "
              "interleaved; wall time and CPU time.\n"
              "- `hyperthreads`: one stream, and two on the two hardware threads of a core.\n"
              "- `pbkdf2`: iterations a second of PBKDF2-HMAC-Streebog-512: one password, many in parallel on "
              "one thread and on all (or -t), and OpenSSL with the GOST engine if that is installed.\n"
              "- `packets`: batches of packets of many security associations, each with its own key, in MGM: the "
              "Internet's mix, 64, 512, 1500 and 9000 bytes (or -s), in Gbit/s on one core and on all, compared "
              "with the targets of 40 and 80.\n"
              "- `records`: records of TLS 1.3 (RFC 9367) of 16 KiB, 1400 and 64 bytes (or -s) under the keys of "
              "TLSTREE, next to MGM under one key: by the library, and by OpenSSL over the provider.\n"
              "- `esp`: batches of packets of ESP (RFC 9227) of 1 to 4096 security associations: IMIX, 64, 512, "
              "1400 and 9000 bytes (or -s), sealed and opened, in Gbit/s on one core, next to MGM of the same "
              "packets, and the cores for 40, 80 and 100 Gbit/s.");
  add_name(bench, "--order", o.order, {mark("order"), order_names},
           tr("packets, esp: order of the associations: {1}; by default random", join(order_names())), "NAME")
      ->manual(
          "For the studies `packets` and `esp`: the order in which the security associations send. `random` "
          "(default), from a fixed seed; `rotation`, one after the other, the best case of the library; `zipf`, "
          "where the association of rank k sends 1/k of what the busiest one does.")
      ->needs(study);
  add_value(bench, "--device", o.devices, tr("Measure devices: names of `vershina devices`, or all"), "DEVICE",
            read_measured_device, ',')
      ->manual(
          "Measure devices, names of vershina-devices(1) or `all`, instead of the processor's kernels: data "
          "in the device's memory under one key, messages of 512 bytes, each with its own key, page-locked "
          "and other memory of the host, all devices and the processor together, and whole runs from file to "
          "file; next to the processor's best kernel on all its threads and the rate of the bus in both "
          "directions at once. Joules per gigabyte if NVIDIA's driver reports energy. Every result is "
          "compared with the processor's before it is timed.")
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
                     {ExitCode::usage, tr("usage, or nothing to measure")},
                     ExitCode::output,
                     ExitCode::kernel,
                     ExitCode::device});
  bench.action([parsed, &bench, bars] {
    Options& options = parsed->options;
    if (!options.bars.empty()) {
      for (const Option* other : bench.given())
        if (other != bars) throw Failure(ExitCode::usage, tr("{1} excludes {2}", bars->name(), other->name()));
      const std::string picture = draw_submission(options.bars);
      return print(std::cout, [&] { std::cout << picture; });
    }
    options.in_place = parsed->in_place == "yes"    ? InPlace::yes
                       : parsed->in_place == "both" ? InPlace::both
                                                    : InPlace::no;
    if (!options.submit.empty() && !options.devices.empty())
      throw Failure(ExitCode::usage, tr("{1} excludes {2}", "--device", "--submit"));
    // Only a study's plots can be combined with these.
    const auto refuse = [](bool given, const char* option) {
      if (given) throw Failure(ExitCode::usage, tr("{1} excludes {2}", "--plot", option));
    };
    refuse(!options.plot.empty() && options.study.empty() && !options.threads.empty(), "--threads");
    refuse(!options.plot.empty() && options.study.empty() && !options.json.empty(), "--json");
    !options.devices.empty() ? measure_devices(options) : options.study.empty() ? measure(options) : run_study(options);
  });
}

}  // namespace vsh::bench
