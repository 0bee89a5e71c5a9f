#include "gpu/device/liveness.hpp"

#include <pthread.h>

#include "gpu/device/device.hpp"

namespace vsh::gpu {
namespace {

std::atomic<unsigned> generation = 0;

unsigned generation_now() noexcept {
  static const int registered = ::pthread_atfork(nullptr, nullptr, [] { ++generation; });
  (void)registered;
  return generation;
}

}  // namespace

Process::Process() noexcept : generation_(generation_now()) {}

bool Process::is_this() const noexcept { return generation_ == generation; }

void Liveness::require() const {
  if (lost_) throw Error(Error::Kind::lost, id_ + " has failed and takes no more work");
  if (forked()) throw Error(Error::Kind::lost, id_ + " was opened before this process was forked, and stays behind");
}

}  // namespace vsh::gpu
