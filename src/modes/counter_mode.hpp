// CounterMode implements modes whose keystream block i depends only on i: CTR of GOST R 34.13-2015, CNT of GOST
// 28147-89. The position in the message is their only state, so seeking costs one block, and blocks can be computed in
// parallel.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstring>

#include "core/executor.hpp"
#include "modes/blocks.hpp"

namespace vsh::modes {

// Adds keystream to num_units pieces of s bytes: to piece i the first s bytes of E(counter(i)).
// make_counters(blocks, first, num) writes the counters first .. first + num - 1; several threads call it.
template <class MakeCounters>
void add_keystream(const BlockEngine& engine, size_t s, uint8_t* out, const uint8_t* in, size_t num_units,
                   const MakeCounters& make_counters) {
  const size_t n = engine.block_size();
  const size_t batch = batch_blocks(engine);
  const size_t grain = (kBytesPerThread / n + batch - 1) / batch * batch;
  for_ranges(num_units, grain, engine.threads(), [&](size_t begin, size_t end) {
    Scratch scratch;
    while (begin < end) {
      const size_t num = std::min(end - begin, batch);
      uint8_t* keystream = scratch.use(num * n);
      make_counters(keystream, begin, num);
      engine.encrypt(keystream, keystream, num);
      truncate_blocks(keystream, num, n, s);
      xor_bytes(out + begin * s, in + begin * s, keystream, num * s);
      begin += num;
    }
  });
}

// A counter sequence adds keystream blocks first .. first + num_units - 1, cut to s bytes each, to the data.
template <class C, class Engine>
concept CounterSequence = requires(C& c, Engine& engine, uint8_t* out, const uint8_t* in, size_t s, uint64_t first,
                                   size_t num_units) {
  c.add(engine, s, out, in, first, num_units);
};

// Engine: what the sequence encrypts with. A sequence of limited length has max_blocks(n) for blocks of n bytes.
template <class Counter, class Engine = const BlockEngine>
requires CounterSequence<Counter, Engine>
class CounterMode {
 public:
  // segment: s, 1 .. block size, bytes of keystream taken from each block.
  CounterMode(Engine& engine, const uint8_t* iv, size_t segment)
      : engine_(&engine), counter_(engine, iv), segment_(segment) {}

  void set_engine(Engine& engine) noexcept { engine_ = &engine; }
  // len <= bytes_left().
  void process(uint8_t* out, const uint8_t* in, size_t len) {
    const auto advance = [&](size_t step) { out += step, in += step, len -= step, position_ += step; };
    const auto within_block = [&] {
      const size_t offset = position_ % segment_;
      const size_t step = std::min(len, segment_ - offset);
      xor_bytes(out, in, keystream_ + offset, step);
      advance(step);
    };
    if (len && position_ % segment_) within_block();
    if (const size_t num = len / segment_) {
      counter_.add(*engine_, segment_, out, in, position_ / segment_, num);
      advance(num * segment_);
    }
    if (len) {
      make_keystream();
      within_block();
    }
  }

  // The next byte to be processed is byte `position` <= max_len() of the message.
  void seek(uint64_t position) {
    position_ = position;
    if (position_ % segment_) make_keystream();
  }

  uint64_t max_len() const noexcept {
    if constexpr (requires(size_t n) { counter_.max_blocks(n); }) {
      const uint64_t blocks = counter_.max_blocks(engine_->block_size());
      if (blocks <= UINT64_MAX / segment_) return blocks * segment_;
    }
    return UINT64_MAX;
  }
  uint64_t bytes_left() const noexcept { return max_len() - position_; }

 private:
  void make_keystream() {
    std::memset(keystream_, 0, sizeof keystream_);
    counter_.add(*engine_, segment_, keystream_, keystream_, position_ / segment_, 1);
  }

  Engine* engine_;
  Counter counter_;
  size_t segment_;
  uint64_t position_ = 0;
  uint8_t keystream_[kMaxBlock];  // of the block that contains position_, unless that is its first byte
};

}  // namespace vsh::modes
