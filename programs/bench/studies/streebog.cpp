// The gain of hand-shaped code over compilers, the experiment of 2017 ("Low-level performance optimisation: the GOST R
// 34.11-2012 hash function"): the same plain C in every variant that the compilers here can build, intrinsics, and the
// kernels of the library, 64-bit and 32-bit, from 8 MiB halving down to one block. Twice: cycles of only the hash, and
// whole programs from start to end.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <functional>
#include <map>
#include <stdexcept>

#include "programs/bench/report/published.hpp"
#include "programs/bench/rows/vershina_adapter.hpp"
#include "programs/bench/studies/plain_streebog.hpp"
#include "programs/bench/studies/study.hpp"
#include "programs/common/text/failure.hpp"
#include "programs/common/text/translate.hpp"

namespace vsh::bench {
namespace {

constexpr uint32_t kLargest = 8 << 20, kBlock = 64;
constexpr double kSampleSeconds = 3e-4;
constexpr int kRounds = 9, kRoundsOfLongSamples = 3, kRoundsOfPrograms = 3;
const Work kWork{"streebog512", "hash", "hash"};

enum class Kind { plain, intrinsics, tables, constant_time };
constexpr const char* kKindNames[] = {"compiler", "intrinsics", "hand-shaped tables", "constant time"};

struct Contender {
  std::string name;
  int bits;
  Kind kind;
  std::function<double(uint32_t size, uint32_t repeats)> seconds;  // of CPU time, for `repeats` messages
  std::function<StreebogDigest()> digest;                          // of the latest message
  std::vector<std::string> command, environment;                   // the whole program
  bool reads_file;  // the message is a file on its command line; else a request on standard input
  std::map<uint32_t, double> cycles, wall_seconds, cpu_seconds;  // by size, for one message
};

Contender contender(const PlainProgram& program, std::span<const std::byte> input) {
  const auto running = std::make_shared<PlainStreebog>(program.file, input);
  return {program.build.name(),
          program.build.bits,
          program.build.intrinsics() ? Kind::intrinsics : Kind::plain,
          [running](uint32_t size, uint32_t repeats) { return running->seconds(size, repeats); },
          [running] { return running->digest(); },
          {program.file},
          {},
          false,
          {},
          {},
          {}};
}

Contender contender(const Kernel& kernel, const std::vector<uint8_t>& message) {
  const std::shared_ptr<Task> task = own_task(kWork, kernel.variant, VSH_SBOX_DEFAULT, 1);
  const auto digest = std::make_shared<StreebogDigest>();
  return {"kernel " + kernel.variant,
          static_cast<int>(8 * sizeof(void*)),
          kernel.constant_time ? Kind::constant_time : Kind::tables,
          [task, digest, &message](uint32_t size, uint32_t repeats) {
            const double begin = measure::process_cpu_seconds();
            for (uint32_t i = 0; i < repeats; ++i) task->run(digest->data(), message.data(), size);
            return measure::process_cpu_seconds() - begin;
          },
          [digest] { return *digest; },
          {vershina_program(), "hash", "--no-progress", "-a", "streebog512"},
          {"VERSHINA_KERNEL=streebog:" + kernel.variant},
          true,
          {},
          {},
          {}};
}

std::vector<uint32_t> sizes_of(const Options& options) {
  std::vector<uint32_t> sizes;
  for (const size_t size : options.sizes) {
    if (size > kLargest) throw cli::Failure(cli::ExitCode::usage, cli::tr("--study streebog has sizes up to 8 MiB"));
    sizes.push_back(static_cast<uint32_t>(size));
  }
  if (sizes.empty())
    for (uint32_t size = kLargest; size >= kBlock; size /= 2) sizes.push_back(size);
  return sizes;
}

StreebogDigest expected_digest(const std::vector<uint8_t>& message, uint32_t size) {
  StreebogDigest digest;
  own_task(kWork, "", VSH_SBOX_DEFAULT, 1)->run(digest.data(), message.data(), size);
  return digest;
}

// Interleaved; takes the lower quartile of samples: disturbances only add to a run of fixed instructions.
void measure_cycles(std::vector<Contender>& contenders, uint32_t size, const StreebogDigest& expected) {
  std::vector<uint32_t> repeats;
  std::vector<std::vector<double>> samples(contenders.size());
  double longest = 0;
  for (const Contender& c : contenders) {
    const double once = std::max(1e-9, c.seconds(size, 1));
    if (c.digest() != expected) throw cli::Failure(cli::ExitCode::data, cli::tr("{1}: wrong result", c.name));
    repeats.push_back(static_cast<uint32_t>(std::max(1.0, kSampleSeconds / once)));
    longest = std::max(longest, once);
  }
  for (int round = 0; round < (longest > 10 * kSampleSeconds ? kRoundsOfLongSamples : kRounds); ++round)
    for (size_t i = 0; i < contenders.size(); ++i) {
      const measure::Probe before = measure::probe();
      const double seconds = contenders[i].seconds(size, repeats[i]);
      samples[i].push_back(seconds / repeats[i] * (before.core_hz + measure::probe().core_hz) / 2);
    }
  for (size_t i = 0; i < contenders.size(); ++i) {
    std::sort(samples[i].begin(), samples[i].end());
    contenders[i].cycles[size] = samples[i][samples[i].size() / 4];
  }
}

// Takes the fastest of several runs, from before the start of the program until after its end.
void measure_programs(std::vector<Contender>& contenders, const std::vector<uint8_t>& message, uint32_t size,
                      const TemporaryFolder& folder) {
  const std::string plain = folder / "message", with_request = folder / "request";
  std::ofstream(plain, std::ios::binary).write(reinterpret_cast<const char*>(message.data()), size);
  const auto input = plain_input({message.data(), size});
  const auto request = plain_request(size, 1);
  std::ofstream(with_request, std::ios::binary)
      .write(reinterpret_cast<const char*>(input.data()), static_cast<std::streamsize>(input.size()))
      .write(reinterpret_cast<const char*>(request.data()), static_cast<std::streamsize>(request.size()));
  for (int round = 0; round < kRoundsOfPrograms; ++round)
    for (Contender& c : contenders) {
      std::vector<std::string> command = c.command;
      if (c.reads_file) command.push_back(plain);
      const Finished f = run_program(command, c.reads_file ? "" : with_request, c.environment);
      if (f.status != 0)
        throw cli::Failure(cli::ExitCode::data, cli::tr("{1}: the program failed: {2}", c.name, f.error));
      const auto keep_least = [&](std::map<uint32_t, double>& least, double seconds) {
        const auto [at, first] = least.emplace(size, seconds);
        if (!first) at->second = std::min(at->second, seconds);
      };
      keep_least(c.wall_seconds, f.wall_seconds);
      keep_least(c.cpu_seconds, f.cpu_seconds);
    }
}

using Cost = std::map<uint32_t, double> Contender::*;

// Returns the best of the compilers' code for words of this many bits; null if there is none.
const Contender* best_plain(const std::vector<Contender>& contenders, int bits, uint32_t size, Cost cost) {
  const Contender* best = nullptr;
  for (const Contender& c : contenders)
    if (c.kind == Kind::plain && c.bits == bits && (!best || (c.*cost).at(size) < (best->*cost).at(size))) best = &c;
  return best;
}

// Returns the speed relative to `reference`, over all sizes.
template <class F>
double mean_gain(const Contender& c, const std::vector<uint32_t>& sizes, Cost cost, F reference) {
  double sum = 0;
  for (const uint32_t size : sizes) sum += std::log(reference(size) / (c.*cost).at(size));
  return std::exp(sum / static_cast<double>(sizes.size()));
}

template <class... Args>
std::string format(const char* pattern, Args... args) {
  char text[200];
  std::snprintf(text, sizeof text, pattern, args...);
  return text;
}

// View of the contenders of one word size in a table.
struct View {
  const char* title;
  Cost cost;
  double (*unit)(double cost, uint32_t size);
  bool gain_at_largest;  // else the geometric mean over all sizes
};

// A column for some of the sizes, and the gain.
void print_table(Study& study, const std::vector<Contender>& contenders, const std::vector<uint32_t>& sizes, int bits,
                 const View& view) {
  const Cost cost = view.cost;
  if (!best_plain(contenders, bits, sizes[0], cost)) return;
  std::vector<uint32_t> columns;
  for (size_t i = 0; i < sizes.size(); i += std::max<size_t>(1, (sizes.size() - 1) / 5)) columns.push_back(sizes[i]);
  std::string text = format("\n%s, %d-bit\n  %-32s %-18s", view.title, bits, "", "kind");
  for (const uint32_t size : columns) text += format(" %8s", format_size(size).c_str());
  std::vector<uint32_t> gained = sizes;
  if (view.gain_at_largest) gained = {*std::max_element(sizes.begin(), sizes.end())};
  text += "   over the best compiler's code" + (view.gain_at_largest ? ", " + format_size(gained[0]) : "") + "\n";
  for (const Contender& c : contenders) {
    if (c.bits != bits) continue;
    text += format("  %-32s %-18s", c.name.c_str(), kKindNames[static_cast<int>(c.kind)]);
    for (const uint32_t size : columns) text += format(" %8.2f", view.unit((c.*cost).at(size), size));
    const double gain = mean_gain(
        c, gained, cost, [&](uint32_t size) { return (best_plain(contenders, bits, size, cost)->*cost).at(size); });
    text += format("   %+.0f %%\n", 100 * (gain - 1));
  }
  print(study.out, [&] { study.out << text; });
}

// Prints the effect of one build option on the same code by the same compiler.
void print_effect(Study& study, const std::vector<Contender>& contenders, const std::vector<uint32_t>& sizes,
                  const char* what, const std::string& from, const std::string& to) {
  std::string text;
  for (const Contender& changed : contenders) {
    const size_t at = changed.name.find(to);
    if (changed.kind != Kind::plain || at == std::string::npos) continue;
    std::string name = changed.name;
    name.replace(at, to.size(), from);
    for (const Contender& usual : contenders) {
      if (usual.bits != changed.bits || usual.name != name) continue;
      const double gain =
          mean_gain(changed, sizes, &Contender::cycles, [&](uint32_t size) { return usual.cycles.at(size); });
      text += format("  %-32s %d-bit  %.2f times as fast\n", name.c_str(), usual.bits, gain);
    }
  }
  if (!text.empty()) print(study.out, [&] { study.out << "\n" << what << "\n" << text; });
}

void print_published(Study& study) {
  print(study.out, [&] {
    study.out << "\npublished in 2017 (by others, on their machines; not measured here)\n";
    for (const PublishedFigure& figure : published_figures("streebog512")) {
      if (!figure.source.starts_with("Low-level")) continue;
      study.out << "  " << figure.technique << " (" << figure.platform << "):";
      for (const auto& [key, value] : figure.fields)
        if (value.text()[0] != '"' || key == "loss") study.out << " " << key << " " << value.text();
      study.out << "\n";
    }
  });
}

void add_rows(Study& study, const std::vector<Contender>& contenders, const std::vector<uint32_t>& sizes) {
  for (const Contender& c : contenders)
    for (const uint32_t size : sizes) {
      const Contender* best = best_plain(contenders, c.bits, size, &Contender::cycles);
      study.add_row({{"who", c.name},
                     {"kind", kKindNames[static_cast<int>(c.kind)]},
                     {"bits", c.bits},
                     {"bytes", size},
                     {"cpb", c.cycles.at(size) / size},
                     {"program_wall_seconds", c.wall_seconds.at(size)},
                     {"program_cpu_seconds", c.cpu_seconds.at(size)},
                     {"best_compiler", best ? cli::Json(best->name) : cli::Json()},
                     {"gain", best ? cli::Json(best->cycles.at(size) / c.cycles.at(size)) : cli::Json()}});
    }
}

}  // namespace

void study_streebog(Study& study) {
  const std::vector<uint32_t> sizes = sizes_of(study.options);
  if (std::endian::native != std::endian::little) {
    study.skipped.emplace_back("everything: the plain C is for little-endian machines");
    return;
  }
  std::vector<uint8_t> message(*std::max_element(sizes.begin(), sizes.end()));
  for (size_t i = 0; i < message.size(); ++i) message[i] = static_cast<uint8_t>(i * 0x9e3779b97f4a7c15 >> 56);

  const TemporaryFolder folder;
  print(study.out, [&] { study.out << "\ncompiling programs/bench/studies/streebog_plain.c in every way\n"; });
  const PlainPrograms programs = build_plain_streebog(folder);
  study.skipped.insert(study.skipped.end(), programs.not_built.begin(), programs.not_built.end());
  const auto input = plain_input(message);
  std::vector<Contender> contenders;
  for (const PlainProgram& program : programs.built) {
    try {
      Contender c = contender(program, input);
      c.seconds(0, 1);
      contenders.push_back(std::move(c));
    } catch (const std::runtime_error& error) {
      study.skipped.push_back(program.build.name() + ": does not run here: " + error.what());
    }
  }
  for (const Kernel& kernel : own_kernels(kWork.algorithm))
    if (kernel.runnable) contenders.push_back(contender(kernel, message));

  for (const uint32_t size : sizes) {
    print(study.out, [&] { study.out << "measuring " << contenders.size() << " at " << format_size(size) << "\n"; });
    measure_cycles(contenders, size, expected_digest(message, size));
    measure_programs(contenders, message, size, folder);
  }

  for (const int bits : {64, 32}) {
    print_table(study, contenders, sizes, bits,
                {"the hash alone, core c/B", &Contender::cycles,
                 [](double cycles, uint32_t size) { return cycles / size; }, false});
    // For small messages this compares the start-up of two programs, one of which parses options and detects kernels.
    print_table(study, contenders, sizes, bits,
                {"whole program, ms of CPU time", &Contender::cpu_seconds,
                 [](double seconds, uint32_t) { return seconds * 1e3; }, true});
  }
  print_effect(study, contenders, sizes, "all inlined by force, over inlining left to the compiler", " functions",
               " forced");
  print_effect(study, contenders, sizes, "LPS in one piece, over functions inlined by force", " forced", " fragment");
  print_effect(study, contenders, sizes, "guided by a profile, over the same without", "", " pgo");
  print_published(study);
  add_rows(study, contenders, sizes);
}

}  // namespace vsh::bench
