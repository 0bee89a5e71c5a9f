#include "streebog/hash.hpp"

#include <cassert>
#include <cstring>

#include "core/wipe.hpp"
#include "streebog/arithmetic.hpp"

namespace vsh::streebog {

Hash::Hash(const HashKernel* kernel, unsigned hash_bits) noexcept : hash_bytes_(hash_bits / 8), kernel_(kernel) {
  assert(hash_bits == 256 || hash_bits == 512);
  reset();
}

Hash::~Hash() {
  wipe(&state_, sizeof state_);
  wipe(buffer_, sizeof buffer_);
}

// Stage 1 (RFC 6986, section 9.1).
void Hash::reset() noexcept {
  std::memset(state_.h, hash_bytes_ == 64 ? kInitialByte512 : kInitialByte256, sizeof state_.h);
  std::memset(state_.n, 0, sizeof state_.n);
  std::memset(state_.sigma, 0, sizeof state_.sigma);
  wipe(buffer_, sizeof buffer_);
  buffered_ = 0;
}

// Stage 2 (section 9.2).
void Hash::update(const uint8_t* data, size_t len) noexcept {
  if (len == 0) return;
  if (buffered_ > 0) {
    const size_t room = kBlockSize - buffered_;
    const size_t take = len < room ? len : room;
    std::memcpy(buffer_ + buffered_, data, take);
    buffered_ += static_cast<uint32_t>(take);
    data += take;
    len -= take;
    if (buffered_ < kBlockSize) return;
    kernel_->absorb(&state_, buffer_, 1);
    buffered_ = 0;
  }
  const size_t num_blocks = len / kBlockSize;
  if (num_blocks > 0) kernel_->absorb(&state_, data, num_blocks);
  const size_t rest = len % kBlockSize;
  if (rest > 0) std::memcpy(buffer_, data + num_blocks * kBlockSize, rest);
  buffered_ = static_cast<uint32_t>(rest);
}

// Stage 3 (section 9.3). Blocks are absorbed while at least 512 bits are left, so the last block is never full: it has
// room for the 1 that follows the message (0 … 0 || 1 || M in the standard's order).
void Hash::final(uint8_t* out) noexcept {
  std::memset(buffer_ + buffered_, 0, kBlockSize - buffered_);
  buffer_[buffered_] = 1;
  kernel_->compress(state_.h, state_.n, buffer_);
  add_bits(state_.n, 8 * uint64_t{buffered_});
  add_512(state_.sigma, buffer_);
  alignas(64) static constexpr uint8_t zero[64] = {};
  kernel_->compress(state_.h, zero, state_.n);
  kernel_->compress(state_.h, zero, state_.sigma);
  // The 256-bit hash is MSB_256(h).
  std::memcpy(out, state_.h + (64 - hash_bytes_), hash_bytes_);
}

}  // namespace vsh::streebog
