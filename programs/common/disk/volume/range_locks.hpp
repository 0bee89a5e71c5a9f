// Locks of ranges of sectors.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <list>
#include <mutex>

namespace vsh::disk {

// Requests that write. A request for a part of a sector reads the whole sector, changes it and writes it back; another
// one for the same sector in between would be undone. So such a request holds its sector alone, and requests for whole
// sectors hold theirs together with each other. In the order of arrival where they conflict. As long as no request is
// for a part, those for whole sectors are only counted.
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
    bool is_counted_ = false;  // and not in the list
    std::list<struct RangeOfSectors>::iterator entry_;
  };

  RangeLocks();
  ~RangeLocks();

 private:
  void leave_counted();

  std::atomic<uint64_t> counted_{0};    // requests for whole sectors that are not in the list
  std::atomic<uint64_t> for_parts_{0};  // requests for a part, from before they wait until they end
  std::mutex mutex_;
  std::condition_variable released_;
  std::list<struct RangeOfSectors> entries_;  // in the order of arrival
  unsigned waiting_ = 0;
};

}  // namespace vsh::disk
