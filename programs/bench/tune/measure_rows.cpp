#include "programs/bench/tune/measure_rows.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>

#include "api/arguments/keys.hpp"
#include "core/registry.hpp"
#include "streams/costs.hpp"
#include "streebog/state.hpp"

namespace vsh::tuning {
namespace {

constexpr uint8_t kKey[VSH_KEY_LEN] = {};  // no time depends on it
constexpr size_t kManyBytes = 16 * 1024;   // enough passes for the call itself not to count

// Chooses arbitrary own S-boxes: the time does not depend on them.
api::Options options_of(const Workload& workload) {
  static constexpr auto kRows = [] {
    std::array<uint8_t, 128> rows{};
    for (size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<uint8_t>((7 * i + i / 16) % 16);
    return rows;
  }();
  api::Options options;
  if (!workload.custom_sbox) return options;
  options.sbox = VSH_SBOX_CUSTOM;
  options.custom_sbox = kRows.data();
  return options;
}

std::vector<Timing> timings_of(const std::vector<measure::Cost>& costs) {
  std::vector<Timing> timings;
  for (const measure::Cost& cost : costs) timings.push_back({cost.core_cycles, cost.spread});
  return timings;
}

uint32_t cost_of(double cycles) {
  return static_cast<uint32_t>(std::clamp(std::round(cycles), 1.0, double{tuner::kMaxCost}));
}

size_t passes_for(size_t num_blocks, size_t lanes) { return (num_blocks + lanes - 1) / lanes; }

template <class Row>
std::vector<const Row*> runnable_rows(std::span<const Row* const> rows) {
  std::vector<const Row*> found;
  for (const Row* row : rows)
    if (runnable(row->info)) found.push_back(row);
  return found;
}

// Measures hashes of either kind; rows for one message have one lane.
template <class Row>
std::vector<MeasuredRow> measure_hashes(const RowBenchmark& bench, std::span<const Row* const> all) {
  const auto rows = runnable_rows(all);
  std::vector<MeasuredRow> measured;
  for (const Row* row : rows) measured.push_back({.info = &row->info});
  for (const size_t num_blocks : kRowBlocks) {
    const auto timings = bench.hashes(rows, num_blocks);
    for (size_t i = 0; i < rows.size(); ++i) {
      const double passes = static_cast<double>(passes_for(num_blocks, rows[i]->info.lanes));
      measured[i].pass = cost_of(timings[i].cycles / passes);  // the last and largest number counts
      measured[i].spread = timings[i].spread;
      measured[i].cycles_per_byte.push_back(timings[i].cycles / static_cast<double>(64 * num_blocks));
    }
  }
  return measured;
}

}  // namespace

RowBenchmark::RowBenchmark(double seconds) {
  const auto processors = affinity_.processors();
  if (!processors.empty()) affinity_.pin(processors.back());
  sampler_.emplace(measure::calibrate(), seconds);
}

RowBenchmark::~RowBenchmark() = default;

std::vector<Timing> RowBenchmark::requests(const Workload& workload, std::span<const Request> contenders) const {
  const api::Options options = options_of(workload);
  const keys::CipherKey key = api::cipher_key(workload.algorithm, kKey, options);
  std::vector<std::unique_ptr<BlockEngine>> engines;
  std::vector<std::vector<uint8_t>> buffers;
  std::vector<std::function<void()>> runs;
  for (const Request& request : contenders) {
    const BlockChoice choice{Choice::ok, request.ladder};
    engines.push_back(std::make_unique<BlockEngine>(choice, key, 1));
    buffers.emplace_back(request.num_blocks * engines.back()->block_size());
    runs.push_back([engine = engines.back().get(), buffer = buffers.back().data(), n = request.num_blocks] {
      engine->encrypt(buffer, buffer, n);
    });
  }
  return timings_of(sampler_->measure(runs, 1));
}

std::vector<Timing> RowBenchmark::hashes(std::span<const HashKernel* const> rows, size_t num_blocks) const {
  const std::vector<uint8_t> message(64 * num_blocks);
  streebog::State state{};
  std::vector<std::function<void()>> runs;
  for (const HashKernel* row : rows) runs.push_back([&, row] { row->absorb(&state, message.data(), num_blocks); });
  return timings_of(sampler_->measure(runs, 1));
}

std::vector<Timing> RowBenchmark::hashes(std::span<const HashLanesKernel* const> rows, size_t num_messages) const {
  const auto passes_of = [&](const HashLanesKernel* row) { return passes_for(num_messages, row->info.lanes); };
  size_t num_lanes = 0;
  for (const HashLanesKernel* row : rows) num_lanes = std::max(num_lanes, passes_of(row) * row->info.lanes);
  std::vector<uint8_t> states(64 * num_lanes);
  const std::vector<uint8_t> messages(64 * num_lanes);
  static constexpr uint8_t kN[64] = {};
  const std::vector<const uint8_t*> n(num_lanes, kN);
  std::vector<const uint8_t*> m;
  std::vector<uint8_t*> h;
  for (size_t i = 0; i < num_lanes; ++i) h.push_back(&states[64 * i]), m.push_back(&messages[64 * i]);
  std::vector<std::function<void()>> runs;
  for (const HashLanesKernel* row : rows)
    runs.push_back([&, row, passes = passes_of(row)] {
      for (size_t first = 0; first < passes * row->info.lanes; first += row->info.lanes)
        row->compress(&h[first], &n[first], &m[first]);
    });
  return timings_of(sampler_->measure(runs, 1));
}

std::vector<Timing> RowBenchmark::set_ups(const Workload& workload, std::span<const Ladder> ladders) const {
  const api::Options options = options_of(workload);
  std::vector<std::function<void()>> runs;
  for (const Ladder& ladder : ladders)
    runs.push_back([&] {
      const keys::CipherKey key = api::cipher_key(workload.algorithm, kKey, options, &ladder.one());
      const BlockEngine engine({Choice::ok, ladder}, key, 1);
    });
  return timings_of(sampler_->measure(runs, 1));
}

std::vector<MeasuredRow> measure_rows(const RowBenchmark& bench, const Workload& workload) {
  const auto rows = runnable_rows(block_kernels(workload.algorithm));
  std::vector<MeasuredRow> measured;
  std::vector<Ladder> ladders;
  std::vector<Request> many;
  for (const BlockKernel* row : rows) {
    const size_t lanes = row->info.lanes, passes = std::max<size_t>(2, kManyBytes / (lanes * row->block_size));
    measured.push_back({.info = &row->info});
    ladders.emplace_back(*row);
    many.push_back({ladders.back(), passes * lanes});
  }
  const auto timings = bench.requests(workload, many), set_ups = bench.set_ups(workload, ladders);
  for (size_t i = 0; i < rows.size(); ++i) {
    const size_t passes = many[i].num_blocks / rows[i]->info.lanes;
    measured[i].pass = cost_of(timings[i].cycles / static_cast<double>(passes));
    measured[i].spread = timings[i].spread;
    measured[i].set_up = set_ups[i].cycles;
    if (!workload.custom_sbox) measured[i].figures = streams::measured_figures(*rows[i], streams::steady_nanoseconds);
  }
  for (const size_t num_blocks : kRowBlocks) {
    std::vector<Request> requests;
    for (const Ladder& ladder : ladders) requests.push_back({ladder, num_blocks});
    const auto here = bench.requests(workload, requests);
    for (size_t i = 0; i < rows.size(); ++i)
      measured[i].cycles_per_byte.push_back(here[i].cycles / static_cast<double>(num_blocks * rows[i]->block_size));
  }
  return measured;
}

std::vector<MeasuredRow> measure_hash_rows(const RowBenchmark& bench) { return measure_hashes(bench, hash_kernels()); }

std::vector<MeasuredRow> measure_hash_lanes_rows(const RowBenchmark& bench) {
  return measure_hashes(bench, hash_lanes_kernels());
}

}  // namespace vsh::tuning
