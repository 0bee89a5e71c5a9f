// The fake's contexts, each with its streams and events.
#pragma once

#include <unistd.h>

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "fake_cuda.hpp"
#include "gpu/cuda/api.hpp"
#include "memory.hpp"
#include "stream.hpp"

namespace fake_cuda {

using vsh::gpu::cuda::CUDA_SUCCESS, vsh::gpu::cuda::CUresult, vsh::gpu::cuda::CUstream;

inline constexpr CUresult kNotInitialized = 3, kDeinitialized = 4, kInvalidDevice = 101, kInvalidContext = 201,
                          kIllegalAddress = 700, kLaunchFailed = 719;

inline int its_version() { return static_cast<int>(setting("FAKE_CUDA_DRIVER", 12040)); }
inline bool is_lazy() { return setting("FAKE_CUDA_LAZY", 0) != 0; }

// The work of a stream before it. The stream may be destroyed before, and continues.
struct Event {
  std::shared_ptr<Stream> stream;
  uint64_t mark = 0;
};

// A device with its primary context; or another context on it.
struct Device {
  int ordinal = 0;
  std::atomic<CUresult> sticky = CUDA_SUCCESS;  // once something has failed in the context
  std::atomic<long> launches = 0;
  std::mutex mutex;  // of what follows
  std::map<CUstream, std::shared_ptr<Stream>> streams;
  std::map<std::thread::id, std::shared_ptr<Stream>> streams_of_threads;
  std::set<Event*> events;
  const std::shared_ptr<Stream> default_stream = std::make_shared<Stream>(is_lazy());

  // Returns null if it does not exist, was destroyed, or belongs to another context.
  std::shared_ptr<Stream> find(CUstream stream);
  bool has(Event* event);
  void wait();
};

std::vector<Device*>& devices();

inline std::atomic<pid_t> initialised_in = 0;
inline std::atomic<bool> has_ended = false;  // the driver, with the process
inline thread_local std::vector<Device*> contexts;

inline CUresult readiness() {
  if (has_ended) return kDeinitialized;
  return initialised_in == ::getpid() ? CUDA_SUCCESS : kNotInitialized;  // nothing survives a fork
}

// Calls f(device of the current context), unless the driver has failed or ended.
template <class F>
CUresult in_context(F&& f) {
  if (const CUresult status = readiness()) return status;
  if (contexts.empty()) return kInvalidContext;
  Device& device = *contexts.back();
  if (!device.sticky) return f(device);
  device.wait();  // a device that is lost writes nothing more
  return device.sticky.load();
}

}  // namespace fake_cuda
