// Something beside the kernels that does an engine's large requests: devices, or devices and the processor together.
// It knows requests and no devices; src/gpu/schedule/device_accelerator.hpp is one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace vsh {

class Accelerator {
 public:
  enum class Work : uint8_t {
    encrypt, decrypt,                            // ECB
    ctr, ctr_left, ctr_right, cnt,               // gamma, as the members of BlockKernel
    cbc_decrypt, cfb_decrypt,                    // segments of a whole block
    xts_encrypt, xts_decrypt,                    // Kuznyechik
    mgm_encrypt, mgm_decrypt, mgm_authenticate,  // text, or what is authenticated alone
  };
  static constexpr size_t kNumWorks = 13;

  struct Request {
    Work work;
    uint8_t* out;  // the same as in, or apart from it; mgm_authenticate has none
    const uint8_t* in;
    size_t num_blocks;
    // Gamma: the counter of the first block. MGM: of its gamma. CBC, CFB: the z blocks of ciphertext (or IV) before in.
    const uint8_t* start = nullptr;
    size_t z = 1;
    // XTS: whole data units (pieces too), numbered first, first + step, ...; or, where `start` is the first tweak of
    // one, so many blocks of that.
    size_t unit_blocks = 1;
    uint64_t first = 0, step = 1;
    // MGM: the counter of the first multiplier; sum (kMaxSumWords) gets the products added.
    const uint8_t* multipliers = nullptr;
    uint64_t* sum = nullptr;
  };

  // What the processor does of a request: blocks begin to end, by its kernels and threads. CBC, CFB: `before` is what
  // Request::start is, for block `begin`. Called by the thread that called run, for one range after the other.
  using Processor = std::function<void(size_t begin, size_t end, const uint8_t* before)>;

  // Bytes. A shorter request is done before a device has heard of it; and since modes cut what they do by themselves
  // into pieces of 16 KiB, nothing that the processor does of a request comes back here.
  static constexpr size_t kLeast = 64 << 10;

  virtual ~Accelerator() = default;
  // Requests of so many bytes and more, kLeast at least, are worth being handed to run; SIZE_MAX for a work that it
  // does not do.
  virtual size_t least(Work work) const noexcept = 0;
  // Returns when all is done. Throws what the processor throws, and where devices failed and the processor may not take
  // over what they throw: then out means nothing. Any thread; in place means that out is in.
  virtual void run(const Request& request, const Processor& processor) = 0;
};

}  // namespace vsh
