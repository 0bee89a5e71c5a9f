#include "wraps/gost28147_wrap.hpp"

#include <cstring>

#include "core/bytes.hpp"
#include "core/wipe.hpp"
#include "magma/imit_rounds.hpp"
#include "modes/blocks.hpp"

namespace vsh::keys {
namespace {

constexpr size_t kBlock = 8, kKey = 32;

// gost28147IMIT(UKM, KEK, CEK): the state begins as the UKM.
void imit(const magma::ImitRounds& kek, uint8_t tag[kBlock], const uint8_t* ukm, const uint8_t* cek, size_t cek_len) {
  std::memcpy(tag, ukm, kUkmLen);
  kek.absorb(tag, cek, cek_len / kBlock);
}

}  // namespace

void diversify_cryptopro(magma::RoundKeys& kek, const BlockKernel& kernel, const uint8_t* ukm) noexcept {
  Wiped<uint8_t[kKey]> key;
  for (size_t i = 0; i < 8; ++i) store_le32(key.value + 4 * i, kek.k[i]);
  for (size_t i = 0; i < kUkmLen; ++i) {
    uint32_t chosen = 0, others = 0;  // by the bits of the UKM, which is public
    for (size_t j = 0; j < 8; ++j) (ukm[i] >> j & 1 ? chosen : others) += kek.k[j];
    // encryptCFB(S, K, K)
    Wiped<uint8_t[kBlock]> s;
    store_le32(s.value, chosen);
    store_le32(s.value + 4, others);
    const magma::ImitRounds cipher(kek, kernel);
    for (size_t at = 0; at < kKey; at += kBlock) {
      cipher.encrypt(s.value, s.value, 1);
      modes::xor_bytes(key.value + at, key.value + at, s.value, kBlock);
      std::memcpy(s.value, key.value + at, kBlock);
    }
    for (size_t j = 0; j < 8; ++j) kek.k[j] = load_le32(key.value + 4 * j);
  }
}

void wrap_gost28147(WrapKey kek, uint8_t* out, const uint8_t* ukm, const uint8_t* cek, size_t cek_len) noexcept {
  const magma::ImitRounds cipher(kek.round_keys, kek.kernel);
  Wiped<uint8_t[kBlock]> tag;
  imit(cipher, tag.value, ukm, cek, cek_len);
  cipher.encrypt(out, cek, cek_len / kBlock);
  std::memcpy(out + cek_len, tag.value, kWrapTagLen);
}

bool unwrap_gost28147(WrapKey kek, uint8_t* cek, size_t cek_len, const uint8_t* ukm, const uint8_t* in) noexcept {
  const magma::ImitRounds cipher(kek.round_keys, kek.kernel);
  Wiped<uint8_t[kMaxWrappedKey]> opened;
  Wiped<uint8_t[kBlock]> tag;
  cipher.decrypt(opened.value, in, cek_len / kBlock);
  imit(cipher, tag.value, ukm, opened.value, cek_len);
  if (!equal_constant_time(tag.value, in + cek_len, kWrapTagLen)) return false;
  std::memcpy(cek, opened.value, cek_len);
  return true;
}

}  // namespace vsh::keys
