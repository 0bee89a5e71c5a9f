// The anti-replay window of RFC 4303 3.4.3 and appendix A2, as a ring of words that is never shifted (RFC 6479).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>

namespace vsh::esp {

class Window {
 public:
  static constexpr unsigned kMin = 64, kMax = 4096;

  Window() noexcept : Window(kMin, 0) {}
  // size: packets, a multiple of 64. All numbers up to `top` count as seen.
  Window(unsigned size, uint64_t top) noexcept : size_(size), top_(top) {
    std::fill(std::begin(words_), std::end(words_), ~uint64_t{0});
    words_[word_of(top)] >>= 63 - top % 64;  // numbers ahead of the edge have not been seen
  }

  uint64_t top() const noexcept { return top_; }  // the right edge: the highest number seen

  // Returns the whole number of which `low` are the lower 32 bits: the one in the range of 2^32 numbers that begins at
  // the window's left edge (appendix A2.2). Before the first 2^32 there is none below.
  uint64_t whole(uint32_t low) const noexcept {
    const auto top_low = static_cast<uint32_t>(top_);
    const uint64_t top_high = top_ >> 32;
    const auto left = static_cast<uint32_t>(top_low - (size_ - 1));
    uint64_t high = top_high;
    if (top_low >= size_ - 1) high += low < left;
    else if (low >= left && top_high > 0) high -= 1;
    return high << 32 | low;
  }

  // Returns whether the number was seen, or is left of the window.
  bool seen(uint64_t number) const noexcept {
    if (number > top_) return false;
    if (top_ - number >= size_) return true;
    return words_[word_of(number)] >> (number % 64) & 1;
  }

  // number: not seen.
  void mark(uint64_t number) noexcept {
    if (number > top_) {
      const uint64_t passed = std::min<uint64_t>(number / 64 - top_ / 64, num_words());
      for (uint64_t i = 1; i <= passed; ++i) words_[(top_ / 64 + i) % num_words()] = 0;
      top_ = number;
    }
    words_[word_of(number)] |= uint64_t{1} << (number % 64);
  }

 private:
  // One more than the window has, so that the newest word may be partly ahead of it.
  uint64_t num_words() const noexcept { return size_ / 64 + 1; }
  size_t word_of(uint64_t number) const noexcept { return static_cast<size_t>(number / 64 % num_words()); }

  unsigned size_;
  uint64_t top_;
  uint64_t words_[kMax / 64 + 1];
};

}  // namespace vsh::esp
