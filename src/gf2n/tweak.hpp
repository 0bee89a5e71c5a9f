// Tweaks of XTS (IEEE 1619-2007 clause 5.2): elements of GF(2^128) modulo x^128 + x^7 + x^2 + x + 1, in memory least
// significant byte first. Tweaks are secret: no branch or address depends on one.
#pragma once

#include <bit>

#include "core/bytes.hpp"
#include "core/wipe.hpp"

namespace vsh::gf2n {

class Tweak {
 public:
  Tweak(uint64_t low, uint64_t high) noexcept : low_(low), high_(high) {}
  explicit Tweak(const uint8_t* bytes) noexcept : Tweak(load_le64(bytes), load_le64(bytes + 8)) {}
  Tweak(const Tweak&) noexcept = default;
  Tweak& operator=(const Tweak&) noexcept = default;
  ~Tweak() {
    wipe(&low_, sizeof low_);
    wipe(&high_, sizeof high_);
  }
  uint64_t low() const noexcept { return low_; }
  uint64_t high() const noexcept { return high_; }
  void store(uint8_t* bytes) const noexcept {
    store_le64(bytes, low_);
    store_le64(bytes + 8, high_);
  }

  void times_x32() noexcept {
    const uint64_t over = high_ >> 32;
    high_ = high_ << 32 | low_ >> 32;
    low_ = low_ << 32 ^ over ^ over << 1 ^ over << 2 ^ over << 7;
  }
  // Multiplies by x^n. n is public.
  void times_power(uint64_t n) noexcept {
    Tweak power(1, 0);
    for (int i = std::bit_width(n) - 1; i >= 0; --i) {
      power.times(power);
      if (n >> i & 1) power.times_x();
    }
    times(power);
  }

 private:
  void times_x() noexcept {
    const uint64_t reduction = -(high_ >> 63) & 0x87;
    high_ = high_ << 1 | low_ >> 63;
    low_ = low_ << 1 ^ reduction;
  }
  // Multiplies by b: Horner's rule over its bits.
  void times(const Tweak& b) noexcept {
    Tweak product(0, 0);
    for (int i = 127; i >= 0; --i) {
      const uint64_t bit = -((i < 64 ? b.low_ >> i : b.high_ >> (i - 64)) & 1);
      product.times_x();
      product.low_ ^= low_ & bit;
      product.high_ ^= high_ & bit;
    }
    *this = product;
  }

  uint64_t low_, high_;
};

}  // namespace vsh::gf2n
