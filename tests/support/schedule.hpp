// A kernel row with a prepared key, or with prepared keys.
#pragma once

#include <new>

#include "core/kernel.hpp"

namespace vsh::test {

class Schedule {
 public:
  Schedule(const BlockKernel& row, const void* round_keys)
      : storage_(allocate(row.schedule_size)) {
    row.prepare(storage_, round_keys);
  }
  // A separate key in every lane.
  Schedule(const BlockKernel& row, const uint8_t* const* keys, const void* parameters)
      : storage_(allocate(row.lanes_schedule_size)) {
    row.prepare_lanes(storage_, keys, parameters);
  }
  ~Schedule() { ::operator delete[](storage_, std::align_val_t{kScheduleAlignment}); }
  Schedule(const Schedule&) = delete;
  Schedule& operator=(const Schedule&) = delete;
  operator const void*() const { return storage_; }

 private:
  static uint8_t* allocate(size_t size) {
    return static_cast<uint8_t*>(::operator new[](size, std::align_val_t{kScheduleAlignment}));
  }
  uint8_t* storage_;
};

}  // namespace vsh::test
