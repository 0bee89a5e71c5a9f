// A queue of an OpenCL device: in order; blocks only where documented.
#include "gpu/device/host_memory.hpp"
#include "gpu/opencl/device.hpp"

namespace vsh::gpu::opencl {
namespace {

constexpr size_t kMaxEvents = 1024;  // a queue waits for its work after that many

class OpenClQueue final : public Queue {
 public:
  explicit OpenClQueue(OpenClDevice& device)
      : device_(device), cl_(device.cl()), queue_(device.make_command_queue()), staging_(device) {
    device_.add_queue(queue_.get());
  }
  ~OpenClQueue() override {
    if (device_.alive().usable()) cl_.clFinish(queue_.get());
    device_.remove_queue(queue_.get());
  }

  void upload(Buffer& to, size_t offset, const void* from, size_t len) override {
    device_.alive().require();
    if (len == 0) return;
    const bool stays = device_.is_page_locked(from, len);
    const bool staged = !stays && len <= Staging::kMaxUpload;
    if (staged) {
      if (!staging_.has_room(len)) finish();
      from = staging_.add(from, len);
    }
    enqueue("copying to the device", [&](cl_event* event) {
      return cl_.clEnqueueWriteBuffer(queue_.get(), memory_of(to), !stays && !staged, offset, len, from, 0, nullptr,
                                      event);
    });
  }

  void download(void* to, const Buffer& from, size_t offset, size_t len) override {
    device_.alive().require();
    if (len == 0) return;
    enqueue("copying from the device", [&](cl_event* event) {
      return cl_.clEnqueueReadBuffer(queue_.get(), memory_of(from), !device_.is_page_locked(to, len), offset, len, to,
                                     0, nullptr, event);
    });
  }

  void copy(Buffer& to, size_t to_offset, const Buffer& from, size_t from_offset, size_t len) override {
    device_.alive().require();
    if (len == 0) return;
    enqueue("copying on the device", [&](cl_event* event) {
      return cl_.clEnqueueCopyBuffer(queue_.get(), memory_of(from), memory_of(to), from_offset, to_offset, len, 0,
                                     nullptr, event);
    });
  }

  void erase(Buffer& buffer, size_t offset, size_t len) override {
    device_.alive().require();
    if (len == 0) return;
    const cl_uint zero = 0;
    enqueue("erasing memory", [&](cl_event* event) {
      return cl_.clEnqueueFillBuffer(queue_.get(), memory_of(buffer), &zero, sizeof zero, offset, len, 0, nullptr,
                                     event);
    });
  }

  void launch(Kernel& kernel, uint64_t num_items, std::span<const Argument> arguments) override {
    device_.alive().require();
    if (num_items == 0) return;
    auto& own = static_cast<OpenClKernel&>(kernel);
    const std::lock_guard lock(own.mutex());
    for (size_t i = 0; i < arguments.size(); ++i) set(own.get(), static_cast<cl_uint>(i), arguments[i]);
    const size_t group = kGroup, items = (num_items + kGroup - 1) / kGroup * kGroup;
    enqueue("starting a kernel", [&](cl_event* event) {
      return cl_.clEnqueueNDRangeKernel(queue_.get(), own.get(), 1, nullptr, &items, &group, 0, nullptr, event);
    });
    // Some drivers start nothing before a flush.
    device_.check(cl_.clFlush(queue_.get()), "starting a kernel");
  }

  void finish() override {
    device_.alive().require();
    const cl_int status = cl_.clFinish(queue_.get());
    staging_.clear();
    // A failed command is reported only in its event.
    for (const Owned<cl_event>& event : events_) {
      cl_int of_command = CL_COMPLETE;
      cl_.clGetEventInfo(event.get(), CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof of_command, &of_command, nullptr);
      if (of_command < 0) failed_ = of_command;
    }
    events_.clear();
    device_.check(status, "waiting for work");
    device_.check(std::exchange(failed_, CL_SUCCESS), "work on the device");
  }

 private:
  template <class Enqueue>
  void enqueue(const char* doing, Enqueue&& call) {
    if (events_.size() == kMaxEvents) finish();
    cl_event event = nullptr;
    const cl_int status = call(&event);
    if (event) events_.emplace_back(event, cl_.clReleaseEvent);
    device_.check(status, doing);
  }

  void set(cl_kernel kernel, cl_uint i, const Argument& argument) {
    const cl_uint u32 = static_cast<cl_uint>(argument.number);
    const cl_mem memory = argument.buffer ? memory_of(*argument.buffer) : nullptr;
    cl_int status = CL_SUCCESS;
    switch (argument.type) {
      case Argument::Type::buffer:
        status = cl_.clSetKernelArg(kernel, i, sizeof memory, memory ? &memory : nullptr);
        break;
      case Argument::Type::u32: status = cl_.clSetKernelArg(kernel, i, sizeof u32, &u32); break;
      case Argument::Type::u64: status = cl_.clSetKernelArg(kernel, i, sizeof argument.number, &argument.number); break;
    }
    device_.check(status, "setting an argument");
  }

  OpenClDevice& device_;
  const Functions& cl_;
  Owned<cl_command_queue> queue_;
  std::vector<Owned<cl_event>> events_;  // since the last finish
  Staging staging_;
  cl_int failed_ = CL_SUCCESS;
};

}  // namespace

std::unique_ptr<Queue> OpenClDevice::make_queue() {
  alive_.require();
  return std::make_unique<OpenClQueue>(*this);
}

}  // namespace vsh::gpu::opencl
