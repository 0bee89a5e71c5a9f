// A kernel row with a prepared key.
#pragma once

#include <new>

#include "core/kernel.hpp"

namespace vsh::test {

class Schedule {
 public:
  Schedule(const BlockKernel& row, const void* round_keys)
      : storage_(static_cast<uint8_t*>(::operator new[](row.schedule_size, std::align_val_t{kScheduleAlignment}))) {
    row.prepare(storage_, round_keys);
  }
  ~Schedule() { ::operator delete[](storage_, std::align_val_t{kScheduleAlignment}); }
  Schedule(const Schedule&) = delete;
  Schedule& operator=(const Schedule&) = delete;
  operator const void*() const { return storage_; }

 private:
  uint8_t* storage_;
};

}  // namespace vsh::test
