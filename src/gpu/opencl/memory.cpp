// Memory of an OpenCL device, and of the host for it.
#include <algorithm>

#include "core/wipe.hpp"
#include "gpu/opencl/device.hpp"

namespace vsh::gpu::opencl {
namespace {

Owned<cl_mem> make_memory(OpenClDevice& device, size_t len, cl_bitfield flags) {
  cl_int status = CL_SUCCESS;
  const cl_mem memory = device.cl().clCreateBuffer(device.context(), flags, len, nullptr, &status);
  device.check(status, "allocating memory");
  return {memory, device.cl().clReleaseMemObject};
}

// Rounds up to whole words for erasing, at least one.
size_t rounded(size_t len) { return std::max<size_t>((len + 3) & ~size_t{3}, 4); }

// Memory that the driver allocates for mapping can be copied directly: page-locked, where copies cross a bus.
class OpenClHostBuffer final : public HostBuffer {
 public:
  OpenClHostBuffer(OpenClDevice& device, Owned<cl_mem> memory, std::span<uint8_t> bytes)
      : HostBuffer(bytes), device_(device), memory_(std::move(memory)) {
    device_.page_locked().add(bytes);
  }
  ~OpenClHostBuffer() override {
    if (device_.alive().forked()) return;
    device_.page_locked().remove(bytes());
    if (device_.alive().usable()) device_.wait_for_queues();
    wipe(bytes().data(), bytes().size());
    if (!device_.alive().usable()) return;
    device_.cl().clEnqueueUnmapMemObject(device_.own_queue(), memory_.get(), bytes().data(), 0, nullptr, nullptr);
    device_.cl().clFinish(device_.own_queue());
  }

 private:
  OpenClDevice& device_;
  Owned<cl_mem> memory_;
};

}  // namespace

OpenClBuffer::OpenClBuffer(OpenClDevice& device, size_t len)
    : Buffer(len),
      device_(device),
      allocated_(rounded(len)),
      memory_(make_memory(device, allocated_, CL_MEM_READ_WRITE)) {}

OpenClBuffer::~OpenClBuffer() {
  if (!device_.alive().usable()) return;
  device_.wait_for_queues();
  const cl_uint zero = 0;
  device_.cl().clEnqueueFillBuffer(device_.own_queue(), memory(), &zero, sizeof zero, 0, allocated_, 0, nullptr,
                                   nullptr);
  device_.cl().clFinish(device_.own_queue());
}

std::unique_ptr<HostBuffer> OpenClDevice::allocate_host(size_t len) {
  alive_.require();
  Owned<cl_mem> memory = make_memory(*this, rounded(len), CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR);
  cl_int status = CL_SUCCESS;
  void* const p = cl_.clEnqueueMapBuffer(own_queue(), memory.get(), CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0,
                                         rounded(len), 0, nullptr, nullptr, &status);
  check(status, "mapping memory of the host");
  return std::make_unique<OpenClHostBuffer>(*this, std::move(memory), std::span(static_cast<uint8_t*>(p), len));
}

void OpenClDevice::wait_for_queues() noexcept {
  const std::lock_guard lock(mutex_);  // no queue is released now
  for (const cl_command_queue queue : queues_) cl_.clFinish(queue);
}

bool OpenClDevice::is_page_locked(const void* p, size_t len) const noexcept {
  return alive_.usable() && page_locked_.has(p, len);
}

}  // namespace vsh::gpu::opencl
