// Hashes a batch of messages: Streebog in lanes, one compression function call of every message at a time.
#pragma once

#include <span>

#include "core/registry.hpp"
#include "streams/message.hpp"
#include "streams/selection.hpp"

namespace vsh::streams {

// hash_bits: 256 or 512. lanes: empty: one message after the other. Throws std::bad_alloc, or what threads throw.
void hash_batch(const HashKernel& one, std::span<const HashLanesKernel* const> lanes, unsigned hash_bits,
                Selection<Message> messages, unsigned threads);

}  // namespace vsh::streams
