// Assigns messages of a batch to kernel lanes: chunks run in lockstep, a message per lane, and some messages run
// singly. It knows neither ciphers nor data, only costs in cycles.
//
// A chunk costs a pass for every row, and has as many rows as its longest message has blocks: lanes whose message has
// ended run empty. So messages are sorted by length, and a chunk takes neighbours; only the differences within a chunk
// are lost. by_length takes the cheapest of all divisions into neighbours and single messages: few long messages cost
// less one block after the other, then narrow chunks fit, and the many short ones fill the widest kernel.
//
// A set of prepared keys has its keys sliced already, for each kernel: key i is in lane i modulo lanes of group
// i / lanes. Used so (by_key), a chunk needs no key set-up, but its messages are those of one group, whatever their
// lengths; several messages of one key go to several chunks, the longest of every key together. A group that is mostly
// empty is divided into those of the next narrower kernel.
//
// The messages of one key need no keys in lanes: a row of theirs is a request under that key. So messages of keys that
// have several go to chunks of their own where that costs less than lanes among others.
//
// Costs are those of one thread. For several, narrower chunks may be better although they cost more, because a batch
// ends with its longest part: cheapest() compares what the plans of each width need.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace vsh::streams {

struct Item {
  uint64_t rows;   // blocks, or calls of a compression function
  uint64_t alone;  // cycles of the message when run singly
  uint32_t job;    // number of the job in the batch
  uint32_t slot;   // index of its key among the prepared keys, or kNoSlot
};
inline constexpr uint32_t kNoSlot = UINT32_MAX;

// Field by field: an item that is copied from the stack right after it was made is loaded wider than it was stored,
// and waits for that.
inline void add_item(std::vector<Item>& items, uint64_t rows, uint64_t alone, uint32_t job, uint32_t slot) {
  Item& item = items.emplace_back();
  item.rows = rows, item.alone = alone, item.job = job, item.slot = slot;
}

// Cost of a kernel that takes a message per lane.
struct LaneCost {
  uint32_t lanes;
  uint64_t pass;       // cycles per row
  uint64_t prepare;    // cycles before the first row of a chunk whose keys are not sliced yet
  uint64_t begin = 0;  // cycles before the first row of any chunk
};

// Cost of chunks under one key.
struct OneKeyCost {
  std::span<const LaneCost> kernels;  // the same ones; `prepare` is not used
  uint64_t engine = 0;                // cycles before the first row of a chunk, to have the key's engine
};

struct Placed {
  uint32_t job, lane;
};

struct Chunk {
  static constexpr uint32_t kNoGroup = UINT32_MAX, kOneKey = UINT32_MAX - 1;
  uint32_t kernel;    // index into the costs given
  uint32_t group;     // of prepared keys; or kNoGroup: the keys are to be sliced; or kOneKey: all have one prepared key
  size_t first, num;  // of Plan::placed
  uint64_t rows;
};

struct Plan {
  std::vector<Placed> placed;
  std::vector<Chunk> chunks;
  std::vector<uint32_t> alone;  // jobs
  uint64_t cost = 0;            // cycles of all parts
  uint64_t longest = 0;         // cycles of the dearest part: a chunk, or a message
  unsigned threads = 1;         // to run it on
};

// Cycles to give work to other threads and to wait for them: some 10 microseconds.
inline constexpr uint64_t kThreadsCost = 30'000;

// Cycles to make a plan with a chunk, and to allocate and wipe what that needs; of packets. On Zen 5, GCC 12: 1700 to
// 2200 for four messages, 2500 to 2900 for eight, 3600 for sixteen, 800 more under one key; 4100 for eight packets of
// 64 bytes.
inline constexpr uint64_t kPlanCost = 1'600, kPlanCostOfPackets = 3'600, kPlanCostOfItem = 150, kPlanCostOfKey = 700;
// So few messages may not be worth a plan.
inline constexpr size_t kFewMessages = 16;

// Kernels from wide to narrow. All functions sort the items by length, longest first; the sort is stable.
Plan by_length(std::span<Item> items, std::span<const LaneCost> kernels);
// Each item has a slot below num_slots. Cost UINT64_MAX: no plan, because the messages are in too many groups.
Plan by_key(std::span<Item> items, std::span<const LaneCost> kernels, size_t num_slots);
// Returns whether nothing is gained by a plan of few items, if longer ones cost no less alone: the cheapest division,
// as if sliced keys were in one group, and the cycles to make a plan are no less than all of them one by one; nor could
// threads be of use. Chunks under one key count if all have the same.
bool better_unplanned(std::span<const Item> items, std::span<const LaneCost> kernels, unsigned threads,
                      uint64_t plan_cost = kPlanCost, const OneKeyCost& one_key = {}) noexcept;
// Adds a message that runs singly; what another plan has.
void add_alone(Plan& plan, const Item& item);
void append(Plan& plan, Plan&& other);
// Sets the number of threads, up to `threads` (0: all), on which a plan takes the least time.
void choose_threads(Plan& plan, unsigned threads) noexcept;
// Returns the plan that takes the least time on at most `threads` threads (0: all); by_key is considered if every item
// has a slot, chunks under one key for items that have one.
Plan cheapest(std::span<Item> items, std::span<const LaneCost> kernels, size_t num_slots, unsigned threads,
              const OneKeyCost& one_key = {});

}  // namespace vsh::streams
