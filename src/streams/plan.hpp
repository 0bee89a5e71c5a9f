// Assigns messages of a batch to kernel lanes: chunks run in lockstep, a message per lane, and some messages run
// singly. It knows neither ciphers nor data, only costs in cycles.
//
// A chunk costs a pass for every row, and has as many rows as its longest message has blocks: lanes whose message has
// ended run empty. So messages are sorted by length, and chunks are made of neighbours; only the differences within a
// chunk are lost. The longest messages of a chunk are taken out again if that makes it cheaper: few long messages
// cost less one block after the other than a whole pass for each of their blocks. The same rule sends a handful of
// messages to the one-message kernels at once.
//
// Cycles are counted on one thread. If a batch makes fewer chunks than there are threads, messages that run singly
// share the remaining threads: their costs are divided before they are compared (threads_a_chunk).
//
// A set of prepared keys has its keys sliced already, key i in lane i modulo lanes of group i / lanes. Used so
// (by_key), a chunk needs no key set-up, but its messages are those of one group, whatever their lengths; several
// messages of one key go to several chunks, the longest of every key together. Else (by_length) the keys of a chunk are
// sliced anew, which costs some rows. cheapest() compares the two by their costs.
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

// Cost of a kernel that takes a message per lane.
struct LaneCost {
  uint32_t lanes;
  uint64_t pass;     // cycles per row
  uint64_t prepare;  // cycles before the first row of a chunk whose keys are not sliced yet
};

struct Placed {
  uint32_t job, lane;
};

struct Chunk {
  static constexpr uint32_t kNoGroup = UINT32_MAX;
  uint32_t kernel;    // index into the costs given
  uint32_t group;     // of prepared keys, or kNoGroup: the keys are to be sliced
  size_t first, num;  // of Plan::placed
  uint64_t rows;
};

struct Plan {
  std::vector<Placed> placed;
  std::vector<Chunk> chunks;
  std::vector<uint32_t> alone;  // jobs
  uint64_t cost = 0;            // cycles of all, on one thread
};

// Divides by length. Kernels in order of preference: full chunks go to the first, the remainder to the cheapest. Sorts
// the items by length, longest first; the sort is stable.
Plan by_length(std::span<Item> items, std::span<const LaneCost> kernels);
// items: sorted so, each with a slot below num_slots; kernel: the one that the keys were sliced for. Cost UINT64_MAX:
// no plan, because the messages are in too many groups.
Plan by_key(std::span<const Item> items, const LaneCost& kernel, size_t num_slots);
// Returns the cheaper of both; by_key is considered if every item has a slot.
Plan cheapest(std::span<Item> items, std::span<const LaneCost> kernels, size_t num_slots);

// Returns the number of threads per chunk that num_items items fill; at least 1. threads: 0 for all.
uint64_t threads_a_chunk(unsigned threads, size_t num_items, size_t lanes) noexcept;

}  // namespace vsh::streams
