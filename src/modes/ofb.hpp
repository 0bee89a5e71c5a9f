// OFB, GOST R 34.13-2015 clause 5.3 ("режим гаммирования с обратной связью по выходу").
#pragma once

#include "modes/feedback.hpp"

namespace vsh::modes {

// R_1 = IV; Y_i = E(MSB_n(R_i)); C_i = P_i ^ T_s(Y_i); R_(i+1) = LSB_(m-n)(R_i) || Y_i.
// Decryption is the same.
class Ofb {
 public:
  // iv: iv_len = z * n, z = 1 .. kMaxRegister. segment: s, 1 .. n bytes.
  Ofb(const BlockEngine& engine, const uint8_t* iv, size_t iv_len, size_t segment) noexcept;
  void set_engine(const BlockEngine& engine) noexcept { engine_ = &engine; }
  void process(uint8_t* out, const uint8_t* in, size_t len);

 private:
  const BlockEngine* engine_;
  FeedbackRegister register_;  // the z blocks Y_i that one call of the cipher yields become the register
  size_t segment_;
  size_t keystream_len_;                         // T_s of these
  size_t used_;                                  // of it
  uint8_t truncated_[kMaxRegister * kMaxBlock];  // T_s, if s < n
};

}  // namespace vsh::modes
