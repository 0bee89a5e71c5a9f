// CTR-ACPKM, R 1323565.1.017-2018 and RFC 8645 section 6.2.2: CTR whose key changes after every section.
#pragma once

#include "modes/ctr.hpp"
#include "modes/sections.hpp"

namespace vsh::modes {

// Sets the next section's key: ACPKM(K) = MSB_k(E_K(D_1) || E_K(D_2) || ...), D = 80 81 .. 9F (RFC 8645 section 6.2.1).
void acpkm(ChangingCipher& cipher);

// C_i = P_i ^ T_s(E(CTR_i)) under the key of the section in which P_i lies.
class AcpkmCounter {
 public:
  // iv: half a block.
  AcpkmCounter(ChangingCipher& cipher, const uint8_t* iv) : counter_(cipher.for_blocks(0), iv) {}
  void next(ChangingCipher&) noexcept {}  // goes on through all sections
  void add(const BlockEngine& engine, size_t s, uint8_t* out, const uint8_t* in, uint64_t first, uint64_t,
           size_t num_units) const {
    counter_.add(engine, s, out, in, first, num_units);
  }
  // RFC 8645 section 6.2.2: |P| <= n * 2^(n/2 - 1) bits.
  uint64_t max_blocks(size_t block_size) const noexcept { return uint64_t{1} << (4 * block_size - 1); }

 private:
  CtrCounter counter_;
};

using CtrAcpkm = CounterMode<Sections<AcpkmCounter>, SectionedCipher>;

}  // namespace vsh::modes
