#include "gpu/ciphers/products.hpp"

#include <algorithm>

#include "core/bytes.hpp"
#include "core/decimal.hpp"
#include "gpu/device/host_memory.hpp"

namespace vsh::gpu {
namespace {

// Work items: enough to fill the device, each with at least some blocks, in whole groups.
constexpr uint64_t kItemsAUnit = 1024, kProductsAnItem = 8;

}  // namespace

Products::Products(Device& device, size_t block_size)
    : device_(device),
      block_size_(block_size),
      program_(device.program("gf2n", "-DVSH_WORDS=" + decimal(block_size / 4))) {}

void Products::launch(Queue& queue, Scratch& scratch, const Buffer& a, const Buffer& b, uint64_t num_blocks) const {
  const uint64_t most = std::max(device_.info().units, 1u) * kItemsAUnit;
  const uint64_t groups = std::min(num_blocks / kProductsAnItem, most) / kGroup;
  const auto num_items = static_cast<uint32_t>(std::max<uint64_t>(groups, 1) * kGroup);
  const Buffer& sums = grow(device_, queue, scratch.sums, 2 * block_size_ * num_items);
  const Buffer& folded = grow(device_, queue, scratch.folded, folded_size());
  const Argument multiply[] = {sums, a, b, num_items, num_blocks};
  queue.launch(program_->kernel("products"), num_items, multiply);
  const Argument fold[] = {folded, sums, num_items};
  queue.launch(program_->kernel("fold"), folded_size() / 4, fold);
}

void Products::add(uint64_t* sum, const uint8_t* folded) const noexcept {
  for (size_t word = 0; word < block_size_ / 2; ++word)
    for (size_t i = 0; i < kGroup; ++i, folded += 4) sum[word / 2] ^= uint64_t{load_le32(folded)} << (32 * (word % 2));
}

}  // namespace vsh::gpu
