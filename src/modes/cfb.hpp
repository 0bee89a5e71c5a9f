// CFB, GOST R 34.13-2015 clause 5.5 and RFC 5830 clause 7
// ("режим гаммирования с обратной связью по шифртексту").
#pragma once

#include "modes/feedback.hpp"

namespace vsh::modes {

// R_1 = IV; C_i = P_i ^ T_s(E(MSB_n(R_i))); R_(i+1) = LSB_(m-s)(R_i) || C_i.
// In RFC 5830 m = s = n = 64 bits; a shorter s is cut as in GOST R 34.13-2015.
class Cfb {
 public:
  // iv: iv_len = z * n, z = 1 .. kMaxRegister. segment: s, 1 .. n bytes.
  Cfb(const BlockEngine& engine, Direction direction, const uint8_t* iv, size_t iv_len, size_t segment) noexcept;
  void set_engine(const BlockEngine& engine) noexcept { engine_ = &engine; }
  void process(uint8_t* out, const uint8_t* in, size_t len);
  // Between segments, for a register of one block: replaces the register by its encryption.
  void encrypt_register() { register_.encrypt(*engine_); }

 private:
  void process_in_order(uint8_t* out, const uint8_t* in, size_t len);
  void encrypt_blocks(uint8_t* out, const uint8_t* in, size_t len);
  void decrypt_segments(FeedbackRegister& r, uint8_t* out, const uint8_t* in, size_t num_segments) const;
  void gather(uint8_t* blocks, const FeedbackRegister& r, const uint8_t* ciphertext, size_t num) const noexcept;

  const BlockEngine* engine_;
  Direction direction_;
  FeedbackRegister register_;
  size_t segment_;
  size_t ahead_;     // segments whose MSB_n(R) is known before the first of them is: (m - n) / s + 1
  size_t used_ = 0;  // bytes of these segments already processed; 0: keystream_ is to be made
  uint8_t keystream_[kMaxRegister * kMaxBlock];
  uint8_t ciphertext_[kMaxRegister * kMaxBlock];  // used_ bytes, not pushed yet
};

}  // namespace vsh::modes
