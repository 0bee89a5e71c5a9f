#include "streams/plan.hpp"

#include <algorithm>
#include <utility>

#include "core/executor.hpp"

namespace vsh::streams {
namespace {

bool longer(const Item& a, const Item& b) { return a.rows > b.rows; }

// The cheapest way to run these items, longest first: the first num_alone run singly.
struct Cut {
  size_t num_alone;
  uint64_t cost;
};
Cut best_cut(std::span<const Item> items, uint64_t pass, uint64_t prepare) {
  Cut best{0, prepare + items.front().rows * pass};
  uint64_t alone = 0;
  for (size_t i = 1; i <= items.size(); ++i) {
    alone += items[i - 1].alone;
    if (alone >= best.cost) break;
    const uint64_t cost = alone + (i < items.size() ? prepare + items[i].rows * pass : 0);
    if (cost < best.cost) best = {i, cost};
  }
  return best;
}

// Adds a chunk of these items, longest first; lane(i) is the lane of item i.
template <class LaneOf>
void add_chunk(Plan& plan, std::span<const Item> items, uint32_t kernel, uint32_t group, Cut cut, LaneOf lane) {
  for (const Item& item : items.first(cut.num_alone)) plan.alone.push_back(item.job);
  plan.cost += cut.cost;
  if (cut.num_alone == items.size()) return;
  const std::span<const Item> rest = items.subspan(cut.num_alone);
  plan.chunks.push_back({kernel, group, plan.placed.size(), rest.size(), rest.front().rows});
  for (size_t i = 0; i < rest.size(); ++i) plan.placed.push_back({rest[i].job, lane(rest[i], i)});
}

void add_chunks(Plan& plan, std::span<const Item> items, std::span<const LaneCost> kernels, size_t k) {
  while (!items.empty()) {
    const auto chunk = items.first(std::min<size_t>(items.size(), kernels[k].lanes));
    add_chunk(plan, chunk, static_cast<uint32_t>(k), Chunk::kNoGroup,
              best_cut(chunk, kernels[k].pass, kernels[k].prepare),
              [](const Item&, size_t i) { return static_cast<uint32_t>(i); });
    items = items.subspan(chunk.size());
  }
}

uint64_t cost_of_chunks(std::span<const Item> items, const LaneCost& kernel) {
  uint64_t cost = 0;
  while (!items.empty()) {
    const auto chunk = items.first(std::min<size_t>(items.size(), kernel.lanes));
    cost += best_cut(chunk, kernel.pass, kernel.prepare).cost;
    items = items.subspan(chunk.size());
  }
  return cost;
}

// Sorted items divided: full chunks of kernels[0], and a rest for kernels[rest].
struct Division {
  size_t num_full, rest;
  uint64_t cost;
};
Division divide(std::span<const Item> items, std::span<const LaneCost> kernels) {
  const size_t num_full = items.size() - items.size() % kernels[0].lanes;
  Division best{num_full, 0, UINT64_MAX};
  for (size_t k = 0; k < kernels.size(); ++k) {
    const uint64_t cost = cost_of_chunks(items.subspan(num_full), kernels[k]);
    if (cost < best.cost) best = {num_full, k, cost};
  }
  best.cost += cost_of_chunks(items.first(num_full), kernels[0]);
  return best;
}

Plan place(std::span<const Item> items, std::span<const LaneCost> kernels, const Division& division) {
  Plan plan;
  plan.placed.reserve(items.size());
  add_chunks(plan, items.first(division.num_full), kernels, 0);
  add_chunks(plan, items.subspan(division.num_full), kernels, division.rest);
  return plan;
}

// by_key of items whose slots ascend, as they mostly do: every key once, the groups one after the other.
Plan by_ascending_key(std::span<const Item> items, const LaneCost& kernel) {
  Plan plan;
  plan.placed.reserve(items.size());
  while (!items.empty()) {
    const uint32_t group = items[0].slot / kernel.lanes, first = group * kernel.lanes;
    size_t num = 1;
    while (num < items.size() && items[num].slot - first < kernel.lanes) ++num;
    const auto chunk = items.first(num);
    add_chunk(plan, chunk, 0, group, best_cut(chunk, kernel.pass, 0),
              [&](const Item& item, size_t) { return item.slot - first; });
    items = items.subspan(num);
  }
  return plan;
}

void sort(std::span<Item> items) {
  if (!std::is_sorted(items.begin(), items.end(), longer)) std::stable_sort(items.begin(), items.end(), longer);
}

}  // namespace

Plan by_length(std::span<Item> items, std::span<const LaneCost> kernels) {
  sort(items);
  if (!kernels.empty()) return place(items, kernels, divide(items, kernels));
  Plan plan;
  for (const Item& item : items) plan.alone.push_back(item.job), plan.cost += item.alone;
  return plan;
}

Plan by_key(std::span<const Item> items, const LaneCost& kernel, size_t num_slots) {
  const auto after = [](const Item& a, const Item& b) { return a.slot >= b.slot; };
  if (std::adjacent_find(items.begin(), items.end(), after) == items.end()) return by_ascending_key(items, kernel);
  const Plan none{{}, {}, {}, UINT64_MAX};
  // The groups that are used, numbered as they come.
  constexpr uint32_t kUnused = UINT32_MAX;
  std::vector<uint32_t> number(num_slots / kernel.lanes + 1, kUnused), group;
  for (const Item& item : items) {
    uint32_t& n = number[item.slot / kernel.lanes];
    if (n == kUnused) n = static_cast<uint32_t>(group.size()), group.push_back(item.slot / kernel.lanes);
  }
  // If few of very many keys are used, slicing them anew costs fewer rows than almost empty chunks.
  if (group.size() > 8 * (items.size() / kernel.lanes + 1)) return none;

  // The l-th longest message of a key goes to layer l; a chunk is what one layer has of one group.
  std::vector<uint32_t> seen(group.size() * kernel.lanes);
  std::vector<size_t> chunk_of(items.size());
  size_t num_layers = 0;
  for (size_t i = 0; i < items.size(); ++i) {
    const uint32_t slot = items[i].slot, n = number[slot / kernel.lanes];
    const size_t layer = seen[n * size_t{kernel.lanes} + slot % kernel.lanes]++;
    chunk_of[i] = layer * group.size() + n;
    num_layers = std::max(num_layers, layer + 1);
  }
  // With very many messages of few keys, chunks would be almost empty, and more than messages.
  if (num_layers > 1 && num_layers * group.size() >= items.size()) return none;
  std::vector<size_t> begin(num_layers * group.size() + 1);
  for (const size_t chunk : chunk_of) ++begin[chunk + 1];
  for (size_t c = 1; c < begin.size(); ++c) begin[c] += begin[c - 1];
  std::vector<Item> ordered(items.size());
  std::vector<size_t> next(begin.begin(), begin.end() - 1);
  for (size_t i = 0; i < items.size(); ++i) ordered[next[chunk_of[i]]++] = items[i];

  Plan plan;
  plan.placed.reserve(items.size());
  for (size_t c = 0; c + 1 < begin.size(); ++c) {
    const auto chunk = std::span<const Item>(ordered).subspan(begin[c], begin[c + 1] - begin[c]);
    if (chunk.empty()) continue;
    add_chunk(plan, chunk, 0, group[c % group.size()], best_cut(chunk, kernel.pass, 0),
              [&](const Item& item, size_t) { return item.slot % kernel.lanes; });
  }
  return plan;
}

Plan cheapest(std::span<Item> items, std::span<const LaneCost> kernels, size_t num_slots) {
  const auto has_slot = [](const Item& item) { return item.slot != kNoSlot; };
  if (kernels.empty() || !std::all_of(items.begin(), items.end(), has_slot)) return by_length(items, kernels);
  sort(items);
  const Division division = divide(items, kernels);
  Plan keyed = by_key(items, kernels[0], num_slots);
  return keyed.cost <= division.cost ? std::move(keyed) : place(items, kernels, division);
}

uint64_t threads_a_chunk(unsigned threads, size_t num_items, size_t lanes) noexcept {
  const uint64_t available = available_threads(), usable = threads ? std::min<uint64_t>(threads, available) : available;
  const uint64_t num_chunks = num_items / lanes + (num_items % lanes != 0);
  if (num_chunks == 0) return 1;
  return std::clamp<uint64_t>(usable / num_chunks, 1, num_items);  // no more than there are messages for
}

}  // namespace vsh::streams
