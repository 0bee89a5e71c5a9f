#include "gpu/schedule/device_choice.hpp"

#include <algorithm>

#include "gpu/device/last_error.hpp"
#include "gpu/devices.hpp"
#include "gpu/schedule/crossovers.hpp"

namespace vsh::gpu {
namespace {

using Kind = DeviceChoice::Kind;

bool is_number(std::string_view text) noexcept {
  return !text.empty() && text.size() <= 4 &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::vector<std::string> chosen_ids(const DeviceChoice& choice, const std::function<bool(const DeviceInfo&)>& useful) {
  if (choice.kind == Kind::processor) return {};
  if (choice.is_named()) return {std::string(choice.id())};
  if (choice.kind == Kind::all) return worker_ids();
  std::vector<std::string> ids;
  for (const DeviceInfo* const info : choosable_devices())
    if (useful(*info)) ids.push_back(info->id);
  return ids;
}

}  // namespace

HostPolicy host_policy(const DeviceChoice& choice) noexcept {
  if (choice.is_named()) return HostPolicy::none;
  return choice.kind == Kind::all ? HostPolicy::share : HostPolicy::fallback;
}

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
  DeviceChoice choice{Kind::named};
  word.copy(choice.word.data(), choice.word.size() - 1);
  return choice;
}

std::vector<const DeviceInfo*> choosable_devices() {
  std::vector<const DeviceInfo*> infos;
  if (measured_crossovers().empty()) return infos;
  const std::vector<std::string> workers = worker_ids();
  for (const DeviceInfo& info : list_devices().devices)
    if (info.is_processor || std::find(workers.begin(), workers.end(), info.id) != workers.end())
      infos.push_back(&info);
  return infos;
}

void for_chosen_devices(const DeviceChoice& choice, const std::function<bool(const DeviceInfo&)>& useful,
                        const std::function<void(Device&)>& use) {
  for (const std::string& id : chosen_ids(choice, useful)) {
    try {
      use(open_device(id));
    } catch (const Error& error) {
      if (choice.is_named()) throw;
      set_last_error("device " + id + " is not used: " + error.what());
    }
  }
}

}  // namespace vsh::gpu
