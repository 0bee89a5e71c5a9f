#include "streams/hash_batch.hpp"

#include <algorithm>

#include "core/executor.hpp"
#include "streams/hash_lockstep.hpp"
#include "streams/hash_plan.hpp"

namespace vsh::streams {

void hash_batch(const HashKernel& one, std::span<const HashLanesKernel* const> lanes, unsigned hash_bits,
                Selection<Message> messages, unsigned threads) {
  std::vector<uint64_t> calls;
  if (messages.size() > 1) {  // one needs no allocation
    calls.reserve(messages.size());
    for (size_t i = 0; i < messages.size(); ++i) calls.push_back(num_calls(messages[i].total_len()));
  }
  if (calls.empty() || better_one_by_one(one, lanes, calls, threads)) {
    // The stack below is erased by the API, as after one message.
    for (size_t i = 0; i < messages.size(); ++i) hash_alone(one, hash_bits, messages[i]);
    return;
  }
  const Plan plan = plan_hash_calls(one, lanes, calls, threads);
  const size_t num_chunks = plan.chunks.size();
  for_ranges(num_chunks + plan.alone.size(), 1, plan.threads, [&](size_t begin, size_t end) {
    if (begin < num_chunks) {
      HashLockstep lockstep(max_lanes(lanes));
      for (size_t i = begin; i < std::min(end, num_chunks); ++i) {
        const Chunk& chunk = plan.chunks[i];
        lockstep.run(*lanes[chunk.kernel], hash_bits / 8, messages,
                     std::span<const Placed>(plan.placed).subspan(chunk.first, chunk.num), chunk.rows);
      }
    }
    for (size_t i = std::max(begin, num_chunks); i < end; ++i)
      hash_alone(one, hash_bits, messages[plan.alone[i - num_chunks]]);
    wipe_stack(hash_stack(max_lanes(lanes)));
  });
}

}  // namespace vsh::streams
