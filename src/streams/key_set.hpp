// KeySet holds keys prepared for many batches: sliced for the lanes of each kernel, a schedule per group of `lanes`
// keys.
#pragma once

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "core/block_engine.hpp"
#include "streams/costs.hpp"
#include "streams/job.hpp"
#include "streams/plan.hpp"

namespace vsh::streams {

// Returns the rows for a cipher's lanes, from wide to narrow: each costs least by lane of those narrower than the one
// before that cost less by pass. A forced row is the only one. May be empty.
std::vector<const BlockKernel*> lane_kernels(const Cipher& cipher);

// Returns on how many bytes of the stack lanes leave secrets: slicing keys leaves most, planes of keys, state and
// temporaries, each as large as a row.
constexpr size_t lanes_stack(size_t lanes, size_t block_size) noexcept { return 6 * lanes * block_size + 4096; }

// The schedule of a chunk's lanes, and the row E(0^n), from which MAC makes its subkeys.
class LaneKeys {
 public:
  static size_t size(const BlockKernel& kernel) noexcept;
  // Prepares in memory of size() bytes. keys: kernel.info.lanes pointers, null for lanes that are not used.
  static void prepare(uint8_t* at, const BlockKernel& kernel, const uint8_t* const* keys, const Cipher& cipher) {
    const keys::CipherKey no_key(cipher.parameters);
    kernel.prepare_lanes(at, keys, RoundKeysView(no_key).for_row(kernel));
  }
  // Called after prepare, for MAC.
  static void encrypt_zero(uint8_t* at, const BlockKernel& kernel);
  static const uint8_t* zero_encrypted(const uint8_t* at, const BlockKernel& kernel) noexcept {
    return at + aligned_size(kernel.lanes_schedule_size);
  }
};

// Makes the cipher under one key. kernels: the cipher's, or some of them. Throws std::bad_alloc.
BlockEngine make_engine(const Cipher& cipher, const BlockChoice& kernels, const uint8_t* key, unsigned threads);

class KeySet {
 public:
  // keys: num_keys times 32 bytes, copied. Throws std::bad_alloc, or what threads throw.
  KeySet(const Cipher& cipher, const uint8_t* keys, size_t num_keys);
  ~KeySet();
  KeySet(const KeySet&) = delete;

  const Cipher& cipher() const noexcept { return cipher_; }
  std::span<const BlockKernel* const> kernels() const noexcept { return kernels_; }
  // Returns what batches of this cipher cost; the first call may measure. Throws std::bad_alloc.
  const BatchCosts& costs() const {
    std::call_once(costs_once_, [this] { costs_.emplace(cipher_, kernels_); });
    return *costs_;
  }
  // Returns the row for IMIT of one message, of GOST 28147-89.
  const BlockKernel& imit_kernel() const noexcept { return *imit_kernel_; }
  size_t num_keys() const noexcept { return num_keys_; }
  const uint8_t* key(size_t slot) const noexcept { return keys_.data() + slot * kKeyBytes; }
  // Changes a key; key: 32 bytes. Batches may use it after prepare_changed. No batch may run at the same time.
  void replace(size_t slot, const uint8_t* key) noexcept;
  // Slices the groups of changed keys anew.
  void prepare_changed() noexcept;
  // For kernels()[k].
  const uint8_t* group(size_t k, size_t g) const noexcept {
    return groups_[k].data() + g * LaneKeys::size(*kernels_[k]);
  }

  // Returns E(0^n) under a prepared key; null if no kernel takes keys in lanes.
  const uint8_t* zero_encrypted(size_t slot) const noexcept {
    if (kernels_.empty()) return nullptr;
    const size_t lanes = kernels_[0]->info.lanes;
    return LaneKeys::zero_encrypted(group(0, slot / lanes), *kernels_[0]) + slot % lanes * kernels_[0]->block_size;
  }

  // Calls f with the engine of a job's key for `threads` threads: a kept one, or one that is made for the call, with
  // only the one-block kernel for a chain.
  template <class F>
  void with_engine(uint32_t slot, const uint8_t* key, unsigned threads, bool chain, F f) const {
    if (threads == 1 && slot != kNoSlot && keeps_engines()) return f(engine(slot));
    BlockChoice kernels = cipher_.kernels;
    if (chain) kernels.ladder = kernels.ladder.for_single_blocks();
    f(make_engine(cipher_, kernels, key, threads));
  }
  // Returns whether engines, for messages that run singly or all under one key, are kept: if those of all keys take at
  // most kMaxEngines bytes.
  bool keeps_engines() const noexcept { return engines_ != nullptr; }
  // Returns the cycles that a kept engine takes to come from beyond the second-level cache; 0 if all fit there.
  uint64_t fetch_cost() const noexcept { return fetch_cost_; }
  // Returns the engine of a key, for one thread; made when it is first asked for, by any thread. Only if engines are
  // kept. Throws std::bad_alloc.
  const BlockEngine& engine(size_t slot) const;

 private:
  static constexpr size_t kKeyBytes = 32;
  static constexpr size_t kMaxEngines = size_t{8} << 20;
  static constexpr size_t kNear = size_t{1} << 19;  // bytes of engines that fit a second-level cache with messages
  static constexpr size_t kFetchedInACycle = 12;    // bytes, of a third-level cache

  void prepare_group(size_t k, size_t g, std::vector<const uint8_t*>& pointers) noexcept;

  Cipher cipher_;
  std::vector<const BlockKernel*> kernels_;
  const BlockKernel* imit_kernel_ = nullptr;
  mutable std::once_flag costs_once_;
  mutable std::optional<BatchCosts> costs_;
  size_t num_keys_;
  SecretBuffer keys_;
  std::vector<SecretBuffer> groups_;  // of each kernel
  struct Group {
    size_t kernel, number;
  };
  std::vector<std::vector<bool>> changed_;  // each group of each kernel
  std::vector<Group> to_prepare_;           // the changed ones
  std::vector<const uint8_t*> pointers_;
  std::unique_ptr<std::atomic<const BlockEngine*>[]> engines_;
  uint64_t fetch_cost_ = 0;
};

// The keys of chunks for their kernels, one chunk at a time.
class ChunkKeys {
 public:
  ChunkKeys(const KeySet& keys, std::span<const Chunk> chunks);

  size_t max_lanes() const noexcept { return max_lanes_; }  // of the chunks
  // Returns the schedule of a chunk until the next call; key_of(job) is the key of a job. With E(0^n) if `zero`.
  template <class KeyOf>
  const uint8_t* of(const Chunk& chunk, std::span<const Placed> placed, KeyOf key_of, bool zero) {
    if (chunk.group != Chunk::kNoGroup) return keys_.group(chunk.kernel, chunk.group);
    std::fill(pointers_.begin(), pointers_.end(), nullptr);
    for (const Placed& p : placed) pointers_[p.lane] = key_of(p.job);
    return slice(*keys_.kernels()[chunk.kernel], zero);
  }

 private:
  const uint8_t* slice(const BlockKernel& kernel, bool zero);

  const KeySet& keys_;
  size_t max_lanes_ = 0;
  SecretBuffer sliced_;
  std::vector<const uint8_t*> pointers_;
};

}  // namespace vsh::streams
