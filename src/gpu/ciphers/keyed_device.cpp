#include "gpu/ciphers/keyed_device.hpp"

namespace vsh::gpu {
namespace {

std::unique_ptr<BlockCipher> make_cipher(Device& device, Queue& queue, Algorithm algorithm, const void* round_keys) {
  if (algorithm == Algorithm::kuznyechik)
    return std::make_unique<BlockCipher>(device, queue, *static_cast<const kuznyechik::RoundKeys*>(round_keys));
  return std::make_unique<BlockCipher>(device, queue, *static_cast<const magma::RoundKeys*>(round_keys));
}

}  // namespace

std::optional<Work> device_work(Accelerator::Work work) noexcept {
  using From = Accelerator::Work;
  switch (work) {
    case From::encrypt: return Work::ecb_encrypt;
    case From::decrypt: return Work::ecb_decrypt;
    case From::ctr: return Work::ctr;
    case From::ctr_left: return Work::ctr_left;
    case From::ctr_right: return Work::ctr_right;
    case From::cnt: return Work::cnt;
    case From::cbc_decrypt: return Work::cbc_decrypt;
    case From::cfb_decrypt: return Work::cfb_decrypt;
    case From::xts_encrypt: return Work::xts_encrypt;
    case From::xts_decrypt: return Work::xts_decrypt;
    case From::mgm_encrypt:
    case From::mgm_decrypt:
    case From::mgm_authenticate: break;
  }
  return {};
}

KeyedDevice::KeyedDevice(Device& device, Algorithm algorithm, const void* round_keys, const void* tweak_keys,
                         bool authenticates)
    : device_(device) {
  const std::unique_ptr<Queue> queue = device.make_queue();
  cipher_ = make_cipher(device, *queue, algorithm, round_keys);
  if (tweak_keys) tweak_cipher_ = make_cipher(device, *queue, algorithm, tweak_keys);
  if (authenticates) products_ = std::make_unique<Products>(device, cipher_->block_size());
}

bool KeyedDevice::can(Accelerator::Work work) const noexcept {
  const bool is_xts = work == Accelerator::Work::xts_encrypt || work == Accelerator::Work::xts_decrypt;
  const std::optional<Work> on_device = device_work(work);
  if (!on_device) return products_ && cipher_->can(Work::ctr_left) && cipher_->can(Work::ctr_right);
  return cipher_->can(*on_device) && (!is_xts || tweak_cipher_);
}

}  // namespace vsh::gpu
