// Controls Arm's PSTATE.DIT: only while it is set do AArch64 processors (FEAT_DIT, from Armv8.4 on) promise that the
// time of data processing instructions, multiplications too, does not depend on their operands. The bit is per thread.
#pragma once

#include <cstdint>

namespace vsh {

// Sets the bit for its scope if the processor has it; otherwise does nothing.
class DataIndependentTiming {
 public:
  DataIndependentTiming(const DataIndependentTiming&) = delete;
  DataIndependentTiming& operator=(const DataIndependentTiming&) = delete;
#if defined(__aarch64__)
  DataIndependentTiming() noexcept {
    if (!exists() || is_set()) return;
    set(true);
    resets_ = true;
  }
  ~DataIndependentTiming() {
    if (resets_) set(false);
  }

  static bool exists() noexcept;
  // For processors that have it.
  static bool is_set() noexcept {
    uint64_t value;
    __asm__ volatile("mrs %0, s3_3_c4_c2_5" : "=r"(value));  // DIT, by the name that every assembler knows
    return value >> 24 & 1;
  }
  static void set(bool on) noexcept { __asm__ volatile("msr s3_3_c4_c2_5, %0" : : "r"(uint64_t{on} << 24) : "memory"); }

 private:
  bool resets_ = false;
#else
  DataIndependentTiming() noexcept {}
  ~DataIndependentTiming() {}
#endif
};

}  // namespace vsh
