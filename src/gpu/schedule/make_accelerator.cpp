#include "gpu/schedule/make_accelerator.hpp"

#include <algorithm>

#include "gpu/devices.hpp"
#include "gpu/device/last_error.hpp"
#include "gpu/schedule/device_slot.hpp"
#include "gpu/schedule/rates.hpp"

namespace vsh::gpu {
namespace {

using Kind = DeviceChoice::Kind;

bool is_number(std::string_view text) noexcept {
  return !text.empty() && text.size() <= 4 &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

void note_unused(const std::string& id, const Error& error) {
  set_last_error("device " + id + " is not used: " + error.what());
}

// The devices of the choice that can do something of what is asked.
class Recruiting {
 public:
  Recruiting(const DeviceChoice& choice, const KeyMaterial& material) : choice_(choice), material_(material) {
    std::fill(std::begin(least_), std::end(least_), SIZE_MAX);
  }

  std::shared_ptr<Accelerator> run() {
    if (material_.works.empty()) {
      if (!choice_.is_named()) return nullptr;
      throw Error(Error::Kind::none_found,
                  "a chain, in which each block waits for the one before, or in which keys change, is no device work");
    }
    const auto pays = [&](const DeviceInfo& info) {
      return std::any_of(material_.works.begin(), material_.works.end(),
                         [&](Accelerator::Work work) { return least(info, work) != kNever; });
    };
    for (Device* const device : open_devices(choice_, pays)) {
      try {
        add(*device);
      } catch (const Error& error) {
        if (choice_.is_named()) throw;
        note_unused(device->info().id, error);
      }
    }
    if (members_.empty()) return nullptr;
    const HostPolicy policy = choice_.is_named()          ? HostPolicy::none
                            : choice_.kind == Kind::all ? HostPolicy::share
                                                      : HostPolicy::fallback;
    const size_t block_size = material_.algorithm == Algorithm::kuznyechik ? 16 : 8;
    return std::make_unique<DeviceAccelerator>(block_size, std::move(members_), policy, least_, sizes_);
  }

 private:
  // kNever where the device is not to do it.
  uint64_t least(const DeviceInfo& info, Accelerator::Work work) const {
    if (choice_.kind != Kind::automatic) return Accelerator::kLeast;
    const std::span<const Rate> rate = rates_of(info, material_.algorithm, work);
    return rate.empty() ? kNever : std::max<uint64_t>(rate[0].least, Accelerator::kLeast);
  }

  void add(Device& device) {
    const DeviceInfo& info = device.info();
    const bool authenticates = std::any_of(material_.works.begin(), material_.works.end(), [](Accelerator::Work work) {
      return work >= Accelerator::Work::mgm_encrypt;
    });
    // Not make_shared, whose GCC form brings a unique global (tests/symbols.sh).
    const std::shared_ptr<KeyedDevice> on_device = std::make_unique<KeyedDevice>(
        device, material_.algorithm, material_.round_keys, material_.tweak_keys, authenticates);
    bool is_useful = false;
    for (const Accelerator::Work work : material_.works) {
      if (least(info, work) == kNever || !on_device->can(work)) continue;
      is_useful = true;
      size_t& least_of_all = least_[static_cast<size_t>(work)];
      least_of_all = std::min<size_t>(least_of_all, static_cast<size_t>(least(info, work)));
      const std::span<const Rate> rate = rates_of(info, material_.algorithm, work);
      if (!rate.empty()) sizes_.max = static_cast<size_t>(rate[0].size);
    }
    if (!is_useful) {
      if (choice_.is_named())
        throw Error(Error::Kind::none_found, "device " + info.id + " has no kernel for this work");
      return;
    }
    members_.push_back({info.id, make_slots(on_device, usual_slots(info), sizes_.max)});
  }

  const DeviceChoice& choice_;
  const KeyMaterial& material_;
  std::vector<DeviceSlots> members_;
  size_t least_[Accelerator::kNumWorks];
  PieceSizes sizes_;
};

}  // namespace

std::optional<DeviceChoice> parse_device(std::string_view word) noexcept {
  if (word.empty() || word == "cpu") return DeviceChoice{};
  if (word == "auto") return DeviceChoice{Kind::automatic};
  if (word == "all") return DeviceChoice{Kind::all};
  const size_t colon = word.find(':');
  if (colon == word.npos) return {};
  const std::string_view back_end = word.substr(0, colon), number = word.substr(colon + 1);
  const size_t point = number.find('.');
  const bool is_cuda = back_end == "cuda" && is_number(number);
  const bool is_opencl = back_end == "opencl" && is_number(number.substr(0, point)) &&
                         (point == number.npos || is_number(number.substr(point + 1)));
  if (!is_cuda && !is_opencl) return {};
  return DeviceChoice{Kind::named, word};
}

std::vector<const DeviceInfo*> choosable_devices() {
  std::vector<const DeviceInfo*> infos;
  if (measured_rates().empty()) return infos;
  const std::vector<std::string> workers = worker_ids();
  for (const DeviceInfo& info : list_devices().devices)
    if (info.is_processor || std::find(workers.begin(), workers.end(), info.id) != workers.end())
      infos.push_back(&info);
  return infos;
}

std::vector<Device*> open_devices(const DeviceChoice& choice, const std::function<bool(const DeviceInfo&)>& pays) {
  if (choice.kind == Kind::processor) return {};
  if (choice.is_named()) return {&open_device(choice.id)};
  std::vector<std::string> ids;
  if (choice.kind == Kind::all) ids = worker_ids();
  else
    for (const DeviceInfo* const info : choosable_devices())
      if (pays(*info)) ids.push_back(info->id);
  std::vector<Device*> devices;
  for (const std::string& id : ids) {
    try {
      devices.push_back(&open_device(id));
    } catch (const Error& error) {
      note_unused(id, error);
    }
  }
  return devices;
}

std::shared_ptr<Accelerator> make_accelerator(const DeviceChoice& choice, const KeyMaterial& material) {
  if (choice.kind == Kind::processor) return nullptr;
  return Recruiting(choice, material).run();
}

}  // namespace vsh::gpu
