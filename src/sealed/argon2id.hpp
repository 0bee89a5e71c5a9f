// Argon2id (RFC 9106) by libargon2, which is loaded when a passphrase first needs it: the library is built and runs
// without it. Its second half reads memory at addresses that depend on the passphrase, unlike all else in this folder.
#pragma once

#include <span>

#include "sealed/format.hpp"

namespace vsh::sealed {

// The cost of one derivation, RFC 9106 clause 3.1.
struct Argon2idCost {
  uint32_t passes, memory, lanes;  // memory: in KiB. All 0: another derivation

  bool is_set() const noexcept { return passes != 0; }
  // Returns whether the numbers are within the bounds of clause 4.
  bool is_valid() const noexcept {
    return passes >= 1 && lanes >= 1 && lanes <= kMaxArgon2idLanes && memory >= kArgon2idBlocksPerLane * lanes;
  }
};

struct Argon2idInput {
  std::span<const uint8_t> passphrase, salt, secret = {}, associated = {};
};

enum class Argon2idStatus { ok, missing, memory };

// Returns whether libargon2 can be used: it is found, and computes the vector of RFC 9106 clause 5.3.
bool has_argon2id() noexcept;

// Writes out.size() bytes, 4 at least. Runs on this thread alone, whatever the lanes: threads of libargon2 would leave
// blocks on stacks that nothing erases. `missing`: see has_argon2id. `memory`: it cannot be had; out is then zeros.
Argon2idStatus argon2id(std::span<uint8_t> out, const Argon2idInput& input, const Argon2idCost& cost) noexcept;

}  // namespace vsh::sealed
