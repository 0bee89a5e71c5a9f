#include "memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

#include "driver.hpp"
#include "fake_cuda.hpp"

using namespace vsh::gpu::cuda;

namespace fake_cuda {
namespace {

constexpr size_t kGuard = 256;  // bytes on both sides, which is the alignment, too
constexpr uint8_t kFresh = 0xa5, kGuardByte = 0x5a;

bool all(const uint8_t* p, size_t len, uint8_t value) {
  return std::all_of(p, p + len, [&](uint8_t byte) { return byte == value; });
}

// Reports at the end of the process, before objects constructed earlier than this library was loaded are destroyed. A
// forked child reports nothing.
const struct Reporter {
  ~Reporter() {
    if (initialised_in == ::getpid()) Memory::instance().report();
    has_ended = true;
  }
} at_exit;

// Page-locked memory is not inherited by a forked child, as with drivers that use MADV_DONTFORK.
uint8_t* take(size_t size, int device) {
  if (device != kHost) {
    return static_cast<uint8_t*>(::operator new(size, std::align_val_t(kGuard), std::nothrow));
  }
  void* const p = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) return nullptr;
  ::madvise(p, size, MADV_DONTFORK);
  return static_cast<uint8_t*>(p);
}

void give_back(uint8_t* p, size_t size, int device) {
  if (device == kHost) ::munmap(p, size);
  else ::operator delete(p, std::align_val_t(kGuard));
}

}  // namespace

Memory& Memory::instance() {
  static Memory& memory = *new Memory;  // for memory that is freed after main
  return memory;
}

uint8_t* Memory::allocate(size_t size, int device, const void* context) {
  const std::lock_guard lock(mutex_);
  if (device != kHost) {
    const long fails = setting("FAKE_CUDA_ALLOCATION_FAILS", 0);
    ++num_allocations_;
    if (fails != 0 && num_allocations_ >= fails) return nullptr;
    const size_t limit = static_cast<size_t>(setting("FAKE_CUDA_MEMORY", 1l << 30));
    if (size > limit || used_[device] > limit - size) return nullptr;
  }
  uint8_t* const p = take(size + 2 * kGuard, device);
  if (!p) return nullptr;
  std::memset(p, kGuardByte, kGuard);
  std::memset(p + kGuard, kFresh, size);
  std::memset(p + kGuard + size, kGuardByte, kGuard);
  used_[device] += size;
  allocations_[reinterpret_cast<uintptr_t>(p) + kGuard + size] = {p + kGuard, size, device, context};
  return p + kGuard;
}

bool Memory::free(void* p, int device) {
  const Allocation* const found = find(p, 0);
  if (!found || found->begin != p || (found->device == kHost) != (device == kHost)) return false;
  const Allocation a = *found;
  const std::string where = a.device == kHost ? "page-locked memory" : "memory of a device";
  if (!all(a.begin, a.size, 0)) complain(where + " was given back without being erased");
  if (!all(a.begin - kGuard, kGuard, kGuardByte) || !all(a.begin + a.size, kGuard, kGuardByte))
    complain("a kernel wrote outside of " + where);
  const std::lock_guard lock(mutex_);
  used_[a.device] -= a.size;
  allocations_.erase(reinterpret_cast<uintptr_t>(a.begin) + a.size);
  give_back(a.begin - kGuard, a.size + 2 * kGuard, a.device);
  return true;
}

const Allocation* Memory::find(const void* p, size_t len) const {
  const std::lock_guard lock(mutex_);
  const auto at = reinterpret_cast<uintptr_t>(p);
  const auto next = allocations_.upper_bound(at);  // guards keep ends and beginnings apart
  if (next == allocations_.end()) return nullptr;
  const auto begin = reinterpret_cast<uintptr_t>(next->second.begin);
  return at >= begin && len <= next->first - at ? &next->second : nullptr;
}

bool Memory::is_host(const void* p, size_t len) const {
  const Allocation* const found = find(p, len);
  return found && found->device == kHost;
}

bool Memory::is_of(const void* p, size_t len, const void* context) const {
  const Allocation* const found = find(p, len);
  return found && found->is_of(context);
}

void Memory::complain(const std::string& what) {
  const std::lock_guard lock(mutex_);
  complaints_.push_back(what);
}

void Memory::report() const {
  std::vector<std::string> all_complaints = complaints_;
  for (const auto& [end, allocation] : allocations_)
    if (!all(allocation.begin, allocation.size, 0))
      all_complaints.push_back("memory was neither erased nor given back");
  for (const std::string& what : all_complaints) std::fprintf(stderr, "fake cuda: %s\n", what.c_str());
  if (!all_complaints.empty() && setting("FAKE_CUDA_STRICT", 0)) ::_exit(86);
}

}  // namespace fake_cuda
