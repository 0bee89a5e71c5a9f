// The effect of dividing a buffer among threads, and of a clock that sums all threads: the experiment of 2009 ("OpenMP
// on a multi-core CPU and cryptography"): 100 MiB in ECB, first by one thread, then by all, each with one contiguous
// part, then with every n-th piece. There a piece was a block of 8 bytes; here it is 64 KiB, since a single block is
// too little for a kernel that processes hundreds at a time.
#include <algorithm>
#include <cstdio>

#include "measure/sampler.hpp"
#include "programs/bench/report/published.hpp"
#include "programs/bench/rows/vershina_adapter.hpp"
#include "programs/bench/setup/buffers.hpp"
#include "programs/bench/setup/copy.hpp"
#include "programs/bench/studies/study.hpp"
#include "programs/common/text/failure.hpp"
#include "programs/common/text/translate.hpp"

namespace vsh::bench {
namespace {

constexpr size_t kUsualBytes = size_t{100} << 20;
constexpr size_t kPiece = size_t{64} << 10;

// Each thread of a division has its own context.
class Division {
 public:
  Division(const Work& work, size_t bytes, unsigned threads) : bytes_(bytes) {
    for (unsigned t = 0; t < threads; ++t) tasks_.push_back(own_task(work, "", VSH_SBOX_DEFAULT, 1));
  }
  void contiguous(uint8_t* out, const uint8_t* in) {
    on_each_thread([&](size_t t) { part(t, out, in); });
  }
  void interleaved(uint8_t* out, const uint8_t* in) {
    on_each_thread([&](size_t t) {
      for (size_t at = t * kPiece; at < bytes_; at += tasks_.size() * kPiece) tasks_[t]->run(out + at, in + at, kPiece);
    });
  }

 private:
  template <class F>
  void on_each_thread(F f) {
    const auto count = static_cast<unsigned>(tasks_.size());
    for_ranges(count, 1, count, [&](size_t begin, size_t end) {
      for (size_t t = begin; t < end; ++t) f(t);
    });
  }
  void part(size_t t, uint8_t* out, const uint8_t* in) {
    const auto edge = [&](size_t i) { return bytes_ / kPiece * i / tasks_.size() * kPiece; };
    tasks_[t]->run(out + edge(t), in + edge(t), edge(t + 1) - edge(t));
  }

  size_t bytes_;
  std::vector<std::unique_ptr<Task>> tasks_;
};

void print_published(std::ostream& out) {
  out << "\npublished in 2009 for GOST 28147-89 (by others, on their machine; not measured here)\n";
  for (const PublishedFigure& figure : published_figures("gost28147")) {
    if (!figure.source.starts_with("OpenMP")) continue;
    char seconds[40];
    std::snprintf(seconds, sizeof seconds, "  %.3f s  ", figure.seconds);
    out << seconds << figure.technique << "\n";
  }
}

void measure(Study& study, const Work& work, const Buffers& buffers, size_t bytes, unsigned threads) {
  const measure::Sampler sampler(study.machine.quiet, study.options.seconds > 0 ? study.options.seconds : 0.5);
  uint8_t* const out = buffers.out(0);
  const uint8_t* const in = buffers.in(0);
  const auto serial = own_task(work, "", VSH_SBOX_DEFAULT, 1);
  const auto library = own_task(work, "", VSH_SBOX_DEFAULT, threads);
  Division division(work, bytes, threads);
  Copy copy_one(1), copy_all(threads);
  struct Contender {
    const char* name;
    unsigned threads;
    size_t one_thread;  // index of the contender that it is a division of
    std::function<void()> run;
  };
  const std::vector<Contender> contenders = {
      {"serial", 1, 0, [&] { serial->run(out, in, bytes); }},
      {"contiguous", threads, 0, [&] { division.contiguous(out, in); }},
      {"interleaved", threads, 0, [&] { division.interleaved(out, in); }},
      {"library", threads, 0, [&] { library->run(out, in, bytes); }},
      {"memcpy", 1, 4, [&] { copy_one.run(out, in, bytes); }},
      {"memcpy", threads, 4, [&] { copy_all.run(out, in, bytes); }},
  };
  std::vector<std::function<void()>> runs;
  for (const Contender& c : contenders) runs.push_back(c.run);
  const std::vector<measure::Cost> costs = sampler.measure(runs, threads);

  const std::string kernel = default_kernel(work, bytes);
  char line[200];
  print(study.out, [&] {
    study.out << "\n"
              << work.algorithm << " " << work.mode << ", " << format_size(bytes) << ", kernel " << kernel
              << "\n  division     threads   wall ms    CPU ms      MB/s  speed-up  efficiency\n";
    for (size_t i = 0; i < contenders.size(); ++i) {
      const Contender& c = contenders[i];
      const double speed_up = costs[c.one_thread].wall_seconds / costs[i].wall_seconds;
      const double mbps = static_cast<double>(bytes) / costs[i].wall_seconds / 1e6;
      std::snprintf(line, sizeof line, "  %-12s %7u %9.2f %9.2f %9.0f %9.2f %11.2f%s\n", c.name, c.threads,
                    costs[i].wall_seconds * 1e3, costs[i].cpu_seconds * 1e3, mbps, speed_up, speed_up / c.threads,
                    costs[i].rough ? "  rough: disturbed" : "");
      study.out << line;
      study.add_row({{"algorithm", work.algorithm},
                     {"mode", work.mode},
                     {"kernel", kernel},
                     {"division", c.name},
                     {"bytes", bytes},
                     {"threads", c.threads},
                     {"wall_seconds", costs[i].wall_seconds},
                     {"cpu_seconds", costs[i].cpu_seconds},
                     {"mbps", mbps},
                     {"speed_up", speed_up},
                     {"efficiency", speed_up / c.threads},
                     {"rough", costs[i].rough}});
    }
  });
}

}  // namespace

void study_threads(Study& study) {
  const size_t bytes = study.options.sizes.empty() ? kUsualBytes : study.options.sizes[0];
  if (bytes % kPiece != 0 || study.options.sizes.size() > 1)
    throw cli::Failure(cli::ExitCode::usage, cli::tr("--study threads takes one size, a multiple of 64 KiB"));
  const Buffers buffers = make_buffers(bytes, 0);
  std::vector<unsigned> counts = study.options.threads;
  if (counts.empty()) counts = {0};
  study.place.affinity.release();
  for (unsigned count : counts) {
    const unsigned threads = count == 0 ? study.place.count : count;
    if (threads < 2) {
      study.skipped.push_back("division among threads: this process may use one processor only");
      continue;
    }
    for (const char* algorithm : {"gost28147", "magma", "kuznyechik"})
      measure(study, {algorithm, "ecb", "encrypt"}, buffers, bytes, threads);
  }
  print(study.out, [&] {
    study.out << "\nCPU time adds up all threads: by that clock no division would ever gain anything.\n";
    print_published(study.out);
  });
}

}  // namespace vsh::bench
