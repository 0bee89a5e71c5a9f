// Shared by the fake's two libraries: the format of a compiled program, and settings.
#pragma once

#include <cstdint>
#include <cstdlib>

#define FAKE_CUDA_API extern "C" __attribute__((visibility("default")))

namespace fake_cuda {

// Header of a shared object made by the C++ compiler.
struct ImageHeader {
  char magic[16];  // kMagic; for PTX with P in front
  uint32_t compiler_version;
  uint32_t capability;
  uint64_t len;
};
inline constexpr char kMagic[16] = "host program", kPtxMagic[16] = "Phost program";

inline constexpr int kCompilerVersion = 12040;

inline long setting(const char* name, long otherwise) {
  const char* const value = std::getenv(name);
  return value && *value ? std::strtol(value, nullptr, 10) : otherwise;
}

// The object exported by a compiled kernel `name` as host_kernel_<name>.
struct HostKernel {
  unsigned num_arguments;
  const uint8_t* sizes;       // of each argument
  const uint8_t* is_pointer;  // of each argument
  void (*run)(void* const* arguments, uint64_t num_items);
};

}  // namespace fake_cuda
