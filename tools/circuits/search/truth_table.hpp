// A Boolean function of up to eight variables as its 256 values: bit x of the table is f(x). All
// circuits here have at most eight inputs (one byte), so every comparison of tables is a proof, not
// a sample.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace vsh::search {

struct TruthTable {
  std::array<std::uint64_t, 4> word{};

  static TruthTable ones() { return {{~0ull, ~0ull, ~0ull, ~0ull}}; }

  // The table of the function "input variable i".
  static TruthTable variable(int i) {
    static constexpr std::uint64_t within[6] = {0xaaaaaaaaaaaaaaaaull, 0xccccccccccccccccull, 0xf0f0f0f0f0f0f0f0ull,
                                                0xff00ff00ff00ff00ull, 0xffff0000ffff0000ull, 0xffffffff00000000ull};
    TruthTable t;
    for (int k = 0; k < 4; ++k) {
      t.word[k] = i < 6 ? within[i] : ((k >> (i - 6)) & 1) != 0 ? ~0ull : 0;
    }
    return t;
  }

  bool at(int x) const { return ((word[x >> 6] >> (x & 63)) & 1) != 0; }
  void set(int x) { word[x >> 6] |= 1ull << (x & 63); }
  bool any() const { return (word[0] | word[1] | word[2] | word[3]) != 0; }

  friend TruthTable operator&(const TruthTable& a, const TruthTable& b) {
    TruthTable r;
    for (int k = 0; k < 4; ++k) r.word[k] = a.word[k] & b.word[k];
    return r;
  }
  friend TruthTable operator|(const TruthTable& a, const TruthTable& b) {
    TruthTable r;
    for (int k = 0; k < 4; ++k) r.word[k] = a.word[k] | b.word[k];
    return r;
  }
  friend TruthTable operator^(const TruthTable& a, const TruthTable& b) {
    TruthTable r;
    for (int k = 0; k < 4; ++k) r.word[k] = a.word[k] ^ b.word[k];
    return r;
  }
  TruthTable operator~() const {
    TruthTable r;
    for (int k = 0; k < 4; ++k) r.word[k] = ~word[k];
    return r;
  }
  friend bool operator==(const TruthTable&, const TruthTable&) = default;
};

// f(a, b, c) for the three-input function `lut`, whose value for (a, b, c) is bit a*4 + b*2 + c
// (the convention of Intel's vpternlog).
inline TruthTable apply_lut(unsigned lut, const TruthTable& a, const TruthTable& b, const TruthTable& c) {
  TruthTable r;
  for (int k = 0; k < 4; ++k) {
    const std::uint64_t x = a.word[k], y = b.word[k], z = c.word[k];
    const auto on = [&](int bit) { return ((lut >> bit) & 1) != 0 ? ~0ull : 0ull; };
    const auto pick = [&](int base) { return (on(base) & ~z) | (on(base + 1) & z); };
    const std::uint64_t low = (pick(0) & ~y) | (pick(2) & y);
    const std::uint64_t high = (pick(4) & ~y) | (pick(6) & y);
    r.word[k] = (low & ~x) | (high & x);
  }
  return r;
}

struct TruthTableHash {
  std::size_t operator()(const TruthTable& t) const {
    std::uint64_t h = 0x9e3779b97f4a7c15ull;
    for (const std::uint64_t w : t.word) {
      h = (h ^ w) * 0xff51afd7ed558ccdull;
      h ^= h >> 32;
    }
    return static_cast<std::size_t>(h);
  }
};

}  // namespace vsh::search
