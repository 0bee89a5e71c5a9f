// OMAC-ACPKM, R 1323565.1.017-2018 and RFC 8645 section 6.3.6: the MAC of GOST R 34.13-2015 (OMAC) whose key changes
// after every section.
#pragma once

#include "modes/acpkm.hpp"
#include "modes/mac.hpp"

namespace vsh::modes {

// Section i has the key K_i and, if it is the last, ends with subkeys from K_(i,1): the next k + n bits of
// ACPKM-Master, which is the keystream of CTR-ACPKM with the IV 1^(n/2) and sections of T* bits.
class OmacAcpkm {
 public:
  // master: the cipher under the master key, its section_len T*. kernels: of single blocks. section_len: of the
  // message, in bytes, a multiple of the block. Throws std::bad_alloc only.
  OmacAcpkm(SectionedCipher& master, size_t section_len);
  void set_engine(SectionedCipher& master) noexcept { material_.set_engine(master); }
  void reset();
  void update(const uint8_t* in, size_t len);
  // mac: a whole block, of which T_s are the first s bytes. Then only reset is allowed.
  void final(uint8_t* mac);

  const BlockKernel& kernel() const noexcept { return cipher_.one(); }

 private:
  void encrypt(uint8_t* block);
  void next_section();

  CtrAcpkm material_;
  ChangingCipher cipher_;
  MacChain chain_;
  size_t section_len_;
  size_t left_ = 0;  // bytes of the section
  uint8_t subkey_[kMaxBlock];
};

}  // namespace vsh::modes
