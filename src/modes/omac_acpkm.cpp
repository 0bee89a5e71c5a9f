#include "modes/omac_acpkm.hpp"

namespace vsh::modes {
namespace {

constexpr uint8_t kMasterIv[kMaxBlock / 2] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};

}  // namespace

OmacAcpkm::OmacAcpkm(SectionedCipher& master, size_t section_len)
    : material_(master, kMasterIv, master.cipher.block_size()),
      cipher_(master.kernels, master.first_key),
      chain_(master.cipher.block_size()),
      section_len_(section_len) {}

void OmacAcpkm::reset() {
  material_.seek(0);
  chain_.reset();
  left_ = 0;
}

void OmacAcpkm::next_section() {
  Wiped<uint8_t[32 + kMaxBlock]> material;
  material_.process(material.value, material.value, 32 + cipher_.block_size());
  cipher_.change_key(material.value);
  std::memcpy(subkey_, material.value + 32, cipher_.block_size());
  left_ = section_len_;
}

void OmacAcpkm::encrypt(uint8_t* block) {
  if (left_ == 0) next_section();
  cipher_.for_blocks(1).encrypt_one(block, block);
  left_ -= cipher_.block_size();
}

void OmacAcpkm::update(const uint8_t* in, size_t len) {
  chain_.update(in, len, [this](uint8_t* block) { encrypt(block); });
}

void OmacAcpkm::final(uint8_t* mac) {
  if (left_ == 0) next_section();  // subkeys are those of the last block's section
  Wiped<uint8_t[kMaxBlock]> doubled;
  double_block(doubled.value, subkey_, cipher_.block_size());
  chain_.final(mac, subkey_, doubled.value, [this](uint8_t* block) { encrypt(block); });
}

}  // namespace vsh::modes
