// Accelerator takes an engine's large requests: devices, or devices and the processor together. It knows requests, not
// devices; src/gpu/schedule/device_accelerator.hpp implements it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "core/operation.hpp"

namespace vsh {

class Accelerator {
 public:
  struct Request {
    Operation operation;
    uint8_t* out;  // equals in or does not overlap it; mgm_authenticate has none
    const uint8_t* in;
    size_t num_blocks;
    // Counter modes and MGM: the counter of the first keystream block. CBC, CFB: the z blocks of ciphertext (or IV)
    // before in.
    const uint8_t* start = nullptr;
    size_t z = 1;
    // XTS: whole data units (pieces too), numbered first, first + step, ...; or, if `start` is the first tweak of one,
    // so many of its blocks.
    size_t unit_blocks = 1;
    uint64_t first = 0, step = 1;
    // MGM: the counter of the first multiplier; sum (kMaxSumWords) gets the products added.
    const uint8_t* multipliers = nullptr;
    uint64_t* sum = nullptr;
  };

  // Processes blocks begin to end of a request on the processor's kernels and threads. CBC, CFB: `before` is what
  // Request::start is, for block `begin`. Called by the thread that called run, for one range after the other.
  using Processor = std::function<void(size_t begin, size_t end, const uint8_t* before)>;

  // Shortest request, in bytes. Modes cut their own work into pieces of 16 KiB, so the processor's part of a request
  // never comes back here.
  static constexpr size_t kLeast = 64 << 10;

  virtual ~Accelerator() = default;
  // Returns the smallest request, in bytes and at least kLeast, that should be given to run; SIZE_MAX for unsupported
  // operations.
  virtual size_t least(Operation operation) const noexcept = 0;
  // Returns when all is done. Throws what the processor throws, and what devices throw if the processor may not take
  // over: out is then invalid. Any thread; in place means that out equals in.
  virtual void run(const Request& request, const Processor& processor) = 0;
};

}  // namespace vsh
