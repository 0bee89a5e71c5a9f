// What a batch has of one kind goes to devices together.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace vsh::gpu {

// Runs those that `is_for_devices` in groups of what `kind` says the same of, sorted by length, where the group is
// worth_it(one of it, how many, bytes of all); the others by the processor.
// Items are copied into an order in which each group lies together, and come back as they are then, also if it throws.
template <class Item, class IsForDevices, class Kind, class BytesOf, class WorthIt, class RunGroup, class Processor>
void in_groups(std::span<Item> items, IsForDevices is_for_devices, Kind kind, BytesOf bytes_of, WorthIt worth_it,
               RunGroup run_group, const Processor& processor) {
  std::vector<uint32_t> order, rest;
  for (uint32_t i = 0; i < items.size(); ++i) (is_for_devices(items[i]) ? order : rest).push_back(i);
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    return std::pair(kind(items[a]), items[a].len) < std::pair(kind(items[b]), items[b].len);
  });
  const auto run = [&](std::span<const uint32_t> which, const auto& how) {
    std::vector<Item> group;
    for (const uint32_t i : which) group.push_back(items[i]);
    const auto give_back = [&] {
      for (size_t k = 0; k < which.size(); ++k) items[which[k]] = group[k];
    };
    try {
      how(std::span<Item>(group));
    } catch (...) {
      give_back();
      throw;
    }
    give_back();
  };
  for (size_t begin = 0; begin < order.size();) {
    size_t end = begin, bytes = 0;
    for (; end < order.size() && kind(items[order[end]]) == kind(items[order[begin]]); ++end)
      bytes += bytes_of(items[order[end]]);
    const std::span<const uint32_t> which(order.data() + begin, end - begin);
    if (worth_it(items[which[0]], which.size(), bytes)) run(which, run_group);
    else rest.insert(rest.end(), which.begin(), which.end());
    begin = end;
  }
  if (!rest.empty()) run(rest, processor);
}

}  // namespace vsh::gpu
