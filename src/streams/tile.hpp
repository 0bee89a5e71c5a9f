// Moves messages to rows and back: a tile is the next 64 bytes, a cache line, of every lane's message.
//
//     message of lane 0: | block 0 | block 1 | ...          row 0:  lane 0 block 0 | lane 1 block 0 | ...
//     message of lane 1: | block 0 | block 1 | ...   <-->   row 1:  lane 0 block 1 | lane 1 block 1 | ...
//
// Moves a whole line at a time: messages that lie a power of two apart compete for the same few places of the cache, so
// no line should be loaded twice.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <span>

#include "core/bytes.hpp"

namespace vsh::streams {

inline constexpr size_t kTileBytes = 64;

// A message in progress; `in` and `out` advance with it.
struct Lane {
  const uint8_t* in = nullptr;
  uint8_t* out = nullptr;
  size_t left = 0;     // bytes of the message
  size_t out_len = 0;  // of a MAC
  size_t last = 0;     // of a MAC: 1 + the row of this tile in which it ends, 0 if it goes on
};

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

template <size_t kBlock>
struct Tile {
  static constexpr size_t kRows = kTileBytes / kBlock;
  static constexpr size_t kSideBySide = sizeof(Pair) / kBlock;  // lanes that are moved together

  // Moves 64 bytes of each of kNum neighbouring lanes to their places in the rows.
  template <size_t kNum>
  static void put(uint8_t* rows, size_t row_bytes, const std::array<const uint8_t*, kNum>& bytes) noexcept {
    for (size_t i = 0; i < kTileBytes; i += sizeof(Pair)) {
      uint8_t* const row = rows + i / kBlock * row_bytes;
      if constexpr (kBlock == 16) {
        store_pair(row, load_pair(bytes[0] + i));
      } else if constexpr (kNum == 1) {
        std::memcpy(row, bytes[0] + i, 8);
        std::memcpy(row + row_bytes, bytes[0] + i + 8, 8);
      } else {
        const Pair a = load_pair(bytes[0] + i), b = load_pair(bytes[1] + i);
        store_pair(row, low_words(a, b));
        store_pair(row + row_bytes, high_words(a, b));
      }
    }
  }
  // Moves them back, added to the message if kAdd.
  template <bool kAdd, size_t kNum>
  static void get(const std::array<uint8_t*, kNum>& out, const std::array<const uint8_t*, kNum>& in,
                  const uint8_t* rows, size_t row_bytes) noexcept {
    const auto write = [&](size_t lane, size_t i, Pair p) {
      store_pair(out[lane] + i, kAdd ? p ^ load_pair(in[lane] + i) : p);
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

  // Does not advance the lanes: scatter does. The end of a message is filled with zeros.
  static void gather(uint8_t* rows, std::span<const Lane> lanes) noexcept {
    const size_t row_bytes = lanes.size() * kBlock;
    for_lanes(
        lanes, kTileBytes,
        [&](size_t i, const Lane& a, const Lane& b) {
          prefetch(a), prefetch(b);
          put<2>(rows + i * kBlock, row_bytes, {a.in, b.in});
        },
        [&](size_t i, const Lane& lane) {
          if (lane.left >= kTileBytes) {
            prefetch(lane);
            put<1>(rows + i * kBlock, row_bytes, {lane.in});
          } else if (lane.left) {
            uint8_t filled[kTileBytes] = {};
            std::memcpy(filled, lane.in, lane.left);
            put<1>(rows + i * kBlock, row_bytes, {filled});
          }
        });
  }

  // Writes the rows out, added to the message if kAdd, and advances the lanes.
  template <bool kAdd>
  static void scatter(std::span<Lane> lanes, const uint8_t* rows) noexcept {
    const size_t row_bytes = lanes.size() * kBlock;
    const auto move_on = [](Lane& lane, size_t len) { lane.in += len, lane.out += len, lane.left -= len; };
    for_lanes(
        lanes, kTileBytes,
        [&](size_t i, Lane& a, Lane& b) {
          get<kAdd, 2>({a.out, b.out}, {a.in, b.in}, rows + i * kBlock, row_bytes);
          move_on(a, kTileBytes), move_on(b, kTileBytes);
        },
        [&](size_t i, Lane& lane) {
          const size_t len = std::min(lane.left, kTileBytes);
          if (len == kTileBytes) {
            get<kAdd, 1>({lane.out}, {lane.in}, rows + i * kBlock, row_bytes);
          } else if (len) {
            uint8_t bytes[kTileBytes] = {};
            if (kAdd) std::memcpy(bytes, lane.in, len);
            get<kAdd, 1>({bytes}, {bytes}, rows + i * kBlock, row_bytes);
            std::memcpy(lane.out, bytes, len);
          }
          move_on(lane, len);
        });
  }

  // Prefetches the lines that this tile will write and the next one read: kernels run in between.
  static void prefetch(const Lane& lane) noexcept {
    __builtin_prefetch(lane.out, 1);
    __builtin_prefetch(lane.in + kTileBytes);
  }

  // Calls both(i, a, b) for lanes i and i + 1 that have at least so many bytes left each, if such are moved together;
  // one(i, lane) for all others.
  template <class L, class Both, class One>
  static void for_lanes(std::span<L> lanes, size_t min_left, Both both, One one) noexcept {
    size_t i = 0;
    if constexpr (kSideBySide == 2)
      for (; i + 2 <= lanes.size(); i += 2) {
        L &a = lanes[i], &b = lanes[i + 1];
        std::min(a.left, b.left) >= min_left ? both(i, a, b) : (one(i, a), one(i + 1, b));
      }
    for (; i < lanes.size(); ++i) one(i, lanes[i]);
  }
};

}  // namespace vsh::streams
