#include "gpu/opencl/device.hpp"

#include <algorithm>

namespace vsh::gpu::opencl {
namespace {

// The device may have been removed, which invalidates the driver's objects.
bool says_lost(cl_int status) noexcept {
  for (const int64_t harmless :
       {CL_COMPILER_NOT_AVAILABLE, CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_OUT_OF_HOST_MEMORY, CL_BUILD_PROGRAM_FAILURE,
        CL_INVALID_KERNEL_ARGS, CL_INVALID_WORK_GROUP_SIZE, CL_INVALID_VALUE, CL_INVALID_BUFFER_SIZE})
    if (status == harmless) return false;
  return status != CL_SUCCESS;
}

}  // namespace

OpenClDevice::OpenClDevice(const Found& found)
    : cl_(functions()),
      id_(found.id),
      info_(found.info),
      identity_(found.identity),
      max_allocation_(found.max_allocation),
      context_([&] {
        cl_int status = CL_SUCCESS;
        const cl_context context = cl_.clCreateContext(nullptr, 1, &id_, nullptr, nullptr, &status);
        opencl::check(status, "making a context", Error::Kind::driver);
        return Owned<cl_context>(context, cl_.clReleaseContext);
      }()),
      own_queue_(make_command_queue()),
      alive_(info_.id) {}

Owned<cl_command_queue> OpenClDevice::make_command_queue() {
  cl_int status = CL_SUCCESS;
  const cl_command_queue queue = cl_.clCreateCommandQueue(context(), id_, 0, &status);
  opencl::check(status, "making a queue", Error::Kind::driver);
  return {queue, cl_.clReleaseCommandQueue};
}

void OpenClDevice::check(cl_int status, const char* doing) {
  if (says_lost(status)) alive_.set_lost();
  opencl::check(status, doing, alive_.lost() ? Error::Kind::lost : Error::Kind::driver);
}

void OpenClDevice::add_queue(cl_command_queue queue) {
  const std::lock_guard lock(mutex_);
  queues_.push_back(queue);
}

void OpenClDevice::remove_queue(cl_command_queue queue) noexcept {
  const std::lock_guard lock(mutex_);
  std::erase(queues_, queue);
}

std::unique_ptr<Buffer> OpenClDevice::allocate(size_t len) {
  alive_.require();
  if (len > max_allocation_) throw Error(Error::Kind::memory, "OpenCL: " + info_.id + " allows no buffer of that size");
  return std::make_unique<OpenClBuffer>(*this, len);
}

std::shared_ptr<Program> OpenClDevice::program(const std::string& name, const std::string& definitions) {
  alive_.require();
  return programs_.get(*this, name, definitions);
}

}  // namespace vsh::gpu::opencl
