// PBKDF2 with HMAC-Streebog-512: RFC 9337 section 4, R 50.1.111-2016 section 4; RFC 8018 5.2.
//
//   T_i = U_1 ^ U_2 ^ … ^ U_c,  U_1 = HMAC(P, S | INT(i)),  U_j = HMAC(P, U_(j-1)),  DK = T_1 | T_2 | …
//
// Every U of 64 bytes is one block for the inner and one for the outer hash, which begin from states that depend only
// on the password. An iteration is therefore 8 calls of g_N: each hash takes U, the padding block, N and Sigma. Chains
// of one password's blocks and of many passwords are independent: they run side by side in the lanes of a
// HashLanesKernel.
#pragma once

#include "core/registry.hpp"
#include "keys/hmac.hpp"

namespace vsh::keys {

inline constexpr size_t kPbkdf2Block = 64;  // bytes of T_i
inline constexpr uint64_t kPbkdf2MaxLen = kPbkdf2Block * ((uint64_t{1} << 32) - 1);
inline constexpr unsigned kPbkdf2Calls = 8;  // calls of g_N per iteration

struct Pbkdf2Job {
  Bytes password, salt;
  uint32_t iterations;  // at least 1
  uint8_t* out;
  size_t len;         // 1 .. kPbkdf2MaxLen
  bool done = false;  // set by the run: false if memory or threads were exhausted
};

// Runs the jobs on up to `threads` threads (0: all). one, lanes: as streams::hash_batch takes them; both constant-time,
// for passwords are secret. Throws std::bad_alloc, or what threads throw.
void pbkdf2(const HashKernel& one, std::span<const HashLanesKernel* const> lanes, std::span<Pbkdf2Job> jobs,
            unsigned threads);

}  // namespace vsh::keys
