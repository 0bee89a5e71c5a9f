#include "gpu/ciphers/block_cipher.hpp"

#include "core/decimal.hpp"
#include "core/wipe.hpp"
#include "gf2n/tweak.hpp"
#include "gpu/ciphers/masks.hpp"

namespace vsh::gpu {
namespace {

// A work item has 32 blocks, 32 items share 1024 (kernels/blocks.h).
constexpr uint64_t kBlocksOfGroup = 1024, kItemsOfGroup = 32;
uint64_t items_for(uint64_t num_blocks) {
  return (num_blocks / kBlocksOfGroup + (num_blocks % kBlocksOfGroup != 0)) * kItemsOfGroup;
}

constexpr uint32_t kBlocksPerTweak = 32;  // as in kernels/xts.h

}  // namespace

BlockCipher::BlockCipher(Device& device, Queue& queue, const keys::CipherKey& key)
    : block_size_(vsh::block_size(key.algorithm())) {
  key.magma() ? load(device, queue, *key.magma()) : load(device, queue, *key.kuznyechik());
}

void BlockCipher::load(Device& device, Queue& queue, const magma::RoundKeys& rk) {
  program_ = device.program("magma", "-DVSH_SBOX=" + decimal(rk.custom ? 9 : static_cast<int>(rk.set) + 1) +
                                         " -DVSH_GOST28147=" + (rk.little_endian ? "1" : "0"));
  Wiped<uint32_t[256 + kNumTableMasks]> masks;
  uint32_t* end = masks.value;
  for (const uint32_t k : rk.k) end = write_masks(end, k, 32);
  if (rk.custom) end = write_table_masks(end, rk.rows);
  upload(device, queue, masks.value, static_cast<size_t>(end - masks.value) * sizeof *end);
  using enum Operation;
  for (const Operation o : {ecb_encrypt, ecb_decrypt, cbc_decrypt, cfb_decrypt}) find(o);
  if (rk.little_endian) find(cnt);
  else
    for (const Operation o : {ctr, ctr_left, ctr_right}) find(o);
}

void BlockCipher::load(Device& device, Queue& queue, const kuznyechik::RoundKeys& rk) {
  program_ = device.program("kuznyechik", "");
  Wiped<uint32_t[kuznyechik::kRounds * 128]> masks;
  uint32_t* end = masks.value;
  for (const auto& key : rk.k)
    for (int byte = 15; byte >= 0; --byte) end = write_masks(end, key[byte], 8);  // k[r][0] is the most significant
  upload(device, queue, masks.value, sizeof masks.value);
  using enum Operation;
  for (const Operation o :
       {ecb_encrypt, ecb_decrypt, cbc_decrypt, cfb_decrypt, ctr, ctr_left, ctr_right, xts_encrypt, xts_decrypt})
    find(o);
  tweaks_ = &program_->kernel("xts_tweaks");
}

void BlockCipher::upload(Device& device, Queue& queue, const void* schedule, size_t len) {
  schedule_ = device.allocate(len);
  queue.upload(*schedule_, 0, schedule, len);
  queue.finish();
}

void BlockCipher::find(Operation operation) {
  kernels_[static_cast<size_t>(operation)] = &program_->kernel(std::string(operation_name(operation)));
}

void BlockCipher::launch(Queue& queue, const Task& t) const {
  if (t.num_blocks == 0) return;
  Kernel& kernel = *kernels_[static_cast<size_t>(t.operation)];
  const uint64_t items = items_for(t.num_blocks);
  const auto with = [&](auto... rest) {
    const Argument arguments[] = {*t.out, *t.in, *schedule_, rest..., t.num_blocks};
    queue.launch(kernel, items, arguments);
  };
  using enum Operation;
  switch (t.operation) {
    case ctr:
    case ctr_left:
    case ctr_right:
    case cnt: return with(t.start, t.first);
    case cbc_decrypt:
    case cfb_decrypt: return with(t.start, t.z);
    case xts_encrypt:
    case xts_decrypt: return with(t.start, t.first, t.unit_blocks);
    default: return with();
  }
}

uint64_t BlockCipher::tweaks_size(uint64_t num_units, uint32_t unit_blocks) noexcept {
  return num_units * ((uint64_t{unit_blocks} + kBlocksPerTweak - 1) / kBlocksPerTweak) * 16;
}

void BlockCipher::write_tweaks(uint8_t* tweaks, const uint8_t* first, uint64_t begin, uint32_t num_blocks) noexcept {
  static_assert(kBlocksPerTweak == 32);
  gf2n::Tweak tweak(first);
  tweak.times_power(begin);
  for (const uint8_t* const end = tweaks + tweaks_size(1, num_blocks); tweaks != end; tweaks += 16, tweak.times_x32())
    tweak.store(tweaks);
}

void BlockCipher::make_tweaks(Queue& queue, Buffer& tweaks, uint64_t first, uint64_t step, uint64_t num_units,
                              uint32_t unit_blocks) const {
  if (num_units == 0) return;
  const Argument arguments[] = {tweaks, *schedule_, first, step, unit_blocks, num_units};
  queue.launch(*tweaks_, items_for(num_units), arguments);
}

}  // namespace vsh::gpu
