#include "modes/ctr_acpkm_omac.hpp"

#include <algorithm>

namespace vsh::modes {
namespace {

constexpr size_t kKeyLen = 32;
constexpr uint8_t kLabel[] = {'k', 'd', 'f', ' ', 't', 'r', 'e', 'e'};
constexpr unsigned kCounterLen = 1;  // R of KDF_TREE

}  // namespace

CtrAcpkmOmac::CtrAcpkmOmac(const BlockChoice& kernels, const keys::CipherParameters& cipher, const HashKernel* kernel,
                           const uint8_t* key, size_t section_len, unsigned threads)
    : key_(kernel, 256, {key, kKeyLen}),
      cipher_(kernels, keys::CipherKey(cipher), acpkm, section_len, threads),
      mac_cipher_(kernels, keys::CipherKey(cipher)) {}

CtrAcpkmOmac::CtrAcpkmOmac(const CtrAcpkmOmac& other)
    : key_(other.key_),
      cipher_(other.cipher_),
      mac_cipher_(other.mac_cipher_),
      mode_(other.mode_),
      mac_(other.mac_),
      text_len_(other.text_len_) {
  if (mode_) mode_->set_engine(cipher_);
  if (mac_) mac_->set_engine(mac_cipher_.for_blocks(0));
}

uint64_t CtrAcpkmOmac::max_len() const noexcept {
  const size_t n = cipher_.block_size();
  return n == 8 ? ((uint64_t{1} << 31) - 1) * n : UINT64_MAX - n;
}

void CtrAcpkmOmac::start(const uint8_t* nonce) {
  const size_t n = cipher_.block_size();
  Wiped<uint8_t[2 * kKeyLen]> keys;
  key_.reset();
  keys::kdf_tree(key_, keys.value, sizeof keys.value, kCounterLen, kLabel, {nonce + n / 2, kSeedLen});
  key_.reset();
  cipher_.change_first_key(keys.value);
  mac_cipher_.change_key(keys.value + kKeyLen);
  mode_.emplace(cipher_, nonce, n);
  mac_.emplace(mac_cipher_.for_blocks(1));
  text_len_ = 0;
}

void CtrAcpkmOmac::encrypt(uint8_t* out, const uint8_t* in, size_t len) {
  mac_->update(in, len);
  mode_->process(out, in, len);
  text_len_ += len;
}

void CtrAcpkmOmac::decrypt(uint8_t* out, const uint8_t* in, size_t len) {
  mode_->process(out, in, len);
  mac_->update(out, len);
  text_len_ += len;
}

void CtrAcpkmOmac::authenticate(const uint8_t* ciphertext, size_t len) {
  const StackEraser eraser;
  Scratch scratch;
  while (len) {
    const size_t step = std::min(len, Scratch::kSize);
    decrypt(scratch.use(step), ciphertext, step);
    ciphertext += step, len -= step;
  }
}

void CtrAcpkmOmac::final(uint8_t* tag) {
  mac_->final(tag);
  mode_->process(tag, tag, cipher_.block_size());
}

void CtrAcpkmOmac::seal(uint8_t* out, uint8_t* tag, const uint8_t* nonce, const uint8_t*, size_t, const uint8_t* in,
                        size_t len) {
  start(nonce);
  encrypt(out, in, len);
  final(tag);
}

bool CtrAcpkmOmac::open(uint8_t* out, const uint8_t* tag, size_t tag_len, const uint8_t* nonce, const uint8_t*, size_t,
                        const uint8_t* in, size_t len) {
  start(nonce);
  return release_or_erase(
      out, in, len,
      [&] {
        decrypt(out, in, len);
        Wiped<uint8_t[kMaxBlock]> right;
        final(right.value);
        return equal_constant_time(right.value, tag, tag_len);
      },
      [&] {
        mode_->seek(0);
        mode_->process(out, in, len);
      });
}

}  // namespace vsh::modes
