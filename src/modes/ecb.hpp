// ECB, GOST R 34.13-2015 clause 5.1 and RFC 5830 clause 5 ("режим простой замены").
#pragma once

#include "modes/blocks.hpp"

namespace vsh::modes {

// C_i = E(P_i), P_i = D(C_i).
class Ecb {
 public:
  explicit Ecb(const BlockEngine& engine) noexcept : engine_(&engine) {}
  const BlockEngine& engine() const noexcept { return *engine_; }
  void set_engine(const BlockEngine& engine) noexcept { engine_ = &engine; }

  void encrypt(uint8_t* out, const uint8_t* in, size_t num_blocks) { engine_->encrypt(out, in, num_blocks); }
  void decrypt(uint8_t* out, const uint8_t* in, size_t num_blocks) { engine_->decrypt(out, in, num_blocks); }
  void skip(const uint8_t*, size_t) noexcept {}

 private:
  const BlockEngine* engine_;
};

}  // namespace vsh::modes
