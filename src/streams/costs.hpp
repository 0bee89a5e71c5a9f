// BatchCosts decides how a batch is divided: core cycles of messages in lanes and of messages alone, for one cipher.
//
// Lanes and single messages compete, so their costs must come from the same source. For each row that is
//   1. the file of `vershina tune`, if it has the row's figures (core/row_costs.hpp);
//   2. else a measurement, once in a process and for each row: 10 microseconds to 3 milliseconds, 2 to 9 for all rows
//      of a cipher. At the first batch of more than one message, so that programs without batches never wait;
//   3. with VERSHINA_TUNE=off, or on a machine without a usable clock: a model, from the row's own cost of a pass.
// Timings never depend on keys or data: rows are measured with keys and messages of zeros.
#pragma once

#include <array>
#include <vector>

#include "core/row_costs.hpp"
#include "streams/job.hpp"
#include "streams/plan.hpp"
#include "streams/stopwatch.hpp"

namespace vsh::streams {

// Kinds of work by what their chains wait for, which decides their cost.
enum class LaneWork { parallel, chained, tags, imit, apart };  // apart: parallel, lines of messages apart in the cache
LaneWork work_of(Operation operation) noexcept;

class BatchCosts {
 public:
  // kernels: for lanes, from wide to narrow. Measures costs that are not known yet. Throws std::bad_alloc.
  BatchCosts(const Cipher& cipher, std::span<const BlockKernel* const> kernels);
  // By given figures: of the kernels, and of the rungs of the cipher's ladder.
  BatchCosts(const Cipher& cipher, std::span<const BlockKernel* const> kernels,
             std::span<const tuner::Figures> of_kernels, std::span<const tuner::Figures> of_rungs);

  // Returns what the kernels cost in an operation, in their order.
  std::span<const LaneCost> lanes(Operation operation) const noexcept { return lanes(work_of(operation)); }
  // far: for batches beyond the second-level cache: a single message is fetched in time, lines of many are not.
  std::span<const LaneCost> lanes(LaneWork work, bool far = false) const noexcept {
    return (far ? lanes_far_ : lanes_)[static_cast<size_t>(work)];
  }
  // The same for chunks under one key; empty for IMIT, which has no requests of many blocks.
  std::span<const LaneCost> one_key(LaneWork work, bool far = false) const noexcept {
    return (far ? one_key_far_ : one_key_)[static_cast<size_t>(work)];
  }

  // Return the cycles of blocks under one key: side by side, in a call or in one of several that erase together, and of
  // a chain of them.
  uint64_t parallel(uint64_t num_blocks) const noexcept { return cost_of(num_blocks, true); }
  uint64_t without_call(uint64_t num_blocks) const noexcept { return cost_of(num_blocks, false); }
  uint64_t chain(uint64_t num_blocks) const noexcept { return num_blocks * chain_; }
  // Returns the cycles from round keys to the schedule of the row for one block.
  uint64_t prepare_one() const noexcept { return prepare_one_; }
  // Returns the cycles from a key to an engine.
  uint64_t set_up() const noexcept { return set_up_; }

 private:
  uint64_t cost_of(uint64_t num_blocks, bool with_call) const noexcept;
  void add_of_one_key(LaneWork work, size_t kernel, uint64_t row);

  Ladder ladder_;
  struct Pass {
    uint32_t pass, call;  // of many, and what a single one costs besides
  };
  std::array<Pass, Ladder::kMaxRungs> passes_{};  // of the rungs
  uint32_t chain_ = 0;                            // of a block that waits for the one before
  uint64_t prepare_one_ = 0, set_up_ = 0;
  std::array<std::vector<LaneCost>, 5> lanes_, lanes_far_, one_key_, one_key_far_;  // for each LaneWork
};

// Returns the figures of a row by sources 1 to 3. Throws std::bad_alloc.
tuner::Figures figures_of(const BlockKernel& row);
tuner::Figures modelled_figures(const BlockKernel& row) noexcept;

// Measures a row's figures by `clock`; models them if it stands still. Throws std::bad_alloc.
tuner::Figures measured_figures(const BlockKernel& row, Clock clock);

}  // namespace vsh::streams
