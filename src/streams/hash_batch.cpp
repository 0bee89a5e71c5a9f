#include "streams/hash_batch.hpp"

#include <optional>

#include "core/executor.hpp"
#include "core/wipe.hpp"
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
  const size_t num_alone = plan.alone.size();
  for_units(num_alone + plan.chunks.size(), plan.threads, [&](Units& units) {
    StackEraser eraser;
    eraser.reach(hash_stack(max_lanes(lanes)));
    std::optional<HashLockstep> lockstep;
    units.take([&](size_t i) {
      if (i < num_alone) return hash_alone(one, hash_bits, messages[plan.alone[i]]);
      if (!lockstep) lockstep.emplace(max_lanes(lanes));
      const Chunk& chunk = plan.chunks[i - num_alone];
      lockstep->run(*lanes[chunk.kernel], hash_bits / 8, messages,
                    std::span<const Placed>(plan.placed).subspan(chunk.first, chunk.num), chunk.rows);
    });
  });
}

}  // namespace vsh::streams
