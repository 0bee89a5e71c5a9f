// The back end for OpenCL 1.2 and later: NVIDIA, AMD, Intel, and PoCL on any processor.
#pragma once

#include <mutex>
#include <utility>
#include <vector>

#include "gpu/device/device.hpp"
#include "gpu/device/host_memory.hpp"
#include "gpu/device/liveness.hpp"
#include "gpu/opencl/api.hpp"
#include "gpu/programs/table.hpp"

namespace vsh::gpu::opencl {

// A usable device, not yet opened.
struct Found {
  cl_platform_id platform;
  cl_device_id id;
  std::string vendor;    // of the platform
  std::string identity;  // all that compiled programs depend on
  uint64_t max_allocation;
  DeviceInfo info;
};

// Returns every device that can run kernels; ids are "opencl:P.D". Empty where there is no platform. Adds a sentence to
// `problems` for each unusable one. tried: the drivers are known not to abort. Throws Error: no loader, or one that is
// too old.
std::vector<Found> find_devices(bool tried, std::vector<std::string>& problems);

// An object of the driver, released at the end of its scope; not in a forked child.
template <class Handle>
class Owned {
 public:
  Owned(Handle handle, cl_int (*release)(Handle)) noexcept : handle_(handle), release_(release) {}
  Owned(Owned&& other) noexcept
      : handle_(std::exchange(other.handle_, nullptr)), release_(other.release_), process_(other.process_) {}
  Owned& operator=(Owned&&) = delete;
  ~Owned() {
    if (handle_ && process_.is_this()) release_(handle_);
  }
  Handle get() const noexcept { return handle_; }

 private:
  Handle handle_;
  cl_int (*release_)(Handle);
  Process process_;
};

class OpenClDevice final : public Device, private ProgramMaker {
 public:
  explicit OpenClDevice(const Found& found);  // throws Error

  const DeviceInfo& info() const noexcept override { return info_; }
  void require() const override { alive_.require(); }
  std::unique_ptr<Buffer> allocate(size_t len) override;
  std::unique_ptr<HostBuffer> allocate_host(size_t len) override;
  bool is_page_locked(const void* p, size_t len) const noexcept override;
  std::unique_ptr<Queue> make_queue() override;
  std::shared_ptr<Program> program(const std::string& name, const std::string& definitions) override;

  // Used by the buffers, queues and programs of this device.
  const Functions& cl() const noexcept { return cl_; }
  cl_context context() const noexcept { return context_.get(); }
  cl_device_id id() const noexcept { return id_; }
  Owned<cl_command_queue> make_command_queue();
  void add_queue(cl_command_queue queue);
  void remove_queue(cl_command_queue queue) noexcept;
  PageLockedRanges& page_locked() noexcept { return page_locked_; }
  // Called before memory is erased and freed: pending work could write it again.
  void wait_for_queues() noexcept;
  cl_command_queue own_queue() const noexcept { return own_queue_.get(); }
  // Throws unless CL_SUCCESS; after the first status that says so, the device is lost.
  void check(cl_int status, const char* doing);
  const Liveness& alive() const noexcept { return alive_; }

 private:
  std::string identity() const override { return identity_; }
  std::string compiler() const override { return info_.driver; }
  std::shared_ptr<Program> load(std::span<const uint8_t> binary) override;
  std::shared_ptr<Program> compile(std::string_view text, const std::string& definitions,
                                   std::vector<uint8_t>& binary) override;

  const Functions& cl_;
  const cl_device_id id_;
  const DeviceInfo info_;
  const std::string identity_;
  const uint64_t max_allocation_;
  Owned<cl_context> context_;
  Owned<cl_command_queue> own_queue_;  // for mapping and erasing
  Liveness alive_;
  std::mutex mutex_;  // of the queues
  std::vector<cl_command_queue> queues_;
  PageLockedRanges page_locked_;
  ProgramTable programs_;
};

// A Buffer of this back end.
class OpenClBuffer final : public Buffer {
 public:
  OpenClBuffer(OpenClDevice& device, size_t len);
  ~OpenClBuffer() override;
  cl_mem memory() const noexcept { return memory_.get(); }

 private:
  OpenClDevice& device_;
  const size_t allocated_;
  Owned<cl_mem> memory_;
};

inline cl_mem memory_of(const Buffer& buffer) noexcept { return static_cast<const OpenClBuffer&>(buffer).memory(); }

// A Kernel of this back end. The arguments belong to the driver's object: one launch at a time sets them.
class OpenClKernel final : public Kernel {
 public:
  explicit OpenClKernel(Owned<cl_kernel> kernel) noexcept : kernel_(std::move(kernel)) {}
  cl_kernel get() const noexcept { return kernel_.get(); }
  std::mutex& mutex() noexcept { return mutex_; }

 private:
  Owned<cl_kernel> kernel_;
  std::mutex mutex_;
};

}  // namespace vsh::gpu::opencl
