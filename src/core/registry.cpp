#include "core/registry.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include "core/row_costs.hpp"
#include "core/user_cache.hpp"

namespace vsh {

#define VSH_BLOCK_KERNEL(family, variant, isa) extern const BlockKernel vsh_kernel_##family##_##variant;
#define VSH_HASH_KERNEL(family, variant, isa) extern const HashKernel vsh_kernel_##family##_##variant;
#define VSH_HASH_LANES_KERNEL(family, variant, isa) extern const HashLanesKernel vsh_kernel_##family##_##variant;
#define VSH_PRODUCT_KERNEL(family, variant, isa) extern const ProductKernel vsh_kernel_##family##_##variant;
#include "kernels_built.def"

namespace {

constexpr const BlockKernel* kBlockKernels[] = {
#define VSH_BLOCK_KERNEL(family, variant, isa) &vsh_kernel_##family##_##variant,
#include "kernels_built.def"
};

constexpr const HashKernel* kHashKernels[] = {
#define VSH_HASH_KERNEL(family, variant, isa) &vsh_kernel_##family##_##variant,
#include "kernels_built.def"
};

constexpr const HashLanesKernel* kHashLanesKernels[] = {
#define VSH_HASH_LANES_KERNEL(family, variant, isa) &vsh_kernel_##family##_##variant,
#include "kernels_built.def"
};

constexpr const ProductKernel* kProductKernels[] = {
#define VSH_PRODUCT_KERNEL(family, variant, isa) &vsh_kernel_##family##_##variant,
#include "kernels_built.def"
};

constexpr const KernelInfo* kInfos[] = {
#define VSH_BLOCK_KERNEL(family, variant, isa) &vsh_kernel_##family##_##variant.info,
#define VSH_HASH_KERNEL(family, variant, isa) &vsh_kernel_##family##_##variant.info,
#define VSH_HASH_LANES_KERNEL(family, variant, isa) &vsh_kernel_##family##_##variant.info,
#include "kernels_built.def"
};

static_assert(std::size(kInfos) <= tuner::kMaxRows);

bool has(const auto& rows, std::string_view variant) noexcept {
  return std::any_of(std::begin(rows), std::end(rows), [&](const auto* row) { return row->info.variant == variant; });
}

// Returns whether the build has a row, such as "kuznyechik" and "avx2".
bool exists(std::string_view algorithm, std::string_view variant) noexcept {
  const AlgorithmInfo* const info = info_by_name(algorithm);
  if (!info) return false;
  if (info->algorithm == Algorithm::streebog) return has(kHashKernels, variant) || has(kHashLanesKernels, variant);
  if (info->algorithm == Algorithm::gf2n) return has(kProductKernels, variant);
  return has(block_kernels(info->algorithm), variant);
}

struct FromEnvironment {
  bool unknown = false;      // some name in it does not exist
  std::string_view variant;  // empty: this algorithm is not named
};

// VERSHINA_KERNEL=algorithm:variant,algorithm:variant. A misspelt name would silently leave a default in force, so such
// a value is refused as a whole, by every algorithm.
FromEnvironment read_environment(Algorithm a) noexcept {
  FromEnvironment result;
  const std::string_view variable = environment("VERSHINA_KERNEL");
  if (variable.empty()) return result;
  for (std::string_view rest = variable;;) {
    const size_t comma = std::min(rest.find(','), rest.size());
    const std::string_view item = rest.substr(0, comma);
    const size_t colon = std::min(item.find(':'), item.size());
    const std::string_view name = item.substr(0, colon);
    const std::string_view variant = item.substr(std::min(colon + 1, item.size()));
    if (!exists(name, variant)) return {true, {}};
    if (name == algorithm_name(a)) result.variant = variant;
    if (comma == rest.size()) return result;
    rest.remove_prefix(comma + 1);
  }
}

// Returns the row that the caller forces, or else the environment.
FromEnvironment forced_variant(Algorithm a, std::string_view by_caller) noexcept {
  return by_caller.empty() ? read_environment(a) : FromEnvironment{false, by_caller};
}

bool allowed(const KernelInfo& info, bool allow_tables) { return permission(info, allow_tables) == Choice::ok; }

}  // namespace

constexpr AlgorithmInfo kAlgorithms[] = {{Algorithm::kuznyechik, "kuznyechik", "kuznyechik", 16},
                                         {Algorithm::magma, "magma", "magma", 8},
                                         {Algorithm::gost28147, "gost28147", "magma", 8},
                                         {Algorithm::streebog, "streebog", "streebog", 0},
                                         {Algorithm::gf2n, "gf2n", "gf2n", 0}};
static_assert([] {
  for (size_t i = 0; i < std::size(kAlgorithms); ++i)
    if (kAlgorithms[i].algorithm != static_cast<Algorithm>(i)) return false;
  return true;
}());

const AlgorithmInfo* info_by_name(std::string_view name) noexcept {
  for (const AlgorithmInfo& info : kAlgorithms)
    if (name == info.name) return &info;
  return nullptr;
}

std::span<const BlockKernel* const> block_kernels(Algorithm a) noexcept {
  const std::string_view family = family_name(a);
  const auto of_family = [&](const BlockKernel* row) { return row->info.family == family; };
  const auto first = std::find_if(std::begin(kBlockKernels), std::end(kBlockKernels), of_family);
  return {first, std::find_if_not(first, std::end(kBlockKernels), of_family)};
}

std::span<const HashKernel* const> hash_kernels() noexcept { return kHashKernels; }
std::span<const HashLanesKernel* const> hash_lanes_kernels() noexcept { return kHashLanesKernels; }

std::span<const ProductKernel* const> product_kernels() noexcept { return kProductKernels; }

std::span<const KernelInfo* const> kernel_infos() noexcept { return kInfos; }

Ladder default_ladder(Algorithm a, bool allow_tables, bool custom_sbox, const tuner::RowCosts* costs) noexcept {
  std::array<Candidate, std::size(kBlockKernels)> candidates;
  size_t n = 0;
  for (const BlockKernel* row : block_kernels(a))
    if (allowed(row->info, allow_tables)) candidates[n++] = {row, tuner::pass_cost(costs, row->info, custom_sbox)};
  if (n == 0) return {};
  const std::span<const Candidate> rows(candidates.data(), n);
  return Ladder(costs || custom_sbox ? cheapest_by_block(rows) : rows[0], rows);
}

const HashKernel* default_hash_kernel(bool allow_tables, const tuner::RowCosts* costs) noexcept {
  const HashKernel* best = nullptr;
  for (const HashKernel* row : hash_kernels()) {
    if (!allowed(row->info, allow_tables)) continue;
    const auto cost = [&](const HashKernel* kernel) { return tuner::pass_cost(costs, kernel->info, false); };
    if (!best || (costs && cost(row) < cost(best))) best = row;
  }
  return best;
}

const HashLanesKernel* default_hash_lanes_kernel(const tuner::RowCosts* costs) noexcept {
  const HashLanesKernel* best = nullptr;
  for (const HashLanesKernel* row : hash_lanes_kernels()) {
    if (!allowed(row->info, false)) continue;
    const auto cost = [&](const HashLanesKernel* kernel) { return tuner::pass_cost(costs, kernel->info, false); };
    // By the message: cost(row) / lanes(row) < cost(best) / lanes(best).
    if (!best || (costs && uint64_t{cost(row)} * best->info.lanes < uint64_t{cost(best)} * row->info.lanes)) best = row;
  }
  return best;
}

BlockChoice choose_block_kernel(Algorithm a, std::string_view forced, bool allow_tables, bool custom_sbox) noexcept {
  const FromEnvironment force = forced_variant(a, forced);
  if (force.unknown) return {Choice::unknown, {}};
  if (!force.variant.empty()) {
    const BlockKernel* row = nullptr;
    const Choice status = find_forced(block_kernels(a), force.variant, allow_tables, row);
    if (!row) return {status, {}, true};
    return {status, Ladder(Candidate{row, tuner::pass_cost(tuner::measured(), row->info, custom_sbox)}), true};
  }
  // Cached, because every new key needs a choice. By family, tables, S-boxes.
  static const auto ladders = [] {
    std::array<Ladder, 8> made;
    for (size_t i = 0; i < made.size(); ++i)
      made[i] = default_ladder(i & 4 ? Algorithm::magma : Algorithm::kuznyechik, i & 2, i & 1, tuner::measured());
    return made;
  }();
  const Ladder& ladder = ladders[(a == Algorithm::kuznyechik ? 0u : 4u) + 2u * allow_tables + custom_sbox];
  return {ladder.size() ? Choice::ok : Choice::unknown, ladder};
}

HashChoice choose_hash_kernel(std::string_view forced, bool allow_tables) noexcept {
  HashChoice choice;
  const FromEnvironment force = forced_variant(Algorithm::streebog, forced);
  if (force.unknown) return {Choice::unknown, nullptr};
  if (has(kHashLanesKernels, force.variant)) {
    const HashLanesKernel* many = nullptr;
    choice.status = find_forced(hash_lanes_kernels(), force.variant, allow_tables, many);
    if (!many) return choice;
  } else if (!force.variant.empty()) {
    choice.status = find_forced(hash_kernels(), force.variant, allow_tables, choice.row);
    return choice;
  }
  // Cached, as those of ciphers are, for short messages.
  static const HashKernel* const rows[] = {default_hash_kernel(false, tuner::measured()),
                                           default_hash_kernel(true, tuner::measured())};
  choice.row = rows[allow_tables];
  if (!choice.row) choice.status = Choice::unknown;
  return choice;
}

HashLanesChoice choose_hash_lanes_kernel(std::string_view forced) noexcept {
  HashLanesChoice choice;
  const FromEnvironment force = forced_variant(Algorithm::streebog, forced);
  if (force.unknown) return {Choice::unknown, nullptr};
  if (!force.variant.empty()) {
    choice.forced = true;
    if (!has(kHashKernels, force.variant))
      choice.status = find_forced(hash_lanes_kernels(), force.variant, false, choice.row);
    return choice;
  }
  static const HashLanesKernel* const row = default_hash_lanes_kernel(tuner::measured());
  choice.row = row;
  return choice;
}

ProductChoice choose_product_kernel() noexcept {
  ProductChoice choice;
  const FromEnvironment force = forced_variant(Algorithm::gf2n, {});
  if (force.unknown) return {Choice::unknown, nullptr};
  if (!force.variant.empty()) {
    choice.status = find_forced(product_kernels(), force.variant, false, choice.row);
    return choice;
  }
  for (const ProductKernel* row : product_kernels()) {
    if (!allowed(row->info, false)) continue;
    choice.row = row;
    return choice;
  }
  choice.status = Choice::unknown;
  return choice;
}

}  // namespace vsh
