// A block cipher under one key on one device: the schedule in device memory, and the kernels that work under it
// (programs `magma` and `kuznyechik` of src/gpu/kernels).
#pragma once

#include <array>

#include "core/operation.hpp"
#include "gpu/device/device.hpp"
#include "keys/cipher_key.hpp"

namespace vsh::gpu {

class BlockCipher {
 public:
  // Compiles or finds the program and uploads the schedule by `queue`, then waits for it. The device must outlive the
  // cipher. Throws Error.
  BlockCipher(Device& device, Queue& queue, const keys::CipherKey& key);

  size_t block_size() const noexcept { return block_size_; }
  bool can(Operation o) const noexcept { return kernels_[static_cast<size_t>(o)] != nullptr; }

  struct Task {
    Operation operation;
    Buffer* out;       // num_blocks blocks, from its first byte on
    const Buffer* in;  // the same; may be *out, except in cbc_decrypt and cfb_decrypt
    uint64_t num_blocks;
    // ctr...: the block of counter 0, a big-endian number, whole or in that half. cnt: N3 and N4 after encryption of
    // the IV (RFC 5830 clause 6.1). cbc_decrypt, cfb_decrypt: the z blocks before the data: of ciphertext, or the IV's.
    // xts...: first tweaks of the data units, as make_tweaks leaves them.
    const Buffer* start = nullptr;
    // ctr..., cnt: counter number of the first block. xts...: of whole units, in `start`, the first that counts.
    uint64_t first = 0;
    uint32_t z = 1;            // cbc_decrypt, cfb_decrypt: blocks of the register, 1 to kMostFeedback
    uint32_t unit_blocks = 1;  // xts...: blocks of a data unit; num_blocks is a multiple
  };
  static constexpr uint32_t kMostFeedback = 32;

  // Queues the task and returns; any number of threads, each with its own queue. can(task.operation). Throws Error.
  void launch(Queue& queue, const Task& task) const;

  // XTS (IEEE 1619): this cipher has the second key. Computes tweaks of num_units data units of unit_blocks blocks,
  // numbered first, first + step, ...: tweaks_size(num_units, unit_blocks) bytes into `tweaks`. Kuznyechik. Throws
  // Error.
  void make_tweaks(Queue& queue, Buffer& tweaks, uint64_t first, uint64_t step, uint64_t num_units,
                   uint32_t unit_blocks) const;
  // The same for a unit that is block `begin` and what follows of one whose first tweak is `first`, into the host's
  // memory: tweaks_size(1, num_blocks) bytes.
  static void write_tweaks(uint8_t* tweaks, const uint8_t* first, uint64_t begin, uint32_t num_blocks) noexcept;
  static uint64_t tweaks_size(uint64_t num_units, uint32_t unit_blocks) noexcept;

 private:
  void load(Device& device, Queue& queue, const magma::RoundKeys& round_keys);
  void load(Device& device, Queue& queue, const kuznyechik::RoundKeys& round_keys);
  void upload(Device& device, Queue& queue, const void* schedule, size_t len);
  void find(Operation operation);

  size_t block_size_;
  std::shared_ptr<Program> program_;
  std::unique_ptr<Buffer> schedule_;  // erased by the back end when it is given back
  std::array<Kernel*, kNumOperations> kernels_{};
  Kernel* tweaks_ = nullptr;
};

}  // namespace vsh::gpu
