#include "gpu/ciphers/keyed_device.hpp"

namespace vsh::gpu {
KeyedDevice::KeyedDevice(Device& device, const keys::CipherKey& key, const keys::CipherKey* tweak_key,
                         bool authenticates)
    : device_(device) {
  const std::unique_ptr<Queue> queue = device.make_queue();
  cipher_ = std::make_unique<BlockCipher>(device, *queue, key);
  if (tweak_key) tweak_cipher_ = std::make_unique<BlockCipher>(device, *queue, *tweak_key);
  if (authenticates) products_ = std::make_unique<Products>(device, cipher_->block_size());
}

bool KeyedDevice::can(Operation operation) const noexcept {
  if (is_mgm(operation)) return products_ && cipher_->can(Operation::ctr_left) && cipher_->can(Operation::ctr_right);
  return cipher_->can(operation) && (!is_xts(operation) || tweak_cipher_);
}

}  // namespace vsh::gpu
