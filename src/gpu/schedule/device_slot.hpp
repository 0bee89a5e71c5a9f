// One device under one key, with as many slots as keep it and its bus busy: while one slot's piece comes in, another's
// is worked on and a third's goes out, each in its own queue.
//
// If the caller's memory is page-locked, the device copies from and to it, and only the bus is the bound: 25 GB/s each
// way on PCI Express 4, 50 on 5. Else pieces go through page-locked memory of the slot, and the slot's thread copies
// them in and out while the other slots' pieces are on the bus. A thread copies 10 to 20 GB/s, and each byte twice, so
// it does a piece at some 5 GB/s, bus and work included: five slots fill the one bus, ten the other.
#pragma once

#include <memory>
#include <vector>

#include "gpu/ciphers/keyed_device.hpp"
#include "gpu/schedule/device_accelerator.hpp"

namespace vsh::gpu {

// The slots allocate memory when they get their first piece, for pieces of up to max_piece bytes.
std::vector<std::unique_ptr<Slot>> make_slots(const std::shared_ptr<const KeyedDevice>& keyed, size_t num,
                                              size_t max_piece);
// Returns the best number of slots: with fewer than three something waits; copies through page-locked memory need as
// many as fill the bus, and leave half the processor to others. A slot that gets no piece costs nothing.
size_t usual_slots(const DeviceInfo& device) noexcept;

}  // namespace vsh::gpu
