// The back end for CUDA: the driver API, with programs from NVRTC.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gpu/cuda/api.hpp"
#include "gpu/device/device.hpp"
#include "gpu/device/liveness.hpp"
#include "gpu/programs/table.hpp"

namespace vsh::gpu::cuda {

// A usable device, not yet opened.
struct Found {
  CUdevice device;
  int capability;  // 90 for sm_90
  DeviceInfo info;
};

// Returns every usable device; ids are "cuda:N". Adds a sentence to `problems` for each unusable one. Throws Error: no
// driver, one that is too old, or that fails.
std::vector<Found> find_devices(std::vector<std::string>& problems);

class CudaDevice final : public Device, private ProgramMaker {
 public:
  explicit CudaDevice(const Found& found);  // throws Error
  ~CudaDevice() override;

  const DeviceInfo& info() const noexcept override { return info_; }
  void require() const override { alive_.require(); }
  std::unique_ptr<Buffer> allocate(size_t len) override;
  std::unique_ptr<HostBuffer> allocate_host(size_t len) override;
  bool is_page_locked(const void* p, size_t len) const noexcept override;
  std::unique_ptr<Queue> make_queue() override;
  std::unique_ptr<Queue> adopt_stream(CUstream stream);
  void require_memory(const void* p, size_t len) const;
  std::shared_ptr<Program> program(const std::string& name, const std::string& definitions) override;

  // Used by the buffers, queues and programs of this device.
  const Functions& cu() const noexcept { return cu_; }
  CUcontext context() const noexcept { return context_; }
  // Throws unless CUDA_SUCCESS; after the first status that says so, the device is lost.
  void check(CUresult status, const char* doing) const;
  const Liveness& alive() const noexcept { return alive_; }

 private:
  std::string identity() const override;
  std::string compiler() const override;
  std::shared_ptr<Program> load(std::span<const uint8_t> binary) override;
  std::shared_ptr<Program> compile(std::string_view text, const std::string& definitions,
                                   std::vector<uint8_t>& binary) override;
  // Returns null, with the reason in `problem`, if the driver rejects it.
  std::shared_ptr<Program> try_load(std::span<const uint8_t> binary, std::string& problem);

  const Functions& cu_;
  const CUdevice device_;
  const int capability_;
  const DeviceInfo info_;
  mutable Liveness alive_;
  CUcontext context_ = nullptr;
  ProgramTable programs_;
};

// Makes the device's context current in this thread for its lifetime. Every driver call needs it.
class Current {
 public:
  explicit Current(const CudaDevice& device) : cu_(device.cu()) {
    device.alive().require();
    device.check(cu_.cuCtxPushCurrent_v2(device.context()), "taking the context");
  }
  Current(const Current&) = delete;
  Current& operator=(const Current&) = delete;
  ~Current() {
    CUcontext context = nullptr;
    cu_.cuCtxPopCurrent_v2(&context);
  }

 private:
  const Functions& cu_;
};

// Calls f() with the context unless the device is lost; for destructors.
template <class F>
void where_usable(const CudaDevice& device, F&& f) noexcept {
  try {
    const Current current(device);
    f();
  } catch (const Error&) {  // a lost device holds no memory to erase
  }
}

class CudaBuffer : public Buffer {
 public:
  CudaBuffer(CUdeviceptr at, size_t len) noexcept : Buffer(len), at_(at) {}
  CUdeviceptr at() const noexcept { return at_; }

 private:
  CUdeviceptr at_;
};

inline CUdeviceptr address_of(const Buffer& buffer) noexcept { return static_cast<const CudaBuffer&>(buffer).at(); }

class CudaKernel final : public Kernel {
 public:
  explicit CudaKernel(CUfunction function) noexcept : function_(function) {}
  CUfunction get() const noexcept { return function_; }

 private:
  CUfunction function_;
};

// The driver's attributes of an address; none where it does not know the address.
struct PointerInfo {
  int memory_type;
  int ordinal;
  CUcontext context;  // of the allocation; null for none: pools, memory mapped by cuMemMap
  CUdeviceptr begin;
  size_t size;
};
std::optional<PointerInfo> pointer_info(const Functions& cu, const void* p) noexcept;
// Returns whether `info` describes all of [p, p + len).
bool covers(const PointerInfo& info, const void* p, size_t len) noexcept;

}  // namespace vsh::gpu::cuda
