#include "disk/volume/range_locks.hpp"

namespace vsh::disk {

struct RangeOfSectors {
  uint64_t first, last;
  RangeLocks::Use use;

  bool conflicts_with(const RangeOfSectors& other) const {
    if (last < other.first || other.last < first) return false;
    return use == RangeLocks::Use::part_of_sector || other.use == RangeLocks::Use::part_of_sector;
  }
};

RangeLocks::RangeLocks() = default;
RangeLocks::~RangeLocks() = default;

RangeLocks::Hold::Hold(RangeLocks& locks, uint64_t first, uint64_t last, Use use) : locks_(locks) {
  std::unique_lock lock(locks_.mutex_);
  entry_ = locks_.entries_.insert(locks_.entries_.end(), RangeOfSectors{first, last, use});
  const auto is_free = [&] {
    for (auto earlier = locks_.entries_.begin(); earlier != entry_; ++earlier)
      if (earlier->conflicts_with(*entry_)) return false;
    return true;
  };
  ++locks_.waiting_;
  locks_.released_.wait(lock, is_free);
  --locks_.waiting_;
}

RangeLocks::Hold::~Hold() {
  bool is_anyone_waiting = false;
  {
    const std::lock_guard lock(locks_.mutex_);
    locks_.entries_.erase(entry_);
    is_anyone_waiting = locks_.waiting_ > 0;
  }
  if (is_anyone_waiting) locks_.released_.notify_all();
}

}  // namespace vsh::disk
