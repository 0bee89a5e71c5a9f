// C ABI of the list of kernels of this build, and of the default choice.
#include <cstring>
#include <string>

#include "api/arguments/context.hpp"
#include "core/row_costs.hpp"

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

// Returns the number of messages that cost no less one after the other than side by side.
unsigned min_messages_for(const HashLanesKernel& many, const HashKernel& one) {
  const uint32_t cost_of_one = tuner::pass_cost(tuner::measured(), one.info, false);
  return (tuner::pass_cost(tuner::measured(), many.info, false) + cost_of_one - 1) / cost_of_one;
}

bool find_product_row(size_t i, vsh_kernel_info& info) {
  const auto rows = product_kernels();
  if (i >= rows.size()) return false;
  describe(info, rows[i]->info);
  info.chosen = info.chosen_one_block = rows[i] == choose_product_kernel().row;
  info.chosen_min_blocks = info.chosen ? 1 : 0;
  return true;
}

// Finds row i of the block kernels, then of the hash kernels for one message and for many, then of the products;
// returns false past the end.
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
  const HashKernel* const one = choose_hash_kernel({}, false).row;
  const auto rows = hash_kernels();
  if (i < rows.size()) {
    describe(info, rows[i]->info);
    info.chosen = info.chosen_one_block = rows[i] == one;
    info.chosen_min_blocks = info.chosen ? 1 : 0;
    return true;
  }
  i -= rows.size();
  const auto lanes_rows = hash_lanes_kernels();
  if (i >= lanes_rows.size()) return find_product_row(i - lanes_rows.size(), info);
  describe(info, lanes_rows[i]->info);
  const unsigned min_messages = one ? min_messages_for(*lanes_rows[i], *one) : 1;
  info.chosen = lanes_rows[i] == choose_hash_lanes_kernel({}).row && min_messages <= info.lanes;
  info.chosen_min_blocks = info.chosen ? min_messages : 0;
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
