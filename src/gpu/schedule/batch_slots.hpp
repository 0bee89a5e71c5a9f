// What slots of batches have in common: how they are made, and a queue that is left in peace after an Error.
#pragma once

#include <memory>
#include <vector>

#include "gpu/device/device.hpp"

namespace vsh::gpu {

// Numbered as the scheduler wants them.
template <class Slot, class Shared>
void add_slots(std::vector<std::unique_ptr<Slot>>& slots, size_t num, Device& device, const Shared& shared) {
  for (size_t i = 0; i < num; ++i) slots.push_back(std::make_unique<Slot>(device, shared));
}

// Whatever was asked before an Error may still use the slot's memory.
template <class F>
void finish_in_any_case(Queue& queue, F&& f) {
  try {
    f();
    queue.finish();
  } catch (...) {
    try {
      queue.finish();
    } catch (const Error&) {
    }
    throw;
  }
}

}  // namespace vsh::gpu
