#include "gpu/schedule/accelerate.hpp"

#include <algorithm>

#include "gpu/devices.hpp"
#include "gpu/device/last_error.hpp"
#include "gpu/schedule/pipeline.hpp"
#include "gpu/schedule/crossovers.hpp"

namespace vsh::gpu {
namespace {

using Kind = Wish::Kind;

bool is_number(std::string_view text) noexcept {
  return !text.empty() && text.size() <= 4 &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

void note_unused(const std::string& id, const Error& error) {
  set_message("device " + id + " is not used: " + error.what());
}

// The devices of the wish that can do something of what is asked.
class Recruiting {
 public:
  Recruiting(const Wish& wish, const Keyed& keyed) : wish_(wish), keyed_(keyed) {
    std::fill(std::begin(least_), std::end(least_), SIZE_MAX);
  }

  std::shared_ptr<Accelerator> run() {
    if (keyed_.works.empty()) {
      if (!wish_.is_named()) return nullptr;
      throw Error(Error::Kind::none_found,
                  "a chain, in which each block waits for the one before, or in which keys change, is no device work");
    }
    const auto pays = [&](const DeviceInfo& info) {
      return std::any_of(keyed_.works.begin(), keyed_.works.end(),
                         [&](Accelerator::Work work) { return least(info, work) != kNever; });
    };
    for (Device* const device : wished_devices(wish_, pays)) {
      try {
        add(*device);
      } catch (const Error& error) {
        if (wish_.is_named()) throw;
        note_unused(device->info().id, error);
      }
    }
    if (members_.empty()) return nullptr;
    const Role role = wish_.is_named()          ? Role::rests
                            : wish_.kind == Kind::all ? Role::works
                                                      : Role::finishes;
    const size_t block_size = keyed_.algorithm == Algorithm::kuznyechik ? 16 : 8;
    return std::make_unique<Team>(block_size, std::move(members_), role, least_, sizes_);
  }

 private:
  // kNever where the device is not to do it.
  uint64_t least(const DeviceInfo& info, Accelerator::Work work) const {
    if (wish_.kind != Kind::automatic) return Accelerator::kLeast;
    const std::span<const Rate> rate = rates_of(info, keyed_.algorithm, work);
    return rate.empty() ? kNever : std::max<uint64_t>(rate[0].least, Accelerator::kLeast);
  }

  void add(Device& device) {
    const DeviceInfo& info = device.info();
    const bool authenticates = std::any_of(keyed_.works.begin(), keyed_.works.end(), [](Accelerator::Work work) {
      return work >= Accelerator::Work::mgm_encrypt;
    });
    // Not make_shared, whose GCC form brings a unique global (tests/symbols.sh).
    const std::shared_ptr<KeyedDevice> on_device = std::make_unique<KeyedDevice>(
        device, keyed_.algorithm, keyed_.round_keys, keyed_.tweak_keys, authenticates);
    bool is_useful = false;
    for (const Accelerator::Work work : keyed_.works) {
      if (least(info, work) == kNever || !on_device->can(work)) continue;
      is_useful = true;
      size_t& least_of_all = least_[static_cast<size_t>(work)];
      least_of_all = std::min<size_t>(least_of_all, static_cast<size_t>(least(info, work)));
      const std::span<const Rate> rate = rates_of(info, keyed_.algorithm, work);
      if (!rate.empty()) sizes_.max = static_cast<size_t>(rate[0].size);
    }
    if (!is_useful) {
      if (wish_.is_named()) throw Error(Error::Kind::none_found, "device " + info.id + " has no kernel for this work");
      return;
    }
    members_.push_back({info.id, make_slots(on_device, usual_slots(info), sizes_.max)});
  }

  const Wish& wish_;
  const Keyed& keyed_;
  std::vector<Member> members_;
  size_t least_[Accelerator::kNumWorks];
  PieceSizes sizes_;
};

}  // namespace

std::optional<Wish> parse_wish(std::string_view word) noexcept {
  if (word.empty() || word == "cpu") return Wish{};
  if (word == "auto") return Wish{Kind::automatic};
  if (word == "all") return Wish{Kind::all};
  const size_t colon = word.find(':');
  if (colon == word.npos) return {};
  const std::string_view back_end = word.substr(0, colon), number = word.substr(colon + 1);
  const size_t point = number.find('.');
  const bool is_cuda = back_end == "cuda" && is_number(number);
  const bool is_opencl = back_end == "opencl" && is_number(number.substr(0, point)) &&
                         (point == number.npos || is_number(number.substr(point + 1)));
  if (!is_cuda && !is_opencl) return {};
  return Wish{Kind::named, word};
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

std::vector<Device*> wished_devices(const Wish& wish, const std::function<bool(const DeviceInfo&)>& pays) {
  if (wish.kind == Kind::processor) return {};
  if (wish.is_named()) return {&open_device(wish.id)};
  std::vector<std::string> ids;
  if (wish.kind == Kind::all) ids = worker_ids();
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

std::shared_ptr<Accelerator> make_accelerator(const Wish& wish, const Keyed& keyed) {
  if (wish.kind == Kind::processor) return nullptr;
  return Recruiting(wish, keyed).run();
}

}  // namespace vsh::gpu
