#include "streams/cipher_batch.hpp"

#include <algorithm>
#include <array>
#include <functional>

#include "core/executor.hpp"
#include "core/row_costs.hpp"
#include "streams/lockstep.hpp"
#include "streams/single_message.hpp"

namespace vsh::streams {
namespace {

// Cycles to slice the keys of a chunk, in passes: Kuznyechik's 32 steps of key expansion are three and a half; Magma's
// keys are only transposed; and for MAC the row E(0^n).
uint64_t prepare_passes(const Cipher& cipher, Operation operation) noexcept {
  return (cipher.algorithm() == Algorithm::kuznyechik ? 4 : 1) + (operation == Operation::mac);
}

// Returns whether a job fits the lanes: a register of one block, whole segments, a counter that does not reach the IV.
bool fits_lanes(const Cipher& cipher, const Job& job) noexcept {
  const size_t n = cipher.block_size();
  using enum Operation;
  switch (job.operation) {
    case ecb_encrypt:
    case ecb_decrypt:
    case mac:
    case imit: return true;
    case cbc_encrypt:
    case cbc_decrypt:
    case cnt: return job.iv_len == n;
    case ofb:
    case cfb_encrypt:
    case cfb_decrypt: return job.iv_len == n && cipher.segment == n;
    case ctr: return cipher.segment == n && (n == 16 || job.len / n < UINT32_MAX);
    default: return false;
  }
}

// Input of planning for a job; neighbouring jobs mostly agree in it.
struct Measures {
  Operation operation;
  size_t len, iv_len;
  bool fits;
  uint64_t blocks, alone;

  bool are_of(const Job& job) const noexcept {
    return operation == job.operation && len == job.len && iv_len == job.iv_len;
  }
  static Measures of(const Cipher& cipher, const Job& job) noexcept {
    const uint64_t blocks = num_blocks(cipher, job);
    return {job.operation, job.len, job.iv_len, fits_lanes(cipher, job), blocks, cost_alone(cipher, job, blocks)};
  }
};

class Batch {
 public:
  Batch(const KeySet& keys, Selection<Job> jobs) : keys_(keys), cipher_(keys.cipher()), jobs_(jobs) {
    for (const BlockKernel* kernel : keys.kernels()) {
      max_lanes_ = std::max<size_t>(max_lanes_, kernel->info.lanes);
      max_keys_size_ = std::max(max_keys_size_, LaneKeys::size(*kernel));
    }
  }

  void run() {
    std::array<std::vector<Item>, kNumOperations> items;  // those of one are in step
    Measures m{};
    for (uint32_t i = 0; i < jobs_.size(); ++i) {
      Job& job = jobs_[i];
      if (i == 0 || !m.are_of(job)) m = Measures::of(cipher_, job);
      if (m.blocks == 0) job.done = true;
      else if (m.fits) items[static_cast<size_t>(m.operation)].push_back({m.blocks, m.alone, i, job.slot});
      else alone_.push_back(i);
    }
    for (size_t i = 0; i < kNumOperations; ++i)
      if (!items[i].empty()) plan(static_cast<Operation>(i), items[i]);
    run_long();
    const size_t num_chunks = chunks_.size();
    for_ranges(num_chunks + alone_.size(), 1, threads_, [&](size_t begin, size_t end) {
      if (begin < num_chunks) run_chunks(std::span(chunks_).subspan(begin, std::min(end, num_chunks) - begin));
      for (size_t i = std::max(begin, num_chunks); i < end; ++i) run_one(alone_[i - num_chunks], 1);
    });
  }

 private:
  // run_alone has the states of all modes in its frame, 6 KiB; key expansion and modes leave a few hundred bytes below.
  static constexpr size_t kStackOfOne = 12288;
  // From this length on, a message that may be divided gets all threads.
  static constexpr size_t kLong = 8 * kBytesPerThread;

  std::vector<LaneCost> costs(Operation operation) const {
    std::vector<LaneCost> costs;
    for (const BlockKernel* kernel : keys_.kernels()) {
      const uint64_t pass = tuner::pass_cost(tuner::measured(), kernel->info, cipher_.parameters.has_custom_sbox());
      costs.push_back({kernel->info.lanes, operation == Operation::imit ? pass / 2 : pass,
                       prepare_passes(cipher_, operation) * pass});
    }
    return costs;
  }

  void plan(Operation operation, std::vector<Item>& items) {
    const Plan plan = cheapest(items, costs(operation), keys_.num_keys(), cipher_.threads);
    threads_ = std::max(threads_, plan.threads);
    const size_t offset = placed_.size();
    placed_.insert(placed_.end(), plan.placed.begin(), plan.placed.end());
    for (Chunk chunk : plan.chunks) {
      chunk.first += offset;
      chunks_.push_back(chunk);
    }
    alone_.insert(alone_.end(), plan.alone.begin(), plan.alone.end());
  }

  void run_one(uint32_t job, unsigned threads) {
    run_alone(cipher_, jobs_[job], threads);
    wipe_stack(kStackOfOne);
    jobs_[job].done = true;
  }

  void run_long() {
    if (cipher_.threads == 1) return;
    const auto is_long = [&](uint32_t i) { return jobs_[i].len >= kLong && !chained(jobs_[i].operation); };
    const auto first_long = std::partition(alone_.begin(), alone_.end(), std::not_fn(is_long));
    for (auto i = first_long; i != alone_.end(); ++i) run_one(*i, cipher_.threads);
    alone_.erase(first_long, alone_.end());
  }

  void run_chunks(std::span<const Chunk> chunks) {
    Lockstep lockstep(max_lanes_, cipher_.block_size());
    const auto is_new = [](const Chunk& chunk) { return chunk.group == Chunk::kNoGroup; };
    SecretBuffer sliced(std::any_of(chunks.begin(), chunks.end(), is_new) ? max_keys_size_ : 0);
    std::vector<const uint8_t*> pointers(max_lanes_);
    for (const Chunk& chunk : chunks) {
      const BlockKernel& kernel = *keys_.kernels()[chunk.kernel];
      const auto placed = std::span<const Placed>(placed_).subspan(chunk.first, chunk.num);
      const Operation operation = jobs_[placed[0].job].operation;
      const uint8_t* schedule = sliced.data();
      if (is_new(chunk)) {
        std::fill(pointers.begin(), pointers.end(), nullptr);
        for (const Placed& p : placed) pointers[p.lane] = jobs_[p.job].key;
        LaneKeys::prepare(sliced.data(), kernel, pointers.data(), cipher_);
        if (operation == Operation::mac) LaneKeys::encrypt_zero(sliced.data(), kernel);
      } else {
        schedule = keys_.group(chunk.kernel, chunk.group);
      }
      lockstep.run(kernel, schedule, operation, jobs_, placed, chunk.rows, LaneKeys::zero_encrypted(schedule, kernel));
      for (const Placed& p : placed) jobs_[p.job].done = true;
    }
    wipe_stack(lanes_stack(max_lanes_, cipher_.block_size()));
  }

  const KeySet& keys_;
  const Cipher& cipher_;
  const Selection<Job> jobs_;
  size_t max_lanes_ = 0, max_keys_size_ = 0;
  unsigned threads_ = 1;
  std::vector<Placed> placed_;
  std::vector<Chunk> chunks_;
  std::vector<uint32_t> alone_;
};

}  // namespace

void run_batch(const KeySet& keys, Selection<Job> jobs) { Batch(keys, jobs).run(); }

}  // namespace vsh::streams
