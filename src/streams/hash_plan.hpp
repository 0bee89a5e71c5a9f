// Assigns messages to lanes, with work counted in calls of Streebog's compression function.
#pragma once

#include "core/registry.hpp"
#include "streams/plan.hpp"

namespace vsh::streams {

// calls: of each item. lanes: from wide to narrow; empty: one item after the other. Throws std::bad_alloc.
Plan plan_hash_calls(const HashKernel& one, std::span<const HashLanesKernel* const> lanes,
                     std::span<const uint64_t> calls, unsigned threads);

// Returns the widest of them; 0 for none.
size_t max_lanes(std::span<const HashLanesKernel* const> lanes) noexcept;

// Returns how many bytes of the stack so many lanes may have used: planes of key and state, of 64 bytes a lane each,
// and what a kernel keeps in addition.
constexpr size_t hash_stack(size_t lanes) noexcept { return 4 * lanes * 64 + 4096; }

}  // namespace vsh::streams
