// CTR-ACPKM with OMAC, authenticated encryption as in CMS: R 1323565.1.025-2019, gostr3412-2015-...-ctracpkm-omac.
#pragma once

#include <optional>

#include "keys/kdf.hpp"
#include "modes/acpkm.hpp"
#include "modes/mac.hpp"

namespace vsh::modes {

// A nonce, the UKM of CMS, is the IV of CTR and 8 bytes of seed, from which every message gets its own keys:
//     K_enc || K_mac = KDF_TREE(K, "kdf tree", seed, R = 1), 512 bits
//     C || T = CTR-ACPKM(K_enc, IV, P || OMAC(K_mac, P))
// It has no associated data.
//
// The interface is that of modes::Mgm: start, then encrypt, decrypt or authenticate, final; or seal and open.
class CtrAcpkmOmac {
 public:
  static constexpr size_t kSeedLen = 8;

  // key: 32 bytes. kernel: constant-time. section_len: in bytes, a multiple of the block. Throws std::bad_alloc only.
  CtrAcpkmOmac(const BlockChoice& kernels, const keys::CipherParameters& cipher, const HashKernel* kernel,
               const uint8_t* key, size_t section_len, unsigned threads);
  CtrAcpkmOmac(const CtrAcpkmOmac& other);  // goes on from the same point; throws std::bad_alloc only
  CtrAcpkmOmac& operator=(const CtrAcpkmOmac&) = delete;

  // Returns the longest text in bytes; the tag uses part of CTR-ACPKM's limit.
  uint64_t max_len() const noexcept;
  const BlockKernel& kernel() const noexcept { return cipher_.kernels.ladder.many(); }

  // nonce: half a block and kSeedLen bytes.
  void start(const uint8_t* nonce);
  void add_data(const uint8_t*, size_t) noexcept {}  // always empty: checked by the caller
  // out == in allowed.
  void encrypt(uint8_t* out, const uint8_t* in, size_t len);
  void decrypt(uint8_t* out, const uint8_t* in, size_t len);  // out is not verified yet
  void authenticate(const uint8_t* ciphertext, size_t len);   // as decrypt, without plaintext
  uint64_t data_len() const noexcept { return 0; }
  uint64_t text_len() const noexcept { return text_len_; }
  // tag: a whole block. Then only start is allowed.
  void final(uint8_t* tag);

  void seal(uint8_t* out, uint8_t* tag, const uint8_t* nonce, const uint8_t*, size_t, const uint8_t* in, size_t len);
  // Returns whether the first tag_len bytes of the tag match. If not, out has no plaintext: it is erased or untouched;
  // with out == in, which is allowed, untouched. in is read once. If this throws, out is erased.
  [[nodiscard]] bool open(uint8_t* out, const uint8_t* tag, size_t tag_len, const uint8_t* nonce, const uint8_t*,
                          size_t, const uint8_t* in, size_t len);

 private:
  keys::Hmac key_;
  SectionedCipher cipher_;
  ChangingCipher mac_cipher_;
  std::optional<CtrAcpkm> mode_;  // of the message
  std::optional<Mac> mac_;
  uint64_t text_len_ = 0;
};

}  // namespace vsh::modes
