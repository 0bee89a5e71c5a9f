// State of authenticated encryption under a key: a mode, and the remaining limit of the key.
#pragma once

#include <variant>

#include "api/arguments/keys.hpp"
#include "modes/ctr_acpkm_omac.hpp"
#include "modes/mgm.hpp"

namespace vsh::api {

static_assert(VSH_AEAD_MAX_NONCE_LEN == modes::kMaxBlock && VSH_AEAD_MAX_TAG_LEN == modes::kMaxBlock);

// RFC 9058 section 4: tags of 32 bits to a block. Forging one of tag_len bytes takes 2^(8 * tag_len) attempts, so tags
// of less than 64 bits only on request.
inline bool is_tag_len(size_t tag_len, size_t max_len, bool allow_short) noexcept {
  return tag_len >= (allow_short ? 4 : 8) && tag_len <= max_len;
}

// RFC 9058 section 3: the first bit of a nonce of MGM is 0.
inline bool is_mgm_nonce(const uint8_t* nonce) noexcept { return !(nonce[0] & 0x80); }

// MGM under one key. The interface of each alternative of AeadKey:
//     mode                  start, add_data, encrypt, decrypt, authenticate, final, seal, open; data_len, text_len
//     check_nonce, check_limit, check_content, begin, note_encrypted, kernel
class MgmKey {
  BlockEngine engine_;

 public:
  MgmKey(const BlockChoice& kernels, const keys::CipherKey& key, unsigned threads, const ProductKernel& products)
      : engine_(kernels, key, threads), mode(engine_, products) {}
  void set_accelerator(std::shared_ptr<Accelerator> accelerator) { engine_.set_accelerator(std::move(accelerator)); }
  MgmKey(const MgmKey& other)
      : engine_(other.engine_), mode(other.mode), used_before_(other.used_before_), used_(other.used_) {
    mode.set_engine(engine_);
  }

  modes::Mgm mode;
  const char* kernel() const { return engine_.many().info.variant; }

  vsh_status check_nonce(const uint8_t* nonce) const { return is_mgm_nonce(nonce) ? VSH_OK : VSH_E_NONCE; }

  // Checks the length against the bound for one message and, if the message is to be encrypted, for one key.
  vsh_status check_limit(uint64_t data_len, uint64_t text_len, bool encrypts) const {
    const uint64_t max = mode.max_len();
    if (data_len > max || text_len > max - data_len) return VSH_E_LIMIT;
    return !encrypts || weight(data_len, text_len) <= max_weight() - used_before_ ? VSH_OK : VSH_E_LIMIT;
  }
  // RFC 9058 section 4.1: 0 < |A| + |P|; otherwise the tag would not depend on the nonce (section 6).
  vsh_status check_content(uint64_t data_len, uint64_t text_len) const {
    return data_len || text_len ? VSH_OK : VSH_E_DATA_LENGTH;
  }

  // A message begins, or has so far been encrypted to these lengths.
  void begin() { used_before_ = used_; }
  void note_encrypted(uint64_t data_len, uint64_t text_len) { used_ = used_before_ + weight(data_len, text_len); }

 private:
  // Returns a message's contribution to s + 4q of RFC 9058 section 6: its blocks, and 4.
  uint64_t weight(uint64_t data_len, uint64_t text_len) const {
    const uint64_t n = engine_.block_size();
    return (data_len + n - 1) / n + (text_len + n - 1) / n + 4;
  }
  // The largest s + 4q with 3 (s + 4q)^2 < 2^n, n in bits: 2^(n/2) / sqrt(3). Beyond it the bound is void.
  uint64_t max_weight() const { return engine_.block_size() == 8 ? 2479700524u : 10650232656628343401u; }

  uint64_t used_before_ = 0, used_ = 0;  // s + 4q without the last message, and with it
};

// CTR-ACPKM with OMAC: every message has its own keys, so their number is not bounded.
struct CmsKey {
  CmsKey(const BlockChoice& kernels, const keys::CipherParameters& cipher, const HashKernel* hash, const uint8_t* key,
         size_t section_len, unsigned threads)
      : mode(kernels, cipher, hash, key, section_len, threads) {}

  modes::CtrAcpkmOmac mode;
  const char* kernel() const { return mode.kernel().info.variant; }
  vsh_status check_nonce(const uint8_t*) const { return VSH_OK; }
  vsh_status check_limit(uint64_t data_len, uint64_t text_len, bool) const {
    if (data_len) return VSH_E_DATA_LENGTH;  // CMS has no associated data
    return text_len <= mode.max_len() ? VSH_OK : VSH_E_LIMIT;
  }
  vsh_status check_content(uint64_t, uint64_t) const { return VSH_OK; }
  void begin() {}
  void note_encrypted(uint64_t, uint64_t) {}
};

using AeadKey = std::variant<MgmKey, CmsKey>;

}  // namespace vsh::api
