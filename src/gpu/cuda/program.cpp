// Programs of a CUDA device: modules of the driver.
#include <map>
#include <mutex>

#include "gpu/cuda/compiler.hpp"
#include "gpu/cuda/device.hpp"

namespace vsh::gpu::cuda {
namespace {

class CudaProgram final : public Program {
 public:
  CudaProgram(CudaDevice& device, CUmodule module) : device_(device), module_(module) {}
  ~CudaProgram() override {
    where_usable(device_, [&] { device_.cu().cuModuleUnload(module_); });
  }

  Kernel& kernel(const std::string& name) override {
    const std::lock_guard lock(mutex_);
    const auto found = kernels_.find(name);
    if (found != kernels_.end()) return found->second;
    const Current current(device_);
    CUfunction function = nullptr;
    const CUresult status = device_.cu().cuModuleGetFunction(&function, module_, name.c_str());
    if (status == CUDA_ERROR_NOT_FOUND) throw Error(Error::Kind::compile, "CUDA: there is no kernel " + name);
    device_.check(status, "looking for a kernel");
    return kernels_.emplace(name, function).first->second;
  }

 private:
  CudaDevice& device_;
  CUmodule module_;
  std::mutex mutex_;
  std::map<std::string, CudaKernel> kernels_;
};

}  // namespace

std::shared_ptr<Program> CudaDevice::try_load(std::span<const uint8_t> binary, std::string& problem) {
  const Current current(*this);
  std::string image(binary.begin(), binary.end());  // PTX must end with a zero
  char log[2048] = "";
  int options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void* values[] = {log, reinterpret_cast<void*>(sizeof log)};
  CUmodule module = nullptr;
  const CUresult status = cu_.cuModuleLoadDataEx(&module, image.c_str(), 2, options, values);
  if (status == CUDA_SUCCESS) return std::shared_ptr<Program>(new CudaProgram(*this, module));
  switch (status) {
    case CUDA_ERROR_INVALID_IMAGE:
    case CUDA_ERROR_NO_BINARY_FOR_GPU:
    case CUDA_ERROR_INVALID_PTX:
    case CUDA_ERROR_JIT_COMPILER_NOT_FOUND:
    case CUDA_ERROR_UNSUPPORTED_PTX_VERSION:
    case CUDA_ERROR_JIT_COMPILATION_DISABLED:
    case CUDA_ERROR_INVALID_SOURCE: break;
    default: check(status, "loading a program");
  }
  log[sizeof log - 1] = '\0';
  problem = error_name(cu_, status) + (log[0] ? std::string("\n") + log : "");
  return nullptr;
}

std::shared_ptr<Program> CudaDevice::load(std::span<const uint8_t> binary) {
  std::string problem;
  return try_load(binary, problem);
}

std::shared_ptr<Program> CudaDevice::compile(std::string_view text, const std::string& definitions,
                                             std::vector<uint8_t>& binary) {
  const Compiler& compiler = Compiler::for_device(capability_, driver_version());
  std::vector<uint8_t> code = compiler.compile(text, definitions, capability_);
  std::string problem;
  auto program = try_load(code, problem);
  if (!program) {
    throw Error(Error::Kind::driver, "CUDA: the driver, for CUDA " + version_text(driver_version()) +
                                         ", does not take what " + compiler.name() + " made: " + problem);
  }
  binary = std::move(code);
  return program;
}

}  // namespace vsh::gpu::cuda
