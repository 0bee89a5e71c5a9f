// Memory of a CUDA device, and page-locked memory of the host.
#include <algorithm>

#include "core/decimal.hpp"
#include "core/wipe.hpp"
#include "gpu/cuda/device.hpp"
#include "gpu/cuda/interop.hpp"
#include "gpu/device/host_memory.hpp"

namespace vsh::gpu {
namespace cuda {
namespace {

// Shared by all devices, since memory is page-locked for all. Never destroyed: memory may be freed after static objects
// are destroyed.
PageLockedRanges& page_locked() {
  static PageLockedRanges& all = *new PageLockedRanges;
  return all;
}

// Rounds up to whole words for erasing, at least one.
size_t rounded(size_t len) { return std::max<size_t>((len + 3) & ~size_t{3}, 4); }

class OwnedBuffer final : public CudaBuffer {
 public:
  OwnedBuffer(CudaDevice& device, CUdeviceptr at, size_t len) : CudaBuffer(at, len), device_(device) {}
  ~OwnedBuffer() override {
    where_usable(device_, [&] {
      const Functions& cu = device_.cu();
      cu.cuCtxSynchronize();  // pending work could write it again
      cu.cuMemsetD32Async(at(), 0, rounded(size()) / 4, nullptr);
      cu.cuCtxSynchronize();
      cu.cuMemFree_v2(at());
    });
  }

 private:
  CudaDevice& device_;
};

class CudaHostBuffer final : public HostBuffer {
 public:
  CudaHostBuffer(CudaDevice& device, std::span<uint8_t> bytes) : HostBuffer(bytes), device_(device) {
    page_locked().add(bytes);
  }
  ~CudaHostBuffer() override {
    if (device_.alive().forked()) return;
    page_locked().remove(bytes());
    where_usable(device_, [&] { device_.cu().cuCtxSynchronize(); });
    wipe(bytes().data(), bytes().size());
    where_usable(device_, [&] { device_.cu().cuMemFreeHost(bytes().data()); });
  }

 private:
  CudaDevice& device_;
};

}  // namespace

std::unique_ptr<Buffer> CudaDevice::allocate(size_t len) {
  const Current current(*this);
  CUdeviceptr at = 0;
  check(cu_.cuMemAlloc_v2(&at, rounded(len)), "allocating memory");
  return std::make_unique<OwnedBuffer>(*this, at, len);
}

std::unique_ptr<HostBuffer> CudaDevice::allocate_host(size_t len) {
  const Current current(*this);
  void* p = nullptr;  // portable: page-locked for the other devices, too
  check(cu_.cuMemHostAlloc(&p, rounded(len), CU_MEMHOSTALLOC_PORTABLE), "allocating page-locked memory");
  return std::make_unique<CudaHostBuffer>(*this, std::span(static_cast<uint8_t*>(p), len));
}

std::optional<PointerInfo> pointer_info(const Functions& cu, const void* p) noexcept {
  const auto at = reinterpret_cast<CUdeviceptr>(p);
  PointerInfo info{};
  unsigned managed = 0;
  if (cu.cuPointerGetAttribute(&info.memory_type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, at) != CUDA_SUCCESS ||
      cu.cuPointerGetAttribute(&managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, at) != CUDA_SUCCESS ||
      cu.cuPointerGetAttribute(&info.ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, at) != CUDA_SUCCESS ||
      cu.cuPointerGetAttribute(&info.begin, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, at) != CUDA_SUCCESS ||
      cu.cuPointerGetAttribute(&info.size, CU_POINTER_ATTRIBUTE_RANGE_SIZE, at) != CUDA_SUCCESS)
    return std::nullopt;
  if (managed) info.memory_type = CU_MEMORYTYPE_DEVICE;  // it migrates, and is not page-locked
  // Memory of pools has no context, which some drivers report as a failure.
  if (cu.cuPointerGetAttribute(&info.context, CU_POINTER_ATTRIBUTE_CONTEXT, at) != CUDA_SUCCESS) info.context = nullptr;
  return info;
}

bool covers(const PointerInfo& info, const void* p, size_t len) noexcept {
  const auto at = reinterpret_cast<CUdeviceptr>(p);
  return at >= info.begin && at - info.begin <= info.size && len <= info.size - (at - info.begin);
}

// The driver knows the memory that a caller page-locked.
bool CudaDevice::is_page_locked(const void* p, size_t len) const noexcept {
  if (!alive_.usable()) return false;
  if (page_locked().has(p, len)) return true;
  bool locked = false;
  where_usable(*this, [&] {
    const auto info = pointer_info(cu_, p);
    locked = info && info->memory_type == CU_MEMORYTYPE_HOST && covers(*info, p, len);
  });
  return locked;
}

void CudaDevice::require_memory(const void* p, size_t len) const {
  const Current current(*this);
  const auto refuse = [](const std::string& why) { throw Error(Error::Kind::none_found, "CUDA: the data is " + why); };
  const auto info = pointer_info(cu_, p);
  if (!info || info->memory_type != CU_MEMORYTYPE_DEVICE || !covers(*info, p, len))
    return refuse("not in memory of a device, or more than was allocated there");
  const std::string place = "cuda:" + decimal(info->ordinal);
  if (place != info_.id) refuse("on " + place + ", the key on " + info_.id);
  // A kernel that touches another context's memory faults, which loses all of the caller's work on the device.
  if (info->context && info->context != context_) refuse("of another context than the device's primary one");
}

}  // namespace cuda

void require_memory(Device& device, const void* p, size_t len) {
  static_cast<cuda::CudaDevice&>(device).require_memory(p, len);
}

std::unique_ptr<Buffer> adopt_buffer(Device&, void* p, size_t len) {
  return std::make_unique<cuda::CudaBuffer>(reinterpret_cast<cuda::CUdeviceptr>(p), len);
}

std::unique_ptr<Queue> adopt_stream(Device& device, void* stream) {
  return static_cast<cuda::CudaDevice&>(device).adopt_stream(static_cast<cuda::CUstream>(stream));
}

}  // namespace vsh::gpu
