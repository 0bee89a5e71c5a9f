#include "core/wipe.hpp"

#include <cstdint>
#include <cstring>

namespace vsh {

void wipe(void* p, size_t len) noexcept {
  std::memset(p, 0, len);
  // The memory is an input of this empty statement, so the stores above must happen.
  __asm__ __volatile__("" : : "r"(p) : "memory");
}

__attribute__((noinline)) void wipe_stack(size_t len) noexcept { wipe(__builtin_alloca(len), len); }

bool equal_constant_time(const void* a, const void* b, size_t len) noexcept {
  const auto* x = static_cast<const uint8_t*>(a);
  const auto* y = static_cast<const uint8_t*>(b);
  volatile uint8_t difference = 0;
  for (size_t i = 0; i < len; ++i) difference = difference | (x[i] ^ y[i]);
  return difference == 0;
}

}  // namespace vsh
