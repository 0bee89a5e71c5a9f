// Shared by sealing, opening and inspecting a sealed file.
#pragma once

#include <bit>

#include "api/arguments/options.hpp"
#include "sealed/header.hpp"

namespace vsh::api {

vsh_status read_suite(sealed::Suite& suite, const vsh_options* options) noexcept;

// Returns whether slot_len is a valid length of slots.
constexpr bool is_slot_len(size_t len) noexcept {
  return std::has_single_bit(len) && len >= sealed::kMinSlotLen && len <= sealed::kMaxSlotLen;
}

// Checks kind and length of a secret. Errors: ARGUMENT, KEY_LENGTH.
vsh_status check_secret(const vsh_recipient* recipient) noexcept;
sealed::Secret secret_of(const vsh_recipient& recipient) noexcept;

// Bounds of the work that a secret may cost: of all recipients together, but for the memory.
struct WorkBounds {
  uint64_t iterations = sealed::kMaxIterations;
  uint64_t argon2id_memory = sealed::kMaxArgon2idMemory, argon2id_work = sealed::kMaxArgon2idWork;

  bool allow(const sealed::Slot& slot) const noexcept {
    return slot.iterations() <= iterations && allow_argon2id(slot);
  }
  bool allow_argon2id(const sealed::Slot& slot) const noexcept {
    return slot.argon2id_memory() <= argon2id_memory && slot.argon2id_work() <= argon2id_work;
  }
};

// Reads the cost of passphrases by argon2id; NULL: none. Errors: PARAMETERS.
vsh_status read_cost(sealed::Argon2idCost& cost, const vsh_argon2id* argon2id) noexcept;

// Wraps the file key for one more recipient, which it checks; a passphrase of no iterations by argon2id, if that is
// set. Throws std::bad_alloc. Errors: ARGUMENT, KEY_LENGTH, PARAMETERS, LIBRARY, RANDOM; the slot is then unchanged.
vsh_status add_recipient(const sealed::Suite& suite, sealed::Slot& slot, const sealed::FileKey& key,
                         const vsh_recipient* recipient, const WorkBounds& bounds,
                         const sealed::Argon2idCost& argon2id);

// Checks, before anything is written, that `need` bytes fit and do not overlap the input. Errors: CAPACITY, with
// *out_len; ARGUMENT.
vsh_status check_output(uint8_t* out, size_t out_capacity, size_t* out_len, size_t need, const uint8_t* in,
                        size_t in_len) noexcept;

vsh_status status_of(sealed::HeaderStatus status) noexcept;

// Describes slot `slot` and the statuses of all; slot == kNumSlots: only the statuses.
void describe(vsh_sealed_info& info, const sealed::Header& header, size_t slot) noexcept;

// Copies the first info_size bytes. Errors: ARGUMENT.
vsh_status copy_info(vsh_sealed_info* out, size_t info_size, const vsh_sealed_info& info) noexcept;

}  // namespace vsh::api
