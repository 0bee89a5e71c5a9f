// XTS, IEEE 1619-2007 clause 5 (AES replaced by any cipher with blocks of 16 bytes): encryption of disk sectors.
#pragma once

#include "modes/blocks.hpp"

namespace vsh::modes {

// T_0 = E_2(number of the data unit), T_(j+1) = T_j * x in GF(2^128), C_j = E_1(P_j ^ T_j) ^ T_j. Numbers and the
// coefficients of field elements are stored least significant byte first; the blocks are plain byte strings.
class Xts {
 public:
  static constexpr size_t kBlock = 16;

  // The two engines, which must outlive this: keyed with the two halves of the key and for one thread each. An
  // accelerator of `data` has both keys. products: as choose_product_kernel gives it.
  Xts(const BlockEngine& data, const BlockEngine& tweak, unsigned threads, const ProductKernel& products) noexcept
      : data_(data), tweak_(tweak), threads_(threads), products_(products) {}

  // Processes num_units whole data units of unit_blocks >= 1 blocks, numbered first, first + step, ... on up to
  // `threads` threads; every number is below 2^64. out == in allowed.
  void process(Direction direction, uint8_t* out, const uint8_t* in, size_t num_units, size_t unit_blocks,
               uint64_t first, uint64_t step) const;

  // Processes one data unit of len >= 16 bytes; if its last block is not whole, it takes what it lacks from the
  // ciphertext of the one before (clause 5.3.2). number: 16 bytes. out == in allowed.
  void process_unit(Direction direction, uint8_t* out, const uint8_t* in, size_t len, const uint8_t* number) const;

 private:
  class Tweaks;
  void process_on_threads(Direction direction, uint8_t* out, const uint8_t* in, size_t num_units, size_t unit_blocks,
                          uint64_t first, uint64_t step) const;
  void process_one(Direction direction, uint8_t* out, const uint8_t* in, size_t unit_blocks, uint64_t number) const;
  void process_range(Direction direction, uint8_t* out, const uint8_t* in, size_t num_units, size_t unit_blocks,
                     uint64_t first, uint64_t step) const;
  void process_within_unit(Direction direction, uint8_t* out, const uint8_t* in, size_t num_blocks,
                           const uint8_t* first_tweak, Accelerator& accelerator) const;
  void process_blocks(Direction direction, uint8_t* out, const uint8_t* in, size_t num_blocks, Tweaks& tweaks) const;
  void crypt(Direction direction, uint8_t* out, const uint8_t* in, size_t num_blocks) const {
    direction == Direction::encrypt ? data_.encrypt(out, in, num_blocks) : data_.decrypt(out, in, num_blocks);
  }

  const BlockEngine& data_;
  const BlockEngine& tweak_;
  unsigned threads_;
  const ProductKernel& products_;
};

}  // namespace vsh::modes
