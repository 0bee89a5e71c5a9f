#include "modes/mac.hpp"

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

void MacChain::reset() noexcept {
  std::memset(chain_, 0, sizeof chain_);
  last_len_ = 0;
}

void MacChain::pad() noexcept {
  if (last_len_ == n_) return;
  last_[last_len_] = 0x80;
  std::memset(last_ + last_len_ + 1, 0, n_ - last_len_ - 1);
}

Mac::Mac(const BlockEngine& engine) : engine_(&engine), chain_(engine.block_size()) {
  Wiped<uint8_t[kMaxBlock]> r;
  engine_->encrypt_one(r.value, r.value);
  make_subkeys(r.value);
}

Mac::Mac(const BlockEngine& engine, const uint8_t* zero_encrypted) noexcept
    : engine_(&engine), chain_(engine.block_size()) {
  make_subkeys(zero_encrypted);
}

void Mac::make_subkeys(const uint8_t* zero_encrypted) noexcept {
  double_block(k1_, zero_encrypted, engine_->block_size());
  double_block(k2_, k1_, engine_->block_size());
}

void Mac::update(const uint8_t* in, size_t len) { chain_.update(in, len, encrypt()); }

void Mac::final(uint8_t* mac) { chain_.final(mac, k1_, k2_, encrypt()); }

}  // namespace vsh::modes
