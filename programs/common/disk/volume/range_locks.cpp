#include "programs/common/disk/volume/range_locks.hpp"

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

// A request for a part announces itself before it looks at the count, one for whole sectors counts itself before it
// looks for such announcements: at least one of two sees the other.
RangeLocks::Hold::Hold(RangeLocks& locks, uint64_t first, uint64_t last, Use use) : locks_(locks) {
  if (use == Use::whole_sectors) {
    ++locks_.counted_;
    is_counted_ = locks_.for_parts_ == 0;
    if (is_counted_) return;
    locks_.leave_counted();
  } else {
    ++locks_.for_parts_;
  }
  std::unique_lock lock(locks_.mutex_);
  entry_ = locks_.entries_.insert(locks_.entries_.end(), RangeOfSectors{first, last, use});
  const auto is_free = [&] {
    if (use == Use::part_of_sector && locks_.counted_ != 0) return false;
    for (auto earlier = locks_.entries_.begin(); earlier != entry_; ++earlier)
      if (earlier->conflicts_with(*entry_)) return false;
    return true;
  };
  ++locks_.waiting_;
  locks_.released_.wait(lock, is_free);
  --locks_.waiting_;
}

RangeLocks::Hold::~Hold() {
  if (is_counted_) {
    locks_.leave_counted();
    return;
  }
  bool is_anyone_waiting = false;
  {
    const std::lock_guard lock(locks_.mutex_);
    if (entry_->use == Use::part_of_sector) --locks_.for_parts_;
    locks_.entries_.erase(entry_);
    is_anyone_waiting = locks_.waiting_ > 0;
  }
  if (is_anyone_waiting) locks_.released_.notify_all();
}

void RangeLocks::leave_counted() {
  if (--counted_ != 0 || for_parts_ == 0) return;
  { const std::lock_guard lock(mutex_); }  // a thread that read the count is waiting by now
  released_.notify_all();
}

}  // namespace vsh::disk
