// Interface of devices to everything above the back ends: memory, queues, programs. A back end is one file that
// implements these classes, over CUDA's driver API (cuda_device.cpp) or over OpenCL (opencl_device.cpp); both are
// opened at run time. This layer knows no cipher.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>

namespace vsh::gpu {

// Any failure of a device or its driver is thrown as this, and caught where the processor can take over or at the C
// ABI.
class Error : public std::runtime_error {
 public:
  enum class Kind {
    none_found,  // no driver, or no device of that name
    driver,      // a driver too old, or one that fails
    compile,     // a kernel does not compile; the message has the log
    memory,      // too little memory on the device, or of page-locked memory on the host
    lost,        // the device failed while it worked: what it wrote is invalid, and it takes no more work
  };
  Error(Kind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
  Kind kind() const noexcept { return kind_; }

 private:
  Kind kind_;
};

struct DeviceInfo {
  std::string id;             // "cuda:0", "opencl:0.1" (platform and device): what --device takes
  std::string name;           // "NVIDIA H200"
  std::string driver;         // its version, as the driver reports it
  std::string architecture;   // CUDA: "sm_90"; OpenCL: the device's version of OpenCL C
  uint64_t memory = 0;        // bytes
  unsigned units = 0;         // multiprocessors, compute units
  bool is_processor = false;  // an OpenCL driver for the processor itself
  std::string bus = {};       // its place on the bus, "0000:3b:00.0"; empty if the driver does not report it
};

// Memory of the device, at least 128-byte aligned, erased before it is given back. Not for two queues at a time.
class Buffer {
 public:
  virtual ~Buffer() = default;
  size_t size() const noexcept { return size_; }

 protected:
  explicit Buffer(size_t size) noexcept : size_(size) {}

 private:
  size_t size_;
};

// Page-locked memory of the host, from which copies run at the same time as work; erased before it is given back.
class HostBuffer {
 public:
  virtual ~HostBuffer() = default;
  std::span<uint8_t> bytes() const noexcept { return bytes_; }

 protected:
  explicit HostBuffer(std::span<uint8_t> bytes) noexcept : bytes_(bytes) {}

 private:
  std::span<uint8_t> bytes_;
};

class Kernel {
 public:
  virtual ~Kernel() = default;
};

class Program {
 public:
  virtual ~Program() = default;
  // Throws Error (compile) if the program has none of that name. Lives as long as the program.
  virtual Kernel& kernel(const std::string& name) = 0;
};

// An argument of a kernel: a buffer (or none: a null pointer), a uint or a ulong.
struct Argument {
  enum class Type : uint8_t { buffer, u32, u64 };
  Argument(const Buffer& b) noexcept : type(Type::buffer), buffer(&b) {}  // NOLINT: meant to convert
  Argument(const Buffer* b) noexcept : type(Type::buffer), buffer(b) {}   // NOLINT
  Argument(uint32_t n) noexcept : type(Type::u32), number(n) {}           // NOLINT
  Argument(uint64_t n) noexcept : type(Type::u64), number(n) {}           // NOLINT
  Type type;
  const Buffer* buffer = nullptr;
  uint64_t number = 0;
};

// Work items of a group. Programs are compiled with -DVSH_GROUP=this.
inline constexpr unsigned kGroup = 128;

// Work in order; queues of a device run side by side. Every call may throw Error, also for earlier work. Calls
// return before the work is done, except those that say otherwise. One thread at a time. Its device's buffers, programs
// and queues may be used as long as the process lives: devices are never closed.
class Queue {
 public:
  virtual ~Queue() = default;  // waits; throws nothing
  // Page-locked memory must stay as it is until finish(). Pageable memory is free again when the call returns, which
  // may wait for everything before it.
  virtual void upload(Buffer& to, size_t offset, const void* from, size_t len) = 0;
  virtual void download(void* to, const Buffer& from, size_t offset, size_t len) = 0;
  virtual void copy(Buffer& to, size_t to_offset, const Buffer& from, size_t from_offset, size_t len) = 0;
  virtual void erase(Buffer& buffer, size_t offset, size_t len) = 0;  // multiples of 4
  // num_items work items, rounded up to whole groups: kernels are told how many count.
  virtual void launch(Kernel& kernel, uint64_t num_items, std::span<const Argument> arguments) = 0;
  virtual void finish() = 0;  // waits until all is done
};

class Device {
 public:
  virtual ~Device() = default;
  virtual const DeviceInfo& info() const noexcept = 0;
  // Throws Error (lost) if it takes no more work, and its page-locked memory may be out of reach: in a forked child.
  virtual void require() const {}
  virtual std::unique_ptr<Buffer> allocate(size_t len) = 0;
  virtual std::unique_ptr<HostBuffer> allocate_host(size_t len) = 0;
  // Returns whether the driver can copy from and to these bytes directly.
  virtual bool is_page_locked(const void* p, size_t len) const noexcept = 0;
  virtual std::unique_ptr<Queue> make_queue() = 0;
  // Returns the program `name` of program.hpp with `definitions` ("-DVSH_SBOX=1 -DVSH_GOST28147=1", or none): from the
  // device's own table, or the cache on disk, or compiled. Any thread.
  virtual std::shared_ptr<Program> program(const std::string& name, const std::string& definitions) = 0;
};

}  // namespace vsh::gpu
