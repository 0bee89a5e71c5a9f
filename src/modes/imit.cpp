#include "modes/imit.hpp"

#include "modes/key_meshing.hpp"

namespace vsh::modes {

void Imit::reset() noexcept {
  sum_ = {};
  if (key_meshing_) rounds_ = first_;
  in_section_ = 0;
}

void Imit::absorb(uint8_t* state, const uint8_t* in, size_t num_blocks) noexcept {
  if (!key_meshing_) return rounds_.absorb(state, in, num_blocks);
  constexpr size_t kSection = kMeshingSection / kBlock;
  while (num_blocks) {
    if (in_section_ == kSection) {
      Wiped<uint8_t[sizeof kMeshingConstant]> key;
      rounds_.decrypt(key.value, kMeshingConstant, sizeof kMeshingConstant / kBlock);
      rounds_.change_key(key.value);
      in_section_ = 0;
    }
    const size_t num = std::min(num_blocks, kSection - in_section_);
    rounds_.absorb(state, in, num);
    in += num * kBlock, num_blocks -= num, in_section_ += num;
  }
}

void Imit::update(const uint8_t* in, size_t len) noexcept {
  sum_.update(in, len, [this](uint8_t* state, const uint8_t* from, size_t num) { absorb(state, from, num); });
}

void Imit::final(uint8_t* imit) noexcept {
  sum_.final(imit, [this](uint8_t* state, const uint8_t* from, size_t num) { absorb(state, from, num); });
}

}  // namespace vsh::modes
