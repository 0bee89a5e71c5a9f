// Sums of products over GF(2) of blocks on a device, for MGM (program gf2n): what ProductKernel does on the processor.
#pragma once

#include "gpu/device/device.hpp"

namespace vsh::gpu {

class Products {
 public:
  // block_size: 8 or 16. The device must outlive the object. Throws Error.
  Products(Device& device, size_t block_size);

  // Memory of one queue; what it holds is secret, and erased by the back end when it is given back.
  struct Scratch {
    std::unique_ptr<Buffer> sums;    // of work items
    std::unique_ptr<Buffer> folded;  // folded_size() bytes
  };
  size_t folded_size() const noexcept { return 2 * block_size_ * kGroup; }

  // Queues a[0] b[0] + ... + a[num_blocks - 1] b[num_blocks - 1], in folded_size() parts, and returns. Then
  // scratch.folded must be downloaded and passed to add. Any number of threads, each with its own queue and scratch.
  // Throws Error.
  void launch(Queue& queue, Scratch& scratch, const Buffer& a, const Buffer& b, uint64_t num_blocks) const;

  // sum, as in ProductKernel, ^= the value of those bytes.
  void add(uint64_t* sum, const uint8_t* folded) const noexcept;

 private:
  Device& device_;
  size_t block_size_;
  std::shared_ptr<Program> program_;
};

}  // namespace vsh::gpu
