// MGM, authenticated encryption with associated data: RFC 9058, R 1323565.1.026-2019.
//
//     Y_1 = E(0 || ICN), Y_(i+1) = incr_r(Y_i)      C_i = P_i ^ E(Y_i)
//     Z_1 = E(1 || ICN), Z_(i+1) = incr_l(Z_i)      H_i = E(Z_i)
//     T = MSB_S(E(sum)), sum = H_1 A_1 ^ ... ^ H_h A_h ^ H_(h+1) C_1 ^ ... ^ H_(h+q) C_q ^ H_(h+q+1) (len(A) || len(C))
//
// incr_r and incr_l count in the right and in the left half of a block. Keystream and multipliers H come from the
// many-block kernels, products are summed without reduction, and one reduction does for the message.
#pragma once

#include "gf2n/reduce.hpp"
#include "modes/blocks.hpp"

namespace vsh::modes {

// One key, any number of messages, each under its own nonce.
//
// The two calls for whole messages take short ones in three calls of the cipher. The others take a message in pieces of
// any size: start, add_data, then encrypt, decrypt or authenticate, final. Long pieces are divided among the engine's
// threads.
class Mgm {
 public:
  // products: as choose_product_kernel gives it.
  Mgm(const BlockEngine& engine, const ProductKernel& products) noexcept;
  ~Mgm();  // wipes
  Mgm(const Mgm&) noexcept = default;
  Mgm& operator=(const Mgm&) = delete;

  void set_engine(const BlockEngine& engine) noexcept { engine_ = &engine; }

  // Clause 3: associated data, and text, are shorter than 2^(n/2) bits; so is their sum (clause 4.1). In bytes.
  static constexpr uint64_t max_len(size_t n) noexcept { return (uint64_t{1} << (n == 8 ? 29 : 61)) - 1; }
  uint64_t max_len() const noexcept { return max_len(n_); }

  // ---- A message in pieces. nonce: ICN in a whole block, whose first bit is 0.
  void start(const uint8_t* nonce);
  void add_data(const uint8_t* data, size_t len);  // before the first byte of text
  // out == in allowed. decrypt reads in once, so the authenticated data is the decrypted data even if in changes during
  // the call.
  void encrypt(uint8_t* out, const uint8_t* in, size_t len);
  void decrypt(uint8_t* out, const uint8_t* in, size_t len);  // out is not verified yet
  void authenticate(const uint8_t* ciphertext, size_t len);   // as decrypt, without plaintext
  uint64_t data_len() const noexcept { return data_len_; }
  uint64_t text_len() const noexcept { return text_len_; }
  // tag: a whole block, of which MSB_S are the first S / 8 bytes. Then only start is allowed.
  void final(uint8_t* tag);

  // ---- Whole messages. The lengths are within max_len, and not both 0.
  void seal(uint8_t* out, uint8_t* tag, const uint8_t* nonce, const uint8_t* data, size_t data_len, const uint8_t* in,
            size_t len);
  // Returns whether the first tag_len bytes of the tag match. If not, out has no plaintext: it is erased or untouched;
  // with out == in, which is allowed, untouched. in is read once. If this throws, out is erased.
  [[nodiscard]] bool open(uint8_t* out, const uint8_t* tag, size_t tag_len, const uint8_t* nonce, const uint8_t* data,
                          size_t data_len, const uint8_t* in, size_t len);

 private:
  void process(Operation operation, uint8_t* out, const uint8_t* in, size_t len);
  void process_blocks(Operation operation, uint8_t* out, const uint8_t* in, size_t num);
  void process_on_threads(Operation operation, uint8_t* out, const uint8_t* in, size_t first, size_t last);
  void end_data();
  void absorb_pending();
  void add_products(const uint8_t* multipliers, const uint8_t* blocks, size_t num);

  struct ShortMessage;

  const BlockEngine* engine_;
  const ProductKernel& products_;
  const size_t n_;  // of a block, bytes
  uint64_t data_len_ = 0, text_len_ = 0;
  bool in_text_ = false;
  uint8_t y_[kMaxBlock], z_[kMaxBlock];  // the next counters
  uint8_t keystream_[kMaxBlock];         // of the block of text that has begun
  uint8_t pending_[kMaxBlock];           // what there is of the next block to authenticate
  uint64_t sum_[gf2n::kMaxSumWords] = {};
};

}  // namespace vsh::modes
