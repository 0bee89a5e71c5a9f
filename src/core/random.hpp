// Random bytes of the operating system, for keys and salts.
#pragma once

#include <cstddef>

namespace vsh {

// False where the system gives none; the buffer's contents then mean nothing. Waits, early at boot, until they are
// good.
[[nodiscard]] bool random_bytes(void* out, size_t len) noexcept;

}  // namespace vsh
