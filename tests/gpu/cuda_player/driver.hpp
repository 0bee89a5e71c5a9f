// The player's devices and contexts.
#pragma once

#include <unistd.h>

#include <atomic>
#include <mutex>
#include <set>
#include <vector>

#include "gpu/cuda_api.hpp"
#include "memory.hpp"
#include "player.hpp"
#include "stream.hpp"

namespace player {

using namespace vsh::gpu::cuda;

inline constexpr CUresult kNotInitialized = 3, kInvalidDevice = 101, kInvalidContext = 201, kIllegalAddress = 700,
                          kLaunchFailed = 719;

inline int its_version() { return static_cast<int>(setting("CUDA_PLAYER_DRIVER", 12040)); }
inline bool is_lazy() { return setting("CUDA_PLAYER_LAZY", 0) != 0; }

// A device with its primary context.
struct Device {
  int ordinal = 0;
  std::atomic<CUresult> sticky = CUDA_SUCCESS;  // once something has failed in the context
  std::atomic<long> launches = 0;
  std::mutex mutex;  // of the streams
  std::set<Stream*> streams;
  Stream null_stream{is_lazy()};

  void wait() {
    null_stream.wait();
    const std::lock_guard lock(mutex);
    for (Stream* stream : streams) stream->wait();
  }
};

std::vector<Device*>& devices();

inline std::atomic<pid_t> initialised_in = 0;
inline thread_local std::vector<Device*> contexts;

inline bool ready() { return initialised_in == ::getpid(); }  // nothing survives a fork

// f(device of the current context), unless nothing works any more.
template <class F>
CUresult in_context(F&& f) {
  if (!ready()) return kNotInitialized;
  if (contexts.empty()) return kInvalidContext;
  Device& device = *contexts.back();
  return device.sticky ? device.sticky.load() : f(device);
}

}  // namespace player
