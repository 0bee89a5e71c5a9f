// Runs one message of a batch through src/modes: if lanes cannot run it (long registers, short segments), or if that is
// cheaper.
#pragma once

#include "streams/key_set.hpp"

namespace vsh::streams {

// Runs a job on up to `threads` threads, if it can be divided. May throw std::bad_alloc, before anything is written.
void run_alone(const KeySet& keys, const Job& job, unsigned threads);

// Returns the job's cycles on one thread, by the costs of the key set: for the plan. blocks: num_blocks of the job.
// Never less than its blocks cost under one key. Throws what KeySet::costs does.
uint64_t cost_alone(const KeySet& keys, const Job& job, uint64_t blocks);

// Returns the number of cipher calls of a message.
uint64_t num_blocks(const Cipher& cipher, const Job& job) noexcept;

}  // namespace vsh::streams
