#include "streams/pbkdf2.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <vector>

#include "core/bytes.hpp"
#include "core/executor.hpp"
#include "core/secret_buffer.hpp"
#include "core/wipe.hpp"
#include "streams/hash_plan.hpp"
#include "streebog/arithmetic.hpp"

namespace vsh::keys {
namespace {

constexpr unsigned kHashBits = 512;

// Shared by all chains in hashing a key's block and U, RFC 6986 section 9. The message of 1024 bits is
// followed by a padding block of a 1 and zeros.
struct alignas(64) Block {
  uint8_t byte[kHmacBlock];
};
constexpr Block kZero{}, kPadding{{1}};
constexpr Block kLen512{{0, 2}}, kLen1024{{0, 4}};  // N after one block and after two, in bits

// A T_i in progress.
struct alignas(64) Chain {
  struct Side {
    Block h;      // after the key's block
    Block sigma;  // of the key's block and the padding block; U is added
  } inner, outer;
  Block u, t;
  Block h, sigma;  // of the hash that is being computed

  // U_1 and what the password determines. key: hmac_key_block of the password.
  void begin(const HashKernel& one, const uint8_t* key, Bytes salt, uint32_t index) noexcept {
    Hmac hmac(&one, kHashBits, {key, kHmacBlock});
    uint8_t i[4];
    store_be32(i, index);
    hmac.update(salt);
    hmac.update(i, sizeof i);
    hmac.final(u.byte);
    t = u;
    begin_side(one, inner, key, kInnerPad);
    begin_side(one, outer, key, kOuterPad);
  }

 private:
  static void begin_side(const HashKernel& one, Side& side, const uint8_t* key, uint8_t pad) noexcept {
    std::memcpy(side.sigma.byte, key, kHmacBlock);
    hmac_pad(side.sigma.byte, pad);
    std::memset(side.h.byte, streebog::kInitialByte512, kHmacBlock);
    one.compress(side.h.byte, kZero.byte, side.sigma.byte);
    streebog::add_512(side.sigma.byte, kPadding.byte);
  }
};

// A chain to be computed: block `index` (from 1 on) of a job's key.
struct Task {
  uint32_t job, index;
};

// Runs chains in step, one in each lane.
class Lockstep {
 public:
  explicit Lockstep(size_t max_lanes)
      : chains_(std::max<size_t>(max_lanes, 1) * sizeof(Chain)),
        h_(chains_.size() / sizeof(Chain)),
        n_(h_.size()),
        m_(h_.size()) {}

  Chain& chain(size_t lane) noexcept { return reinterpret_cast<Chain*>(chains_.data())[lane]; }

  // compress: of a HashLanesKernel with num_lanes lanes. iterations(lane): of the chains that were begun in the first
  // lanes, most first; take(lane) gets each one's t when it is done.
  template <class Compress, class Iterations, class Take>
  void run(size_t num_lanes, size_t num_chains, Compress compress, Iterations iterations, Take take) noexcept {
    for (size_t lane = num_chains; lane < num_lanes; ++lane) {
      h_[lane] = unused_.byte;
      n_[lane] = m_[lane] = kZero.byte;
    }
    size_t num = num_chains;  // still running; the lanes after them idle
    for (uint64_t done = 1;; ++done) {
      for (; num > 0 && iterations(num - 1) == done; --num) take(num - 1);
      if (num == 0) return;
      hash(num_chains, compress, &Chain::inner);
      hash(num_chains, compress, &Chain::outer);
      for (size_t lane = 0; lane < num; ++lane) {
        Chain& c = chain(lane);
        for (size_t i = 0; i < kHmacBlock; ++i) c.t.byte[i] ^= c.u.byte[i];
      }
    }
  }

 private:
  // u = H(key's block | u) in every lane.
  template <class Compress>
  void hash(size_t num, Compress compress, Chain::Side Chain::*side) noexcept {
    for (size_t lane = 0; lane < num; ++lane) {
      Chain& c = chain(lane);
      c.h = (c.*side).h;
      c.sigma = (c.*side).sigma;
      streebog::add_512(c.sigma.byte, c.u.byte);
      h_[lane] = c.h.byte;
    }
    step(num, compress, kLen512, [&](Chain& c) { return c.u.byte; });
    step(num, compress, kLen1024, [](Chain&) { return kPadding.byte; });
    step(num, compress, kZero, [](Chain&) { return kLen1024.byte; });
    step(num, compress, kZero, [](Chain& c) { return c.sigma.byte; });
    for (size_t lane = 0; lane < num; ++lane) chain(lane).u = chain(lane).h;
  }

  template <class Compress, class Message>
  void step(size_t num, Compress compress, const Block& n, Message message) noexcept {
    for (size_t lane = 0; lane < num; ++lane) {
      n_[lane] = n.byte;
      m_[lane] = message(chain(lane));
    }
    compress(h_.data(), n_.data(), m_.data());
  }

  SecretBuffer chains_;
  std::vector<uint8_t*> h_;
  std::vector<const uint8_t*> n_, m_;
  Block unused_{};
};

class Run {
  static constexpr uint64_t kMaxTasks = UINT32_MAX - 1;  // plans number them

 public:
  Run(const HashKernel& one, std::span<const HashLanesKernel* const> lanes, std::span<Pbkdf2Job> jobs)
      : one_(one), lanes_(lanes), jobs_(jobs), key_blocks_(jobs.size() * kHmacBlock) {
    for (uint32_t j = 0; j < jobs.size(); ++j) {
      hmac_key_block(&one, kHashBits, &key_blocks_.data()[j * kHmacBlock], jobs[j].password);
      const uint64_t num_blocks = (jobs[j].len - 1) / kPbkdf2Block + 1;
      if (num_blocks > kMaxTasks - tasks_.size()) throw std::bad_alloc();
      for (uint64_t i = 1; i <= num_blocks; ++i) tasks_.push_back({j, static_cast<uint32_t>(i)});
    }
  }

  void run(unsigned threads) {
    std::vector<uint64_t> calls;
    calls.reserve(tasks_.size());
    for (const Task& task : tasks_) calls.push_back(uint64_t{kPbkdf2Calls} * jobs_[task.job].iterations);
    const streams::Plan plan = streams::plan_hash_calls(one_, lanes_, calls, threads);
    const size_t num_chunks = plan.chunks.size(), num_lanes = streams::max_lanes(lanes_);
    for_units(num_chunks + plan.alone.size(), plan.threads, [&](Units& units) {
      StackEraser eraser;
      eraser.reach(streams::hash_stack(num_lanes));
      Lockstep lockstep(num_chunks ? num_lanes : 1);
      units.take([&](size_t i) {
        if (i < num_chunks) {
          const streams::Chunk& chunk = plan.chunks[i];
          const HashLanesKernel& kernel = *lanes_[chunk.kernel];
          run_together(lockstep, kernel.info.lanes, chunk.num, kernel.compress,
                       [&](size_t lane) { return tasks_[plan.placed[chunk.first + lane].job]; });
        } else {
          run_together(
              lockstep, 1, 1,
              [&](uint8_t* const* h, const uint8_t* const* n, const uint8_t* const* m) {
                one_.compress(h[0], n[0], m[0]);
              },
              [&](size_t) { return tasks_[plan.alone[i - num_chunks]]; });
        }
      });
    });
    for (Pbkdf2Job& job : jobs_) job.done = true;
  }

 private:
  // task(lane): what runs in a lane, most iterations first, as plans place it.
  template <class Compress, class TaskOf>
  void run_together(Lockstep& lockstep, size_t num_lanes, size_t num_chains, Compress compress, TaskOf task) noexcept {
    for (size_t lane = 0; lane < num_chains; ++lane) {
      const Task t = task(lane);
      lockstep.chain(lane).begin(one_, &key_blocks_.data()[t.job * kHmacBlock], jobs_[t.job].salt, t.index);
    }
    lockstep.run(
        num_lanes, num_chains, compress, [&](size_t lane) { return jobs_[task(lane).job].iterations; },
        [&](size_t lane) {
          const Task t = task(lane);
          const Pbkdf2Job& job = jobs_[t.job];
          const size_t at = size_t{t.index - 1} * kPbkdf2Block;
          std::memcpy(job.out + at, lockstep.chain(lane).t.byte, std::min(kPbkdf2Block, job.len - at));
        });
  }

  const HashKernel& one_;
  std::span<const HashLanesKernel* const> lanes_;
  std::span<Pbkdf2Job> jobs_;
  SecretBuffer key_blocks_;
  std::vector<Task> tasks_;
};

}  // namespace

void pbkdf2(const HashKernel& one, std::span<const HashLanesKernel* const> lanes, std::span<Pbkdf2Job> jobs,
            unsigned threads) {
  Run(one, lanes, jobs).run(threads);
}

}  // namespace vsh::keys
