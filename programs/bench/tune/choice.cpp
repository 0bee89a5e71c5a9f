#include "programs/bench/tune/choice.hpp"

#include <algorithm>
#include <set>

#include "core/registry.hpp"
#include "core/row_costs.hpp"

namespace vsh::bench {
namespace {

std::string name_of(const Ladder& ladder) {
  std::string text;
  for (size_t i = ladder.size(); i-- > 0;) {
    if (!text.empty()) text += ", from " + std::to_string(ladder[i].min_blocks) + " ";
    text += ladder[i].row->info.variant;
  }
  return text;
}

std::vector<size_t> sizes_to_check(const Ladder& ladder, const std::vector<const BlockKernel*>& rows) {
  constexpr size_t kMost = 1024;
  std::set<size_t> sizes;
  const auto around = [&](size_t n) { sizes.insert({n - 1, n, n + 1}); };
  for (size_t n = 1; n <= kMost; n += 1 + (n >= 32 ? n / 20 : 0)) sizes.insert(n);
  sizes.insert(kMost);
  for (const Rung& rung : ladder) around(rung.min_blocks);
  for (const BlockKernel* row : rows) around(row->info.lanes);
  sizes.erase(sizes.begin(), sizes.lower_bound(1));
  sizes.erase(sizes.upper_bound(kMost), sizes.end());
  return {sizes.begin(), sizes.end()};
}

// Returns candidates for the best row of the request: those with an estimated cost below twice the least.
std::vector<Request> contenders_for(const Workload& workload, const std::vector<const BlockKernel*>& rows,
                                    size_t num_blocks) {
  const auto estimate = [&](const BlockKernel* row) {
    const size_t passes = (num_blocks + row->info.lanes - 1) / row->info.lanes;
    return passes * tuner::pass_cost(tuner::measured(), row->info, workload.custom_sbox);
  };
  size_t least = SIZE_MAX;
  for (const BlockKernel* row : rows) least = std::min(least, estimate(row));
  std::vector<Request> contenders;
  for (const BlockKernel* row : rows)
    if (estimate(row) < 2 * least) contenders.push_back({Ladder(*row), num_blocks});
  return contenders;
}

CheckedSize check_size(const RowBenchmark& bench, const Workload& workload, const Ladder& ladder,
                       const std::vector<const BlockKernel*>& rows, size_t num_blocks) {
  std::vector<Request> contenders = contenders_for(workload, rows, num_blocks);
  contenders.push_back({ladder, num_blocks});
  const auto timings = bench.requests(workload, contenders);
  CheckedSize checked{num_blocks, timings.back().cycles, timings[0].cycles, {}};
  for (size_t i = 0; i + 1 < timings.size(); ++i) {
    if (timings[i].cycles > checked.best) continue;
    checked.best = timings[i].cycles;
    checked.best_row = contenders[i].ladder.many().info.variant;
  }
  return checked;
}

// Compares rows already measured.
ComparedChoice compare_rows(const char* name, const std::vector<MeasuredRow>& rows, const KernelInfo& by_default,
                            const KernelInfo& tuned) {
  const auto cycles_of = [&](const KernelInfo& info) {
    const auto is_it = [&](const MeasuredRow& row) { return row.info == &info; };
    return std::find_if(rows.begin(), rows.end(), is_it)->cycles_per_byte;
  };
  return {name, by_default.variant, tuned.variant, cycles_of(by_default), cycles_of(tuned), 0, 0};
}

}  // namespace

ComparedChoice compare_choice(const RowBenchmark& bench, const Workload& workload, const tuner::RowCosts& costs) {
  const Ladder ladders[] = {default_ladder(workload.algorithm, false, workload.custom_sbox, nullptr),
                            default_ladder(workload.algorithm, false, workload.custom_sbox, &costs)};
  ComparedChoice compared{workload.name, name_of(ladders[0]), name_of(ladders[1]), {}, {}, 0, 0};
  const auto set_ups = bench.set_ups(workload, ladders);
  compared.default_set_up = set_ups[0].cycles;
  compared.tuned_set_up = set_ups[1].cycles;
  for (const size_t num_blocks : kRowBlocks) {
    const Request requests[] = {{ladders[0], num_blocks}, {ladders[1], num_blocks}};
    const auto timings = bench.requests(workload, requests);
    const double bytes = static_cast<double>(num_blocks * ladders[0].many().block_size);
    compared.default_cycles.push_back(timings[0].cycles / bytes);
    compared.tuned_cycles.push_back(timings[1].cycles / bytes);
  }
  return compared;
}

ComparedChoice compare_hash_choice(const std::vector<MeasuredRow>& rows, bool public_input,
                                   const tuner::RowCosts& costs) {
  return compare_rows(public_input ? "streebog, public input" : "streebog", rows,
                      default_hash_kernel(public_input, nullptr)->info,
                      default_hash_kernel(public_input, &costs)->info);
}

ComparedChoice compare_hash_lanes_choice(const std::vector<MeasuredRow>& rows, const tuner::RowCosts& costs) {
  return compare_rows("streebog, many messages", rows, default_hash_lanes_kernel(nullptr)->info,
                      default_hash_lanes_kernel(&costs)->info);
}

std::vector<CheckedSize> check_sizes(const RowBenchmark& bench, const Workload& workload) {
  const Ladder ladder = default_ladder(workload.algorithm, false, workload.custom_sbox, tuner::measured());
  std::vector<const BlockKernel*> rows;
  for (const BlockKernel* row : block_kernels(workload.algorithm))
    if (runnable(row->info) && row->info.constant_time) rows.push_back(row);
  std::vector<CheckedSize> checked;
  for (const size_t num_blocks : sizes_to_check(ladder, rows)) {
    CheckedSize size = check_size(bench, workload, ladder, rows, num_blocks);
    // A disturbance may look like a fault: only a fault is repeatable.
    for (int i = 0; i < 2 && size.ratio() > kWorstRatio; ++i) {
      const CheckedSize again = check_size(bench, workload, ladder, rows, num_blocks);
      if (again.ratio() < size.ratio()) size = again;
    }
    checked.push_back(size);
  }
  return checked;
}

}  // namespace vsh::bench
