#include "streams/hash_plan.hpp"

#include <algorithm>

#include "core/row_costs.hpp"

namespace vsh::streams {

Plan plan_hash_calls(const HashKernel& one, std::span<const HashLanesKernel* const> lanes,
                     std::span<const uint64_t> calls, unsigned threads) {
  const auto cycles = [](const KernelInfo& info) { return uint64_t{tuner::pass_cost(tuner::measured(), info, false)}; };
  std::vector<LaneCost> costs;
  for (const HashLanesKernel* kernel : lanes) costs.push_back({kernel->info.lanes, cycles(kernel->info), 0});
  const uint64_t one_call = cycles(one.info);
  std::vector<Item> items;
  items.reserve(calls.size());
  for (uint32_t i = 0; i < calls.size(); ++i) items.push_back({calls[i], calls[i] * one_call, i, kNoSlot});
  return cheapest(items, costs, 0, threads);
}

size_t max_lanes(std::span<const HashLanesKernel* const> lanes) noexcept {
  size_t max = 0;
  for (const HashLanesKernel* kernel : lanes) max = std::max<size_t>(max, kernel->info.lanes);
  return max;
}

}  // namespace vsh::streams
