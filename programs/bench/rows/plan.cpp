#include "programs/bench/rows/plan.hpp"

#include <algorithm>

#include "programs/bench/rows/vershina_adapter.hpp"

namespace vsh::bench {
namespace {

// For serial modes a kernel of many lanes uses only one of them: it is measured if named, not among "all".
constexpr unsigned kFewLanes = 8;

constexpr size_t kUsualSize = size_t{16} << 10;  // fits the first-level caches
constexpr size_t kLargestForAll = size_t{1} << 20;
constexpr size_t kLargestOfPlot = size_t{64} << 20;
constexpr size_t kLargestHalfWay = size_t{64} << 10;
constexpr size_t kLargeSize = size_t{64} << 20;  // fits no cache of one core
constexpr size_t kLargeOfQuick = size_t{16} << 20;
// Sizes of a page, with those that are measured anyway: from one block of Kuznyechik to more than any cache of a core.
constexpr size_t kSizesOfPage[] = {16, 64, 256, 1 << 10, 4 << 10, 64 << 10, 1 << 20};

template <class T>
bool contains(const std::vector<T>& list, const T& item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

bool selected(const std::vector<std::string>& chosen, const std::string& name) {
  return chosen.empty() || contains(chosen, name);
}

void add_once(std::vector<std::string>& list, const std::string& item) {
  if (!contains(list, item)) list.push_back(item);
}

std::vector<Work> selected_works(const Options& options) {
  std::vector<Work> works = own_works();
  works.push_back({"aes256", "ctr", "encrypt"});
  std::erase_if(works, [&](const Work& w) {
    if (w.algorithm == "aes256" && !options.peers) return true;
    return !selected(options.algorithms, w.algorithm) || !selected(options.modes, w.mode);
  });
  return works;
}

std::vector<std::string> kernels_for(const Work& work, const std::vector<std::string>& asked) {
  std::vector<std::string> list;
  if (work.algorithm == "aes256") return list;
  if (contains(asked, std::string("default"))) list.push_back("");
  const bool all = contains(asked, std::string("all"));
  for (const Kernel& kernel : own_kernels(work.algorithm)) {
    const bool fits = !work.sequential() || work.operation == "hash" || kernel.lanes <= kFewLanes;
    if (kernel.runnable && (contains(asked, kernel.variant) || (all && fits))) list.push_back(kernel.variant);
  }
  return list;
}

// Large sizes, where the start and end of a message no longer matter, skip kernels of few lanes.
std::vector<std::string> kernels_for_plot(const Work& work, size_t bytes, const std::vector<std::string>& asked) {
  std::vector<std::string> list = kernels_for(work, asked);
  if (bytes <= kLargestForAll || work.sequential()) return list;
  for (const Kernel& kernel : own_kernels(work.algorithm))
    if (kernel.lanes <= kFewLanes) std::erase(list, kernel.variant);
  return list;
}

// The modes that one would use: a counter mode, a hash.
bool is_usual(const Work& work) {
  return (work.mode == "ctr" || work.mode == "cnt" || work.mode == "hash") && !work.algorithm.starts_with("gost94");
}

struct Cross {
  std::vector<Work> works;
  std::vector<size_t> sizes, alignments;
  std::vector<unsigned> threads;
  std::vector<std::string> kernels;
  InPlace in_place;
};

void multiply_out(std::vector<Group>& groups, const Cross& c, const std::string& algorithm) {
  for (const Work& work : c.works) {
    if (work.algorithm != algorithm) continue;
    for (size_t bytes : c.sizes)
      for (size_t alignment : c.alignments)
        for (bool in_place : {false, true})
          for (unsigned threads : c.threads) {
            if (in_place ? c.in_place == InPlace::no || !work.transforms()
                         : c.in_place == InPlace::yes && work.transforms())
              continue;
            if (bytes % block_len(work) != 0 && work.transforms()) continue;
            if (threads > 1 && work.sequential()) continue;
            groups.push_back({work, bytes, threads, alignment, in_place, kernels_for(work, c.kernels)});
          }
  }
}

// Every size on one thread; the kernels next to the library's choice, and the most suitable modes.
std::vector<Group> plan_for_plot(const Options& options) {
  Options o = options;
  if (o.modes.empty()) o.modes = {"ctr", "cnt", "hash"};
  if (o.sizes.empty()) o.sizes = plot_sizes();
  add_once(o.kernels, "default");
  std::vector<Group> groups;
  for (const Work& work : selected_works(o))
    for (const size_t bytes : o.sizes)
      if (bytes % block_len(work) == 0 || !work.transforms())
        groups.push_back({work, bytes, 1, 0, false, kernels_for_plot(work, bytes, o.kernels), true});
  return groups;
}

}  // namespace

std::vector<size_t> plot_sizes() {
  std::vector<size_t> sizes = {8};
  for (size_t size = 16; size <= kLargestOfPlot; size *= 2) {
    sizes.push_back(size);
    if (size < kLargestHalfWay) sizes.push_back(size + size / 2);
  }
  return sizes;
}

std::vector<std::string> algorithm_names() {
  std::vector<std::string> names;
  for (const Work& work : own_works()) add_once(names, work.algorithm);
  names.push_back("aes256");
  return names;
}

std::vector<std::string> mode_names() {
  std::vector<std::string> names;
  for (const Work& work : own_works()) add_once(names, work.mode);
  return names;
}

std::vector<std::string> kernel_names() {
  std::vector<std::string> names;
  for (const std::string& algorithm : algorithm_names())
    for (const Kernel& kernel : own_kernels(algorithm)) add_once(names, kernel.variant);
  return names;
}

std::vector<Group> make_plan(const Options& options, unsigned processors) {
  if (!options.plot.empty()) return plan_for_plot(options);
  Cross usual{selected_works(options), options.sizes,   options.alignments,
              options.threads,         options.kernels, options.in_place};
  for (unsigned& threads : usual.threads)
    if (threads == 0) threads = processors;
  if (usual.sizes.empty()) usual.sizes = {kUsualSize};
  if (usual.threads.empty()) usual.threads = {1};
  std::vector<Cross> crosses = {usual};
  if (options.quick && options.modes.empty())
    std::erase_if(crosses[0].works,
                  [](const Work& w) { return w.mode == "ofb" || w.mode == "cfb" || w.mode == "cbc"; });
  // By default there are rows for large buffers and all processors too; for a page also for sizes and threads between.
  const bool usual_kernels = options.kernels == std::vector<std::string>{"all"};
  if (options.sizes.empty() && options.threads.empty() && usual_kernels) {
    Cross large = crosses[0];
    std::erase_if(large.works, [&](const Work& w) {
      if (options.quick && !is_usual(w)) return true;
      return w.operation != "hash" && (w.sequential() || !w.encrypts());
    });
    large.kernels = {"default"};
    if (!options.html.empty()) {
      Cross sizes = large;
      std::erase_if(sizes.works, [](const Work& w) { return !is_usual(w); });
      sizes.sizes.assign(std::begin(kSizesOfPage), std::end(kSizesOfPage));
      crosses.push_back(sizes);
    }
    // Several threads gain nothing in a hash, and the one thread of `--quick` is for comparison with them.
    if (options.quick)
      std::erase_if(large.works, [&](const Work& w) { return processors == 1 || w.operation == "hash"; });
    large.sizes = {options.quick ? kLargeOfQuick : kLargeSize};
    for (unsigned threads = 2; !options.html.empty() && threads < processors; threads *= 2)
      large.threads.push_back(threads);
    if (processors > 1) large.threads.push_back(processors);
    crosses.push_back(large);
  }
  std::vector<Group> groups;
  for (const std::string& algorithm : algorithm_names())
    for (const Cross& cross : crosses) multiply_out(groups, cross, algorithm);
  return groups;
}

}  // namespace vsh::bench
