// Kernels and devices for the cryptography of a sealed file.
#pragma once

#include <functional>
#include <memory>

#include "core/accelerator.hpp"
#include "core/registry.hpp"
#include "streams/selection.hpp"

namespace vsh::keys {
class CipherKey;
}
namespace vsh::streams {
struct Packet;
}

namespace vsh::sealed {

// Devices for the chunks of one file, by Kuznyechik-MGM; src/api/sealed has them. Throws what a device throws.
class Devices {
 public:
  using Processor = std::function<void(streams::Selection<streams::Packet>)>;

  virtual ~Devices() = default;
  // Bytes of the longest packet that run takes. A longer chunk is a request to an accelerator.
  virtual size_t max_packet() const noexcept = 0;
  // Processes all packets; those that are not worth a device by processor(packets).
  virtual void run(std::span<streams::Packet> packets, const Processor& processor) = 0;
  // Returns one for requests under one key, which is not kept; null: the processor does them.
  virtual std::shared_ptr<Accelerator> accelerator(const keys::CipherKey& key) const = 0;
};

struct Suite {
  const HashKernel* hash;  // constant-time: it sees keys and passphrases
  BlockChoice cipher;      // of Kuznyechik
  const ProductKernel* products;
  unsigned threads;                       // 0: all
  std::shared_ptr<Devices> devices = {};  // null: the processor does all chunks
};

}  // namespace vsh::sealed
