// Throughput of a core with both hardware threads busy: one stream, then two streams on the two threads of one core. A
// kernel that keeps the execution units busy gains nothing in total, and each stream runs at half its speed.
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <fstream>
#include <optional>
#include <sstream>
#include <thread>

#include "measure/statistics.hpp"
#include "programs/bench/rows/vershina_adapter.hpp"
#include "programs/bench/setup/buffers.hpp"
#include "programs/bench/studies/study.hpp"

namespace vsh::bench {
namespace {

constexpr size_t kBytes = size_t{16} << 10;
constexpr int kRounds = 7;

// "0,64" or "0-1".
std::vector<int> read_list(const std::string& text) {
  std::vector<int> list;
  std::istringstream items(text);
  for (std::string item; std::getline(items, item, ',');) {
    int first = 0, last = 0;
    const int read = std::sscanf(item.c_str(), "%d-%d", &first, &last);
    for (int i = first; read >= 1 && i <= (read == 2 ? last : first); ++i) list.push_back(i);
  }
  return list;
}

// Returns two processors of this process that are hardware threads of one core.
std::optional<std::pair<int, int>> siblings(const std::vector<int>& processors) {
  for (const int processor : processors) {
    std::ifstream file("/sys/devices/system/cpu/cpu" + std::to_string(processor) + "/topology/thread_siblings_list");
    std::string line;
    std::getline(file, line);
    for (const int other : read_list(line))
      if (other != processor && std::find(processors.begin(), processors.end(), other) != processors.end())
        return std::pair(processor, other);
  }
  return std::nullopt;
}

// Returns messages of kBytes a second for each of the processors, all running at the same time.
std::vector<double> rates(const Work& work, const std::vector<int>& processors, double seconds) {
  std::vector<double> rate(processors.size());
  std::atomic<size_t> waiting = processors.size();
  std::vector<std::thread> threads;
  for (size_t i = 0; i < processors.size(); ++i)
    threads.emplace_back([&, i] {
      measure::Affinity affinity;
      affinity.pin(processors[i]);
      const Buffers buffers(kBytes, 0);
      const auto task = own_task(work, "", VSH_SBOX_DEFAULT, 1);
      task->run(buffers.out(0), buffers.in(0), kBytes);
      --waiting;
      while (waiting != 0) {
      }
      const double begin = measure::wall_seconds();
      double now = begin, runs = 0;
      for (; now - begin < seconds; now = measure::wall_seconds(), ++runs)
        task->run(buffers.out(0), buffers.in(0), kBytes);
      rate[i] = runs / (now - begin);
    });
  for (std::thread& thread : threads) thread.join();
  return rate;
}

}  // namespace

void study_hyperthreads(Study& study) {
  study.place.affinity.release();
  const auto pair = siblings(study.place.affinity.processors());
  if (!pair) {
    study.skipped.push_back(
        "two streams on one core: no two of the processors that this process may use are hardware threads of one core "
        "(/sys/devices/system/cpu/cpu*/topology/thread_siblings_list)");
    return;
  }
  const double seconds = study.options.seconds > 0 ? study.options.seconds : 0.1;
  print(study.out, [&] {
    study.out << "\nprocessors " << pair->first << " and " << pair->second << " are one core; messages of 16 KiB\n"
              << "  work               one stream   each of two   total of two   gain\n";
  });
  for (const Work& work :
       {Work{"kuznyechik", "ctr", "encrypt"}, Work{"magma", "ctr", "encrypt"}, Work{"gost28147", "ecb", "encrypt"},
        Work{"kuznyechik", "mac", "mac"}, Work{"streebog512", "hash", "hash"}}) {
    std::vector<double> alone, total;
    for (int i = 0; i < kRounds; ++i) {
      alone.push_back(rates(work, {pair->first}, seconds)[0] * kBytes / 1e6);
      const auto both = rates(work, {pair->first, pair->second}, seconds);
      total.push_back((both[0] + both[1]) * kBytes / 1e6);
    }
    const double one = measure::median(alone), two = measure::median(total);
    char line[200];
    std::snprintf(line, sizeof line, "  %-11s %-5s %7.0f MB/s %8.0f MB/s %9.0f MB/s  %+4.0f %%\n",
                  work.algorithm.c_str(), work.mode.c_str(), one, two / 2, two, 100 * (two / one - 1));
    print(study.out, [&] { study.out << line; });
    study.add_row({{"algorithm", work.algorithm},
                   {"mode", work.mode},
                   {"kernel", default_kernel(work, kBytes)},
                   {"bytes", kBytes},
                   {"mbps_one_stream", one},
                   {"mbps_each_of_two", two / 2},
                   {"mbps_total_of_two", two}});
  }
}

}  // namespace vsh::bench
