#include "modes/key_meshing.hpp"

#include <algorithm>

namespace vsh::modes {
namespace {

constexpr size_t kGostBlock = 8;

}  // namespace

void mesh_key(ChangingCipher& cipher) {
  constexpr size_t num = sizeof kMeshingConstant / kGostBlock;
  Wiped<uint8_t[sizeof kMeshingConstant]> key;
  cipher.for_blocks(num).decrypt(key.value, kMeshingConstant, num);
  cipher.change_key(key.value);
}

void MeshedPosition::skip(size_t len) noexcept {
  if (len == 0) return;
  // If the message has p bytes by now, the last byte lies in section (p - 1) / 1024.
  const size_t end = in_section_ + len;
  section_ += (end - 1) / kMeshingSection;
  in_section_ = (end - 1) % kMeshingSection + 1;
}

MeshedCfb::MeshedCfb(SectionedCipher& c, Direction direction, const uint8_t* iv) noexcept
    : position_(c), mode_(c.cipher.for_blocks(0), direction, iv, kGostBlock, kGostBlock) {}

void MeshedCfb::process(uint8_t* out, const uint8_t* in, size_t len) {
  position_.for_sections(mode_, len, [&](size_t done, size_t num) {
    // Decryption processes all whole blocks together, after completing a partial block.
    const size_t begun = std::min(num, (kGostBlock - position_.in_section() % kGostBlock) % kGostBlock);
    position_.cipher().for_blocks((num - begun) / kGostBlock);
    mode_.process(out + done, in + done, num);
  });
}

MeshedCbc::MeshedCbc(SectionedCipher& c, const uint8_t* iv) noexcept
    : position_(c), mode_(c.cipher.for_blocks(0), iv, kGostBlock) {}

void MeshedCbc::encrypt(uint8_t* out, const uint8_t* in, size_t num_blocks) {
  position_.for_sections(mode_, num_blocks * kGostBlock,
                         [&](size_t done, size_t num) { mode_.encrypt(out + done, in + done, num / kGostBlock); });
}

void MeshedCbc::decrypt(uint8_t* out, const uint8_t* in, size_t num_blocks) {
  position_.for_sections(mode_, num_blocks * kGostBlock, [&](size_t done, size_t num) {
    position_.cipher().for_blocks(num / kGostBlock);
    mode_.decrypt(out + done, in + done, num / kGostBlock);
  });
}

void MeshedCbc::skip(const uint8_t* ciphertext, size_t num_blocks) noexcept {
  mode_.skip(ciphertext, num_blocks);
  position_.skip(num_blocks * kGostBlock);
}

}  // namespace vsh::modes
