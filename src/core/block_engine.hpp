// BlockEngine is a keyed block cipher over the ladder of kernels that the registry chose, from many blocks per pass to
// one. Modes use nothing below this class. Round keys are opaque to it, so it knows no cipher.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "core/accelerator.hpp"
#include "core/registry.hpp"
#include "core/round_keys.hpp"
#include "core/secret_buffer.hpp"
#include "core/wipe.hpp"

namespace vsh {

// Describes a mode that adds the keystream (gamma in GOST) E(counter), E(next counter), ...: how counters advance, and
// the member of a kernel that fuses it.
struct CounterRule {
  decltype(BlockKernel::ctr) BlockKernel::*fused;
  void (*advance)(uint8_t* counter, size_t size, uint64_t steps);  // size: of a block
  // Writes num counter blocks from `counter` on.
  void (*write)(uint8_t* blocks, size_t size, size_t num, const uint8_t* counter);
  Operation operation;
};

// Returns how many bytes of the stack to erase after a kernel with `lanes` lanes. A bit-sliced kernel leaves its planes
// there, up to twice a pass, and the padded last pass; a byte-sliced one the frames of its rounds, 5000 bytes at most;
// a one-block kernel some vectors of keys and data.
inline constexpr size_t kMaxLanesOfFew = 4;
constexpr size_t stack_of(size_t lanes, size_t block_size) {
  return 3 * lanes * block_size + (lanes > kMaxLanesOfFew ? 4096 : 2048);
}

class BlockEngine {
 public:
  // round_keys: of the kernels' family; not kept. Throws std::bad_alloc, and std::logic_error for another family.
  BlockEngine(const BlockChoice& kernels, const RoundKeysView& round_keys, unsigned threads);
  // For keys that change within a message: starts without a key, and prepares only the schedules that prepare_for
  // needs. One thread. Throws std::bad_alloc only.
  explicit BlockEngine(const BlockChoice& kernels);
  ~BlockEngine();                         // wipes the schedules
  BlockEngine(const BlockEngine& other);  // throws std::bad_alloc only
  BlockEngine& operator=(const BlockEngine&) = delete;

  size_t block_size() const noexcept { return ladder_.many().block_size; }
  const Ladder& ladder() const noexcept { return ladder_; }
  const BlockKernel& many() const noexcept { return ladder_.many(); }
  const BlockKernel& one() const noexcept { return ladder_.one(); }
  unsigned threads() const noexcept { return threads_; }

  // Sets the accelerator for large requests, under the same key; copies of the engine share it. Null: none.
  void set_accelerator(std::shared_ptr<Accelerator> accelerator) noexcept { accelerator_ = std::move(accelerator); }
  // Returns the accelerator, for modes whose requests need more than the calls below; null if the kernels should do
  // this request.
  Accelerator* accelerator_for(Operation operation, size_t num_blocks) const noexcept {
    if (!accelerator_ || num_blocks < accelerator_->least(operation) / block_size()) return nullptr;
    return accelerator_.get();
  }

  // Marks all schedules of an engine made without a key as not prepared.
  void drop_key() noexcept { prepared_ = 0; }
  // Prepares the schedules that a request of num_blocks needs; round_keys: those of the calls since drop_key.
  void prepare_for(size_t num_blocks, const RoundKeysView& round_keys) noexcept;

  // ECB over num_blocks blocks, on up to threads() threads, cut into passes as core/ladder.hpp says. out == in allowed.
  void encrypt(uint8_t* out, const uint8_t* in, size_t num_blocks) const;
  void decrypt(uint8_t* out, const uint8_t* in, size_t num_blocks) const;
  // Encrypt and decrypt few blocks, on this thread or on the accelerator, and leave to the caller to erase as many
  // bytes of the stack below its frame as they return: a message that takes several calls erases once.
  size_t encrypt_unerased(uint8_t* out, const uint8_t* in, size_t num_blocks) const {
    return few_unerased(out, in, num_blocks, {Operation::ecb_encrypt});
  }
  size_t decrypt_unerased(uint8_t* out, const uint8_t* in, size_t num_blocks) const {
    return few_unerased(out, in, num_blocks, {Operation::ecb_decrypt});
  }
  // Encrypt or decrypt one block on the lowest rung.
  void encrypt_one(uint8_t* out, const uint8_t* in) const { call_one(one().encrypt, out, in); }
  void decrypt_one(uint8_t* out, const uint8_t* in) const { call_one(one().decrypt, out, in); }
  // state = rounds 1 to 16 of (state ^ block) for each block, on the lowest rung. Only if one() is a row for one block
  // and has `imit`.
  void absorb_imit(uint8_t* state, const uint8_t* in, size_t num_blocks) const {
    one().imit(one_schedule(), state, in, num_blocks);
  }
  // out[i] = in[i] ^ E(counter + i), counter a big-endian number modulo 2^(8*block_size) (not advanced). Whole blocks.
  void ctr(uint8_t* out, const uint8_t* in, size_t num_blocks, const uint8_t* counter) const;
  // Does the same with counters of another rule.
  void add_keystream(const CounterRule& rule, uint8_t* out, const uint8_t* in, size_t num_blocks,
                     const uint8_t* counter) const;

 private:
  void call_one(decltype(BlockKernel::encrypt) f, uint8_t* out, const uint8_t* in) const {
    f(one_schedule(), out, in, 1);
    // A row for many blocks is used here only if the caller forces it. Others leave less than StackEraser erases.
    if (one().info.lanes > kMaxLanesOfFew) wipe_stack(stack_of(one().info.lanes, one().block_size));
  }
  // The work of a kernel from here on.
  struct Start {
    Operation operation;
    const CounterRule* rule = nullptr;  // null: ECB
    const uint8_t* counter = nullptr;
    // Writes the counter of block number `steps` from here into `buffer`; nothing if the operation has no counters.
    Start after(uint64_t steps, size_t size, uint8_t (&buffer)[16]) const;
  };
  void run(uint8_t* out, const uint8_t* in, size_t num_blocks, Start start) const;
  void run_on_threads(uint8_t* out, const uint8_t* in, size_t num_blocks, Start start) const;
  void run_on_this_thread(uint8_t* out, const uint8_t* in, size_t num_blocks, Start start) const;
  size_t few_unerased(uint8_t* out, const uint8_t* in, size_t num_blocks, Start start) const;
  // Returns how many bytes to erase below the caller's frame.
  size_t run_unerased(uint8_t* out, const uint8_t* in, size_t num_blocks, Start start) const;
  void call(size_t rung, uint8_t* out, const uint8_t* in, size_t num_blocks, Start start) const;
  void write_counters(size_t rung, uint8_t* out, const uint8_t* in, size_t num_blocks, Start start) const;
  BlockEngine(const BlockChoice& kernels, unsigned threads);
  void prepare(size_t rung, const RoundKeysView& round_keys);
  const void* schedule(size_t rung) const noexcept { return storage_.data() + offsets_[rung]; }
  const void* one_schedule() const noexcept { return schedule(ladder_.size() - 1); }

  Ladder ladder_;
  unsigned threads_;
  size_t owners_[Ladder::kMaxRungs];   // the first rungs with the same schedules
  size_t offsets_[Ladder::kMaxRungs];  // of the rungs' schedules in storage_
  unsigned prepared_ = 0;              // bit i: the schedule that rung i owns
  SecretBuffer storage_;
  std::shared_ptr<Accelerator> accelerator_;
};

// block += value, a big-endian number modulo 2^(8*size); size is 8 or 16.
void add_big_endian(uint8_t* block, size_t size, uint64_t value) noexcept;

}  // namespace vsh
