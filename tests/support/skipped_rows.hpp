// Why rows are not tested here: what this CPU lacks, in the words that tools/skips.sh compares with the registry's.
#pragma once

#include <cstdint>
#include <cstdio>
#include <set>
#include <string>

#include "core/cpu.hpp"
#include "core/kernel_info.hpp"

namespace vsh::test {

// Returns "WHAT: this CPU has no gfni vbmi": a CPU with `features`, for what needs those of `needed`.
inline std::string why_skipped(const std::string& what, uint32_t needed, uint32_t features = cpu::features()) {
  return what + ": this CPU has no " + cpu::feature_names(needed & ~features);
}

inline std::string why_skipped(const KernelInfo& row, uint32_t features = cpu::features()) {
  return why_skipped(std::string("row ") + row.family + " " + row.variant, cpu::required(row.isa), features);
}

// Returns whether this CPU runs the row; says so if it does not, once in a process.
inline bool runs_here(const KernelInfo& row) {
  static std::set<const KernelInfo*> said;
  if (runnable(row)) return true;
  if (said.insert(&row).second) std::printf("SKIPPED: %s\n", why_skipped(row).c_str());
  return false;
}

}  // namespace vsh::test
