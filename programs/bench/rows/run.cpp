#include "programs/bench/rows/run.hpp"

#include <algorithm>
#include <cstring>

#include "programs/bench/rows/vershina_adapter.hpp"
#include "programs/bench/setup/copy.hpp"

namespace vsh::bench {
namespace {

// Bytes of input to compare; enough to exercise every counter, chain and key-meshing rule.
constexpr size_t kCheckedBytes = size_t{1} << 20;

bool constant_time(const Work& work, const std::string& variant) {
  for (const Kernel& kernel : own_kernels(work.algorithm))
    if (kernel.variant == variant) return kernel.constant_time;
  return false;
}

}  // namespace

struct Runner::Contender {
  Result result;
  std::unique_ptr<Task> task;
};

std::vector<Runner::Contender> Runner::contenders(const Group& g) {
  std::vector<Contender> list;
  Result common;
  common.work = g.work;
  common.bytes = g.bytes;
  common.threads = g.threads;
  common.alignment = g.alignment;
  common.in_place = g.in_place;
  if (g.work.algorithm != "aes256") {
    const std::string usual = default_kernel(g.work, g.bytes);
    const bool has_usual = std::find(g.kernels.begin(), g.kernels.end(), "") != g.kernels.end();
    for (const std::string& kernel : g.kernels) {
      if (has_usual && kernel == usual && !g.choice_apart) continue;  // one row of each name
      Contender c{common, own_task(g.work, kernel, VSH_SBOX_DEFAULT, g.threads)};
      const std::string& runs = kernel.empty() ? usual : kernel;
      c.result.kernel = kernel.empty() && g.choice_apart ? "default" : runs;
      c.result.constant_time = constant_time(g.work, runs);
      c.result.chosen = g.choice_apart ? kernel.empty() : runs == usual;
      if (c.task) list.push_back(std::move(c));
    }
  }
  for (const auto& peer : peers_.found) {
    if (g.threads != 1) break;
    Contender c{common, peer->prepare(g.work)};
    c.result.kernel = peer->name();
    c.result.peer = Result::PeerName{peer->name(), peer->version()};
    if (!c.task) continue;
    c.result.sbox = sbox_name(c.task->sbox);
    list.push_back(std::move(c));
  }
  return list;
}

// Compares with the library's own choice of kernel on one thread. AES has no reference here.
bool Runner::right(const Group& g, Task& task, const uint8_t* in) const {
  if (g.work.algorithm == "aes256") return true;
  const size_t block = block_len(g.work);
  const size_t len = std::min(g.bytes, kCheckedBytes) / block * block;
  const size_t out_len = g.work.transforms() ? len : kMaxDigest;
  std::vector<uint8_t> expected(out_len), got(out_len);
  if (g.in_place) std::memcpy(got.data(), in, len);
  const auto reference = own_task(g.work, "", task.sbox, 1);
  if (!reference || !reference->run(expected.data(), in, len)) return false;
  if (!task.run(got.data(), g.in_place ? got.data() : in, len)) return false;
  return got == expected;
}

Outcome Runner::measure(const Group& g) {
  if (g.threads == 1 && processor_ >= 0) affinity_.pin(processor_);
  else affinity_.release();

  Outcome outcome;
  const uint8_t* const in = buffers_.in(g.alignment);
  std::vector<Contender> list = contenders(g);
  std::erase_if(list, [&](Contender& c) {
    if (right(g, *c.task, in)) return false;
    outcome.wrong.push_back({g.work, c.result.kernel});
    return true;
  });

  uint8_t digest[kMaxDigest];
  uint8_t* const out = !g.work.transforms() ? digest
                       : g.in_place         ? buffers_.in(g.alignment)
                                            : buffers_.out(g.alignment);
  std::vector<std::function<void()>> runs;
  for (const Contender& c : list) runs.push_back([&g, in, out, task = c.task.get()] { task->run(out, in, g.bytes); });
  Copy copy(g.threads);
  const bool copies = g.work.transforms() && !g.in_place && g.bytes >= kCopyMatters;
  if (copies) runs.push_back([&] { copy.run(out, in, g.bytes); });
  const std::vector<measure::Cost> costs = sampler_.measure(runs, g.threads);
  for (size_t i = 0; i < list.size(); ++i) {
    list[i].result.cost = costs[i];
    if (copies) list[i].result.copy_mbps = static_cast<double>(g.bytes) / costs.back().wall_seconds / 1e6;
    outcome.results.push_back(std::move(list[i].result));
  }
  return outcome;
}

}  // namespace vsh::bench
