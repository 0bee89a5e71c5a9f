#include "core/registry.hpp"

#include <algorithm>
#include <cstdlib>
#include <iterator>

namespace vsh {

#define VSH_BLOCK_KERNEL(family, variant, isa) extern const BlockKernel vsh_kernel_##family##_##variant;
#define VSH_HASH_KERNEL(family, variant, isa) extern const HashKernel vsh_kernel_##family##_##variant;
#include "kernels_built.def"
#undef VSH_BLOCK_KERNEL
#undef VSH_HASH_KERNEL

namespace {

constexpr const BlockKernel* kBlockKernels[] = {
#define VSH_BLOCK_KERNEL(family, variant, isa) &vsh_kernel_##family##_##variant,
#define VSH_HASH_KERNEL(family, variant, isa)
#include "kernels_built.def"
#undef VSH_BLOCK_KERNEL
#undef VSH_HASH_KERNEL
};

constexpr const HashKernel* kHashKernels[] = {
#define VSH_BLOCK_KERNEL(family, variant, isa)
#define VSH_HASH_KERNEL(family, variant, isa) &vsh_kernel_##family##_##variant,
#include "kernels_built.def"
#undef VSH_BLOCK_KERNEL
#undef VSH_HASH_KERNEL
};

// The variant that VERSHINA_KERNEL names for the algorithm; empty where it names none.
std::string_view variant_from_environment(Algorithm a) noexcept {
  const char* variable = std::getenv("VERSHINA_KERNEL");
  if (!variable) return {};
  std::string_view rest(variable);
  const std::string_view name = algorithm_name(a);
  while (!rest.empty()) {
    const size_t comma = rest.find(',');
    const std::string_view item = rest.substr(0, comma);
    rest = comma == std::string_view::npos ? std::string_view{} : rest.substr(comma + 1);
    const size_t colon = item.find(':');
    if (colon != std::string_view::npos && item.substr(0, colon) == name) return item.substr(colon + 1);
  }
  return {};
}

template <class Row>
Choice find_forced(std::span<const Row* const> rows, std::string_view variant, bool allow_tables, const Row*& found) {
  for (const Row* row : rows) {
    if (row->info.variant != variant) continue;
    if (!runnable(row->info)) return Choice::cpu;
    if (!row->info.constant_time && !allow_tables) return Choice::tables;
    found = row;
    return Choice::ok;
  }
  return Choice::unknown;
}

bool allowed(const KernelInfo& info, bool allow_tables) {
  return runnable(info) && (info.constant_time || allow_tables);
}

}  // namespace

const char* algorithm_name(Algorithm a) noexcept {
  switch (a) {
    case Algorithm::kuznyechik: return "kuznyechik";
    case Algorithm::magma: return "magma";
    case Algorithm::gost28147: return "gost28147";
    case Algorithm::streebog: return "streebog";
  }
  return "?";
}

const char* family_name(Algorithm a) noexcept {
  return a == Algorithm::gost28147 ? algorithm_name(Algorithm::magma) : algorithm_name(a);
}

std::span<const BlockKernel* const> block_kernels(Algorithm a) noexcept {
  const std::string_view family = family_name(a);
  const auto of_family = [&](const BlockKernel* row) { return row->info.family == family; };
  const auto first = std::find_if(std::begin(kBlockKernels), std::end(kBlockKernels), of_family);
  return {first, std::find_if_not(first, std::end(kBlockKernels), of_family)};
}

std::span<const HashKernel* const> hash_kernels() noexcept { return kHashKernels; }

BlockChoice choose_block_kernel(Algorithm a, std::string_view forced, bool allow_tables) noexcept {
  BlockChoice choice;
  const auto rows = block_kernels(a);
  if (forced.empty()) forced = variant_from_environment(a);
  if (!forced.empty()) {
    choice.status = find_forced(rows, forced, allow_tables, choice.many);
    choice.one = choice.many;
    return choice;
  }
  for (const BlockKernel* row : rows) {
    if (!allowed(row->info, allow_tables)) continue;
    if (!choice.many) choice.many = row;
    if (!choice.one && row->info.lanes == 1) choice.one = row;
  }
  if (!choice.one) choice.one = choice.many;
  if (!choice.many) choice.status = Choice::unknown;
  return choice;
}

HashChoice choose_hash_kernel(std::string_view forced, bool allow_tables) noexcept {
  HashChoice choice;
  if (forced.empty()) forced = variant_from_environment(Algorithm::streebog);
  if (!forced.empty()) {
    choice.status = find_forced(hash_kernels(), forced, allow_tables, choice.row);
    return choice;
  }
  for (const HashKernel* row : hash_kernels())
    if (!choice.row && allowed(row->info, allow_tables)) choice.row = row;
  if (!choice.row) choice.status = Choice::unknown;
  return choice;
}

}  // namespace vsh
