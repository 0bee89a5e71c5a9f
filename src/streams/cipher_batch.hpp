// Plans a batch of cipher and MAC jobs and runs it on threads.
#pragma once

#include "streams/key_set.hpp"
#include "streams/selection.hpp"

namespace vsh::streams {

// Jobs of any operation, key and length, in any order; sets done. Several batches may run over one key set at the same
// time. Throws std::bad_alloc, or what threads throw: unfinished jobs then have invalid outputs.
void cipher_batch(const KeySet& keys, Selection<Job> jobs);

}  // namespace vsh::streams
