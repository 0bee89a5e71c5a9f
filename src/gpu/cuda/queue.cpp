// A queue of a CUDA device: a stream.
#include <thread>

#include "gpu/cuda/device.hpp"
#include "gpu/device/host_memory.hpp"

namespace vsh::gpu::cuda {
namespace {

constexpr uint64_t kMaxGroups = 0x7fffffff;  // of a launch

class CudaQueue final : public Queue {
 public:
  // Takes ownership of the stream if `owned`, even if it throws.
  CudaQueue(CudaDevice& device, CUstream stream, bool owned)
      : device_(device), cu_(device.cu()), stream_(stream), owned_(owned), staging_(device) {
    const Current current(device_);
    const CUresult status = cu_.cuEventCreate(&done_, CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING);
    if (status != CUDA_SUCCESS && owned_) cu_.cuStreamDestroy_v2(stream_);
    check(status, "making a queue");
  }
  ~CudaQueue() override {
    where_usable(device_, [&] {
      if (owned_) {
        wait();
        cu_.cuStreamDestroy_v2(stream_);
      }
      cu_.cuEventDestroy_v2(done_);
    });
  }

  void upload(Buffer& to, size_t offset, const void* from, size_t len) override {
    const Current current(device_);
    if (len == 0) return;
    follow_thread();
    const bool stays = device_.is_page_locked(from, len);
    const bool staged = !stays && len <= Staging::kMaxUpload;
    if (staged) {
      if (!staging_.has_room(len)) finish();
      from = staging_.add(from, len);
    }
    done(cu_.cuMemcpyHtoDAsync_v2(address_of(to) + offset, from, len, stream_), "copying to the device");
    if (!stays && !staged) check(wait(), "copying to the device");
  }

  void download(void* to, const Buffer& from, size_t offset, size_t len) override {
    const Current current(device_);
    if (len == 0) return;
    follow_thread();
    done(cu_.cuMemcpyDtoHAsync_v2(to, address_of(from) + offset, len, stream_), "copying from the device");
    if (!device_.is_page_locked(to, len)) check(wait(), "copying from the device");
  }

  void copy(Buffer& to, size_t to_offset, const Buffer& from, size_t from_offset, size_t len) override {
    const Current current(device_);
    if (len == 0) return;
    follow_thread();
    done(cu_.cuMemcpyDtoDAsync_v2(address_of(to) + to_offset, address_of(from) + from_offset, len, stream_),
         "copying on the device");
  }

  void erase(Buffer& buffer, size_t offset, size_t len) override {
    const Current current(device_);
    if (len == 0) return;
    follow_thread();
    done(cu_.cuMemsetD32Async(address_of(buffer) + offset, 0, len / 4, stream_), "erasing memory");
  }

  void launch(Kernel& kernel, uint64_t num_items, std::span<const Argument> arguments) override {
    const Current current(device_);
    if (num_items == 0) return;
    const uint64_t groups = (num_items - 1) / kGroup + 1;
    if (groups > kMaxGroups) throw Error(Error::Kind::driver, "CUDA: too many work items in one launch");
    Values values[kMaxArguments];
    void* pointers[kMaxArguments];
    if (arguments.size() > kMaxArguments) throw Error(Error::Kind::driver, "CUDA: too many arguments of a kernel");
    for (size_t i = 0; i < arguments.size(); ++i) pointers[i] = values[i].take(arguments[i]);
    follow_thread();
    done(cu_.cuLaunchKernel(static_cast<CudaKernel&>(kernel).get(), static_cast<unsigned>(groups), 1, 1, kGroup, 1, 1,
                            0, stream_, pointers, nullptr),
         "starting a kernel");
  }

  void finish() override {
    const Current current(device_);
    const CUresult status = wait();
    staging_.clear();
    check(status, "work on the device");
  }

 private:
  static constexpr size_t kMaxArguments = 24;

  // An argument in the type declared by the kernel.
  union Values {
    CUdeviceptr address;
    uint32_t u32;
    uint64_t u64;
    void* take(const Argument& argument) noexcept {
      switch (argument.type) {
        case Argument::Type::buffer: address = argument.buffer ? address_of(*argument.buffer) : 0; break;
        case Argument::Type::u32: u32 = static_cast<uint32_t>(argument.number); break;
        case Argument::Type::u64: u64 = argument.number; break;
      }
      return this;
    }
  };

  // Sleeps: a thread that waits for a stream may spin, on a processor that could do a share of the work.
  CUresult wait() const noexcept {
    const CUresult status = owned_ ? cu_.cuEventRecord(done_, stream_) : CUDA_SUCCESS;
    return status == CUDA_SUCCESS ? cu_.cuEventSynchronize(done_) : status;
  }

  // Called after each call that enqueues work. A caller's stream may be destroyed before it is waited for; an event
  // that it recorded is not.
  void done(CUresult status, const char* doing) const {
    check(status, doing);
    if (!owned_) check(cu_.cuEventRecord(done_, stream_), doing);
  }

  // Called before it. Work enqueued by another thread is in a different stream then.
  void follow_thread() {
    if (stream_ != reinterpret_cast<CUstream>(kStreamOfThread) || thread_ == std::this_thread::get_id()) return;
    finish();
    thread_ = std::this_thread::get_id();
  }

  void check(CUresult status, const char* doing) const { device_.check(status, doing); }

  CudaDevice& device_;
  const Functions& cu_;
  const CUstream stream_;
  const bool owned_;
  CUevent done_ = nullptr;
  std::thread::id thread_ = std::this_thread::get_id();  // of the last call
  Staging staging_;
};

}  // namespace

std::unique_ptr<Queue> CudaDevice::make_queue() {
  const Current current(*this);
  CUstream stream = nullptr;
  check(cu_.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), "making a queue");
  return std::make_unique<CudaQueue>(*this, stream, true);
}

std::unique_ptr<Queue> CudaDevice::adopt_stream(CUstream stream) {
  alive_.require();
  return std::make_unique<CudaQueue>(*this, stream, false);
}

}  // namespace vsh::gpu::cuda
