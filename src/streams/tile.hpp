// Moves messages to rows and back: a tile is the next line, 64 bytes, of every lane's message.
//
//     message of lane 0: | block 0 | block 1 | ...          row 0:  lane 0 block 0 | lane 1 block 0 | ...
//     message of lane 1: | block 0 | block 1 | ...   <-->   row 1:  lane 0 block 1 | lane 1 block 1 | ...
//
// Moves a whole line at a time: messages that lie a power of two apart compete for the same few places of the cache, so
// no line should be loaded twice. This is the form for any CPU; rows of AVX-512 have their own (core/kernel.hpp).
#pragma once

#include <array>
#include <cstring>

#include "core/kernel.hpp"

namespace vsh::streams {

inline constexpr size_t kTileBytes = 64;

// Moved in 16 bytes, which any CPU with vectors has: a block of Kuznyechik, or a block of Magma of two lanes. What
// lies in memory word by word has been exchanged for lane by lane in registers.
using Pair [[gnu::vector_size(16), gnu::may_alias]] = uint64_t;

inline Pair load_pair(const uint8_t* from) noexcept {
  Pair p;
  std::memcpy(&p, from, sizeof p);
  return p;
}
inline void store_pair(uint8_t* to, Pair p) noexcept { std::memcpy(to, &p, sizeof p); }
// Returns words 0 of both, or words 1.
inline Pair low_words(Pair a, Pair b) noexcept { return __builtin_shufflevector(a, b, 0, 2); }
inline Pair high_words(Pair a, Pair b) noexcept { return __builtin_shufflevector(a, b, 1, 3); }

// Returns whether messages seem to lie half pages apart, so that their lines fall into one or two sets of a cache.
// at(i): where message i lies.
template <class At>
bool lines_compete(At at, size_t num) noexcept {
  constexpr uintptr_t kHalfPage = 2048;
  if (num < 2) return false;
  const uintptr_t distance = reinterpret_cast<uintptr_t>(at(1)) - reinterpret_cast<uintptr_t>(at(0));
  return distance != 0 && distance % kHalfPage == 0;
}

template <size_t kBlock>
struct Tile {
  static constexpr size_t kRows = kTileBytes / kBlock;
  static constexpr size_t kSideBySide = sizeof(Pair) / kBlock;  // lanes that are moved together

  // lines: of each lane of the kernel.
  static void gather(const BlockKernel& kernel, uint8_t* rows, const uint8_t* const* lines) noexcept {
    if (kernel.gather) return kernel.gather(rows, lines);
    const size_t row_bytes = kernel.info.lanes * kBlock;
    for_lanes(kernel, [&](size_t i, auto num) { put<num>(rows + i * kBlock, row_bytes, lines + i); });
  }
  static void scatter(const BlockKernel& kernel, uint8_t* const* lines, const uint8_t* rows) noexcept {
    if (kernel.scatter) return kernel.scatter(lines, rows);
    const size_t row_bytes = kernel.info.lanes * kBlock;
    for_lanes(kernel, [&](size_t i, auto num) { get<num, false>(lines + i, nullptr, rows + i * kBlock, row_bytes); });
  }
  // Adds the lines of `add` to what it writes.
  static void scatter_sum(const BlockKernel& kernel, uint8_t* const* lines, const uint8_t* const* add,
                          const uint8_t* rows) noexcept {
    if (kernel.scatter_sum) return kernel.scatter_sum(lines, add, rows);
    const size_t row_bytes = kernel.info.lanes * kBlock;
    for_lanes(kernel, [&](size_t i, auto num) { get<num, true>(lines + i, add + i, rows + i * kBlock, row_bytes); });
  }

 private:
  // Calls f(i, number of lanes as a constant) for lanes that are moved together.
  template <class F>
  static void for_lanes(const BlockKernel& kernel, F f) noexcept {
    size_t i = 0;
    for (; i + kSideBySide <= kernel.info.lanes; i += kSideBySide) f(i, std::integral_constant<size_t, kSideBySide>{});
    for (; i < kernel.info.lanes; ++i) f(i, std::integral_constant<size_t, 1>{});
  }

  template <size_t kNum>
  static void put(uint8_t* rows, size_t row_bytes, const uint8_t* const* lines) noexcept {
    for (size_t i = 0; i < kTileBytes; i += sizeof(Pair)) {
      uint8_t* const row = rows + i / kBlock * row_bytes;
      if constexpr (kBlock == 16) {
        store_pair(row, load_pair(lines[0] + i));
      } else if constexpr (kNum == 1) {
        std::memcpy(row, lines[0] + i, 8);
        std::memcpy(row + row_bytes, lines[0] + i + 8, 8);
      } else {
        const Pair a = load_pair(lines[0] + i), b = load_pair(lines[1] + i);
        store_pair(row, low_words(a, b));
        store_pair(row + row_bytes, high_words(a, b));
      }
    }
  }
  template <size_t kNum, bool kAdd>
  static void get(uint8_t* const* lines, const uint8_t* const* add, const uint8_t* rows, size_t row_bytes) noexcept {
    const auto write = [&](size_t lane, size_t i, Pair p) {
      if constexpr (kAdd) p ^= load_pair(add[lane] + i);
      store_pair(lines[lane] + i, p);
    };
    for (size_t i = 0; i < kTileBytes; i += sizeof(Pair)) {
      const uint8_t* const row = rows + i / kBlock * row_bytes;
      if constexpr (kBlock == 16) {
        write(0, i, load_pair(row));
      } else if constexpr (kNum == 1) {
        uint64_t words[2];
        std::memcpy(&words[0], row, 8);
        std::memcpy(&words[1], row + row_bytes, 8);
        write(0, i, Pair{words[0], words[1]});
      } else {
        const Pair first = load_pair(row), second = load_pair(row + row_bytes);
        write(0, i, low_words(first, second));
        write(1, i, high_words(first, second));
      }
    }
  }
};

}  // namespace vsh::streams
