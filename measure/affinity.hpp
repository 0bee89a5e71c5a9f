// Keeps single-threaded measurements on one processor.
#pragma once

#include <string>
#include <vector>

#if defined(__linux__)
#include <sched.h>
#endif

namespace vsh::measure {

class Affinity {
 public:
#if defined(__linux__)
  Affinity() { known_ = sched_getaffinity(0, sizeof all_, &all_) == 0; }

  // Returns the processors that this process may use, in order; empty if unknown.
  std::vector<int> processors() const {
    std::vector<int> list;
    for (int i = 0; known_ && i < CPU_SETSIZE; ++i)
      if (CPU_ISSET(i, &all_)) list.push_back(i);
    return list;
  }
  void pin(int processor) {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(processor, &one);
    sched_setaffinity(0, sizeof one, &one);
  }
  void release() {
    if (known_) sched_setaffinity(0, sizeof all_, &all_);
  }
  ~Affinity() { release(); }

 private:
  cpu_set_t all_;
  bool known_;
#else
  std::vector<int> processors() const { return {}; }
  void pin(int) {}
  void release() {}
#endif
};

}  // namespace vsh::measure
