#include "streams/plan.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/executor.hpp"

namespace vsh::streams {
namespace {

constexpr auto longer = [](const Item& a, const Item& b) { return a.rows > b.rows; };

double number(uint64_t x) { return static_cast<double>(static_cast<int64_t>(x)); }  // one instruction

// Returns the items in the order of their buckets, numbered from 0 on; stable. next: zeros, one for each bucket.
template <class BucketOf>
std::vector<Item> in_buckets(std::span<const Item> items, std::span<uint32_t> next, BucketOf bucket_of) {
  std::vector<Item> sorted(items.size());
  for (const Item& item : items) ++next[bucket_of(item)];
  uint32_t begin = 0;
  for (uint32_t& n : next) begin += std::exchange(n, begin);
  for (const Item& item : items) sorted[next[bucket_of(item)]++] = item;
  return sorted;
}

// A radix sort by numbers of rows, which have one or two digits: a fifth of std::stable_sort's time for packets.
void sort(std::span<Item> items) {
  if (std::is_sorted(items.begin(), items.end(), longer)) return;
  constexpr size_t kDigits = 256;
  const uint64_t most = std::min_element(items.begin(), items.end(), longer)->rows;
  for (unsigned shift = 0; shift < 64 && most >> shift; shift += 8) {
    uint32_t next[kDigits] = {};
    const auto sorted =
        in_buckets(items, next, [&](const Item& item) { return kDigits - 1 - (item.rows >> shift) % kDigits; });
    std::copy(sorted.begin(), sorted.end(), items.begin());
  }
}

void add_part(Plan& plan, uint64_t cost) {
  plan.cost += cost;
  plan.longest = std::max(plan.longest, cost);
}

// Adds a chunk of these items, longest first; lane(i) is the lane of item i.
template <class LaneOf>
void add_chunk(Plan& plan, std::span<const Item> items, uint32_t kernel, uint32_t group, uint64_t cost, LaneOf lane) {
  plan.chunks.push_back({kernel, group, plan.placed.size(), items.size(), items.front().rows});
  for (size_t i = 0; i < items.size(); ++i) plan.placed.push_back({items[i].job, lane(items[i], i)});
  add_part(plan, cost);
}

// ---- Chunks of neighbours -------------------------------------------------------------------------------------------

class Divider {
 public:
  Divider(std::span<const Item> items, std::span<const LaneCost> kernels) : items_(items), kernels_(kernels) {}
  Divider(std::span<const Item> items_of_a_key, const OneKeyCost& costs)
      : items_(items_of_a_key), kernels_(costs.kernels), one_key_(true), engine_(costs.engine) {}

  Plan run() {
    plan_.placed.reserve(kernels_.empty() ? 0 : items_.size());
    take_full_chunks();
    weigh();
    for (size_t i = first_; i < items_.size();) {
      const uint8_t k = step_[i - first_];
      if (k == kAlone) {
        add_alone(plan_, items_[i++]);
      } else {
        add(i, k);
        i = end(i, k);
      }
    }
    return std::move(plan_);
  }

 private:
  static constexpr uint8_t kAlone = UINT8_MAX;

  size_t end(size_t i, size_t k) const { return std::min<size_t>(i + kernels_[k].lanes, items_.size()); }
  uint64_t cost(size_t i, size_t k) const {
    return kernels_[k].begin + (one_key_ ? engine_ : kernels_[k].prepare) + items_[i].rows * kernels_[k].pass;
  }

  void add(size_t i, size_t k) {
    add_chunk(plan_, items_.subspan(i, end(i, k) - i), static_cast<uint32_t>(k),
              one_key_ ? Chunk::kOneKey : Chunk::kNoGroup, cost(i, k),
              [](const Item&, size_t lane) { return static_cast<uint32_t>(lane); });
  }

  // Full lanes of equal messages in the kernel that costs least by message need no comparison, but for the last ones.
  void take_full_chunks() {
    while (!kernels_.empty() && first_ < items_.size()) {
      const auto by_message = [&](size_t k) { return number(cost(first_, k)) / number(kernels_[k].lanes); };
      size_t best = 0;
      for (size_t k = 1; k < kernels_.size(); ++k)
        if (by_message(k) < by_message(best)) best = k;
      if (items_.size() - first_ < 2 * size_t{kernels_[best].lanes}) return;
      const Item &first = items_[first_], &last = items_[end(first_, best) - 1];
      if (first.rows != last.rows || by_message(best) >= static_cast<double>(std::min(first.alone, last.alone))) return;
      add(first_, best);
      first_ = end(first_, best);
    }
  }

  // The cheapest way to run the items from i on is that from the end of its first chunk on, plus that chunk.
  void weigh() {
    const size_t num = items_.size() - first_;
    std::vector<uint64_t> least(num + 1);
    step_.resize(num);
    for (size_t j = num; j-- > 0;) {
      const size_t i = first_ + j;
      uint64_t best = UINT64_MAX;
      for (size_t k = 0; k < kernels_.size(); ++k) {
        const uint64_t here = cost(i, k) + least[end(i, k) - first_];
        if (here < best) best = here, step_[j] = static_cast<uint8_t>(k);
      }
      const uint64_t alone = items_[i].alone + least[j + 1];
      if (alone < best) best = alone, step_[j] = kAlone;
      least[j] = best;
    }
  }

  const std::span<const Item> items_;  // longest first
  const std::span<const LaneCost> kernels_;
  const bool one_key_ = false;
  const uint64_t engine_ = 0;
  size_t first_ = 0;  // not yet placed
  std::vector<uint8_t> step_;
  Plan plan_;
};

// ---- Groups of prepared keys ----------------------------------------------------------------------------------------

// The cheapest way to run these items of one group in lanes: the first num_alone, which are the longest, singly.
struct Cut {
  size_t num_alone;
  uint64_t cost;
};
Cut best_cut(std::span<const Item> items, const LaneCost& kernel) {
  const auto in_lanes = [&](const Item& longest) { return kernel.begin + longest.rows * kernel.pass; };
  Cut best{0, in_lanes(items.front())};
  uint64_t alone = 0;
  for (size_t i = 1; i <= items.size(); ++i) {
    alone += items[i - 1].alone;
    if (alone >= best.cost) break;
    const uint64_t cost = alone + (i < items.size() ? in_lanes(items[i]) : 0);
    if (cost < best.cost) best = {i, cost};
  }
  return best;
}

void reserve(Plan& plan, size_t num_items) {
  plan.placed.reserve(num_items);
  plan.alone.reserve(num_items);
}

// Adds items of one group of kernel k, each with a key of its own, longest first.
void add_group(Plan& plan, std::span<const Item> items, std::span<const LaneCost> kernels, size_t k) {
  const uint32_t lanes = kernels[k].lanes;
  const Cut cut = best_cut(items, kernels[k]);
  const auto add_here = [&] {
    for (const Item& item : items.first(cut.num_alone)) add_alone(plan, item);
    const auto rest = items.subspan(cut.num_alone);
    if (rest.empty()) return;
    add_chunk(plan, rest, static_cast<uint32_t>(k), rest[0].slot / lanes,
              kernels[k].begin + rest[0].rows * kernels[k].pass,
              [first = rest[0].slot / lanes * lanes](const Item& item, size_t) { return item.slot - first; });
  };
  // A narrower kernel is of use where lanes are left over, messages differ in length, or it costs less by lane.
  const auto costs_less_by_lane = [&](const LaneCost& narrower) {
    return (narrower.begin + items.front().rows * narrower.pass) * lanes < cut.cost * narrower.lanes;
  };
  if (k + 1 == kernels.size()) return add_here();
  if (items.size() == lanes && items.front().rows == items.back().rows &&
      std::none_of(kernels.begin() + k + 1, kernels.end(), costs_less_by_lane))
    return add_here();
  // Divided, as far as that is cheaper.
  const uint32_t narrower = kernels[k + 1].lanes;
  std::vector<Item> in_order;
  std::span<const Item> rest = items;
  if (!std::is_sorted(items.begin(), items.end(), [](const Item& a, const Item& b) { return a.slot < b.slot; })) {
    const uint32_t first = items[0].slot / lanes * lanes / narrower;
    std::vector<uint32_t> next(lanes / narrower + 2);
    in_order = in_buckets(items, next, [&](const Item& item) { return item.slot / narrower - first; });
    rest = in_order;
  }
  const size_t placed = plan.placed.size(), chunks = plan.chunks.size(), alone = plan.alone.size();
  const uint64_t cost = plan.cost, longest = plan.longest;
  while (!rest.empty()) {
    const uint64_t end = (uint64_t{rest[0].slot} / narrower + 1) * narrower;
    const auto other = std::find_if(rest.begin(), rest.end(), [&](const Item& item) { return item.slot >= end; });
    const auto part = rest.first(static_cast<size_t>(other - rest.begin()));
    add_group(plan, part, kernels, k + 1);
    if (plan.cost - cost >= cut.cost) {
      plan.placed.resize(placed), plan.chunks.resize(chunks), plan.alone.resize(alone);
      plan.cost = cost, plan.longest = longest;
      return add_here();
    }
    rest = rest.subspan(part.size());
  }
}

Plan no_plan() { return {{}, {}, {}, UINT64_MAX, UINT64_MAX}; }

// by_key of items whose slots ascend, as they mostly do: the groups one after the other.
Plan by_ascending_key(std::span<const Item> items, std::span<const LaneCost> kernels, uint64_t limit) {
  Plan plan;
  reserve(plan, items.size());
  while (!items.empty()) {
    const uint32_t lanes = kernels[0].lanes, first = items[0].slot / lanes * lanes;
    size_t num = 1;
    while (num < items.size() && items[num].slot - first < lanes) ++num;
    add_group(plan, items.first(num), kernels, 0);
    if (plan.cost >= limit) return no_plan();
    items = items.subspan(num);
  }
  return plan;
}

// Returns the first kernel whose chunks cost less than narrower ones in their place, at least with some messages.
size_t first_useful(std::span<const LaneCost> kernels, bool keys_are_sliced) {
  const auto in_place_of = [&](const LaneCost& narrow, const LaneCost& wide) {
    const auto no_more = [&](auto cost) { return cost(narrow) * wide.lanes <= cost(wide) * narrow.lanes; };
    return wide.lanes % narrow.lanes == 0 && no_more([](const LaneCost& k) { return k.pass; }) &&
           no_more([&](const LaneCost& k) { return k.begin + k.pass + (keys_are_sliced ? 0 : k.prepare); });
  };
  size_t first = 0;
  while (first < kernels.size() && std::any_of(kernels.begin() + first + 1, kernels.end(), [&](const LaneCost& narrow) {
           return in_place_of(narrow, kernels[first]);
         }))
    ++first;
  return first;
}

// Returns how long a plan takes on `threads` threads, which end together at best.
uint64_t time_on(const Plan& plan, unsigned threads) noexcept {
  return threads == 1 ? plan.cost : std::max(plan.longest, plan.cost / threads) + kThreadsCost;
}

// by_key of any items, longest first.
Plan by_any_key(std::span<const Item> items, std::span<const LaneCost> kernels, size_t num_slots, uint64_t limit) {
  const uint32_t lanes = kernels[0].lanes;
  // The groups that are used, numbered as they come.
  constexpr uint32_t kUnused = UINT32_MAX;
  std::vector<uint32_t> number(num_slots / lanes + 1, kUnused), group;
  for (const Item& item : items) {
    uint32_t& n = number[item.slot / lanes];
    if (n == kUnused) n = static_cast<uint32_t>(group.size()), group.push_back(item.slot / lanes);
  }
  // If few of very many keys are used, slicing them anew costs fewer rows than almost empty chunks.
  if (group.size() > 8 * (items.size() / lanes + 1)) return no_plan();

  // The l-th longest message of a key goes to layer l; a chunk is what one layer has of one group.
  std::vector<uint32_t> seen(group.size() * lanes);
  std::vector<size_t> chunk_of(items.size());
  size_t num_layers = 0;
  for (size_t i = 0; i < items.size(); ++i) {
    const uint32_t slot = items[i].slot, n = number[slot / lanes];
    const size_t layer = seen[n * size_t{lanes} + slot % lanes]++;
    chunk_of[i] = layer * group.size() + n;
    num_layers = std::max(num_layers, layer + 1);
  }
  // With very many messages of few keys, chunks would be almost empty, and more than messages.
  if (num_layers > 1 && num_layers * group.size() >= items.size()) return no_plan();
  std::vector<size_t> begin(num_layers * group.size() + 1);
  for (const size_t chunk : chunk_of) ++begin[chunk + 1];
  for (size_t c = 1; c < begin.size(); ++c) begin[c] += begin[c - 1];
  std::vector<Item> ordered(items.size());
  std::vector<size_t> next(begin.begin(), begin.end() - 1);
  for (size_t i = 0; i < items.size(); ++i) ordered[next[chunk_of[i]]++] = items[i];

  Plan plan;
  reserve(plan, items.size());
  for (size_t c = 0; c + 1 < begin.size(); ++c) {
    const auto chunk = std::span<const Item>(ordered).subspan(begin[c], begin[c + 1] - begin[c]);
    if (!chunk.empty()) add_group(plan, chunk, kernels, 0);
    if (plan.cost >= limit) return no_plan();
  }
  return plan;
}

// A lower bound of the cost of messages: alone, or in lanes that are never empty.
class FullLanes {
 public:
  FullLanes(std::span<const LaneCost> kernels, size_t num_messages) {
    const auto by_lane = [&](uint64_t cost, const LaneCost& kernel) {
      return number(cost) / number(std::min<uint64_t>(kernel.lanes, num_messages));
    };
    for (const LaneCost& kernel : kernels) {
      by_row_ = std::min(by_row_, by_lane(kernel.pass, kernel));
      begin_ = std::min(begin_, by_lane(kernel.begin, kernel));
    }
  }
  double cost(const Item& item) const { return std::min(number(item.alone), begin_ + by_row_ * number(item.rows)); }

 private:
  double by_row_ = 1e300, begin_ = 1e300;  // of a message
};

struct Totals {
  uint64_t num = 0, rows = 0, alone = 0;

  void add(const Item& item) { ++num, rows += item.rows, alone += item.alone; }
};

// The properties on which the choice of a plan depends.
struct Survey {
  bool keyed = true;         // every item has a slot
  bool in_key_order = true;  // every key once, slots ascend
  bool one_key = true;       // of all items, if keyed
  double bound = 0;          // the cost if no lane were ever empty
  Totals totals;

  // items: sorted.
  Survey(std::span<const Item> items, std::span<const LaneCost> kernels) {
    const FullLanes full(kernels, items.size());
    int64_t last = -1;
    for (const Item& item : items) {
      keyed &= item.slot != kNoSlot;
      in_key_order &= last < int64_t{item.slot};
      one_key &= item.slot == items[0].slot;
      last = item.slot;
      bound += full.cost(item);
      totals.add(item);
    }
  }
};

// ---- Messages of one key --------------------------------------------------------------------------------------------

// Calls f(the items of a key, their totals) for each key; they lie together.
template <class F>
void for_keys(std::span<const Item> items, F f) {
  while (!items.empty()) {
    Totals totals;
    while (totals.num < items.size() && items[totals.num].slot == items[0].slot) totals.add(items[totals.num]);
    f(items.first(totals.num), totals);
    items = items.subspan(totals.num);
  }
}

// Returns a lower bound of the cost of a key's messages among those of other keys, in a batch of num_messages under
// num_keys: with keys sliced anew, in lanes that are never empty; with sliced keys, in chunks that have this key once
// and no more others than have as many messages.
double cost_in_lanes(const Totals& of_key, std::span<const LaneCost> kernels, size_t num_messages, size_t num_keys) {
  double least = number(of_key.alone);
  const auto consider = [&](const LaneCost& kernel, uint64_t begin, uint64_t lanes) {
    const uint64_t cost = of_key.num * begin + of_key.rows * kernel.pass;
    least = std::min(least, number(cost) / number(std::min<uint64_t>(kernel.lanes, lanes)));
  };
  for (const LaneCost& kernel : kernels) {
    consider(kernel, kernel.begin + kernel.prepare, num_messages);
    consider(kernel, kernel.begin, std::min<uint64_t>(num_keys, num_messages / of_key.num));
  }
  return least;
}

// Returns the plan that takes the least time of those items, longest first, whose keys cost less in chunks under one
// key than in lanes among others; appends the other items to `rest`. Without such keys, the plan is empty.
Plan by_one_key(std::span<const Item> items, std::vector<Item>& rest, const Survey& survey,
                std::span<const LaneCost> kernels, size_t num_slots, const OneKeyCost& one_key, unsigned threads) {
  constexpr size_t kMostSlots = 4;  // of an item; it costs too much to count what each key has
  const size_t first = first_useful(one_key.kernels, true);
  const OneKeyCost costs{one_key.kernels.subspan(first), one_key.engine};
  if (costs.kernels.empty() || num_slots > kMostSlots * items.size()) return {};
  // A bucket for each key, one for items without.
  const auto key_of = [&](const Item& item) { return std::min<size_t>(item.slot, num_slots); };
  std::span<const Item> by_key = items;
  std::vector<Item> sorted;
  size_t num_keys = 1;
  if (!survey.one_key) {
    std::vector<uint32_t> next(num_slots + 1);
    for (const Item& item : items) ++next[key_of(item)];
    if (std::all_of(next.begin(), next.end() - 1, [](uint32_t num) { return num < 2; })) return {};
    num_keys = num_slots - static_cast<size_t>(std::count(next.begin(), next.end() - 1, 0u));
    std::fill(next.begin(), next.end(), 0u);
    by_key = sorted = in_buckets(items, next, key_of);
  }

  std::vector<bool> is_taken;
  Plan best;
  const auto consider = [&](std::span<const Item> of_key, const Totals& totals) {
    if (of_key.size() < 2 || of_key[0].slot == kNoSlot) return;
    const double bound = cost_in_lanes(totals, kernels, items.size(), num_keys);
    uint64_t least = UINT64_MAX;
    for (const LaneCost& kernel : costs.kernels)
      least = std::min(least, costs.engine + kernel.begin + of_key.back().rows * kernel.pass);
    if (number(least) > bound) return;
    Plan plan = Divider(of_key, costs).run();
    if (number(plan.cost) > bound) return;
    append(best, std::move(plan));
    is_taken.resize(num_slots + 1);
    is_taken[of_key[0].slot] = true;
  };
  if (survey.one_key) consider(by_key, survey.totals);
  else for_keys(by_key, consider);
  if (best.cost == 0) return {};
  choose_threads(best, threads);
  size_t offset = first;  // of the kernels that the plan was made with
  // Without the first kernels, chunks are narrower and more.
  for (size_t k = 1; k <= costs.kernels.size() && threads > 1 && best.longest > best.cost / (2 * threads); ++k) {
    Plan plan;
    for_keys(by_key, [&](std::span<const Item> of_key, const Totals&) {
      if (is_taken[key_of(of_key[0])])
        append(plan, Divider(of_key, OneKeyCost{costs.kernels.subspan(k), costs.engine}).run());
    });
    choose_threads(plan, threads);
    if (time_on(plan, plan.threads) >= time_on(best, best.threads)) continue;
    best = std::move(plan);
    offset = first + k;
  }
  for (Chunk& chunk : best.chunks) chunk.kernel += static_cast<uint32_t>(offset);
  const auto is_rest = [&](const Item& item) { return !is_taken[key_of(item)]; };
  if (!survey.one_key) std::copy_if(items.begin(), items.end(), std::back_inserter(rest), is_rest);
  return best;
}

}  // namespace

void add_alone(Plan& plan, const Item& item) {
  plan.alone.push_back(item.job);
  add_part(plan, item.alone);
}

void append(Plan& plan, Plan&& other) {
  if (plan.placed.empty() && plan.alone.empty()) {
    plan = std::move(other);
    return;
  }
  const size_t offset = plan.placed.size();
  plan.placed.insert(plan.placed.end(), other.placed.begin(), other.placed.end());
  plan.alone.insert(plan.alone.end(), other.alone.begin(), other.alone.end());
  for (Chunk chunk : other.chunks) {
    chunk.first += offset;
    plan.chunks.push_back(chunk);
  }
  plan.cost += other.cost;
  plan.longest = std::max(plan.longest, other.longest);
}

void choose_threads(Plan& plan, unsigned threads) noexcept {
  threads = threads_of(threads);
  plan.threads = time_on(plan, threads) < time_on(plan, 1) ? threads : 1;
}

Plan by_length(std::span<Item> items, std::span<const LaneCost> kernels) {
  sort(items);
  return Divider(items, kernels).run();
}

Plan by_key(std::span<Item> items, std::span<const LaneCost> kernels, size_t num_slots) {
  sort(items);
  return Survey(items, kernels).in_key_order ? by_ascending_key(items, kernels, UINT64_MAX)
                                             : by_any_key(items, kernels, num_slots, UINT64_MAX);
}

bool better_unplanned(std::span<const Item> items, std::span<const LaneCost> kernels, unsigned threads,
                      uint64_t plan_cost, const OneKeyCost& one_key) noexcept {
  if (items.size() > kFewMessages) return false;
  if (items.size() < 2) return true;
  uint64_t one_by_one = 0;
  for (const Item& item : items) one_by_one += item.alone;
  if (threads != 1 && one_by_one > kThreadsCost) return false;
  plan_cost += kPlanCostOfItem * items.size();
  if (one_by_one <= plan_cost) return true;
  bool keyed = true;
  uint64_t num_slots = 0;
  for (auto item = items.begin(); item != items.end(); ++item) {
    keyed = keyed && item->slot != kNoSlot;
    num_slots += std::none_of(items.begin(), item, [&](const Item& other) { return other.slot == item->slot; });
  }
  Item sorted[kFewMessages];
  std::copy(items.begin(), items.end(), sorted);
  if (!std::is_sorted(items.begin(), items.end(), longer)) std::sort(sorted, sorted + items.size(), longer);
  const auto is_dearer = [&](uint64_t planned) { return plan_cost + planned >= one_by_one; };
  // Returns whether no division into neighbours, as those of Divider, is worth a plan; the first chunks tried are those
  // that may take all.
  const auto none_pays = [&](std::span<const LaneCost> of, auto before, uint64_t most) {
    const auto chunk = [&](const LaneCost& kernel, const Item& longest) {
      return kernel.begin + before(kernel) + longest.rows * kernel.pass;
    };
    for (const LaneCost& kernel : of)
      if (std::min<uint64_t>(kernel.lanes, most) >= items.size() && !is_dearer(chunk(kernel, sorted[0]))) return false;
    uint64_t least[kFewMessages + 1];
    least[items.size()] = 0;
    for (size_t i = items.size(); i-- > 0;) {
      least[i] = sorted[i].alone + least[i + 1];
      for (const LaneCost& kernel : of) {
        const size_t end = i + std::min<uint64_t>({kernel.lanes, most, items.size() - i});
        least[i] = std::min(least[i], chunk(kernel, sorted[i]) + least[end]);
      }
    }
    return is_dearer(least[0]);
  };
  const auto nothing = [](const LaneCost&) { return uint64_t{0}; };
  // A chunk has a key once, unless it is under that key.
  if (keyed && num_slots > 1 && !none_pays(kernels, nothing, num_slots)) return false;
  if (keyed && num_slots == 1) {
    plan_cost += kPlanCostOfKey;
    if (!none_pays(
            one_key.kernels, [&](const LaneCost&) { return one_key.engine; }, items.size()))
      return false;
    plan_cost -= kPlanCostOfKey;
  }
  return none_pays(
      kernels, [](const LaneCost& kernel) { return kernel.prepare; }, items.size());
}

namespace {

// items: sorted.
Plan cheapest_by_length_or_key(std::span<const Item> items, const Survey& survey, std::span<const LaneCost> kernels,
                               size_t num_slots, unsigned threads) {
  Plan best = no_plan();
  uint64_t least = UINT64_MAX;
  const size_t first_by_length = first_useful(kernels, false), first_by_key = first_useful(kernels, true);
  const size_t first = std::min(first_by_length, first_by_key);
  // Without the first kernels, chunks are narrower and more.
  for (size_t k = first; k <= kernels.size(); ++k) {
    // offset: of the kernels that the plan was made with.
    const auto consider = [&](size_t offset, Plan plan) {
      if (plan.cost == UINT64_MAX) return;
      choose_threads(plan, threads);
      const uint64_t time = time_on(plan, plan.threads);
      if (time >= least) return;
      least = time;
      best = std::move(plan);
      for (Chunk& chunk : best.chunks) chunk.kernel += static_cast<uint32_t>(offset);
    };
    const size_t keys_from = std::max(k, first_by_key), length_from = std::max(k, first_by_length);
    // No more time than the best can a plan take on threads that costs as much as all of them have.
    const auto consider_keys = [&](auto plan_by) {
      const uint64_t limit = least < UINT64_MAX / threads ? least * threads : UINT64_MAX;
      if (survey.keyed && keys_from < kernels.size()) consider(keys_from, plan_by(kernels.subspan(keys_from), limit));
    };
    // Nothing is to be gained where lanes are full already.
    const auto has_gaps = [&] {
      return k > first || !survey.keyed || static_cast<double>(best.cost) > 1.03 * survey.bound;
    };
    // The quickest first.
    if (survey.in_key_order)
      consider_keys([&](auto from, uint64_t limit) { return by_ascending_key(items, from, limit); });
    if (has_gaps()) consider(length_from, Divider(items, kernels.subspan(length_from)).run());
    if (!survey.in_key_order && !survey.one_key && has_gaps())
      consider_keys([&](auto from, uint64_t limit) { return by_any_key(items, from, num_slots, limit); });
    if (threads == 1 || best.longest <= best.cost / (2 * threads)) break;
  }
  return best;
}

}  // namespace

Plan cheapest(std::span<Item> items, std::span<const LaneCost> kernels, size_t num_slots, unsigned threads,
              const OneKeyCost& one_key) {
  if (items.empty()) return {};
  threads = threads_of(threads);
  sort(items);
  const Survey survey(items, kernels);
  if (survey.in_key_order) return cheapest_by_length_or_key(items, survey, kernels, num_slots, threads);
  std::vector<Item> rest;
  Plan plan = by_one_key(items, rest, survey, kernels, num_slots, one_key, threads);
  if (plan.cost && survey.one_key) return plan;
  Plan of_all = cheapest_by_length_or_key(items, survey, kernels, num_slots, threads);
  if (plan.cost == 0) return of_all;
  if (!rest.empty()) append(plan, cheapest_by_length_or_key(rest, Survey(rest, kernels), kernels, num_slots, threads));
  choose_threads(plan, threads);
  return time_on(plan, plan.threads) < time_on(of_all, of_all.threads) ? plan : of_all;
}

}  // namespace vsh::streams
