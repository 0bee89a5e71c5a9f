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

  // Word by word through registers: what was just stored in halves cannot be loaded as a whole without waiting.
  static constexpr size_t kWords = kBlock / 8;
  static void put(uint8_t* rows, size_t row_bytes, const uint8_t* bytes) noexcept {
    for (size_t i = 0; i < kTileBytes / 8; ++i) copy_word(rows + i / kWords * row_bytes + i % kWords * 8, bytes + 8 * i);
  }
  template <bool kAdd>
  static void get(uint8_t* out, const uint8_t* in, const uint8_t* rows, size_t row_bytes) noexcept {
    for (size_t i = 0; i < kTileBytes / 8; ++i) {
      const uint8_t* word = rows + i / kWords * row_bytes + i % kWords * 8;
      kAdd ? add_word(out + 8 * i, in + 8 * i, word) : copy_word(out + 8 * i, word);
    }
  }

  // Does not move on: scatter will. The end of a message is filled with zeros.
  static void gather(uint8_t* rows, std::span<const Lane> lanes) noexcept {
    const size_t row_bytes = lanes.size() * kBlock;
    for (const Lane& lane : lanes) {
      if (lane.left >= kTileBytes) {
        prefetch(lane);
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
      const size_t len = std::min(lane.left, kTileBytes);
      if (len == kTileBytes) {
        get<kAdd>(lane.out, lane.in, rows, row_bytes);
      } else if (len) {
        uint8_t bytes[kTileBytes];
        get<false>(bytes, bytes, rows, row_bytes);
        for (size_t i = 0; i < len; ++i) lane.out[i] = kAdd ? bytes[i] ^ lane.in[i] : bytes[i];
      }
      lane.in += len, lane.out += len, lane.left -= len;
      rows += kBlock;
    }
  }

  // The lines that this tile will write and the next one read: kernels run in between.
  static void prefetch(const Lane& lane) noexcept {
    __builtin_prefetch(lane.out, 1);
    __builtin_prefetch(lane.in + kTileBytes);
  }

 private:
  static void copy_word(uint8_t* to, const uint8_t* from) noexcept { std::memcpy(to, from, 8); }
  static void add_word(uint8_t* to, const uint8_t* a, const uint8_t* b) noexcept {
    uint64_t x, y;
    std::memcpy(&x, a, 8);
    std::memcpy(&y, b, 8);
    x ^= y;
    std::memcpy(to, &x, 8);
  }
};

}  // namespace vsh::streams
