#include "streams/cipher_batch.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "core/executor.hpp"
#include "core/wipe.hpp"
#include "streams/lockstep.hpp"
#include "streams/single_message.hpp"

namespace vsh::streams {
namespace {

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
  static Measures of(const KeySet& keys, const Job& job) {
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

class CipherBatch {
 public:
  CipherBatch(const KeySet& keys, Selection<Job> jobs) : keys_(keys), cipher_(keys.cipher()), jobs_(jobs) {}

  void run() {
    if (!run_few()) run_many();
  }

 private:
  [[gnu::noinline]] void run_many() {
    make_plan();
    run_long();
    const size_t num_alone = plan_.alone.size();
    for_units(num_alone + plan_.chunks.size(), plan_.threads, [&](Units& units) {
      StackEraser eraser;
      eraser.reach(kStackOfOne);
      std::optional<Chunks> chunks;
      units.take([&](size_t i) {
        if (i < num_alone) return run_one(plan_.alone[i], 1);
        if (!chunks) {
          chunks.emplace(keys_, plan_.chunks);
          eraser.reach(lanes_stack(chunks->keys.max_lanes(), cipher_.block_size()));
        }
        run_chunk(*chunks, plan_.chunks[i - num_alone], eraser);
      });
    });
  }

  // As StackEraser erases after the same work through a context of one message; on this thread the API has one.
  static constexpr size_t kStackOfOne = 4096;
  // Batches of more bytes are not in a second-level cache.
  static constexpr uint64_t kFar = 1 << 20;
  // From this length on, a message that may be divided gets all threads.
  static constexpr size_t kLong = 8 * kBytesPerThread;

  // Runs few short messages one after the other, if no plan can be better; else returns false.
  bool run_few() {
    if (jobs_.size() > kFewMessages) return false;
    if (jobs_.size() > 1 && !better_one_by_one()) return false;
    for (uint32_t i = 0; i < jobs_.size(); ++i) {
      const bool divide = cipher_.threads != 1 && is_long(jobs_[i]);
      if (num_blocks(cipher_, jobs_[i])) run_one(i, divide ? cipher_.threads : 1);
      else jobs_[i].done = true;
    }
    return true;
  }

  bool better_one_by_one() const {
    Item items[kFewMessages];
    size_t num = 0;
    Measures m{};
    for (uint32_t i = 0; i < jobs_.size(); ++i) {
      if (jobs_[i].operation != jobs_[0].operation) return false;
      if (i == 0 || !m.are_of(jobs_[i])) m = Measures::of(keys_, jobs_[i]);
      if (m.blocks) items[num++] = {m.blocks, m.alone, i, jobs_[i].slot};
    }
    return better_unplanned({items, num}, keys_.costs().lanes(m.operation), cipher_.threads, kPlanCost,
                            one_key_cost(work_of(m.operation), false));
  }

  OneKeyCost one_key_cost(LaneWork work, bool far) const {
    return {keys_.costs().one_key(work, far), keys_.keeps_engines() ? keys_.fetch_cost() : keys_.costs().set_up()};
  }

  bool compete(std::span<const Item> items) const noexcept {
    return lines_compete([&](size_t i) { return jobs_[items[i].job].in; }, items.size());
  }

  void make_plan() {
    std::array<std::vector<Item>, kNumOperations> items;  // those of one are in step
    Measures m{};
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < jobs_.size(); ++i) {
      Job& job = jobs_[i];
      bytes += job.len;
      if (i == 0 || !m.are_of(job)) m = Measures::of(keys_, job);
      if (m.blocks == 0) job.done = true;
      else if (!m.fits) add_alone(plan_, {m.blocks, m.alone, i, job.slot});
      else {
        std::vector<Item>& in_step = items[static_cast<size_t>(m.operation)];
        if (i == 0) in_step.reserve(jobs_.size());
        add_item(in_step, m.blocks, m.alone, i, job.slot);
      }
    }
    for (size_t i = 0; i < kNumOperations; ++i) {
      if (items[i].empty()) continue;
      LaneWork work = work_of(static_cast<Operation>(i));
      if (work == LaneWork::parallel && !compete(items[i])) work = LaneWork::apart;
      // Kept engines only: making one costs as much as fetching distant lines.
      const bool far = bytes > kFar, far_lanes = far && work == LaneWork::parallel && keys_.keeps_engines();
      append(plan_, cheapest(items[i], keys_.costs().lanes(work, far_lanes), keys_.num_keys(), cipher_.threads,
                             one_key_cost(work, far)));
    }
    choose_threads(plan_, cipher_.threads);
  }

  void run_one(uint32_t job, unsigned threads) {
    run_alone(keys_, jobs_[job], threads);
    jobs_[job].done = true;
  }

  static bool is_long(const Job& job) noexcept { return job.len >= kLong && !chained(job.operation); }

  void run_long() {
    if (cipher_.threads == 1) return;
    const auto is_short = [&](uint32_t i) { return !is_long(jobs_[i]); };
    std::vector<uint32_t>& alone = plan_.alone;
    const auto first_long = std::partition(alone.begin(), alone.end(), is_short);
    for (auto i = first_long; i != alone.end(); ++i) run_one(*i, cipher_.threads);
    if (first_long != alone.end()) wipe_stack(kStackOfOne);
    alone.erase(first_long, alone.end());
  }

  // Workspace in which a thread runs chunks.
  struct Chunks {
    ChunkKeys keys;
    Lockstep lockstep;

    Chunks(const KeySet& set, std::span<const Chunk> chunks)
        : keys(set, chunks), lockstep(keys.max_lanes(), set.cipher().block_size()) {}
  };

  void run_chunk(Chunks& chunks, const Chunk& chunk, StackEraser& eraser) {
    const BlockKernel& kernel = *keys_.kernels()[chunk.kernel];
    const auto placed = std::span<const Placed>(plan_.placed).subspan(chunk.first, chunk.num);
    const Job& first = jobs_[placed[0].job];
    const auto run = [&](const LaneCipher& cipher) {
      chunks.lockstep.run(cipher, first.operation, jobs_, placed, chunk.rows);
    };
    if (chunk.group == Chunk::kOneKey) {
      keys_.with_engine(first.slot, first.key, 1, false, [&](const BlockEngine& engine) {
        run({kernel, nullptr, keys_.zero_encrypted(first.slot), &engine, &eraser});
      });
    } else {
      const uint8_t* const schedule = chunks.keys.of(
          chunk, placed, [&](uint32_t job) { return jobs_[job].key; }, first.operation == Operation::mac);
      run({kernel, schedule, LaneKeys::zero_encrypted(schedule, kernel)});
    }
    for (const Placed& p : placed) jobs_[p.job].done = true;
  }

  const KeySet& keys_;
  const Cipher& cipher_;
  const Selection<Job> jobs_;
  Plan plan_;
};

}  // namespace

void cipher_batch(const KeySet& keys, Selection<Job> jobs) { CipherBatch(keys, jobs).run(); }

}  // namespace vsh::streams
