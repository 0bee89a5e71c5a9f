#include "gpu/devices.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>

#include "gpu/cuda/device.hpp"
#include "gpu/opencl/device.hpp"

namespace vsh::gpu {
namespace {

// As OpenCL says it. Its devices are CUDA's, too.
constexpr std::string_view kNvidia = "NVIDIA Corporation";

struct Entry {
  explicit Entry(const cuda::Found& found) : info(found.info), cuda(found) {}
  explicit Entry(const opencl::Found& found) : info(found.info), opencl(found) {}

  std::unique_ptr<Device> open() const {
    if (cuda) return std::make_unique<cuda::CudaDevice>(*cuda);
    return std::make_unique<opencl::OpenClDevice>(*opencl);
  }
  // Returns whether another platform, or CUDA, has listed this device already. Devices of one platform always differ.
  bool is_same(const opencl::Found& found) const {
    if (cuda && found.vendor == kNvidia) return true;
    return (cuda || opencl->platform != found.platform) && !info.bus.empty() && info.bus == found.info.bus;
  }

  DeviceInfo info;
  std::optional<cuda::Found> cuda;
  std::optional<opencl::Found> opencl;
  bool elsewhere = false;          // in the list before, under another id
  std::unique_ptr<Device> device;  // once opened
};

std::atomic<BackEndCheck> back_end_check = nullptr;

struct Registry {
  Listing listing;
  std::vector<Entry> entries;
  std::mutex mutex;  // of opened devices

  Registry() {
    add_back_end("cuda", [&](bool) {
      for (const auto& found : cuda::find_devices(listing.problems)) entries.emplace_back(found);
    });
    add_back_end("opencl", [&](bool tried) {
      for (const auto& found : opencl::find_devices(tried, listing.problems)) {
        const bool elsewhere =
            std::any_of(entries.begin(), entries.end(), [&](const Entry& e) { return e.is_same(found); });
        entries.emplace_back(found).elsewhere = elsewhere;
      }
    });
    for (const Entry& entry : entries) listing.devices.push_back(entry.info);
  }

  // A missing back end is not a problem; one that fails is, and must not affect the others.
  template <class F>
  void add_back_end(const char* name, F&& find) {
    const BackEndCheck check = back_end_check;
    const char* const problem = check ? check(name) : nullptr;
    if (problem && *problem) {
      listing.problems.push_back(problem);
      return;
    }
    try {
      find(problem != nullptr);
    } catch (const Error& error) {
      if (error.kind() != Error::Kind::none_found) listing.problems.push_back(error.what());
    }
  }
};

// Never destroyed: drivers may be gone when static objects are.
Registry& registry() {
  static Registry* const the_registry = new Registry;
  return *the_registry;
}

std::string missing(std::string_view id, const std::vector<std::string>& problems) {
  std::string message = "there is no device " + std::string(id);
  for (const std::string& problem : problems) message += "; " + problem;
  return message;
}

}  // namespace

void set_back_end_check(BackEndCheck check) { back_end_check = check; }

const Listing& list_devices() { return registry().listing; }

Device& open_device(std::string_view id) {
  Registry& all = registry();
  const std::string full = std::string(id) + (id.starts_with("opencl:") && id.find('.') == id.npos ? ".0" : "");
  const auto entry =
      std::find_if(all.entries.begin(), all.entries.end(), [&](const Entry& e) { return e.info.id == full; });
  if (entry == all.entries.end()) throw Error(Error::Kind::none_found, missing(id, all.listing.problems));
  const std::lock_guard lock(all.mutex);
  if (!entry->device) entry->device = entry->open();
  return *entry->device;
}

std::vector<std::string> worker_ids() {
  std::vector<std::string> ids;
  for (const Entry& entry : registry().entries)
    if (!entry.info.is_processor && !entry.elsewhere) ids.push_back(entry.info.id);
  return ids;
}

}  // namespace vsh::gpu
