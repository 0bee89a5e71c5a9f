#include "gost94/hash.hpp"

#include <algorithm>
#include <cstring>

#include "core/bytes.hpp"
#include "core/wipe.hpp"

namespace vsh::gost94 {

Hash::~Hash() { wipe(this, sizeof *this); }

void Hash::reset() noexcept {
  wipe(h_, sizeof h_);
  wipe(sigma_, sizeof sigma_);
  wipe(buffer_, sizeof buffer_);
  len_ = 0;
}

// Steps 3.2 and 3.4, the same as 2.5 and 2.4.
void Hash::absorb(const uint8_t* block) noexcept {
  step_(h_, block);
  uint64_t carry = 0;
  for (int i = 0; i < 4; ++i) {
    const uint64_t sum = sigma_[i] + load_le64(block + 8 * i);
    const uint64_t with_carry = sum + carry;
    carry = uint64_t{sum < sigma_[i]} | uint64_t{with_carry < sum};
    sigma_[i] = with_carry;
  }
}

// The clause holds back the last block, but processes it like the others: only a partial block is buffered.
void Hash::update(const uint8_t* data, size_t len) noexcept {
  if (len == 0) return;
  const size_t buffered = len_ % kBlockSize;
  len_ += len;
  if (buffered) {
    const size_t take = std::min(len, kBlockSize - buffered);
    std::memcpy(buffer_ + buffered, data, take);
    data += take, len -= take;
    if (buffered + take < kBlockSize) return;
    absorb(buffer_);
  }
  for (; len >= kBlockSize; data += kBlockSize, len -= kBlockSize) absorb(data);
  if (len) std::memcpy(buffer_, data, len);
}

// Step 2. For an empty message the clause, read literally, processes one block of zeros; all implementations except
// gost-engine process none.
void Hash::final(uint8_t* out) noexcept {
  const size_t buffered = len_ % kBlockSize;
  if (buffered) {
    std::memset(buffer_ + buffered, 0, kBlockSize - buffered);
    absorb(buffer_);
  }
  uint8_t last[kBlockSize] = {};
  store_le64(last, len_ << 3);
  last[8] = static_cast<uint8_t>(len_ >> 61);
  step_(h_, last);
  for (int i = 0; i < 4; ++i) store_le64(last + 8 * i, sigma_[i]);
  step_(h_, last);
  std::memcpy(out, h_, kBlockSize);
}

}  // namespace vsh::gost94
