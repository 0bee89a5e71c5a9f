#include "programs/bench/rows/key_setup.hpp"

#include <algorithm>

#include "programs/bench/rows/vershina_adapter.hpp"

namespace vsh::bench {

std::vector<KeySetup> measure_key_setup(const std::string& algorithm, const measure::Sampler& sampler,
                                        const Buffers& buffers) {
  const Work work{algorithm, "ecb", "encrypt"};
  const auto works = own_works();
  const bool has_key = std::any_of(works.begin(), works.end(),
                                   [&](const Work& w) { return w.algorithm == algorithm && w.transforms(); });
  if (!has_key) return {};

  std::vector<std::string> kernels = {""};
  for (const Kernel& kernel : own_kernels(algorithm))
    if (kernel.runnable) kernels.push_back(kernel.variant);

  constexpr size_t kBytes = KeySetup::kBytesPerKey;
  uint8_t* const out = buffers.out(0);
  const uint8_t* const in = buffers.in(0);
  std::vector<std::function<void()>> runs;
  for (const std::string& kernel : kernels) {
    const auto make = [&work, kernel] { return own_task(work, kernel, VSH_SBOX_DEFAULT, 1); };
    runs.push_back([make] { make(); });
    runs.push_back([make, out, in] { make()->run(out, in, kBytes); });
    runs.push_back([task = std::shared_ptr<Task>(make()), out, in] { task->run(out, in, kBytes); });
  }
  const std::vector<measure::Cost> costs = sampler.measure(runs, 1);
  std::vector<KeySetup> list;
  for (size_t i = 0; i < kernels.size(); ++i) {
    const auto cpb = [&](size_t which) { return costs[3 * i + which].core_cycles / double{kBytes}; };
    list.push_back({algorithm, kernels[i].empty() ? "default" : kernels[i], costs[3 * i].core_cycles, cpb(2), cpb(1)});
  }
  return list;
}

}  // namespace vsh::bench
