// Measures the costs of kernels on this machine through the same engine that runs them for callers.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/block_engine.hpp"
#include "core/row_costs.hpp"
#include "measure/affinity.hpp"
#include "measure/sampler.hpp"

namespace vsh::tuning {

// An algorithm whose kernels compete. A user's own S-boxes have separate costs.
struct Workload {
  const char* name;
  Algorithm algorithm;
  bool custom_sbox;
};
inline constexpr Workload kCipherWorkloads[] = {{"kuznyechik", Algorithm::kuznyechik, false},
                                                {"magma, gost28147", Algorithm::magma, false},
                                                {"gost28147 with own S-boxes", Algorithm::gost28147, true}};

// num_blocks consecutive blocks under one key.
struct Request {
  Ladder ladder;
  size_t num_blocks;
};

struct Timing {
  double cycles = 0;  // core cycles of one call, the median
  double spread = 0;  // median absolute deviation over median
};

class RowBenchmark {
 public:
  // Keeps this thread on one processor and measures its clock. seconds: for each contender.
  explicit RowBenchmark(double seconds);
  ~RowBenchmark();

  // Prepareds of a call take turns. Encryption in place.
  std::vector<Timing> requests(const Workload& workload, std::span<const Request> contenders) const;
  // Measures absorbing num_blocks blocks.
  std::vector<Timing> hashes(std::span<const HashKernel* const> rows, size_t num_blocks) const;
  // Measures absorbing a block of each of num_messages messages.
  std::vector<Timing> hashes(std::span<const HashLanesKernel* const> rows, size_t num_messages) const;
  // Measures from a key to an engine that is ready: round keys, schedules of all rungs, memory.
  std::vector<Timing> set_ups(const Workload& workload, std::span<const Ladder> ladders) const;

 private:
  measure::Affinity affinity_;
  std::optional<measure::Sampler> sampler_;
};

// A row and its costs.
inline constexpr size_t kRowBlocks[] = {1, 4, 16, 64, 256, 1024};  // blocks of a request
struct MeasuredRow {
  const KernelInfo* info;
  uint32_t pass = 0;                         // core cycles of one among many; a hash of one message: of a block
  double spread = 0;                         // of pass
  double set_up = 0;                         // core cycles from a key to a schedule; 0: there is no key
  std::vector<double> cycles_per_byte = {};  // for each of kRowBlocks
  tuner::Figures figures = {};               // of a cipher with named S-boxes: what batches depend on
};

// Measures every row that runs here, including tables, which callers may allow.
std::vector<MeasuredRow> measure_rows(const RowBenchmark& bench, const Workload& workload);
std::vector<MeasuredRow> measure_hash_rows(const RowBenchmark& bench);
// Rows for many messages: the cost of one block of each message.
std::vector<MeasuredRow> measure_hash_lanes_rows(const RowBenchmark& bench);

}  // namespace vsh::tuning
