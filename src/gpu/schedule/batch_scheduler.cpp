#include "gpu/schedule/batch_scheduler.hpp"

#include <algorithm>

#include "core/accelerator.hpp"
#include "gpu/schedule/device_slot.hpp"

namespace vsh::gpu {
namespace {

constexpr size_t kMostBytes = 16 << 20, kUsualBytes = 1 << 20;  // of a piece
constexpr size_t kLanes = 32;                                    // messages of a work item

}  // namespace

BatchScheduler::BatchScheduler(const DeviceChoice& choice, Algorithm algorithm, MakeSlots make_slots)
    : algorithm_(algorithm),
      make_slots_(std::move(make_slots)),
      is_automatic_(choice.kind == DeviceChoice::Kind::automatic) {
  if (!is_automatic_) open(choice);
}

bool BatchScheduler::may_want() const {
  return scheduler_ || (is_automatic_ && may_pay([](const Rate&) { return true; }));
}

// Whether batches of some kind pay on a device that `is_of` says true of.
template <class IsOf>
bool BatchScheduler::may_pay(IsOf is_of) const {
  const std::vector<Rate>& rates = measured_rates();
  return std::any_of(rates.begin(), rates.end(), [&](const Rate& rate) {
    return rate.work.is_batch() && rate.algorithm == algorithm_ && rate.least != kNever && is_of(rate);
  });
}

void BatchScheduler::open(const DeviceChoice& choice) {
  is_open_ = true;
  std::vector<DeviceScheduler::Device> devices;
  const auto pays_sometimes = [&](const DeviceInfo& info) {
    return may_pay([&](const Rate& rate) { return rate.id == info.id && rate.fingerprint == fingerprint(info); });
  };
  for_chosen_devices(choice, pays_sometimes, [&](Device& device) {
    const size_t num_slots = usual_slots(device.info());
    make_slots_(device, num_slots);
    devices.push_back({device.info().id, num_slots});
  });
  if (!devices.empty())
    scheduler_ = std::make_unique<DeviceScheduler>(std::move(devices), host_policy(choice), RatedWork::kCount);
}

bool BatchScheduler::wants(RatedWork work, size_t num_items, size_t num_bytes) {
  if (num_items < kLeastMessages && work != RatedWork::batch_mgm()) return false;
  if (num_bytes < Accelerator::kLeast) return false;
  if (!is_automatic_) return is_there();
  const std::vector<const DeviceInfo*> devices = choosable_devices();
  const bool pays_on_one = std::any_of(devices.begin(), devices.end(), [&](const DeviceInfo* info) {
    return pays(rates_of(*info, algorithm_, work), num_items, num_bytes);
  });
  if (!pays_on_one) return false;
  const std::lock_guard lock(mutex_);
  if (!is_open_) open({DeviceChoice::Kind::automatic});
  return is_there();
}

void BatchScheduler::run(RatedWork work, size_t num_items, size_t bytes,
                         std::function<void(size_t, WorkSplitter::Piece)> on_slot,
                         std::function<void(WorkSplitter::Piece)> on_processor) {
  DeviceScheduler::Request request;
  request.num_units = num_items;
  request.kind = work.number();
  request.slot_min = request.processor_min = kUsualBytes / bytes;
  // A chain is a lane; of packets each block is.
  request.grain = work == RatedWork::batch_mgm() ? std::clamp<size_t>(request.slot_min, 1, kLanes) : kLanes;
  request.slot_max = kMostBytes / bytes;
  request.on_slot = std::move(on_slot);
  request.on_processor = std::move(on_processor);
  scheduler_->run(request);
}

}  // namespace vsh::gpu
