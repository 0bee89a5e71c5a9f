#include "streams/plan.hpp"

#include <algorithm>
#include <utility>

namespace vsh::streams {
namespace {

bool longer(const Item& a, const Item& b) { return a.rows > b.rows; }

// How a chunk of these items, longest first, is made cheapest: the first num_alone run alone.
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
    add_chunk(plan, chunk, static_cast<uint32_t>(k), Chunk::kNoGroup, best_cut(chunk, kernels[k].pass, kernels[k].prepare),
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

void sort(std::span<Item> items) {
  if (!std::is_sorted(items.begin(), items.end(), longer)) std::stable_sort(items.begin(), items.end(), longer);
}

}  // namespace

Plan by_length(std::span<Item> items, std::span<const LaneCost> kernels) {
  Plan plan;
  sort(items);
  if (kernels.empty()) {
    for (const Item& item : items) plan.alone.push_back(item.job), plan.cost += item.alone;
    return plan;
  }
  plan.placed.reserve(items.size());
  const size_t full = items.size() - items.size() % kernels[0].lanes;
  const auto rest = items.subspan(full);
  size_t best = 0;
  for (size_t k = 1; k < kernels.size(); ++k)
    if (cost_of_chunks(rest, kernels[k]) < cost_of_chunks(rest, kernels[best])) best = k;
  add_chunks(plan, items.first(full), kernels, 0);
  add_chunks(plan, rest, kernels, best);
  return plan;
}

Plan by_key(std::span<const Item> items, const LaneCost& kernel, size_t num_slots) {
  // The l-th longest message of a key goes to layer l; a chunk is what one layer has of one group.
  const size_t num_groups = (num_slots + kernel.lanes - 1) / kernel.lanes;
  std::vector<uint32_t> seen(num_slots);
  std::vector<size_t> chunk_of(items.size());
  size_t num_layers = 0;
  for (size_t i = 0; i < items.size(); ++i) {
    const size_t layer = seen[items[i].slot]++;
    chunk_of[i] = layer * num_groups + items[i].slot / kernel.lanes;
    num_layers = std::max(num_layers, layer + 1);
  }
  // Very many messages of few keys: chunks would be all but empty, and more than messages.
  if (num_layers > 1 && num_layers * num_groups > items.size()) return {{}, {}, {}, UINT64_MAX};
  std::vector<size_t> begin(num_layers * num_groups + 1);
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
    add_chunk(plan, chunk, 0, static_cast<uint32_t>(c % num_groups), best_cut(chunk, kernel.pass, 0),
              [&](const Item& item, size_t) { return item.slot % kernel.lanes; });
  }
  return plan;
}

Plan cheapest(std::span<Item> items, std::span<const LaneCost> kernels, size_t num_slots) {
  Plan sorted = by_length(items, kernels);
  const auto has_slot = [](const Item& item) { return item.slot != kNoSlot; };
  if (kernels.empty() || !std::all_of(items.begin(), items.end(), has_slot)) return sorted;
  Plan keyed = by_key(items, kernels[0], num_slots);
  return keyed.cost <= sorted.cost ? std::move(keyed) : std::move(sorted);
}

}  // namespace vsh::streams
