// Precomputes keystream (gamma in GOST) for counter modes with small updates.
//
// 64 bytes are four blocks of Kuznyechik; the kernels process hundreds at a time. So it precomputes as much keystream
// as the message has had bytes so far, up to kMax: at most half of the work is wasted, and a stream of small pieces
// soon has the speed of large ones.
#pragma once

#include <cstring>

#include "provider.hpp"

namespace vsh::openssl {

class KeystreamAhead {
 public:
  static constexpr size_t kMax = 4096;    // a pass of the widest kernels
  static constexpr size_t kSmall = 1024;  // larger pieces do not benefit

  KeystreamAhead(const Provider& provider) noexcept : provider_(provider) {}
  KeystreamAhead(const KeystreamAhead&) = delete;
  KeystreamAhead& operator=(const KeystreamAhead&) = delete;
  ~KeystreamAhead() { provider_.clear_free(keystream_, kMax, __FILE__, __LINE__); }

  // Begins a new message.
  void drop() noexcept { message_len_ = begin_ = end_ = 0; }
  size_t left() const noexcept { return end_ - begin_; }
  uint64_t message_len() const noexcept { return message_len_; }  // bytes so far

  // Encrypts or decrypts the next bytes of the message of `work` (which is ahead by left()). No overlap, or out == in.
  // An error ends the message.
  vsh_status process(vsh_cipher* work, uint8_t* out, const uint8_t* in, size_t len) noexcept {
    size_t step = take(out, in, len);
    while (step < len) {
      out += step, in += step, len -= step;
      if (len > kSmall || !make(work, len)) {
        message_len_ += len;
        size_t written;
        return vsh_cipher_update(work, out, len, &written, in, len);
      }
      step = take(out, in, len);
    }
    return VSH_OK;
  }

  // Returns false if memory is exhausted.
  bool copy_from(const KeystreamAhead& other) noexcept {
    if (other.left() && !allocate()) return false;
    if (other.left()) std::memcpy(keystream_ + other.begin_, other.keystream_ + other.begin_, other.left());
    message_len_ = other.message_len_, begin_ = other.begin_, end_ = other.end_;
    return true;
  }

 private:
  bool allocate() noexcept {
    if (!keystream_) keystream_ = static_cast<uint8_t*>(provider_.zalloc(kMax, __FILE__, __LINE__));
    return keystream_;
  }

  size_t take(uint8_t* out, const uint8_t* in, size_t len) noexcept {
    if (len > left()) len = left();
    const uint8_t* const keystream = keystream_ + begin_;
    for (size_t i = 0; i < len; ++i) out[i] = in[i] ^ keystream[i];
    begin_ += len;
    message_len_ += len;
    return len;
  }

  // Precomputes at least `least` bytes. Returns false if more does not pay, on failure, and near the limit of a mode.
  bool make(vsh_cipher* work, size_t least) noexcept {
    const size_t num = message_len_ < kMax ? static_cast<size_t>(message_len_) : kMax;
    if (num <= least || !allocate()) return false;
    std::memset(keystream_, 0, num);
    size_t written;
    if (vsh_cipher_update(work, keystream_, num, &written, keystream_, num) != VSH_OK) return false;
    begin_ = 0;
    end_ = num;
    return true;
  }

  const Provider& provider_;
  uint64_t message_len_ = 0;
  size_t begin_ = 0, end_ = 0;
  uint8_t* keystream_ = nullptr;
};

}  // namespace vsh::openssl
