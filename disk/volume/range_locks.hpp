// Locks of ranges of sectors.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <list>
#include <mutex>

namespace vsh::disk {

// Requests that write. A request for a part of a sector reads the whole sector, changes it and writes it back; another
// one for the same sector in between would be undone. So such a request holds its sector alone, and requests for whole
// sectors hold theirs together with each other. In the order of arrival where they conflict.
class RangeLocks {
 public:
  enum class Use { whole_sectors, part_of_sector };

  // Holds the sectors first..last during its lifetime.
  class Hold {
   public:
    Hold(RangeLocks& locks, uint64_t first, uint64_t last, Use use);
    ~Hold();
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;

   private:
    RangeLocks& locks_;
    std::list<struct RangeOfSectors>::iterator entry_;
  };

  RangeLocks();
  ~RangeLocks();

 private:
  std::mutex mutex_;
  std::condition_variable released_;
  std::list<struct RangeOfSectors> entries_;  // in the order of arrival
  unsigned waiting_ = 0;
};

}  // namespace vsh::disk
