#include "gpu/schedule/make_accelerator.hpp"

#include <algorithm>

#include "gpu/schedule/crossovers.hpp"
#include "gpu/schedule/device_slot.hpp"

namespace vsh::gpu {

std::shared_ptr<Accelerator> make_accelerator(const DeviceChoice& choice, const KeyMaterial& material) {
  if (choice.kind == DeviceChoice::Kind::processor) return nullptr;
  const Algorithm algorithm = material.key.algorithm();
  const std::span<const Operation> operations = material.operations;
  if (operations.empty()) {
    if (!choice.is_named()) return nullptr;
    throw Error(Error::Kind::none_found, kNotForDevices);
  }
  // kNever if the device is not to do it.
  const auto least_of = [&](const DeviceInfo& info, Operation operation) -> uint64_t {
    if (choice.kind != DeviceChoice::Kind::automatic) return Accelerator::kLeast;
    const std::span<const Crossover> row = crossovers_of(info, algorithm, operation);
    return row.empty() ? kNever : std::max<uint64_t>(row[0].least, Accelerator::kLeast);
  };
  const auto may_be_faster = [&](const DeviceInfo& info) {
    return std::any_of(operations.begin(), operations.end(), [&](Operation o) { return least_of(info, o) != kNever; });
  };
  const bool authenticates = std::any_of(operations.begin(), operations.end(), is_mgm);

  std::vector<DeviceSlots> devices;
  size_t least[kNumOperations];
  std::fill(std::begin(least), std::end(least), SIZE_MAX);
  PieceSizes sizes;
  for_chosen_devices(choice, may_be_faster, [&](Device& device) {
    const DeviceInfo& info = device.info();
    // Not make_shared, whose GCC form brings a unique global (tests/symbols.sh).
    const std::shared_ptr<KeyedDevice> keyed =
        std::make_unique<KeyedDevice>(device, material.key, material.tweak_key, authenticates);
    bool is_useful = false;
    for (const Operation operation : operations) {
      const uint64_t bytes = least_of(info, operation);
      if (bytes == kNever || !keyed->can(operation)) continue;
      is_useful = true;
      size_t& least_of_all = least[static_cast<size_t>(operation)];
      least_of_all = std::min(least_of_all, static_cast<size_t>(bytes));
      const std::span<const Crossover> row = crossovers_of(info, algorithm, operation);
      if (!row.empty()) sizes.max = static_cast<size_t>(row[0].size);
    }
    if (is_useful) devices.push_back({info.id, make_slots(keyed, usual_slots(info), sizes.max)});
    else if (choice.is_named())
      throw Error(Error::Kind::none_found, "device " + info.id + " has no kernel for this work");
  });
  if (devices.empty()) return nullptr;
  return std::make_unique<DeviceAccelerator>(block_size(algorithm), std::move(devices), host_policy(choice), least,
                                             sizes);
}

}  // namespace vsh::gpu
