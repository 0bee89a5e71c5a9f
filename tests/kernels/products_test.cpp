// Every product row, and the reduction, against the reference, which is itself checked by the sums printed in RFC 9058.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "core/registry.hpp"
#include "gf2n/reduce.hpp"
#include "gf2n/reference.hpp"
#include "gf2n/tweak.hpp"
#include "support/random.hpp"
#include "support/skipped_rows.hpp"
#include "support/vec.hpp"

namespace vsh {
namespace {

using Bytes = std::vector<uint8_t>;
using Sum = std::array<uint64_t, gf2n::kMaxSumWords>;

void add(const ProductKernel& row, size_t size, Sum& sum, const uint8_t* a, const uint8_t* b, size_t num) {
  (size == 8 ? row.add_64 : row.add_128)(sum.data(), a, b, num);
}

Bytes reduced(const Sum& sum, size_t size) {
  Bytes block(size);
  gf2n::reduce(block.data(), size, sum.data());
  return block;
}

Bytes reference_sum(size_t size, const Bytes& a, const Bytes& b) {
  Bytes sum(size);
  for (size_t i = 0; i + size <= a.size(); i += size) {
    const auto at = [&](const Bytes& x) {
      const auto first = x.begin() + static_cast<ptrdiff_t>(i);
      return Bytes(first, first + static_cast<ptrdiff_t>(size));
    };
    const Bytes product = gf2n::reference::multiply(at(a), at(b));
    for (size_t j = 0; j < size; ++j) sum[j] ^= product[j];
  }
  return sum;
}

template <class F>
void for_rows(F f) {
  size_t run = 0;
  for (const ProductKernel* row : product_kernels()) {
    if (!test::runs_here(row->info)) continue;
    SCOPED_TRACE(row->info.variant);
    f(*row);
    ++run;
  }
  EXPECT_GT(run, 0u);
}

TEST(Products, ReferenceEqualsTheRfc) {
  for (const auto& r : vec::read("mgm.vec", "products", {"X", "Y", "Out"})) {
    SCOPED_TRACE(r.where());
    EXPECT_EQ(gf2n::reference::multiply(r.bytes("X"), r.bytes("Y")), r.bytes("Out"));
    EXPECT_EQ(gf2n::reference::multiply(r.bytes("Y"), r.bytes("X")), r.bytes("Out"));
  }
}

// Numbers of blocks around the rows' passes, at every alignment, added to existing sums.
TEST(Products, RowsEqualTheReference) {
  SCOPED_TRACE(test::seed_note());
  test::Random random(1);
  for (const size_t size : {size_t{8}, size_t{16}}) {
    for (size_t num = 0; num <= 17; ++num) {
      const Bytes a = random.bytes(num * size), b = random.bytes(num * size);
      const Bytes expected = reference_sum(size, a, b);
      for_rows([&](const ProductKernel& row) {
        const size_t shift = num % 16;
        Bytes moved(shift);
        moved.insert(moved.end(), a.begin(), a.end());
        Sum once{}, twice{};
        add(row, size, once, moved.data() + shift, b.data(), num);
        EXPECT_EQ(reduced(once, size), expected) << size << " bytes, " << num << " blocks";
        add(row, size, twice, a.data(), b.data(), num);
        add(row, size, twice, a.data(), b.data(), num);
        EXPECT_EQ(twice, Sum{});
        for (size_t word = size / 4; word < once.size(); ++word) EXPECT_EQ(once[word], 0u) << "beyond the sum";
      });
    }
  }
}

// Single coefficients: every pair of powers, so that each bit of each product occurs singly.
TEST(Products, Powers) {
  for (const size_t size : {size_t{8}, size_t{16}}) {
    const auto power = [&](size_t i) {
      Bytes x(size);
      x[size - 1 - i / 8] = static_cast<uint8_t>(1u << (i % 8));
      return x;
    };
    for_rows([&](const ProductKernel& row) {
      for (size_t i = 0; i < 8 * size; ++i) {
        for (size_t j = 0; j < 8 * size; ++j) {
          Sum sum{}, expected{};
          add(row, size, sum, power(i).data(), power(j).data(), 1);
          expected[(i + j) / 64] = uint64_t{1} << (i + j) % 64;
          ASSERT_EQ(sum, expected) << "w^" << i << " w^" << j;
        }
      }
    });
  }
}

// All ones: the largest sums of columns of integer products.
TEST(Products, AllOnes) {
  for (const size_t size : {size_t{8}, size_t{16}}) {
    const Bytes ones(3 * size, 0xff);
    for_rows([&](const ProductKernel& row) {
      Sum sum{};
      add(row, size, sum, ones.data(), ones.data(), 3);
      EXPECT_EQ(reduced(sum, size), reference_sum(size, ones, ones));
    });
  }
}

TEST(Products, ReductionOfEveryPower) {
  for (const size_t size : {size_t{8}, size_t{16}}) {
    Bytes w(size), power(size);
    w[size - 1] = 2;
    power[size - 1] = 1;
    for (size_t i = 0; i < 16 * size; ++i) {
      Sum sum{};
      sum[i / 64] = uint64_t{1} << i % 64;
      ASSERT_EQ(reduced(sum, size), power) << "w^" << i;
      power = gf2n::reference::multiply(power, w);
    }
  }
}

Bytes padded(Bytes x, size_t size) {
  x.resize((x.size() + size - 1) / size * size);
  return x;
}

Bytes joined(Bytes a, const Bytes& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

// Associated data and text around the rows' passes, by the definition (RFC 9058 clause 4.1). Bytes behind
// multipliers and keystream have no influence, nothing is written behind the text, and it may be in place.
TEST(Products, SealAndOpenEqualTheReference) {
  SCOPED_TRACE(test::seed_note());
  test::Random random(6);
  for (const size_t n : {size_t{8}, size_t{16}})
    for (size_t len = 0; len <= 150; ++len) {
      const size_t data_len = len % 5 == 0 ? 0 : random.below(150);
      const Bytes data = random.bytes(data_len), in = random.bytes(len);
      const Bytes keystream = random.bytes(padded(in, n).size() + kMaxProductPass);
      Bytes other(in), lengths(n);
      for (size_t i = 0; i < len; ++i) other[i] ^= keystream[i];
      for (size_t i = 0; i < 4; ++i) {
        lengths[n / 2 - 1 - i] = static_cast<uint8_t>(8 * data_len >> 8 * i);
        lengths[n - 1 - i] = static_cast<uint8_t>(8 * len >> 8 * i);
      }
      for (const bool opens : {false, true}) {
        const Bytes blocks = joined(joined(padded(data, n), padded(opens ? in : other, n)), lengths);
        const Bytes multipliers = random.bytes(blocks.size() + kMaxProductPass);
        const Bytes expected =
            reference_sum(n, Bytes(multipliers.begin(), multipliers.end() - kMaxProductPass), blocks);
        for_rows([&](const ProductKernel& row) {
          // Apart, in place, and over the keystream, as modes::MgmMessage opens.
          for (const auto place : {0, 1, 2}) {
            Bytes gamma = keystream, apart(len + kMaxProductPass, 0xA5),
                  text = joined(in, Bytes(kMaxProductPass, 0xA5));
            uint8_t* const out = place == 0 ? apart.data() : place == 1 ? text.data() : gamma.data();
            Bytes sum(n);
            (opens ? row.open : row.seal)(
                sum.data(), {n, data_len, len, multipliers.data(), gamma.data(), data.data(), text.data(), out});
            ASSERT_EQ(sum, expected) << n << " bytes, data " << data_len << ", text " << len
                                     << (opens ? " opened" : "");
            ASSERT_EQ(Bytes(out, out + len), other);
            const Bytes& whole = place == 0 ? apart : place == 1 ? text : gamma;
            const Bytes behind = place == 2 ? Bytes(keystream.begin() + static_cast<ptrdiff_t>(len), keystream.end())
                                            : Bytes(kMaxProductPass, 0xA5);
            ASSERT_EQ(Bytes(whole.begin() + static_cast<ptrdiff_t>(len), whole.end()), behind);
          }
        });
      }
    }
}

// incr_l and incr_r of RFC 9058 clause 3, a byte after the other.
void increment(Bytes& block, size_t half) {
  const size_t bytes = block.size() / 2;
  for (size_t i = (half + 1) * bytes; i-- > half * bytes;)
    if (++block[i] != 0) return;
}

// Numbers of blocks around the rows' passes; halves that overflow at each of the first steps, and random ones.
TEST(Products, CountersOfMgmAreTheDefinitions) {
  SCOPED_TRACE(test::seed_note());
  test::Random random(5);
  for (const size_t size : {size_t{8}, size_t{16}})
    for (const size_t half : {size_t{0}, size_t{1}})
      for (size_t num = 0; num <= 40; ++num) {
        Bytes counter = random.bytes(size);
        if (num % 3) {
          const auto first = counter.begin() + static_cast<ptrdiff_t>(half * size / 2);
          std::fill_n(first, size / 2, 0xFF);
          first[static_cast<ptrdiff_t>(size / 2 - 1)] = static_cast<uint8_t>(0xFF - num / 2);
        }
        Bytes expected, block = counter;
        for (size_t i = 0; i < num; ++i, increment(block, half))
          expected.insert(expected.end(), block.begin(), block.end());
        expected.push_back(0xA5);
        for_rows([&](const ProductKernel& row) {
          Bytes blocks(num * size + 1, 0xA5);
          (half ? row.write_right : row.write_left)(blocks.data(), size, num, counter.data());
          ASSERT_EQ(blocks, expected) << size << " bytes, half " << half << ", " << num << " blocks";
        });
      }
}

// Numbers of blocks around the rows' passes; tweaks whose upper bits leave at every step, and random ones.
TEST(Products, TweaksOfXtsEqualTheReference) {
  SCOPED_TRACE(test::seed_note());
  test::Random random(4);
  for (size_t num = 0; num <= 40; ++num)
    for (const bool ones : {true, false}) {
      const Bytes first = ones ? Bytes(16, 0xFF) : random.bytes(16), in = random.bytes(16 * num);
      gf2n::Tweak expected(first.data());
      Bytes out(in), after(16);
      for (size_t i = 0; i < num; ++i) {
        Bytes tweak(16);
        expected.store(tweak.data());
        for (size_t j = 0; j < 16; ++j) out[16 * i + j] ^= tweak[j];
        expected.times_power(1);
      }
      expected.store(after.data());
      for_rows([&](const ProductKernel& row) {
        for (const bool in_place : {false, true}) {
          Bytes t = first, sums = in_place ? in : Bytes(16 * num);
          sums.push_back(0xA5);
          row.add_tweaks(t.data(), sums.data(), in_place ? sums.data() : in.data(), num);
          ASSERT_EQ(t, after) << num;
          ASSERT_EQ(sums.back(), 0xA5);
          sums.pop_back();
          ASSERT_EQ(sums, out) << num;
        }
      });
    }
}

}  // namespace
}  // namespace vsh
