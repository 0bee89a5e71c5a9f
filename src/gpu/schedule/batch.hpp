// Batches of items on devices: jobs of vsh_streams, its packets, and hashes. Items that are done in the same way go to
// devices together if that is worth it, divided by a scheduler; the processor does the others. Items stay in place:
// groups, and pieces of groups, are lists of their indices.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "gpu/schedule/batch_scheduler.hpp"
#include "streams/selection.hpp"

namespace vsh::gpu {

// Rules by which items of a batch are grouped. A row is what an item takes of buffers.
template <class Rules, class Item>
concept BatchRules = requires(const Rules& rules, const Item& item) {
  { rules.is_for_devices(item) } -> std::same_as<bool>;
  { rules.kind(item) } -> std::totally_ordered;  // items of one kind make a group
  { rules.operation(item) } -> std::same_as<Operation>;
  { rules.bytes(item) } -> std::same_as<size_t>;
  { rules.row_bytes(item) } -> std::same_as<size_t>;  // of a group whose longest item this is
};

// Processes all items, in groups sorted by length. on_slot(slot, items) gets items of one group; on_processor(items)
// any. Throws as DeviceScheduler::run.
template <class Item, BatchRules<Item> Rules, class OnSlot, class OnProcessor>
void run_batch(BatchScheduler& scheduler, std::span<Item> items, const Rules& rules, const OnSlot& on_slot,
               const OnProcessor& on_processor) {
  std::vector<uint32_t> order, rest;
  for (uint32_t i = 0; i < items.size(); ++i) (rules.is_for_devices(items[i]) ? order : rest).push_back(i);
  const auto kind = [&](size_t i) { return rules.kind(items[order[i]]); };
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    return std::pair(rules.kind(items[a]), items[a].len) < std::pair(rules.kind(items[b]), items[b].len);
  });
  for (size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    size_t bytes = 0;
    for (end = begin; end < order.size() && kind(end) == kind(begin); ++end) bytes += rules.bytes(items[order[end]]);
    const std::span<const uint32_t> which(order.data() + begin, end - begin);
    const Operation operation = rules.operation(items[which[0]]);
    if (!scheduler.wants(operation, which.size(), bytes)) {
      rest.insert(rest.end(), which.begin(), which.end());
      continue;
    }
    const streams::Selection<Item> group(items, which);
    scheduler.run(
        operation, group.size(), rules.row_bytes(items[which.back()]),
        [&](size_t slot, WorkSplitter::Piece piece) { on_slot(slot, group.subspan(piece.begin, piece.size())); },
        [&](WorkSplitter::Piece piece) { on_processor(group.subspan(piece.begin, piece.size())); });
  }
  if (!rest.empty()) on_processor(streams::Selection<Item>(items, rest));
}

}  // namespace vsh::gpu
