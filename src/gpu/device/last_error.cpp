#include "gpu/device/last_error.hpp"

#include <algorithm>
#include <cstring>

namespace vsh::gpu {
namespace {

thread_local char last[4096];  // no std::string: nothing is to be done when a thread ends

}  // namespace

void set_last_error(std::string_view text) noexcept {
  const size_t len = std::min(text.size(), sizeof last - 1);
  std::memcpy(last, text.data(), len);
  last[len] = 0;
}

const char* last_error() noexcept { return last; }

}  // namespace vsh::gpu
