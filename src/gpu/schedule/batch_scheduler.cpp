#include "gpu/schedule/batch_scheduler.hpp"

#include <algorithm>

#include "core/accelerator.hpp"
#include "gpu/schedule/device_slot.hpp"

namespace vsh::gpu {
namespace {

constexpr size_t kMostBytes = 16 << 20, kUsualBytes = 1 << 20;  // of a piece
constexpr size_t kLanes = 32;                                   // messages of a work item

}  // namespace

BatchScheduler::BatchScheduler(const DeviceChoice& choice, Algorithm algorithm, MakeSlots make_slots)
    : algorithm_(algorithm),
      make_slots_(std::move(make_slots)),
      is_automatic_(choice.kind == DeviceChoice::Kind::automatic) {
  if (!is_automatic_) open(choice);
}

bool BatchScheduler::may_want() const {
  return scheduler_ || (is_automatic_ && any_row([](const Crossover&) { return true; }));
}

// Returns whether batches of some kind pay on a device for which `is_of` is true.
template <class IsOf>
bool BatchScheduler::any_row(IsOf is_of) const {
  const std::vector<Crossover>& rows = measured_crossovers();
  return std::any_of(rows.begin(), rows.end(), [&](const Crossover& row) {
    return row.subject.is_batch && row.algorithm == algorithm_ && row.least != kNever && is_of(row);
  });
}

void BatchScheduler::open(const DeviceChoice& choice) {
  is_open_ = true;
  std::vector<DeviceScheduler::Device> devices;
  const auto may_be_faster = [&](const DeviceInfo& info) {
    return any_row([&](const Crossover& row) { return row.id == info.id && row.fingerprint == fingerprint(info); });
  };
  for_chosen_devices(choice, may_be_faster, [&](Device& device) {
    const size_t num_slots = usual_slots(device.info());
    make_slots_(device, num_slots);
    devices.push_back({device.info().id, num_slots});
  });
  if (!devices.empty())
    scheduler_ = std::make_unique<DeviceScheduler>(std::move(devices), host_policy(choice), kNumOperations);
}

bool BatchScheduler::wants(Operation operation, size_t num_items, size_t num_bytes) {
  if (num_items < kLeastMessages && operation != Operation::mgm) return false;
  if (num_bytes < Accelerator::kLeast) return false;
  if (!is_automatic_) return is_there();
  const std::vector<const DeviceInfo*> devices = choosable_devices();
  const bool is_worth_it = std::any_of(devices.begin(), devices.end(), [&](const DeviceInfo* info) {
    return worth_a_device(crossovers_of(*info, algorithm_, batch_of(operation)), num_items, num_bytes);
  });
  if (!is_worth_it) return false;
  const std::lock_guard lock(mutex_);
  if (!is_open_) open({DeviceChoice::Kind::automatic});
  return is_there();
}

void BatchScheduler::run(Operation operation, size_t num_items, size_t bytes,
                         std::function<void(size_t, WorkSplitter::Piece)> on_slot,
                         std::function<void(WorkSplitter::Piece)> on_processor) {
  DeviceScheduler::Request request;
  request.num_units = num_items;
  request.kind = static_cast<size_t>(operation);
  request.slot_min = request.processor_min = kUsualBytes / bytes;
  // A chain is a lane; of packets each block is.
  request.grain = operation == Operation::mgm ? std::clamp<size_t>(request.slot_min, 1, kLanes) : kLanes;
  request.slot_max = kMostBytes / bytes;
  request.on_slot = std::move(on_slot);
  request.on_processor = std::move(on_processor);
  scheduler_->run(request);
}

}  // namespace vsh::gpu
