// NVRTC, NVIDIA's compiler as a library. A machine may have several; each supports a range of devices, and a driver
// accepts code of compilers up to its own version.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gpu/cuda/api.hpp"

namespace vsh::gpu::cuda {

class Compiler {
 public:
  // Returns a compiler for devices of this compute capability (90 for sm_90) under this driver (12040). Throws Error
  // (compile) with the version to install where none is suitable.
  static const Compiler& for_device(int capability, int driver_version);

  std::string name() const;  // "NVRTC 12.4"
  // Returns code for the device, or, where it is newer than this compiler, PTX, which the driver compiles.
  std::vector<uint8_t> compile(std::string_view text, const std::string& definitions, int capability) const;

 private:
  friend struct Compilers;
  Compiler() = default;
  int target(int capability) const noexcept;  // the newest target up to it; 0: none

  CompilerFunctions functions_;
  int version_ = 0;  // as the driver's
  std::vector<int> capabilities_;
};

}  // namespace vsh::gpu::cuda
