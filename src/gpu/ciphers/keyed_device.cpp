#include "gpu/ciphers/keyed_device.hpp"

namespace vsh::gpu {
namespace {

std::unique_ptr<BlockCipher> make_cipher(Device& device, Queue& queue, Algorithm algorithm, const void* round_keys) {
  if (algorithm == Algorithm::kuznyechik)
    return std::make_unique<BlockCipher>(device, queue, *static_cast<const kuznyechik::RoundKeys*>(round_keys));
  return std::make_unique<BlockCipher>(device, queue, *static_cast<const magma::RoundKeys*>(round_keys));
}

}  // namespace

KeyedDevice::KeyedDevice(Device& device, Algorithm algorithm, const void* round_keys, const void* tweak_keys,
                         bool authenticates)
    : device_(device) {
  const std::unique_ptr<Queue> queue = device.make_queue();
  cipher_ = make_cipher(device, *queue, algorithm, round_keys);
  if (tweak_keys) tweak_cipher_ = make_cipher(device, *queue, algorithm, tweak_keys);
  if (authenticates) products_ = std::make_unique<Products>(device, cipher_->block_size());
}

bool KeyedDevice::can(Operation operation) const noexcept {
  if (is_mgm(operation)) return products_ && cipher_->can(Operation::ctr_left) && cipher_->can(Operation::ctr_right);
  return cipher_->can(operation) && (!is_xts(operation) || tweak_cipher_);
}

}  // namespace vsh::gpu
