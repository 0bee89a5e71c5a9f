// Products by integer multiplication, without tables: numbers with holes, an idea from T. Pornin's BearSSL.
//
// Every fourth bit of x times every fourth bit of y is a number whose fourth bits are sums of at most 16 bit products:
// the lowest bit of a sum is the carry-less product, and only the sum of 16 overflows into the next one, which lies
// above the word. So sixteen multiplications give the low word of a carry-less product. Its high word is the low word
// of the product of the numbers with their bits in reverse order, reversed; that is linear, so it is done once at the
// end.
//
// The multiplication must take the same time for all operands, as it does on every known 64-bit CPU.
#include "core/bytes.hpp"
#include "core/kernel.hpp"
#include "gf2n/mgm_counters.hpp"
#include "gf2n/reduce.hpp"

namespace vsh {
namespace gf2n {
namespace {

constexpr uint64_t kEveryFourth = 0x1111111111111111u;

// Returns the low word of the carry-less product.
VSH_INLINE uint64_t multiply_low(uint64_t x, uint64_t y) {
  uint64_t a[4], b[4], product = 0;
  for (int i = 0; i < 4; ++i) {
    a[i] = x & kEveryFourth << i;
    b[i] = y & kEveryFourth << i;
  }
  for (int k = 0; k < 4; ++k) {
    uint64_t sum = 0;
    for (int i = 0; i < 4; ++i) sum ^= a[i] * b[(k - i) & 3];
    product |= sum & kEveryFourth << k;
  }
  return product;
}

// Reverses the bits of every byte.
VSH_INLINE uint64_t reverse_in_bytes(uint64_t x) {
  x = (x >> 1 & 0x5555555555555555u) | (x & 0x5555555555555555u) << 1;
  x = (x >> 2 & 0x3333333333333333u) | (x & 0x3333333333333333u) << 2;
  return (x >> 4 & 0x0F0F0F0F0F0F0F0Fu) | (x & 0x0F0F0F0F0F0F0F0Fu) << 4;
}

// A polynomial of 64 coefficients, and the same in reverse order.
struct Polynomial {
  uint64_t forward, reverse;

  VSH_INLINE_MEMBER static Polynomial load(const uint8_t* p) { return {load_be64(p), reverse_in_bytes(load_le64(p))}; }
  VSH_INLINE_MEMBER friend Polynomial operator^(Polynomial a, Polynomial b) {
    return {a.forward ^ b.forward, a.reverse ^ b.reverse};
  }
};

// Products of such polynomials, the high words in reverse order.
struct Sum {
  uint64_t low = 0, reversed_high = 0;

  VSH_INLINE_MEMBER void add(Polynomial a, Polynomial b) {
    low ^= multiply_low(a.forward, b.forward);
    reversed_high ^= multiply_low(a.reverse, b.reverse);
  }
  // The product of two reversed words is the product reversed: the coefficient of w^(126 - i) at bit i.
  uint64_t high() const { return byteswap64(reverse_in_bytes(reversed_high)) >> 1; }
};

// Products of blocks of n bytes; those of 16 by Karatsuba's rule, as in product_row.hpp.
template <size_t n>
class SumOfBlocks {
 public:
  void add(const uint8_t* a, const uint8_t* b) {
    const Polynomial a1 = Polynomial::load(a), b1 = Polynomial::load(b);
    high_.add(a1, b1);
    if constexpr (n == 16) {
      const Polynomial a0 = Polynomial::load(a + 8), b0 = Polynomial::load(b + 8);
      low_.add(a0, b0);
      middle_.add(a1 ^ a0, b1 ^ b0);
    }
  }
  void add_to(uint64_t* sum) const {
    const uint64_t high = high_.high();
    if constexpr (n == 8) {
      sum[0] ^= high_.low;
      sum[1] ^= high;
    } else {
      const uint64_t low = low_.high();
      sum[0] ^= low_.low;
      sum[1] ^= low ^ middle_.low ^ low_.low ^ high_.low;
      sum[2] ^= high_.low ^ middle_.high() ^ low ^ high;
      sum[3] ^= high;
    }
  }

 private:
  Sum low_, middle_, high_;
};

template <size_t n>
void add(uint64_t* sum, const uint8_t* a, const uint8_t* b, size_t num) {
  SumOfBlocks<n> products;
  for (size_t i = 0; i < n * num; i += n) products.add(a + i, b + i);
  products.add_to(sum);
}

template <size_t n, bool kOpens>
void seal_or_open(uint8_t* block, const MgmBlocks& m) {
  SumOfBlocks<n> products;
  const uint8_t* multipliers = m.multipliers;
  // fill(to, at, len): the next to of `len` bytes, which zeros fill up.
  const auto multiply = [&](size_t len, auto fill) {
    for (size_t at = 0; at < len; at += n, multipliers += n) {
      uint8_t to[n] = {};
      fill(to, at, len - at < n ? len - at : n);
      products.add(multipliers, to);
    }
  };
  multiply(m.data_len, [&](uint8_t* to, size_t at, size_t len) { std::memcpy(to, m.data + at, len); });
  multiply(m.len, [&](uint8_t* to, size_t at, size_t len) {
    std::memcpy(to, m.in + at, len);
    for (size_t i = 0; i < len; ++i) {
      const uint8_t other = to[i] ^ m.keystream[at + i];
      m.out[at + i] = other;
      if (!kOpens) to[i] = other;
    }
  });
  multiply(n, [&](uint8_t* to, size_t, size_t) {
    mgm::store_half<n>(to, 8 * uint64_t{m.data_len});
    mgm::store_half<n>(to + n / 2, 8 * uint64_t{m.len});
  });
  uint64_t words[kMaxSumWords] = {};
  products.add_to(words);
  reduce<n>(block, words);
}
template <bool kOpens>
void seal_or_open(uint8_t* block, const MgmBlocks& m) {
  m.n == 16 ? seal_or_open<16, kOpens>(block, m) : seal_or_open<8, kOpens>(block, m);
}

void add_tweaks(uint8_t* t, uint8_t* out, const uint8_t* in, size_t num) {
  uint64_t low = load_le64(t), high = load_le64(t + 8);
  for (size_t i = 0; i < 16 * num; i += 16) {
    const uint64_t x0 = load_le64(in + i), x1 = load_le64(in + i + 8);
    store_le64(out + i, x0 ^ low);
    store_le64(out + i + 8, x1 ^ high);
    const uint64_t reduction = -(high >> 63) & 0x87;
    high = high << 1 | low >> 63;
    low = low << 1 ^ reduction;
  }
  store_le64(t, low);
  store_le64(t + 8, high);
}

}  // namespace
}  // namespace gf2n

extern constinit const ProductKernel vsh_kernel_gf2n_portable = {{"gf2n", "portable", cpu::Isa::any, 1, 160, true},
                                                                 gf2n::add<8>,
                                                                 gf2n::add<16>,
                                                                 gf2n::seal_or_open<false>,
                                                                 gf2n::seal_or_open<true>,
                                                                 mgm::write_left,
                                                                 mgm::write_right,
                                                                 gf2n::add_tweaks};

}  // namespace vsh
