// The step of IMIT, GOST 28147-89 (RFC 5830 clause 8): rounds 1 to 16 of the cipher, one block after the other, by a
// one-block kernel. Constant time for any S-boxes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/registry.hpp"
#include "magma/round_keys.hpp"

namespace vsh::magma {

class ImitRounds {
 public:
  struct KernelChoice {
    Choice status;
    const BlockKernel* row;  // null unless ok
  };
  // Returns the kernel of that name; for an empty name, the best one that this CPU runs and that is constant-time or
  // allowed.
  static KernelChoice choose_kernel(std::string_view variant, bool allow_tables) noexcept;
  // Chooses among constant-time rows; null for an unknown name.
  static const BlockKernel* find_kernel(std::string_view variant) noexcept { return choose_kernel(variant, false).row; }

  explicit ImitRounds(const RoundKeys& round_keys, const BlockKernel& kernel = *find_kernel({})) noexcept;
  ~ImitRounds();  // wipes
  ImitRounds(const ImitRounds&) = default;
  ImitRounds& operator=(const ImitRounds&) = default;

  const BlockKernel& kernel() const noexcept { return *kernel_; }

  // state = rounds(state ^ block) for each of num_blocks blocks of 8 bytes, as N1 then N2, little-endian.
  void absorb(uint8_t state[8], const uint8_t* in, size_t num_blocks) const noexcept {
    kernel_->imit(schedule_, state, in, num_blocks);
  }
  // Replaces the key, 32 bytes; the S-boxes stay.
  void change_key(const uint8_t* key) noexcept;

  // Runs the cipher's 32 rounds under the same key, for key wraps and key meshing. out == in allowed.
  void encrypt(uint8_t* out, const uint8_t* in, size_t num_blocks) const noexcept {
    kernel_->encrypt(schedule_, out, in, num_blocks);
  }
  void decrypt(uint8_t* out, const uint8_t* in, size_t num_blocks) const noexcept {
    kernel_->decrypt(schedule_, out, in, num_blocks);
  }

 private:
  static constexpr size_t kMaxSchedule = 320;  // choose_kernel passes over larger ones
  const BlockKernel* kernel_;
  RoundKeys round_keys_;
  alignas(kScheduleAlignment) uint8_t schedule_[kMaxSchedule];
};

}  // namespace vsh::magma
