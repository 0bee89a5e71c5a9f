// A kernel row with a prepared key, or with prepared keys.
#pragma once

#include <new>

#include "core/round_keys.hpp"

namespace vsh::test {

class Schedule {
 public:
  Schedule(const BlockKernel& row, const RoundKeysView& round_keys) : storage_(allocate(row.schedule_size)) {
    row.prepare(storage_, round_keys.for_row(row));
  }
  // A key of its own in every lane.
  Schedule(const BlockKernel& row, const uint8_t* const* keys, const RoundKeysView& parameters)
      : storage_(allocate(row.lanes_schedule_size)) {
    row.prepare_lanes(storage_, keys, parameters.for_row(row));
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
