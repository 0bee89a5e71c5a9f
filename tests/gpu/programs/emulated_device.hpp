// An emulated device: the programs of src/gpu/kernels in their C++ dialect, compiled into the test and run on the
// processor, one work item after the other. It tests the programs' logic and the host's use of them.
#pragma once

#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "gpu/device/device.hpp"
#include "gpu/kernels/dialect.h"

namespace vsh::test {

// Kernels by name. Programs by name and definitions, as in Device::program.
using EmulatedKernel = void (*)(std::span<const gpu::Argument>);
using EmulatedKernels = std::map<std::string, EmulatedKernel>;
using EmulatedPrograms = std::map<std::pair<std::string, std::string>, EmulatedKernels>;

class EmulatedBuffer final : public gpu::Buffer {
 public:
  explicit EmulatedBuffer(size_t len) : Buffer(len), words_(static_cast<Aligned*>(::operator new(len, kAlignment))) {
    std::memset(data(), 0xA5, len);
  }
  ~EmulatedBuffer() override { ::operator delete(words_, kAlignment); }
  EmulatedBuffer(const EmulatedBuffer&) = delete;
  EmulatedBuffer& operator=(const EmulatedBuffer&) = delete;
  uint8_t* data() const { return reinterpret_cast<uint8_t*>(words_); }

 private:
  static constexpr std::align_val_t kAlignment{256};
  struct Aligned {
    alignas(256) uint8_t bytes[256];
  };
  Aligned* words_;
};

class EmulatedHostBuffer final : public gpu::HostBuffer {
 public:
  explicit EmulatedHostBuffer(std::vector<uint8_t> bytes) : HostBuffer(bytes), bytes_(std::move(bytes)) {}

 private:
  std::vector<uint8_t> bytes_;
};

// An argument as the parameter of a kernel.
template <class T>
T emulated_argument(const gpu::Argument& a) {
  if constexpr (std::is_pointer_v<T>) {
    if (a.type != gpu::Argument::Type::buffer) throw std::logic_error("a buffer was expected");
    return a.buffer ? reinterpret_cast<T>(static_cast<const EmulatedBuffer*>(a.buffer)->data()) : nullptr;
  } else {
    if (a.type != (sizeof(T) == 4 ? gpu::Argument::Type::u32 : gpu::Argument::Type::u64))
      throw std::logic_error("a number of another size was expected");
    return static_cast<T>(a.number);
  }
}

// The kernel as a function of arguments.
template <auto kFunction>
struct Emulated;
template <class... P, void (*kFunction)(P...)>
struct Emulated<kFunction> {
  static void run(std::span<const gpu::Argument> arguments) {
    if (arguments.size() != sizeof...(P)) throw std::logic_error("another number of arguments was expected");
    [&]<size_t... i>(std::index_sequence<i...>) { kFunction(emulated_argument<P>(arguments[i])...); }
    (std::index_sequence_for<P...>{});
  }
};
#define VSH_ENTRY(name) \
  { #name, &vsh::test::Emulated < &name> ::run }

class EmulatedDevice final : public gpu::Device {
 public:
  explicit EmulatedDevice(const EmulatedPrograms& programs) : programs_(programs) {
    info_.id = info_.name = "emulated";
  }
  const gpu::DeviceInfo& info() const noexcept override { return info_; }
  std::unique_ptr<gpu::Buffer> allocate(size_t len) override { return std::make_unique<EmulatedBuffer>(len); }
  std::unique_ptr<gpu::HostBuffer> allocate_host(size_t len) override {
    return std::make_unique<EmulatedHostBuffer>(std::vector<uint8_t>(len, 0xA5));
  }
  bool is_page_locked(const void*, size_t) const noexcept override { return false; }
  std::unique_ptr<gpu::Queue> make_queue() override { return std::make_unique<EmulatedQueue>(); }
  std::shared_ptr<gpu::Program> program(const std::string& name, const std::string& definitions) override {
    const auto found = programs_.find({name, definitions});
    if (found == programs_.end()) throw gpu::Error(gpu::Error::Kind::compile, name + " " + definitions);
    return std::make_shared<EmulatedProgram>(found->second);
  }

 private:
  struct KernelOfName final : gpu::Kernel {
    explicit KernelOfName(EmulatedKernel function) : run(function) {}
    EmulatedKernel run;
  };
  struct EmulatedProgram final : gpu::Program {
    explicit EmulatedProgram(const EmulatedKernels& all) {
      for (const auto& [kernel, function] : all) kernels.try_emplace(kernel, function);
    }
    gpu::Kernel& kernel(const std::string& name) override {
      const auto found = kernels.find(name);
      if (found == kernels.end()) throw gpu::Error(gpu::Error::Kind::compile, "no kernel " + name);
      return found->second;
    }
    std::map<std::string, KernelOfName> kernels;
  };
  struct EmulatedQueue final : gpu::Queue {
    static uint8_t* bytes(const gpu::Buffer& b, size_t offset, size_t len) {
      if (offset > b.size() || len > b.size() - offset) throw std::logic_error("beyond a buffer");
      return static_cast<const EmulatedBuffer&>(b).data() + offset;
    }
    void upload(gpu::Buffer& to, size_t offset, const void* from, size_t len) override {
      if (len) std::memcpy(bytes(to, offset, len), from, len);
    }
    void download(void* to, const gpu::Buffer& from, size_t offset, size_t len) override {
      if (len) std::memcpy(to, bytes(from, offset, len), len);
    }
    void copy(gpu::Buffer& to, size_t to_offset, const gpu::Buffer& from, size_t offset, size_t len) override {
      std::memmove(bytes(to, to_offset, len), bytes(from, offset, len), len);
    }
    void erase(gpu::Buffer& buffer, size_t offset, size_t len) override {
      std::memset(bytes(buffer, offset, len), 0, len);
    }
    void launch(gpu::Kernel& kernel, uint64_t num_items, std::span<const gpu::Argument> arguments) override {
      const EmulatedKernel run = static_cast<KernelOfName&>(kernel).run;
      const uint64_t all = (num_items + gpu::kGroup - 1) / gpu::kGroup * gpu::kGroup;
      for (vsh_item_now = 0; vsh_item_now < all; ++vsh_item_now) run(arguments);
    }
    void finish() override {}
  };

  const EmulatedPrograms& programs_;
  gpu::DeviceInfo info_;
};

}  // namespace vsh::test
