// Memory for the pieces of a file on its way through the library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace vsh::cli {

// How many pieces there are on each side of the library, their length, and the vsh_options.device that works on them.
struct Pieces {
  size_t num, len;
  const char* device = nullptr;
};

// Erased when it is given back, where it was page-locked.
using PieceMemory = std::unique_ptr<uint8_t[], void (*)(uint8_t*)>;

// len bytes, not initialized. Page-locked where a device is to work on them, which then copies from and to them by
// itself; ordinary ones where there is no device, or no such memory. Throws std::bad_alloc.
PieceMemory make_piece(size_t len, const char* device);

}  // namespace vsh::cli
