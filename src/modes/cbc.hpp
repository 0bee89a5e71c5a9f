// CBC, GOST R 34.13-2015 clause 5.4 ("режим простой замены с зацеплением").
#pragma once

#include "modes/feedback.hpp"

namespace vsh::modes {

// R_1 = IV; C_i = E(P_i ^ MSB_n(R_i)); R_(i+1) = LSB_(m-n)(R_i) || C_i; P_i = D(C_i) ^ MSB_n(R_i).
class Cbc {
 public:
  // iv: iv_len = z * n, z = 1 .. kMaxRegister.
  Cbc(const BlockEngine& engine, const uint8_t* iv, size_t iv_len) noexcept;
  const BlockEngine& engine() const noexcept { return *engine_; }
  void set_engine(const BlockEngine& engine) noexcept { engine_ = &engine; }

  void encrypt(uint8_t* out, const uint8_t* in, size_t num_blocks);
  void decrypt(uint8_t* out, const uint8_t* in, size_t num_blocks);
  // Continues as if these blocks had been decrypted.
  void skip(const uint8_t* ciphertext, size_t num_blocks) noexcept;
  // For a register of one block: replaces the register by its encryption.
  void encrypt_register() { register_.encrypt(*engine_); }

 private:
  void decrypt_part(FeedbackRegister& r, uint8_t* out, const uint8_t* in, size_t num_blocks) const;

  const BlockEngine* engine_;
  FeedbackRegister register_;
};

}  // namespace vsh::modes
