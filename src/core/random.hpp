// Reads random bytes from the operating system, for keys and salts.
#pragma once

#include <cstddef>

namespace vsh {

// Fills a buffer. Returns false if the system provides none; the buffer is then invalid. Early at boot it waits for
// entropy.
[[nodiscard]] bool random_bytes(void* out, size_t len) noexcept;

}  // namespace vsh
