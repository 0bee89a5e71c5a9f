// Memory allocated by the fake driver: its allocations, and whether they were erased when freed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace fake_cuda {

inline constexpr int kHost = -1;
struct Allocation {
  uint8_t* begin;
  size_t size;
  int device;  // kHost: page-locked memory of the host
  const void* context;
  bool is_of(const void* other) const { return device != kHost && context == other; }
};

class Memory {
 public:
  static Memory& instance();

  uint8_t* allocate(size_t size, int device, const void* context);  // null: no memory
  bool free(void* p, int device);                                   // false: not allocated here
  // Returns the allocation that contains all of these bytes, or null.
  const Allocation* find(const void* p, size_t len) const;
  bool is_host(const void* p, size_t len) const;  // page-locked
  bool is_of(const void* p, size_t len, const void* context) const;

  // Records a broken rule: reported at the end, with the process's status under FAKE_CUDA_STRICT.
  void complain(const std::string& what);
  void report() const;

 private:
  mutable std::mutex mutex_;
  std::map<uintptr_t, Allocation> allocations_;  // by the end
  std::map<int, size_t> used_;
  long num_allocations_ = 0;
  std::vector<std::string> complaints_;
};

}  // namespace fake_cuda
