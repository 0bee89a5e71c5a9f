#include "core/data_independent_timing.hpp"

#if defined(__aarch64__)
#if defined(__linux__)
#include <sys/auxv.h>
#endif

namespace vsh {
namespace {

bool detect() noexcept {
#if defined(__linux__)
  constexpr unsigned long kCpuid = 1ul << 11, kDit = 1ul << 24;  // HWCAP_CPUID, HWCAP_DIT
  const unsigned long caps = getauxval(AT_HWCAP);
  if (caps & kDit) return true;
  if (!(caps & kCpuid)) return false;
  uint64_t features;  // older kernels, and qemu, name it only here
  __asm__("mrs %0, ID_AA64PFR0_EL1" : "=r"(features));
  return features >> 48 & 15;
#else
  return false;  // only Linux reports it this simply
#endif
}

}  // namespace

bool DataIndependentTiming::exists() noexcept {
  static const bool answer = detect();
  return answer;
}

}  // namespace vsh
#endif
