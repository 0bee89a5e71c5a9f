#include "gpu/schedule/device_accelerator.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>

#include "core/wipe.hpp"
#include "gf2n/reduce.hpp"

namespace vsh::gpu {
namespace {

// Blocks: work items of a device have 1024 in a group, and a piece is longer than any register of CBC and CFB.
constexpr size_t kGrain = 1024;

std::vector<DeviceScheduler::Device> to_schedule(const std::vector<DeviceSlots>& devices) {
  std::vector<DeviceScheduler::Device> scheduled;
  for (const DeviceSlots& device : devices) scheduled.push_back({device.id, device.slots.size()});
  return scheduled;
}

}  // namespace

// Keeps the blocks before each piece in CBC and CFB: copied while pieces are assigned in order, before any worker may
// have written there.
class DeviceAccelerator::Registers {
 public:
  Registers(const Request& request, size_t block_size)
      : request_(request), block_size_(block_size), len_(looks_back(request.operation) ? request.z * block_size : 0) {
    if (len_) next_.assign(request.start, request.start + len_);
  }

  void add(WorkSplitter::Piece piece) {
    if (len_ == 0) return;
    const std::lock_guard lock(mutex_);
    const uint8_t* const end = request_.in + piece.end * block_size_;
    before_.emplace(piece.begin, next_);
    if (piece.end < request_.num_blocks) next_.assign(end - len_, end);
  }
  const uint8_t* before(WorkSplitter::Piece piece) {
    if (len_ == 0) return nullptr;
    const std::lock_guard lock(mutex_);
    return before_.at(piece.begin).data();
  }

 private:
  const Request& request_;
  const size_t block_size_, len_;
  std::mutex mutex_;
  std::vector<uint8_t> next_;
  std::map<size_t, std::vector<uint8_t>> before_;  // ciphertext: no secrets
};

DeviceAccelerator::DeviceAccelerator(size_t block_size, std::vector<DeviceSlots> devices, HostPolicy host_policy,
                                     const size_t (&least)[kNumOperations], const PieceSizes& sizes)
    : block_size_(block_size), sizes_(sizes), scheduler_(to_schedule(devices), host_policy, kNumOperations) {
  for (size_t i = 0; i < kNumOperations; ++i) least_[i] = std::max(least[i], kLeast);
  for (DeviceSlots& device : devices)
    for (std::unique_ptr<Slot>& slot : device.slots) slots_.push_back(std::move(slot));
}

DeviceAccelerator::~DeviceAccelerator() = default;

size_t DeviceAccelerator::least(Operation operation) const noexcept {
  return !scheduler_.takes_requests() ? SIZE_MAX : least_[static_cast<size_t>(operation)];
}

void DeviceAccelerator::run(const Request& request, const Processor& processor) {
  Registers registers(request, block_size_);
  std::mutex mutex;  // of the sum, to which the processor adds its own parts at the same time
  Wiped<uint64_t[gf2n::kMaxSumWords]> sum;
  DeviceScheduler::Request work;
  work.num_units = request.num_blocks;
  work.grain = request.unit_blocks > 1 ? request.unit_blocks : kGrain;
  work.kind = static_cast<size_t>(request.operation);
  work.slot_min = sizes_.min / block_size_, work.slot_max = sizes_.max / block_size_;
  work.processor_min = sizes_.processor_min / block_size_;
  work.on_new = [&](WorkSplitter::Piece piece) { registers.add(piece); };
  work.on_slot = [&](size_t slot, WorkSplitter::Piece piece) {
    Wiped<uint64_t[gf2n::kMaxSumWords]> part;
    slots_[slot]->run(request, {piece.begin, piece.end, registers.before(piece)}, part.value);
    const std::lock_guard lock(mutex);
    for (size_t i = 0; i < gf2n::kMaxSumWords; ++i) sum.value[i] ^= part.value[i];
  };
  work.on_processor = [&](WorkSplitter::Piece piece) { processor(piece.begin, piece.end, registers.before(piece)); };
  scheduler_.run(work);
  for (size_t i = 0; request.sum && i < gf2n::kMaxSumWords; ++i) request.sum[i] ^= sum.value[i];
}

}  // namespace vsh::gpu
