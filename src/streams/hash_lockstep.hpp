// Hashes a chunk of messages, one in each lane of a Streebog kernel, and one message alone.
#pragma once

#include <cstring>
#include <vector>

#include "core/kernel.hpp"
#include "core/secret_buffer.hpp"
#include "streams/message.hpp"
#include "streams/plan.hpp"
#include "streams/selection.hpp"
#include "streebog/arithmetic.hpp"
#include "streebog/hash.hpp"

namespace vsh::streams {

// Runs stages 2 and 3 of the hash computation for a chunk of messages in step. All begin together, so in each call
// those that are still at their blocks have the same N.
class HashLockstep {
 public:
  explicit HashLockstep(size_t max_lanes)
      : strings_(max_lanes * sizeof(Strings)), lanes_(max_lanes), h_(max_lanes), n_(max_lanes), m_(max_lanes) {}

  void run(const HashLanesKernel& kernel, size_t digest_len, const Selection<Message>& messages,
           std::span<const Placed> placed, uint64_t calls) {
    for (size_t lane = 0; lane < kernel.info.lanes; ++lane) leave_empty(lane);
    for (const Placed& p : placed) begin(p.lane, messages[p.job], digest_len);
    alignas(64) uint8_t n[streebog::kBlockSize] = {};
    for (uint64_t call = 0; call < calls; ++call) {
      for (const Placed& p : placed) next(p.lane, call, n);
      kernel.compress(h_.data(), n_.data(), m_.data());
      streebog::add_bits(n, 8 * streebog::kBlockSize);
      for (const Placed& p : placed) finish(p.lane, call, messages[p.job], digest_len);
    }
  }

 private:
  struct Strings {
    alignas(64) uint8_t h[streebog::kBlockSize];
    uint8_t sigma[streebog::kBlockSize];
    uint8_t last[streebog::kBlockSize];  // the padded block, then N
  };
  struct Lane {
    const uint8_t* prefix;
    const uint8_t* in;  // of the block after the prefix
    uint64_t num_full;  // blocks that are not padded, the prefix among them

    const uint8_t* block(uint64_t i) const noexcept {
      if (!prefix) return in + i * streebog::kBlockSize;
      return i == 0 ? prefix : in + (i - 1) * streebog::kBlockSize;
    }
  };

  Strings& strings(size_t lane) noexcept { return reinterpret_cast<Strings*>(strings_.data())[lane]; }

  void leave_empty(size_t lane) noexcept {
    h_[lane] = unused_;
    n_[lane] = m_[lane] = zero_;
  }

  void begin(size_t lane, const Message& message, size_t digest_len) noexcept {
    Strings& s = strings(lane);
    std::memset(s.h, digest_len == 64 ? streebog::kInitialByte512 : streebog::kInitialByte256, streebog::kBlockSize);
    std::memset(s.sigma, 0, streebog::kBlockSize);
    std::memset(s.last, 0, streebog::kBlockSize);
    const size_t rest = message.len % streebog::kBlockSize;
    if (rest) std::memcpy(s.last, message.in + (message.len - rest), rest);
    s.last[rest] = 1;
    lanes_[lane] = {message.prefix, message.in, message.total_len() / streebog::kBlockSize};
    h_[lane] = s.h;
  }

  // Sets the operands of this call in the lane.
  void next(size_t lane, uint64_t call, const uint8_t* n) noexcept {
    Strings& s = strings(lane);
    const uint64_t num_full = lanes_[lane].num_full;
    if (call <= num_full) {
      m_[lane] = call < num_full ? lanes_[lane].block(call) : s.last;
      n_[lane] = n;
      streebog::add_512(s.sigma, m_[lane]);
      if (call + 1 < num_full) __builtin_prefetch(m_[lane] + streebog::kBlockSize);
    } else if (call <= num_full + 2) {
      n_[lane] = zero_;
      m_[lane] = call == num_full + 1 ? s.last : s.sigma;
    }
  }

  void finish(size_t lane, uint64_t call, Message& message, size_t digest_len) noexcept {
    Strings& s = strings(lane);
    const uint64_t num_full = lanes_[lane].num_full;
    if (call == num_full) {
      std::memset(s.last, 0, streebog::kBlockSize);  // |M| in bits
      const uint64_t len = message.total_len();
      store_le64(s.last, len << 3);
      s.last[8] = static_cast<uint8_t>(len >> 61);
    } else if (call == num_full + 2) {
      std::memcpy(message.digest, s.h + (streebog::kBlockSize - digest_len), digest_len);
      message.done = true;
      leave_empty(lane);
    }
  }

  SecretBuffer strings_;
  std::vector<Lane> lanes_;
  std::vector<uint8_t*> h_;
  std::vector<const uint8_t*> n_, m_;
  alignas(64) const uint8_t zero_[streebog::kBlockSize] = {};
  alignas(64) uint8_t unused_[streebog::kBlockSize] = {};
};

inline void hash_alone(const HashKernel& kernel, unsigned hash_bits, Message& message) noexcept {
  streebog::Hash hash(&kernel, hash_bits);
  if (message.prefix) hash.update(message.prefix, streebog::kBlockSize);
  hash.update(message.in, message.len);
  hash.final(message.digest);
  message.done = true;
}

}  // namespace vsh::streams
