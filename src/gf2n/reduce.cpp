#include "gf2n/reduce.hpp"

#include "core/bytes.hpp"

namespace vsh::gf2n {
namespace {

struct Double {
  uint64_t low, high;
};

// Returns x times w^a + w^b + w + 1.
template <int a, int b>
Double times_tail(uint64_t x) noexcept {
  return {x ^ x << 1 ^ x << b ^ x << a, x >> 63 ^ x >> (64 - b) ^ x >> (64 - a)};
}

}  // namespace

void reduce(uint8_t* block, size_t size, const uint64_t* sum) noexcept {
  if (size == 8) {
    const Double t = times_tail<4, 3>(sum[1]);
    store_be64(block, sum[0] ^ t.low ^ times_tail<4, 3>(t.high).low);
    return;
  }
  // Word 3 lies 128 powers above word 1, so its tail falls on words 1 and 2; the part in word 2 is reduced with word 2.
  const Double t3 = times_tail<7, 2>(sum[3]);
  const Double t2 = times_tail<7, 2>(sum[2] ^ t3.high);
  store_be64(block, sum[1] ^ t3.low ^ t2.high);
  store_be64(block + 8, sum[0] ^ t2.low);
}

}  // namespace vsh::gf2n
