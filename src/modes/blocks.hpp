// Shared by several modes: addition modulo 2, the truncation T_s, working memory for keystream (gamma in GOST).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "core/block_engine.hpp"
#include "core/wipe.hpp"

namespace vsh::modes {

inline constexpr size_t kMaxBlock = 16;     // bytes: Kuznyechik
inline constexpr size_t kMaxRegister = 16;  // blocks; for OFB, CBC and CFB; the standard sets no bound

enum class Direction { encrypt, decrypt };

// out = a ^ b. out may be a or b; no other overlap.
void xor_bytes(uint8_t* out, const uint8_t* a, const uint8_t* b, size_t len) noexcept;

// T_s of GOST R 34.13-2015 (clause 3.2): keeps the most significant s bytes of every block, side by side.
void truncate_blocks(uint8_t* blocks, size_t num_blocks, size_t block_size, size_t s) noexcept;

// Runs open, which decrypts in to out, reading in once, and returns whether it is authentic. If not, no plaintext
// remains in out: in place, close encrypts it again; otherwise, and if one of them throws, it is erased.
template <class Open, class Close>
bool release_or_erase(uint8_t* out, const uint8_t* in, size_t len, Open&& open, Close&& close) {
  try {
    if (open()) return true;
    out == in ? close() : wipe(out, len);
    return false;
  } catch (...) {
    wipe(out, len);
    throw;
  }
}

// Working memory on the stack, not initialised; the used part is erased at the end of its scope.
template <size_t kLen>
class ScratchOf {
 public:
  static constexpr size_t kSize = kLen;

  ScratchOf() noexcept = default;
  ScratchOf(const ScratchOf&) = delete;
  ScratchOf& operator=(const ScratchOf&) = delete;
  ~ScratchOf() { wipe(bytes_, used_); }

  uint8_t* use(size_t len) noexcept {
    used_ = std::max(used_, len);
    return bytes_;
  }

 private:
  size_t used_ = 0;
  alignas(64) uint8_t bytes_[kSize];
};
using Scratch = ScratchOf<16 * 1024>;  // with its input and output it stays in a first-level cache

// Returns how many blocks to give to the engine at a time: whole passes of its many-block kernel that fit a Scratch.
inline size_t batch_blocks(const BlockEngine& engine) noexcept {
  const size_t fit = Scratch::kSize / engine.block_size();
  const size_t lanes = engine.many().info.lanes;
  return lanes < fit ? fit - fit % lanes : fit;
}

// Returns the blocks that one step of a feedback mode may do together: z, the register's length in blocks.
inline void encrypt_few(const BlockEngine& engine, uint8_t* out, const uint8_t* in, size_t num_blocks) {
  num_blocks == 1 ? engine.encrypt_one(out, in) : engine.encrypt(out, in, num_blocks);
}

}  // namespace vsh::modes
