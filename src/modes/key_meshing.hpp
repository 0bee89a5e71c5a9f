// CryptoPro key meshing of GOST 28147-89, RFC 4357 section 2.3.2. After every 1024 bytes
//     K' = D_K(C),    IV' = E_K'(IV),
// where IV is the mode's feedback: the last block of ciphertext in CFB and CBC, N3 and N4 in CNT. IMIT changes only its
// key (modes/imit.hpp).
#pragma once

#include <algorithm>

#include "modes/cbc.hpp"
#include "modes/cfb.hpp"
#include "modes/cnt.hpp"
#include "modes/sections.hpp"

namespace vsh::modes {

inline constexpr size_t kMeshingSection = 1024;  // bytes
constexpr uint8_t kMeshingConstant[32] = {0x69, 0x00, 0x72, 0x22, 0x64, 0xc9, 0x04, 0x23, 0x8d, 0x3a, 0xdb,
                                          0x96, 0x46, 0xe9, 0x2a, 0xc4, 0x18, 0xfe, 0xac, 0x94, 0x00, 0xed,
                                          0x07, 0x12, 0xc0, 0x86, 0xdc, 0xc2, 0xef, 0x4c, 0xa9, 0x2b};

// Sets the next section's key, D_K(C): SectionedCipher::NextKey.
void mesh_key(ChangingCipher& cipher);

class MeshedCntCounter {
 public:
  // iv: 8 bytes.
  MeshedCntCounter(ChangingCipher& cipher, const uint8_t* iv) : counter_(cipher.for_blocks(1), iv) {}
  void next(ChangingCipher& cipher) { counter_.restart(cipher.for_blocks(1), kMeshingSection / 8); }
  void add(const BlockEngine& engine, size_t s, uint8_t* out, const uint8_t* in, uint64_t, uint64_t in_section,
           size_t num_units) const {
    counter_.add(engine, s, out, in, in_section, num_units);
  }
  uint64_t max_blocks(size_t) const noexcept { return UINT64_MAX; }

 private:
  CntCounter counter_;
};

using MeshedCnt = CounterMode<Sections<MeshedCntCounter>, SectionedCipher>;

// Tracks the position of a message in CFB or CBC. Copies of a mode may share a cipher: each sets the key that it needs.
class MeshedPosition {
 public:
  explicit MeshedPosition(SectionedCipher& c) : c_(&c) { c.at(0); }

  void set_cipher(SectionedCipher& c) noexcept { c_ = &c; }
  ChangingCipher& cipher() const noexcept { return c_->cipher; }
  size_t in_section() const noexcept { return in_section_; }  // bytes
  void skip(size_t len) noexcept;
  // Calls f(bytes before, bytes) for each section's share of the next len bytes, under its key and with the mode's
  // register as it is there.
  template <class Mode, class F>
  void for_sections(Mode& mode, size_t len, const F& f) {
    for (size_t done = 0; done < len;) {
      const bool ended = in_section_ == kMeshingSection;
      if (ended) ++section_, in_section_ = 0;
      c_->at(section_).for_blocks(1);
      if (ended) mode.encrypt_register();
      const size_t num = std::min(len - done, kMeshingSection - in_section_);
      f(done, num);
      done += num, in_section_ += num;
    }
  }

 private:
  SectionedCipher* c_;
  uint64_t section_ = 0;
  size_t in_section_ = 0;  // a section ends when the next one begins
};

class MeshedCfb {
 public:
  // iv: 8 bytes.
  MeshedCfb(SectionedCipher& c, Direction direction, const uint8_t* iv) noexcept;
  void set_engine(SectionedCipher& c) noexcept {
    position_.set_cipher(c);
    mode_.set_engine(c.cipher.for_blocks(0));
  }
  void process(uint8_t* out, const uint8_t* in, size_t len);

 private:
  MeshedPosition position_;
  Cfb mode_;
};

class MeshedCbc {
 public:
  // iv: 8 bytes.
  MeshedCbc(SectionedCipher& c, const uint8_t* iv) noexcept;
  const BlockEngine& engine() const noexcept { return mode_.engine(); }
  void set_engine(SectionedCipher& c) noexcept {
    position_.set_cipher(c);
    mode_.set_engine(c.cipher.for_blocks(0));
  }
  void encrypt(uint8_t* out, const uint8_t* in, size_t num_blocks);
  void decrypt(uint8_t* out, const uint8_t* in, size_t num_blocks);
  void skip(const uint8_t* ciphertext, size_t num_blocks) noexcept;

 private:
  MeshedPosition position_;
  Cbc mode_;
};

}  // namespace vsh::modes
