// A message through the C ABI: at once, in pieces, from a place in its middle.
#pragma once

#include <gtest/gtest.h>

#include "modes/support/modes.hpp"
#include "vershina/vershina.h"

namespace vsh::test {

struct Request {
  vsh_cipher_algorithm algorithm;
  vsh_mode mode;
  vsh_direction direction;
  Bytes key, iv;
  vsh_options options = VSH_OPTIONS_INIT;
};

class CipherContext {
 public:
  explicit CipherContext(const Request& r) : iv_(r.iv) {
    EXPECT_EQ(vsh_cipher_new(&context_, r.algorithm, r.mode, r.direction, r.key.data(), r.key.size(), r.iv.data(),
                             r.iv.size(), &r.options),
              VSH_OK);
  }
  CipherContext(const CipherContext&) = delete;
  CipherContext& operator=(const CipherContext&) = delete;
  ~CipherContext() { vsh_cipher_free(context_); }

  void reset() { EXPECT_EQ(vsh_cipher_reset(context_, iv_.data(), iv_.size()), VSH_OK); }
  vsh_status seek(uint64_t position) { return vsh_cipher_seek(context_, position); }
  Bytes update(const uint8_t* in, size_t len) {
    Bytes out(vsh_cipher_update_capacity(context_, len));
    size_t written = 0;
    EXPECT_EQ(vsh_cipher_update(context_, out.data(), out.size(), &written, in, len), VSH_OK);
    EXPECT_EQ(written, out.size());
    return out;
  }
  Bytes final() {
    Bytes out(VSH_FINAL_CAPACITY);
    size_t written = 0;
    EXPECT_EQ(vsh_cipher_final(context_, out.data(), out.size(), &written), VSH_OK);
    out.resize(written);
    return out;
  }
  Bytes whole(const Bytes& in) {
    const Bytes out = update(in.data(), in.size());
    return textbook::join(out, final());
  }
  Bytes in_pieces(const Bytes& in, Random& random) {
    Bytes out;
    size_t at = 0;
    for (const size_t piece : random_pieces(random, in.size())) {
      textbook::append(out, update(in.data() + at, piece));
      at += piece;
    }
    return textbook::join(out, final());
  }

 private:
  Bytes iv_;
  vsh_cipher* context_ = nullptr;
};

// Status of creating a context: ciphers and MACs under some key, with these options.
inline vsh_status cipher_status(vsh_cipher_algorithm algorithm, vsh_mode mode, const vsh_options& options) {
  const Bytes key(32), iv(16);
  vsh_cipher* context = nullptr;
  const vsh_status status = vsh_cipher_new(&context, algorithm, mode, VSH_ENCRYPT, key.data(), key.size(), iv.data(),
                                           vsh_iv_len(algorithm, mode), &options);
  vsh_cipher_free(context);
  return status;
}
inline vsh_status mac_status(vsh_mac_algorithm algorithm, const vsh_options& options) {
  const Bytes key(32);
  vsh_mac* context = nullptr;
  const vsh_status status = vsh_mac_new(&context, algorithm, key.data(), key.size(), &options);
  vsh_mac_free(context);
  return status;
}

inline Bytes part(const Bytes& all, size_t from, size_t len) {
  return Bytes(all.begin() + static_cast<long>(from), all.begin() + static_cast<long>(from + len));
}

}  // namespace vsh::test
