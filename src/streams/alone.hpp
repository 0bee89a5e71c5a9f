// One message of a batch by itself, through the modes of src/modes: what lanes cannot do (long registers, short
// segments), and what they do not pay for.
#pragma once

#include "core/block_engine.hpp"
#include "streams/work.hpp"

namespace vsh::streams {

// The cipher under one key. kernels: the cipher's, or some of them. Throws std::bad_alloc.
BlockEngine make_engine(const Cipher& cipher, const BlockChoice& kernels, const uint8_t* key, unsigned threads);

// On up to `threads` threads, where it can be divided. May throw std::bad_alloc, before anything is written.
void run_alone(const Cipher& cipher, const Job& job, unsigned threads);

// Whether blocks wait for none before them, so that one message can go to many threads.
bool can_be_divided(Work work) noexcept;

// Cycles that it takes on one thread, by what the kernels' rows say: for the plan. blocks: num_blocks of the job.
uint64_t cost_alone(const Cipher& cipher, const Job& job, uint64_t blocks) noexcept;

// Blocks that a message asks of its cipher, one after the other or not.
uint64_t num_blocks(const Cipher& cipher, const Job& job) noexcept;

}  // namespace vsh::streams
