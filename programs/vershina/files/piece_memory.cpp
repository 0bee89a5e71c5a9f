#include "programs/vershina/files/piece_memory.hpp"

#include <vershina/device.h>

#include <string_view>

#include "programs/common/system/try_thread.hpp"

namespace vsh::cli {
namespace {

// On a separate thread, so that a failure does not become this thread's vsh_device_message.
uint8_t* page_locked(size_t len, const char* device) {
  void* memory = nullptr;
  try_thread([&] { (void)vsh_device_alloc_host(&memory, len, device); });  // joined at once
  return static_cast<uint8_t*>(memory);
}

}  // namespace

PieceMemory make_piece(size_t len, const char* device) {
  if (device && std::string_view(device) != "cpu") {
    if (uint8_t* const memory = page_locked(len, device)) return {memory, [](uint8_t* p) { vsh_device_free_host(p); }};
  }
  return {new uint8_t[len], [](uint8_t* p) { delete[] p; }};  // untouched memory costs nothing
}

}  // namespace vsh::cli
