// DLPack: the tensor in a capsule from __dlpack__. Layout: dmlc/dlpack, include/dlpack/dlpack.h, versions 0.x and 1.x.
#pragma once

#include "buffers.hpp"

namespace vershina::python {

// Takes the tensor out of the capsule; returns it to its owner on destruction.
class Tensor {
 public:
  // TypeError: not a capsule, or a used one. ValueError: of a later version than 1, not in CUDA memory, read-only but
  // needed writable, not contiguous. name: of the argument, for messages.
  Tensor(const char* name, nb::handle capsule, bool writable);
  Tensor(const Tensor&) = delete;
  Tensor& operator=(const Tensor&) = delete;
  ~Tensor();

  uintptr_t address() const noexcept { return address_; }
  size_t size() const noexcept { return size_; }

 private:
  void* owner_;  // Managed or ManagedVersioned of dlpack.cpp
  bool versioned_;
  uintptr_t address_ = 0;
  size_t size_ = 0;
};

}  // namespace vershina::python
