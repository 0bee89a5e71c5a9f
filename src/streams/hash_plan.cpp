#include "streams/hash_plan.hpp"

#include <algorithm>

#include "core/row_costs.hpp"
#include "core/user_cache.hpp"
#include "streams/hash_lockstep.hpp"

namespace vsh::streams {
namespace {

constexpr size_t kMeasured = 4 * streebog::kBlockSize;  // bytes of measured messages

uint32_t pass_of(const KernelInfo& info) noexcept { return tuner::pass_cost(tuner::measured(), info, false); }

// run: of a message, or of one in every lane.
template <class Run>
uint64_t measured(const KernelInfo& info, Clock clock, Run run) {
  const Stopwatch watch(clock);
  if (!watch.works()) return pass_of(info);
  return std::max<uint64_t>(1, static_cast<uint64_t>(watch.cycles(run)) / num_calls(kMeasured));
}

template <class Row>
uint64_t known_call(const Row& row) {
  return once_for<uint64_t>(row.info, [&] {
    const bool is_known = tuner::measured() || environment("VERSHINA_TUNE") == "off";
    return is_known ? pass_of(row.info) : measured_call(row, steady_nanoseconds);
  });
}

// Returns the lanes' costs. Rows that cannot be of use, by what they say, are not worth a measurement.
std::vector<LaneCost> costs_of(const HashKernel& one, std::span<const HashLanesKernel* const> lanes) {
  std::vector<LaneCost> costs;
  costs.reserve(lanes.size());
  const uint64_t much = 2 * uint64_t{one.info.pass_cost};  // by the message
  for (const HashLanesKernel* row : lanes) {
    const uint64_t says = row->info.pass_cost;
    costs.push_back({row->info.lanes, says > much * row->info.lanes ? says : call_cost(*row), 0});
  }
  return costs;
}

// items: as many as calls, or more.
void fill(std::span<Item> items, std::span<const uint64_t> calls, const HashKernel& one) {
  const uint64_t one_call = call_cost(one);
  for (uint32_t i = 0; i < calls.size(); ++i) items[i] = {calls[i], calls[i] * one_call, i, kNoSlot};
}

}  // namespace

uint64_t measured_call(const HashKernel& row, Clock clock) {
  const std::vector<uint8_t> text(kMeasured);
  uint8_t digest[32];
  return measured(row.info, clock, [&] {
    Message message{text.data(), text.size(), digest};
    hash_alone(row, 8 * sizeof digest, message);
  });
}

uint64_t measured_call(const HashLanesKernel& row, Clock clock) {
  const std::vector<uint8_t> texts(row.info.lanes * kMeasured);
  uint8_t digest[32];
  std::vector<Message> messages;
  std::vector<Placed> placed;
  for (uint32_t i = 0; i < row.info.lanes; ++i) {
    messages.push_back({&texts[i * kMeasured], kMeasured, digest});
    placed.push_back({i, i});
  }
  HashLockstep lockstep(row.info.lanes);
  return measured(row.info, clock,
                  [&] { lockstep.run(row, sizeof digest, std::span(messages), placed, num_calls(kMeasured)); });
}

uint64_t call_cost(const HashKernel& row) { return known_call(row); }
uint64_t call_cost(const HashLanesKernel& row) { return known_call(row); }

Plan plan_hash_calls(const HashKernel& one, std::span<const HashLanesKernel* const> lanes,
                     std::span<const uint64_t> calls, unsigned threads) {
  std::vector<Item> items(calls.size());
  fill(items, calls, one);
  return cheapest(items, costs_of(one, lanes), 0, threads);
}

bool better_one_by_one(const HashKernel& one, std::span<const HashLanesKernel* const> lanes,
                       std::span<const uint64_t> calls, unsigned threads) {
  if (calls.size() > kFewMessages) return false;
  Item items[kFewMessages];
  fill(items, calls, one);
  return better_unplanned({items, calls.size()}, costs_of(one, lanes), threads);
}

size_t max_lanes(std::span<const HashLanesKernel* const> lanes) noexcept {
  size_t max = 0;
  for (const HashLanesKernel* kernel : lanes) max = std::max<size_t>(max, kernel->info.lanes);
  return max;
}

}  // namespace vsh::streams
