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
  bool has_slot, fits;
  uint64_t blocks, alone;

  bool are_of(const Job& job) const noexcept {
    return operation == job.operation && len == job.len && iv_len == job.iv_len && has_slot == (job.slot != kNoSlot);
  }
  static Measures of(const KeySet& keys, const Job& job) noexcept {
    const uint64_t blocks = num_blocks(keys.cipher(), job);
    return {job.operation,
            job.len,
            job.iv_len,
            job.slot != kNoSlot,
            fits_lanes(keys.cipher(), job),
            blocks,
            cost_alone(keys, job, blocks)};
  }
};

// Cycles to allocate, clear and wipe the rows of a chunk, besides those that grow with the rows.
constexpr uint64_t kBeginChunk = 500;

class Batch {
 public:
  Batch(const KeySet& keys, Selection<Job> jobs) : keys_(keys), cipher_(keys.cipher()), jobs_(jobs) {}

  void run() {
    std::array<std::vector<Item>, kNumOperations> items;  // those of one are in step
    Measures m{};
    for (uint32_t i = 0; i < jobs_.size(); ++i) {
      Job& job = jobs_[i];
      if (i == 0 || !m.are_of(job)) m = Measures::of(keys_, job);
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
      if (end > num_chunks) wipe_stack(kStackOfOne);
    });
  }

 private:
  // run_alone has the states of all modes in its frame, 6 KiB; key expansion and modes leave a few hundred bytes below.
  static constexpr size_t kStackOfOne = 12288;
  // From this length on, a message that may be divided gets all threads.
  static constexpr size_t kLong = 8 * kBytesPerThread;

  void plan(Operation operation, std::vector<Item>& items) {
    const Plan plan = cheapest(items, lane_costs(keys_, operation), keys_.num_keys(), cipher_.threads);
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
    run_alone(keys_, jobs_[job], threads);
    jobs_[job].done = true;
  }

  void run_long() {
    if (cipher_.threads == 1) return;
    const auto is_long = [&](uint32_t i) { return jobs_[i].len >= kLong && !chained(jobs_[i].operation); };
    const auto first_long = std::partition(alone_.begin(), alone_.end(), std::not_fn(is_long));
    for (auto i = first_long; i != alone_.end(); ++i) run_one(*i, cipher_.threads);
    if (first_long != alone_.end()) wipe_stack(kStackOfOne);
    alone_.erase(first_long, alone_.end());
  }

  void run_chunks(std::span<const Chunk> chunks) {
    ChunkKeys chunk_keys(keys_, chunks);
    Lockstep lockstep(chunk_keys.max_lanes(), cipher_.block_size());
    for (const Chunk& chunk : chunks) {
      const BlockKernel& kernel = *keys_.kernels()[chunk.kernel];
      const auto placed = std::span<const Placed>(placed_).subspan(chunk.first, chunk.num);
      const Operation operation = jobs_[placed[0].job].operation;
      const uint8_t* const schedule = chunk_keys.of(
          chunk, placed, [&](uint32_t job) { return jobs_[job].key; }, operation == Operation::mac);
      lockstep.run(kernel, schedule, operation, jobs_, placed, chunk.rows, LaneKeys::zero_encrypted(schedule, kernel));
      for (const Placed& p : placed) jobs_[p.job].done = true;
    }
    wipe_stack(lanes_stack(chunk_keys.max_lanes(), cipher_.block_size()));
  }

  const KeySet& keys_;
  const Cipher& cipher_;
  const Selection<Job> jobs_;
  unsigned threads_ = 1;
  std::vector<Placed> placed_;
  std::vector<Chunk> chunks_;
  std::vector<uint32_t> alone_;
};

}  // namespace

void run_batch(const KeySet& keys, Selection<Job> jobs) { Batch(keys, jobs).run(); }

std::vector<LaneCost> lane_costs(const KeySet& keys, Operation operation) {
  std::vector<LaneCost> costs;
  for (const BlockKernel* kernel : keys.kernels()) {
    const uint64_t lanes = kernel->info.lanes, bytes = lanes * kernel->block_size;
    const uint64_t cipher =
        tuner::pass_cost(tuner::measured(), kernel->info, keys.cipher().parameters.has_custom_sbox());
    // Besides the kernel's pass a row is gathered from the messages and, but for tags, scattered to them.
    const uint64_t moves = is_mac(operation) ? bytes / 4 : bytes / 2;
    costs.push_back({kernel->info.lanes, (operation == Operation::imit ? cipher / 2 : cipher) + moves,
                     prepare_passes(keys.cipher(), operation) * cipher, kBeginChunk + 2 * bytes});
  }
  return costs;
}

}  // namespace vsh::streams
