#include "programs/bench/tune/device_benchmark.hpp"

#include <vershina/device.h>

namespace vsh::tuning {

void check(vsh_status status, const char* device) {
  if (status == VSH_OK) return;
  const std::string why = status == VSH_E_DEVICE ? vsh_device_message() : vsh_status_message(status);
  throw DeviceFailure(std::string(device ? device : "cpu") + ": " + why);
}

uint64_t crossover(std::span<const size_t> sizes, const std::function<double(size_t)>& device,
                   const std::function<double(size_t)>& processor) {
  // A device so much slower that does not do more bytes a second than at the size before will not catch up.
  constexpr double kHopeless = 2, kMore = 1.25;
  uint64_t least = gpu::kNever;
  double rate_before = 0;
  for (const size_t size : sizes) {
    const double by_device = device(size), by_processor = processor(size);
    if (by_device >= by_processor) least = gpu::kNever;
    else if (least == gpu::kNever) least = size;
    const double rate = static_cast<double>(size) / by_device;
    if (by_device > kHopeless * by_processor && rate < kMore * rate_before) return gpu::kNever;
    rate_before = rate;
  }
  return least;
}

}  // namespace vsh::tuning
