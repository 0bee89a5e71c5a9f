// KeySet holds keys prepared for many batches: sliced for the lanes of one kernel, a schedule per group of `lanes`
// keys.
#pragma once

#include <span>
#include <vector>

#include "core/secret_buffer.hpp"
#include "streams/job.hpp"
#include "streams/plan.hpp"

namespace vsh::streams {

// Returns the rows for a cipher's lanes in order of preference; a forced row is the only one. May be empty.
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

class KeySet {
 public:
  // keys: num_keys times 32 bytes, copied. Throws std::bad_alloc, or what threads throw.
  KeySet(const Cipher& cipher, const uint8_t* keys, size_t num_keys);

  const Cipher& cipher() const noexcept { return cipher_; }
  std::span<const BlockKernel* const> kernels() const noexcept { return kernels_; }
  size_t num_keys() const noexcept { return num_keys_; }
  const uint8_t* key(size_t slot) const noexcept { return keys_.data() + slot * kKeyBytes; }
  // Changes a key; key: 32 bytes. Batches may use it after prepare_changed.
  void replace(size_t slot, const uint8_t* key) noexcept;
  // Slices the groups of changed keys anew. No batch may run at the same time.
  void prepare_changed() noexcept;
  // For kernels()[0].
  const uint8_t* group(size_t g) const noexcept { return groups_.data() + g * LaneKeys::size(*kernels_[0]); }

 private:
  static constexpr size_t kKeyBytes = 32;

  void prepare_group(size_t g, std::vector<const uint8_t*>& pointers) noexcept;

  Cipher cipher_;
  std::vector<const BlockKernel*> kernels_;
  size_t num_keys_;
  SecretBuffer keys_, groups_;
  std::vector<bool> changed_;       // of each group
  std::vector<size_t> to_prepare_;  // those groups
  std::vector<const uint8_t*> pointers_;
};

}  // namespace vsh::streams
