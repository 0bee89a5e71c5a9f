// Lockstep runs one chunk of a batch: up to `lanes` messages, a block of each at a time, each under the key of its
// lane, or all under one key.
//
// The rows of a tile (tile.hpp) go through the mode together. The row before them holds the mode's feedback: the
// IV at first, then the last row of the tile before; so every mode is a few lines over rows t - 1 and t.
//
// If messages lie half pages apart, as sectors do, the lines of a tile are all in one or two sets of the first-level
// cache, which hold a fraction of them. Then several lines of each message are copied to where they do not compete,
// and back.
#pragma once

#include <span>
#include <vector>

#include "core/block_engine.hpp"
#include "core/secret_buffer.hpp"
#include "streams/job.hpp"
#include "streams/plan.hpp"
#include "streams/selection.hpp"
#include "streams/tile.hpp"

namespace vsh::streams {

// Encrypts the rows of a chunk.
struct LaneCipher {
  const BlockKernel& kernel;                // whose lanes these are, and which moves their lines
  const void* schedule;                     // of a key for each lane; null if there is one for all
  const uint8_t* zero_encrypted = nullptr;  // E(0^n) of each lane, or of the one key; MAC's subkeys come from it
  const BlockEngine* engine = nullptr;      // of the one key
  StackEraser* eraser = nullptr;            // of what the engine leaves

  void encrypt(uint8_t* out, const uint8_t* in, size_t num_rows) const {
    if (engine) erase(engine->encrypt_unerased(out, in, num_rows * kernel.info.lanes));
    else kernel.encrypt_lanes(schedule, out, in, num_rows);
  }
  void decrypt(uint8_t* out, const uint8_t* in, size_t num_rows) const {
    if (engine) erase(engine->decrypt_unerased(out, in, num_rows * kernel.info.lanes));
    else kernel.decrypt_lanes(schedule, out, in, num_rows);
  }
  const uint8_t* zero_encrypted_of(size_t lane) const noexcept {
    return engine ? zero_encrypted : zero_encrypted + lane * kernel.block_size;
  }

 private:
  void erase(size_t stack) const noexcept {
    constexpr size_t kFrames = 1024;  // between the eraser's and this one
    eraser->reach(kFrames + stack);
  }
};

class Lockstep {
 public:
  // For any kernel of at most max_lanes lanes. Throws std::bad_alloc.
  Lockstep(size_t max_lanes, size_t block_size);

  // Runs the messages of `placed`. The longest has `rows` blocks. In ECB lengths may go on to the end of a tile; the
  // blocks behind the rows come back as they were. IMIT has a key for each lane. Throws std::bad_alloc before any
  // message is written.
  void run(const LaneCipher& cipher, Operation operation, const Selection<Job>& jobs, std::span<const Placed> placed,
           uint64_t rows);

 private:
  // A message that ends in this tile.
  struct Ending {
    size_t lane, len, rows;  // bytes of the tile, and rows
  };

  template <size_t kBlock>
  void begin(const Selection<Job>& jobs, std::span<const Placed> placed);  // lanes and row 0, the IVs
  // Looks which messages end in this tile, and moves their lanes to spare lines.
  template <size_t kBlock>
  void find_endings(Operation operation);
  void move_on(bool has_output) noexcept;  // to the next tile
  void prefetch(bool has_output) const noexcept;
  // Copy the lines of the next tiles to the stage, and what became of them back. Between the two, in_ and out_ point
  // there.
  void fill_stage(bool has_output) noexcept;
  void empty_stage(bool has_output) noexcept;
  template <size_t kBlock>
  void run_tiles(const LaneCipher& cipher, Operation operation, uint64_t rows);
  template <size_t kBlock>
  void run_tile(const LaneCipher& cipher, Operation operation, uint64_t first, size_t num);  // rows from `first` on
  template <size_t kBlock>
  void add_subkeys(const LaneCipher& cipher);
  template <size_t kBlock>
  void release(Operation operation);  // what has ended in this tile

  uint8_t* row(size_t i) noexcept { return buffer_.data() + i * row_bytes_; }  // 0: before the tile; 1: its first
  uint8_t* other(size_t i) noexcept { return other_ + i * row_bytes_; }        // rows of a second tile

  size_t row_bytes_ = 0;
  SecretBuffer buffer_;
  uint8_t* other_ = nullptr;
  size_t lanes_ = 0;              // of the kernel
  std::vector<const Job*> jobs_;  // of each lane; null: none, or it has ended
  // The lines of each lane in this tile, and how far they are from those of the next: a line, or 0 for a spare line.
  std::vector<const uint8_t*> in_;
  std::vector<uint8_t*> out_;
  std::vector<size_t> step_;
  uint8_t* spare_ = nullptr;  // a line for each lane without a message, or with only the end of one left
  size_t place_ = 0;          // bytes of each message before this tile
  size_t sure_ = 0;           // tiles from this one on in which no message ends
  std::vector<Ending> endings_;
  SecretBuffer stage_;     // of each lane kStageLines lines, and one so that lanes do not compete
  bool competes_ = false;  // do the messages
  size_t staged_ = 0;      // tiles that the stage holds
  size_t stage_end_ = 0;   // place_ behind them
};

}  // namespace vsh::streams
