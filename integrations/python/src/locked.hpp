// The GIL is released around long work, and one object may be used by several threads, one at a time.
//
// Two rules prevent deadlock: no thread waits for an object's mutex while it holds the GIL, and the mutex is released
// before the GIL is taken again.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <mutex>

namespace vershina::python {

// Least bytes for which the GIL is released, as in hashlib.
inline constexpr size_t kReleaseLen = 2048;

// `work` must not touch Python.
template <class Work>
decltype(auto) without_gil(size_t len, Work&& work) {
  if (len < kReleaseLen) return work();
  const nanobind::gil_scoped_release release;
  return work();
}

class Lock {
 public:
  template <class Work>
  decltype(auto) run(size_t len, Work&& work) {
    if (len >= kReleaseLen) {
      const nanobind::gil_scoped_release release;
      const std::lock_guard lock(mutex_);
      return work();
    }
    std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock.owns_lock()) {
      const nanobind::gil_scoped_release release;
      lock.lock();
    }
    return work();
  }

 private:
  std::mutex mutex_;
};

}  // namespace vershina::python
