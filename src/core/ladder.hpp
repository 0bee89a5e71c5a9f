// Ladder divides a cipher's requests among several kernels by size.
//
// A bit-sliced kernel does 256 blocks in the time of one; a narrow one costs more per block and less per pass. A ladder
// orders rows from wide to narrow; narrower ones cost less per pass but more per block. A request walks down: every
// rung takes the whole passes that it can fill, and the remainder, as one padded pass, if that costs no more than the
// rungs below. If the lanes of each rung are a multiple of those below, as they are with powers of two, no division
// of the request among any of the rows is cheaper (tests/dispatch).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/kernel.hpp"

namespace vsh {

struct Candidate {
  const BlockKernel* row;
  uint32_t cost;  // core cycles of one pass
};

struct Rung {
  const BlockKernel* row;
  uint32_t cost;
  uint32_t min_blocks;  // least remainder worth a padded pass; at most row->info.lanes, 1 on the last rung

  // Returns how many of num_blocks this rung does; the rungs below do the rest.
  size_t share(size_t num_blocks) const noexcept {
    if (num_blocks < min_blocks) return 0;
    const size_t rest = num_blocks % row->info.lanes;
    return rest < min_blocks ? num_blocks - rest : num_blocks;
  }
};

class Ladder {
 public:
  static constexpr size_t kMaxRungs = 6;  // schedules to prepare for every key

  Ladder() = default;  // without rungs
  // first: the row for large requests. The rungs below come from those of `rows` that lower the cost; `first` may be
  // among them.
  Ladder(Candidate first, std::span<const Candidate> rows) noexcept;
  // Makes a ladder of one row.
  explicit Ladder(Candidate only) noexcept : Ladder(only, {}) {}
  explicit Ladder(const BlockKernel& row) noexcept : Ladder(Candidate{&row, row.info.pass_cost}) {}
  // Returns a ladder of only the lowest rung.
  Ladder for_single_blocks() const noexcept { return Ladder(Candidate{&one(), rungs_[size_ - 1].cost}); }

  const Rung* begin() const noexcept { return rungs_; }
  const Rung* end() const noexcept { return rungs_ + size_; }
  size_t size() const noexcept { return size_; }
  const Rung& operator[](size_t i) const noexcept { return rungs_[i]; }

  const BlockKernel& many() const noexcept { return *rungs_[0].row; }         // for large requests
  const BlockKernel& one() const noexcept { return *rungs_[size_ - 1].row; }  // for one block after the other
  // Returns the widest row that takes part in a request of num_blocks >= 1 blocks.
  const BlockKernel& widest_for(size_t num_blocks) const noexcept;
  // Returns the cost of all passes of a request, in core cycles.
  uint64_t cost(size_t num_blocks) const noexcept { return cost_from(0, num_blocks); }

 private:
  uint64_t cost_from(size_t rung, size_t num_blocks) const noexcept;

  Rung rungs_[kMaxRungs] = {};
  size_t size_ = 0;
};

// Returns the candidate with the lowest cost per block, the first of equals. rows: at least one.
Candidate cheapest_by_block(std::span<const Candidate> rows) noexcept;

}  // namespace vsh
