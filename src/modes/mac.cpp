#include "modes/mac.hpp"

#include <cstring>

#include "core/bytes.hpp"

namespace vsh::modes {

// out = in << 1 if MSB_1(in) = 0, else (in << 1) ^ B_n; multiplication by x in GF(2^n).
// B_64 = 0^59 || 11011, B_128 = 0^120 || 10000111. No branch on the secret bit.
void double_block(uint8_t* out, const uint8_t* in, size_t n) noexcept {
  const uint64_t b = n == 16 ? 0x87 : 0x1b;
  const uint64_t high = load_be64(in);
  const uint64_t reduction = b & (0 - (high >> 63));
  if (n == 16) {
    const uint64_t low = load_be64(in + 8);
    store_be64(out, high << 1 | low >> 63);
    store_be64(out + 8, low << 1 ^ reduction);
  } else {
    store_be64(out, high << 1 ^ reduction);
  }
}

Mac::Mac(const BlockEngine& engine) : engine_(engine) {
  Wiped<uint8_t[kMaxBlock]> r;
  engine_.encrypt_one(r.value, r.value);
  double_block(k1_, r.value, engine_.block_size());
  double_block(k2_, k1_, engine_.block_size());
  reset();
}

void Mac::reset() noexcept {
  std::memset(chain_, 0, sizeof chain_);
  last_len_ = 0;
}

void Mac::absorb(const uint8_t* block) {
  xor_bytes(chain_, chain_, block, engine_.block_size());
  engine_.encrypt_one(chain_, chain_);
}

void Mac::update(const uint8_t* in, size_t len) {
  const size_t n = engine_.block_size();
  if (len == 0) return;
  const size_t step = std::min(len, n - last_len_);
  std::memcpy(last_ + last_len_, in, step);
  last_len_ += step, in += step, len -= step;
  if (len == 0) return;
  absorb(last_);
  for (; len > n; in += n, len -= n) absorb(in);
  std::memcpy(last_, in, len);
  last_len_ = len;
}

void Mac::final(uint8_t* mac) {
  const size_t n = engine_.block_size();
  const uint8_t* subkey = k1_;
  if (last_len_ < n) {
    last_[last_len_] = 0x80;
    std::memset(last_ + last_len_ + 1, 0, n - last_len_ - 1);
    subkey = k2_;
  }
  xor_bytes(chain_, chain_, subkey, n);
  absorb(last_);
  std::memcpy(mac, chain_, n);
}

}  // namespace vsh::modes
