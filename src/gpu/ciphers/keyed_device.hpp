// A device under one key, with everything that an engine may request from it.
#pragma once

#include <memory>

#include "gpu/ciphers/block_cipher.hpp"
#include "gpu/ciphers/products.hpp"

namespace vsh::gpu {

class KeyedDevice {
 public:
  // The keys are not kept. tweak_key: of XTS, or null. authenticates: for MGM too. Throws Error.
  KeyedDevice(Device& device, const keys::CipherKey& key, const keys::CipherKey* tweak_key, bool authenticates);

  Device& device() const noexcept { return device_; }
  const BlockCipher& cipher() const noexcept { return *cipher_; }
  const BlockCipher& tweak_cipher() const noexcept { return *tweak_cipher_; }
  const Products& products() const noexcept { return *products_; }  // of MGM
  bool can(Operation operation) const noexcept;

 private:
  Device& device_;
  std::unique_ptr<BlockCipher> cipher_, tweak_cipher_;
  std::unique_ptr<Products> products_;
};

}  // namespace vsh::gpu
