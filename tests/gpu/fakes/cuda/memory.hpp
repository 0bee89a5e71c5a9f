// Memory that the fake driver hands out: what lies where, and whether it was erased when it came back.
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
  bool free(void* p, int device);                                   // false: it is none of ours
  // The allocation that has all of these bytes; null where none does.
  const Allocation* find(const void* p, size_t len) const;
  bool is_host(const void* p, size_t len) const;  // page-locked
  bool is_of(const void* p, size_t len, const void* context) const;

  // A rule that was broken: said at the end, with the process's status under FAKE_CUDA_STRICT.
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
