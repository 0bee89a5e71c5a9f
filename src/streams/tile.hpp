// Messages to rows and back: a tile is the next 64 bytes, a cache line, of every lane's message.
//
//     message of lane 0: | block 0 | block 1 | ...          row 0:  lane 0 block 0 | lane 1 block 0 | ...
//     message of lane 1: | block 0 | block 1 | ...   <-->   row 1:  lane 0 block 1 | lane 1 block 1 | ...
//
// A whole line at a time, because messages that lie a power of two apart compete for the same few places of
// the cache: no line should have to come twice.
#pragma once

#include <algorithm>
#include <cstring>
#include <span>

#include "core/bytes.hpp"

namespace vsh::streams {

inline constexpr size_t kTileBytes = 64;

// A message on its way; `in` and `out` move on with it.
struct Lane {
  const uint8_t* in = nullptr;
  uint8_t* out = nullptr;
  size_t left = 0;     // bytes of the message
  size_t out_len = 0;  // of a MAC
  size_t last = 0;     // of a MAC: 1 + the row of this tile in which it ends, 0 where it goes on
};

template <size_t kBlock>
struct Tile {
  static constexpr size_t kRows = kTileBytes / kBlock;

  static void put(uint8_t* rows, size_t row_bytes, const uint8_t* bytes) noexcept {
    for (size_t r = 0; r < kRows; ++r) std::memcpy(rows + r * row_bytes, bytes + r * kBlock, kBlock);
  }
  static void get(uint8_t* bytes, const uint8_t* rows, size_t row_bytes) noexcept {
    for (size_t r = 0; r < kRows; ++r) std::memcpy(bytes + r * kBlock, rows + r * row_bytes, kBlock);
  }

  // Does not move on: scatter will. The end of a message is filled with zeros.
  static void gather(uint8_t* rows, std::span<const Lane> lanes) noexcept {
    const size_t row_bytes = lanes.size() * kBlock;
    for (const Lane& lane : lanes) {
      if (lane.left >= kTileBytes) {
        __builtin_prefetch(lane.in + kTileBytes);
        put(rows, row_bytes, lane.in);
      } else if (lane.left) {
        uint8_t filled[kTileBytes] = {};
        std::memcpy(filled, lane.in, lane.left);
        put(rows, row_bytes, filled);
      }
      rows += kBlock;
    }
  }

  // Writes the rows out, added to the message where kAdd, and moves on.
  template <bool kAdd>
  static void scatter(std::span<Lane> lanes, const uint8_t* rows) noexcept {
    const size_t row_bytes = lanes.size() * kBlock;
    for (Lane& lane : lanes) {
      if (lane.left) {
        const size_t len = std::min(lane.left, kTileBytes);
        uint8_t bytes[kTileBytes];
        get(bytes, rows, row_bytes);
        if (len == kTileBytes) {
          if constexpr (kAdd) add(bytes, lane.in);
          std::memcpy(lane.out, bytes, kTileBytes);
        } else {
          if constexpr (kAdd)
            for (size_t i = 0; i < len; ++i) bytes[i] ^= lane.in[i];
          std::memcpy(lane.out, bytes, len);
        }
        lane.in += len, lane.out += len, lane.left -= len;
      }
      rows += kBlock;
    }
  }

 private:
  static void add(uint8_t (&to)[kTileBytes], const uint8_t* from) noexcept {
    uint64_t a[kTileBytes / 8], b[kTileBytes / 8];
    std::memcpy(a, to, sizeof a);
    std::memcpy(b, from, sizeof b);
    for (size_t i = 0; i < kTileBytes / 8; ++i) a[i] ^= b[i];
    std::memcpy(to, a, sizeof a);
  }
};

}  // namespace vsh::streams
