// Assigns messages to lanes, with work counted in calls of Streebog's compression function.
#pragma once

#include "core/registry.hpp"
#include "streams/plan.hpp"
#include "streams/stopwatch.hpp"

namespace vsh::streams {

// Return the core cycles of a call of a row's compression function, with what a message, or one in every lane, needs
// besides: from the file of `vershina tune`; else measured, once in a process and for each row; with VERSHINA_TUNE=off,
// or on a machine without a usable clock, as the row says. Throw std::bad_alloc.
uint64_t call_cost(const HashKernel& row);
uint64_t call_cost(const HashLanesKernel& row);
// Measure it by `clock`.
uint64_t measured_call(const HashKernel& row, Clock clock);
uint64_t measured_call(const HashLanesKernel& row, Clock clock);

// calls: of each item. lanes: from wide to narrow; empty: one item after the other. Throws std::bad_alloc.
Plan plan_hash_calls(const HashKernel& one, std::span<const HashLanesKernel* const> lanes,
                     std::span<const uint64_t> calls, unsigned threads);

// Returns whether items are few, and better run one after the other than planned. Throws std::bad_alloc.
bool better_one_by_one(const HashKernel& one, std::span<const HashLanesKernel* const> lanes,
                       std::span<const uint64_t> calls, unsigned threads);

// Returns the widest of them; 0 for none.
size_t max_lanes(std::span<const HashLanesKernel* const> lanes) noexcept;

// Returns how many bytes of the stack `lanes` lanes may have used: planes of key and state, of 64 bytes a lane each,
// and the kernel's own variables.
constexpr size_t hash_stack(size_t lanes) noexcept { return 4 * lanes * 64 + 4096; }

}  // namespace vsh::streams
