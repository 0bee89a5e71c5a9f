// Detects what the running CPU and its operating system can execute.
#pragma once

#include <cstdint>
#include <string>

namespace vsh::cpu {

enum Feature : uint32_t {
  kSsse3 = 1u << 0,
  kSse41 = 1u << 1,
  kAvx2 = 1u << 2,
  kAvx512 = 1u << 3,  // F, BW, DQ and VL together: every CPU since Skylake-SP has the four
  kGfni = 1u << 4,
  kVbmi = 1u << 5,
  kNeon = 1u << 6,
  kSha3 = 1u << 7,  // ARMv8.2 SHA3: EOR3 and BCAX
  kPclmul = 1u << 8,
  kVpclmul = 1u << 9,  // carry-less products on the registers of AVX2 and AVX-512
  kPmull = 1u << 10,   // ARMv8 products of 64 bits
  kFma = 1u << 11,
  // No instruction: AMD's cores from family 26 on, for rows in the order that suits them. Those for laptops, whose
  // units have 256 bits, are of that family too; such a row costs them a tenth more by count, which `vershina tune`
  // would see.
  kZen5 = 1u << 12,
};

// Returns the features of this CPU whose registers the operating system saves. Detected once, thread-safe.
uint32_t features() noexcept;

// Returns "ssse3 sse4.1 avx2 …", for display.
std::string feature_names(uint32_t features);

// Brand string, for example "Intel(R) Xeon(R) Processor"; "unknown" if the platform does not report it.
std::string model();

// Tags of isa.def.
enum class Isa : uint8_t {
#define VSH_ISA(tag, architectures, flags, features) tag,
#include "isa.def"
#undef VSH_ISA
};

const char* isa_name(Isa isa) noexcept;
// Returns the features that code compiled for the tag may use.
uint32_t required(Isa isa) noexcept;

}  // namespace vsh::cpu
