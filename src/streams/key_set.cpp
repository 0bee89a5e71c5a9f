#include "streams/key_set.hpp"

#include <algorithm>
#include <new>

#include "core/executor.hpp"
#include "core/row_costs.hpp"
#include "core/wipe.hpp"
#include "magma/imit_rounds.hpp"

namespace vsh::streams {

std::vector<const BlockKernel*> lane_kernels(const Cipher& cipher) {
  std::vector<Candidate> rows;
  const auto add = [&](const BlockKernel* row) {
    if (!row->lanes_schedule_size) return;
    rows.push_back({row, tuner::pass_cost(tuner::measured(), row->info, cipher.parameters.has_custom_sbox())});
  };
  if (cipher.kernels.forced) {
    add(&cipher.kernels.ladder.many());
  } else {
    for (const BlockKernel* row : block_kernels(cipher.algorithm()))
      if (runnable(row->info) && row->info.constant_time) add(row);
  }
  std::vector<const BlockKernel*> kernels;
  if (rows.empty()) return kernels;
  for (const Rung& rung : Ladder(cheapest_by_block(rows), rows)) kernels.push_back(rung.row);
  return kernels;
}

namespace {

// A forced row does the 16 rounds too, if it is for one block; others cannot (as vsh_mac).
const BlockKernel& choose_imit_kernel(const BlockChoice& kernels) noexcept {
  const BlockKernel* forced =
      kernels.forced ? magma::ImitRounds::find_kernel(kernels.ladder.one().info.variant) : nullptr;
  return forced ? *forced : *magma::ImitRounds::find_kernel({});
}

}  // namespace

size_t LaneKeys::size(const BlockKernel& kernel) noexcept {
  return aligned_size(kernel.lanes_schedule_size) + aligned_size(kernel.info.lanes * kernel.block_size);
}

void LaneKeys::encrypt_zero(uint8_t* at, const BlockKernel& kernel) {
  uint8_t* const zero = at + aligned_size(kernel.lanes_schedule_size);
  std::memset(zero, 0, kernel.info.lanes * kernel.block_size);
  kernel.encrypt_lanes(at, zero, zero, 1);
}

BlockEngine make_engine(const Cipher& cipher, const BlockChoice& kernels, const uint8_t* key, unsigned threads) {
  return BlockEngine(kernels, keys::CipherKey(cipher.parameters, key, &kernels.ladder.one()), threads);
}

KeySet::KeySet(const Cipher& cipher, const uint8_t* keys, size_t num_keys)
    : cipher_(cipher), kernels_(lane_kernels(cipher)), num_keys_(num_keys), keys_(num_keys * kKeyBytes) {
  if (cipher.algorithm() == Algorithm::gost28147) imit_kernel_ = &choose_imit_kernel(cipher.kernels);
  if (num_keys == 0) return;
  std::memcpy(keys_.data(), keys, keys_.size());
  size_t total = 0;
  for (const BlockKernel* kernel : kernels_) {
    const size_t lanes = kernel->info.lanes, size = LaneKeys::size(*kernel);
    const size_t num_groups = num_keys / lanes + (num_keys % lanes != 0);
    if (num_groups > SIZE_MAX / size) throw std::bad_alloc();
    groups_.emplace_back(num_groups * size);
    changed_.emplace_back(num_groups);
    total += num_groups;
    if (pointers_.size() < lanes) pointers_.resize(lanes);
    for_ranges(num_groups, 1, cipher.threads, [&, k = groups_.size() - 1](size_t begin, size_t end) {
      std::vector<const uint8_t*> pointers(lanes);
      for (size_t g = begin; g < end; ++g) prepare_group(k, g, pointers);
      wipe_stack(lanes_stack(lanes, kernel->block_size));
    });
  }
  to_prepare_.reserve(total);
  size_t size = sizeof(BlockEngine);
  for (const Rung& rung : cipher.kernels.ladder) size += aligned_size(rung.row->schedule_size);
  if (num_keys <= kMaxEngines / size) engines_ = std::make_unique<std::atomic<const BlockEngine*>[]>(num_keys);
  if (num_keys > kNear / size) fetch_cost_ = size / kFetchedInACycle;
}

KeySet::~KeySet() {
  for (size_t i = 0; engines_ && i < num_keys_; ++i) delete engines_[i].load(std::memory_order_relaxed);
}

const BlockEngine& KeySet::engine(size_t slot) const {
  std::atomic<const BlockEngine*>& kept = engines_[slot];
  if (const BlockEngine* engine = kept.load(std::memory_order_acquire)) return *engine;
  auto made = std::make_unique<const BlockEngine>(make_engine(cipher_, cipher_.kernels, key(slot), 1));
  const BlockEngine* first = nullptr;
  if (kept.compare_exchange_strong(first, made.get(), std::memory_order_acq_rel)) return *made.release();
  return *first;  // another thread was faster
}

void KeySet::prepare_group(size_t k, size_t g, std::vector<const uint8_t*>& pointers) noexcept {
  const BlockKernel& kernel = *kernels_[k];
  const size_t lanes = kernel.info.lanes;
  uint8_t* const at = groups_[k].data() + g * LaneKeys::size(kernel);
  for (size_t i = 0; i < lanes; ++i) pointers[i] = g * lanes + i < num_keys_ ? key(g * lanes + i) : nullptr;
  LaneKeys::prepare(at, kernel, pointers.data(), cipher_);
  LaneKeys::encrypt_zero(at, kernel);
}

void KeySet::replace(size_t slot, const uint8_t* key) noexcept {
  std::memcpy(keys_.data() + slot * kKeyBytes, key, kKeyBytes);
  if (engines_) delete engines_[slot].exchange(nullptr, std::memory_order_relaxed);
  for (size_t k = 0; k < kernels_.size(); ++k) {
    const size_t g = slot / kernels_[k]->info.lanes;
    if (changed_[k][g]) continue;
    changed_[k][g] = true;
    to_prepare_.push_back({k, g});  // has the capacity
  }
}

void KeySet::prepare_changed() noexcept {
  if (to_prepare_.empty()) return;
  size_t most = 0;
  for (const Group& group : to_prepare_) {
    prepare_group(group.kernel, group.number, pointers_);
    changed_[group.kernel][group.number] = false;
    most = std::max<size_t>(most, kernels_[group.kernel]->info.lanes);
  }
  to_prepare_.clear();
  wipe_stack(lanes_stack(most, kernels_[0]->block_size));
}

ChunkKeys::ChunkKeys(const KeySet& keys, std::span<const Chunk> chunks) : keys_(keys) {
  size_t size = 0;
  for (const Chunk& chunk : chunks) {
    const BlockKernel& kernel = *keys.kernels()[chunk.kernel];
    max_lanes_ = std::max<size_t>(max_lanes_, kernel.info.lanes);
    if (chunk.group == Chunk::kNoGroup) size = std::max(size, LaneKeys::size(kernel));
  }
  sliced_ = SecretBuffer(size);
  pointers_.resize(size ? max_lanes_ : 0);
}

const uint8_t* ChunkKeys::slice(const BlockKernel& kernel, bool zero) {
  LaneKeys::prepare(sliced_.data(), kernel, pointers_.data(), keys_.cipher());
  if (zero) LaneKeys::encrypt_zero(sliced_.data(), kernel);
  return sliced_.data();
}

}  // namespace vsh::streams
