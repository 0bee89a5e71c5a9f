#include "core/ladder.hpp"

namespace vsh {
namespace {

bool cheaper_by_block(const Candidate& a, const Candidate& b) noexcept {
  return uint64_t{a.cost} * b.row->info.lanes < uint64_t{b.cost} * a.row->info.lanes;
}

// Returns the best row for the remainder of `above`: a lower cost per pass, fewer lanes, and the lowest cost per block.
// The last rung is the row with the lowest cost per pass, because single blocks are the most frequent request.
const Candidate* rung_below(const Rung& above, std::span<const Candidate> rows, bool last_place) noexcept {
  const Candidate* best = nullptr;
  for (const Candidate& c : rows) {
    if (c.row->info.lanes >= above.row->info.lanes || c.cost >= above.cost) continue;
    if (!best || (last_place ? c.cost < best->cost : cheaper_by_block(c, *best))) best = &c;
  }
  return best;
}

}  // namespace

Candidate cheapest_by_block(std::span<const Candidate> rows) noexcept {
  Candidate best = rows[0];
  for (const Candidate& c : rows)
    if (cheaper_by_block(c, best)) best = c;
  return best;
}

Ladder::Ladder(Candidate first, std::span<const Candidate> rows) noexcept {
  rungs_[size_++] = {first.row, first.cost, 1};
  while (size_ < kMaxRungs) {
    const Candidate* next = rung_below(rungs_[size_ - 1], rows, size_ + 1 == kMaxRungs);
    if (!next) break;
    rungs_[size_++] = {next->row, next->cost, 1};
  }
  // From the lowest rung upwards: the least number of blocks that cost the rungs below at least a pass. Costs grow with
  // the number.
  for (size_t i = size_ - 1; i-- > 0;) {
    uint32_t low = 1, high = rungs_[i].row->info.lanes;
    while (low < high) {
      const uint32_t middle = low + (high - low) / 2;
      if (cost_from(i + 1, middle) >= rungs_[i].cost) high = middle;
      else low = middle + 1;
    }
    rungs_[i].min_blocks = low;
  }
}

const BlockKernel& Ladder::widest_for(size_t num_blocks) const noexcept {
  for (const Rung& rung : *this)
    if (num_blocks >= rung.min_blocks) return *rung.row;
  return one();
}

uint64_t Ladder::cost_from(size_t i, size_t num_blocks) const noexcept {
  uint64_t total = 0;
  for (; num_blocks; ++i) {
    const size_t lanes = rungs_[i].row->info.lanes, share = rungs_[i].share(num_blocks);
    total += (share + lanes - 1) / lanes * rungs_[i].cost;
    num_blocks -= share;
  }
  return total;
}

}  // namespace vsh
