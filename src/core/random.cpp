#include "core/random.hpp"

#include <sys/random.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>

namespace vsh {

bool random_bytes(void* out, size_t len) noexcept {
  auto* p = static_cast<uint8_t*>(out);
  while (len > 0) {
    const ssize_t got = getrandom(p, std::min<size_t>(len, 256), 0);  // up to 256 bytes are atomic: getrandom(2)
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    p += got;
    len -= static_cast<size_t>(got);
  }
  return true;
}

}  // namespace vsh
