#include "core/cpu.hpp"

#include <cstring>

// lcc (Elbrus) defines __SSE4_1__ and even __AVX2__, but there is no cpuid: test __e2k__ before any x86 macro.
#if defined(__e2k__)
#elif defined(__x86_64__)
#include <cpuid.h>
#elif defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>

#include <fstream>
#ifndef HWCAP_ASIMD
#define HWCAP_ASIMD (1 << 1)
#endif
#ifndef HWCAP_PMULL
#define HWCAP_PMULL (1 << 4)
#endif
#ifndef HWCAP_SHA3
#define HWCAP_SHA3 (1 << 17)
#endif
#endif

namespace vsh::cpu {
namespace {

#if defined(__e2k__)
// lcc translates SSE4.1 intrinsics; from E2K v5 on the vector unit is 128 bits wide, before that 64-bit words are
// faster.
uint32_t detect() {
#if defined(__iset__) && __iset__ >= 5
  return kSsse3 | kSse41;
#else
  return 0;
#endif
}
#elif defined(__x86_64__)
uint64_t xgetbv0() {
  uint32_t eax, edx;
  __asm__ volatile("xgetbv" : "=a"(eax), "=d"(edx) : "c"(0));
  return (uint64_t{edx} << 32) | eax;
}

// AMD64 Architecture Programmer's Manual 3, E.3.2: the extended family counts where the family is 15.
unsigned family() {
  unsigned eax, ebx, ecx, edx;
  if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx)) return 0;
  const unsigned base = (eax >> 8) & 15;
  return base == 15 ? base + ((eax >> 20) & 255) : base;
}

uint32_t detect() {
  unsigned eax, ebx, ecx, edx;
  uint32_t f = 0;
  if (__get_cpuid(0, &eax, &ebx, &ecx, &edx) && ebx == signature_AMD_ebx && ecx == signature_AMD_ecx &&
      edx == signature_AMD_edx && family() >= 26)
    f |= kZen5;
  if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx)) return 0;
  if (ecx & bit_SSSE3) f |= kSsse3;
  if (ecx & bit_SSE4_1) f |= kSse41;
  if (ecx & bit_PCLMUL) f |= kPclmul;
  if (!(ecx & bit_OSXSAVE)) return f;
  const bool fma = (ecx & bit_FMA) != 0;
  // Which register files the system saves (Intel SDM 1, 13.3): bits 1-2 XMM and YMM, 5-7 opmask and ZMM.
  const uint64_t xcr0 = xgetbv0();
  const bool ymm = (xcr0 & 0x06) == 0x06;
  const bool zmm = (xcr0 & 0xE6) == 0xE6;
  if (!ymm || !__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx)) return f;
  if (ebx & bit_AVX2) f |= kAvx2;
  if (fma) f |= kFma;
  if (ecx & (1u << 8)) f |= kGfni;
  if (ecx & (1u << 10)) f |= kVpclmul;
  const unsigned skylake_x = bit_AVX512F | bit_AVX512BW | bit_AVX512DQ | bit_AVX512VL;
  if (zmm && (ebx & skylake_x) == skylake_x) {
    f |= kAvx512;
    if (ecx & (1u << 1)) f |= kVbmi;
  }
  return f;
}
#elif defined(__aarch64__)
uint32_t detect() {
#if defined(__linux__)
  const unsigned long caps = getauxval(AT_HWCAP);
  if (!(caps & HWCAP_ASIMD)) return 0;
  return kNeon | ((caps & HWCAP_SHA3) ? kSha3 : 0u) | ((caps & HWCAP_PMULL) ? kPmull : 0u);
#else
  return kNeon;  // Advanced SIMD is part of every other AArch64 platform's baseline
#endif
}
#else
uint32_t detect() { return 0; }
#endif

constexpr struct {
  uint32_t bit;
  const char* name;
} kNames[] = {{kSsse3, "ssse3"},      {kSse41, "sse4.1"},       {kAvx2, "avx2"},   {kAvx512, "avx512f/bw/dq/vl"},
              {kGfni, "gfni"},        {kVbmi, "vbmi"},          {kNeon, "neon"},   {kSha3, "sha3"},
              {kPclmul, "pclmulqdq"}, {kVpclmul, "vpclmulqdq"}, {kPmull, "pmull"}, {kFma, "fma"},
              {kZen5, "zen5"}};

}  // namespace

uint32_t features() noexcept {
#if VSH_EMULATED
  // The preset `emulated`: the instructions of AVX-512, GFNI and VPCLMULQDQ kernels are emulated by functions
  // (simd/x86.hpp).
  static const uint32_t detected = detect() | kAvx512 | kGfni | kVbmi | kPclmul | kVpclmul | kZen5;
#else
  static const uint32_t detected = detect();
#endif
  return detected;
}

std::string feature_names(uint32_t features) {
  std::string names;
  for (const auto& f : kNames)
    if (features & f.bit) names += (names.empty() ? "" : " ") + std::string(f.name);
  return names.empty() ? "none" : names;
}

std::string model() {
#if defined(__x86_64__) && !defined(__e2k__)
  unsigned regs[12] = {};
  unsigned eax, ebx, ecx, edx;
  if (__get_cpuid(0x80000000u, &eax, &ebx, &ecx, &edx) && eax >= 0x80000004u) {
    for (unsigned i = 0; i < 3; ++i)
      __get_cpuid(0x80000002u + i, &regs[4 * i], &regs[4 * i + 1], &regs[4 * i + 2], &regs[4 * i + 3]);
    char brand[49] = {};
    std::memcpy(brand, regs, 48);
    std::string name(brand);
    const size_t first = name.find_first_not_of(' ');
    return first == std::string::npos ? "unknown" : name.substr(first);
  }
#elif defined(__aarch64__) && defined(__linux__)
  // The main ID register: implementer, part and revision (Arm ARM, MIDR_EL1; Linux shows it since 4.7).
  std::ifstream file("/sys/devices/system/cpu/cpu0/regs/identification/midr_el1");
  if (std::string value; file >> value && value.starts_with("0x")) return "ARM MIDR " + value;
#endif
  return "unknown";
}

const char* isa_name(Isa isa) noexcept {
  switch (isa) {
#define VSH_ISA(tag, architectures, flags, features) \
  case Isa::tag:                                     \
    return #tag;
#include "isa.def"
#undef VSH_ISA
  }
  return "?";
}

uint32_t required(Isa isa) noexcept {
  switch (isa) {
#define VSH_ISA(tag, architectures, flags, features) \
  case Isa::tag:                                     \
    return (features);
#include "isa.def"
#undef VSH_ISA
  }
  return ~0u;
}

}  // namespace vsh::cpu
