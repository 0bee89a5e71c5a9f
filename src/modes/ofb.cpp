#include "modes/ofb.hpp"

#include <algorithm>

namespace vsh::modes {

Ofb::Ofb(const BlockEngine& engine, const uint8_t* iv, size_t iv_len, size_t segment) noexcept
    : engine_(&engine),
      register_(iv, iv_len),
      segment_(segment),
      keystream_len_(iv_len / engine.block_size() * segment),
      used_(keystream_len_) {}

void Ofb::process(uint8_t* out, const uint8_t* in, size_t len) {
  const size_t n = engine_->block_size();
  while (len) {
    if (used_ == keystream_len_) {
      register_.encrypt(*engine_);
      if (segment_ != n) {
        std::memcpy(truncated_, register_.bytes(), register_.size());
        truncate_blocks(truncated_, register_.size() / n, n, segment_);
      }
      used_ = 0;
    }
    const size_t step = std::min(len, keystream_len_ - used_);
    xor_bytes(out, in, (segment_ == n ? register_.bytes() : truncated_) + used_, step);
    out += step, in += step, len -= step, used_ += step;
  }
}

}  // namespace vsh::modes
