// Memory for pieces of a file in the pipeline.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace vsh::cli {

// The number of pieces on each side of the library, their length, and the vsh_options.device that processes them.
struct Pieces {
  size_t num, len;
  const char* device = nullptr;
};

// Page-locked memory is erased when it is freed.
using PieceMemory = std::unique_ptr<uint8_t[], void (*)(uint8_t*)>;

// Allocates len bytes, not initialized. Page-locked for a device, which then copies by DMA; ordinary memory if there is
// no device or no such memory. Throws std::bad_alloc.
PieceMemory make_piece(size_t len, const char* device);

}  // namespace vsh::cli
