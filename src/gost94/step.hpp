// The step function chi of GOST R 34.11-94 (RFC 5831 section 5), constant time: four blocks of GOST 28147-89 under four
// keys by a one-block kernel of Magma's family, which runs four chains in the time of one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/registry.hpp"
#include "magma/round_keys.hpp"

namespace vsh::gost94 {

inline constexpr size_t kBlockSize = 32;  // bytes, of block and digest

class Step {
 public:
  struct KernelChoice {
    Choice status;
    const BlockKernel* row;  // null unless ok
  };
  // Returns the kernel of that name; for an empty name, the cheapest constant-time one that this CPU runs.
  static KernelChoice choose_kernel(std::string_view variant) noexcept;

  Step(const BlockKernel& kernel, tables::MagmaSbox set) noexcept;

  const BlockKernel& kernel() const noexcept { return *kernel_; }

  // h = chi(m, h), 32 bytes each, the least significant byte of the standard's words first.
  void operator()(uint8_t* h, const uint8_t* m) const noexcept;

 private:
  static constexpr size_t kMaxSchedule = 320;  // choose_kernel passes over larger ones
  const BlockKernel* kernel_;
  alignas(kScheduleAlignment) uint8_t schedule_[kMaxSchedule];  // S-boxes only: no secret
};

}  // namespace vsh::gost94
