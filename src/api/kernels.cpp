// What kernels this build has, and which of them run by default.
#include <cstring>
#include <string>

#include "api/context.hpp"

using namespace vsh;

namespace {

void describe(vsh_kernel_info& out, const KernelInfo& row) {
  out.family = row.family;
  out.variant = row.variant;
  out.isa = cpu::isa_name(row.isa);
  out.lanes = row.lanes;
  out.constant_time = row.constant_time;
  out.runnable = runnable(row);
}

// Row i of the block kernels and then of the hash kernels; false past the end.
bool find_row(size_t i, vsh_kernel_info& info) {
  for (const Algorithm a : {Algorithm::kuznyechik, Algorithm::magma}) {
    const auto rows = block_kernels(a);
    if (i < rows.size()) {
      const BlockChoice choice = choose_block_kernel(a, {}, false);
      describe(info, rows[i]->info);
      for (const Rung& rung : choice.ladder) {
        if (rung.row != rows[i]) continue;
        info.chosen = rung.row == &choice.ladder.many();
        info.chosen_one_block = rung.row == &choice.ladder.one();
        info.chosen_min_blocks = rung.min_blocks;
      }
      return true;
    }
    i -= rows.size();
  }
  const auto rows = hash_kernels();
  if (i >= rows.size()) return false;
  describe(info, rows[i]->info);
  info.chosen = info.chosen_one_block = rows[i] == choose_hash_kernel({}, false).row;
  info.chosen_min_blocks = info.chosen ? 1 : 0;
  return true;
}

}  // namespace

vsh_status vsh_kernel_read(size_t i, vsh_kernel_info* info, size_t info_size) {
  vsh_kernel_info row{};
  if (!info || info_size > sizeof row || !find_row(i, row)) return VSH_E_ARGUMENT;
  std::memcpy(info, &row, info_size);
  return VSH_OK;
}

const char* vsh_cpu_features(void) {
  try {
    static const std::string names = cpu::feature_names(cpu::features());
    return names.c_str();
  } catch (...) {
    return "";
  }
}
