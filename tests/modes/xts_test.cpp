#include "modes/xts.hpp"

#include "modes/support/modes.hpp"
#include "support/aes.hpp"
#include "support/vec.hpp"

namespace vsh {
namespace {

using modes::Direction;
using modes::Xts;
using test::Bytes;
using test::Keyed;

Bytes unit(const Xts& xts, Direction direction, const Bytes& in, const Bytes& number, bool in_place = false) {
  Bytes out = in_place ? in : Bytes(in.size());
  xts.process_unit(direction, out.data(), in_place ? out.data() : in.data(), in.size(), number.data());
  return out;
}

Bytes little_endian(uint64_t number) {
  Bytes bytes(16);
  store_le64(bytes.data(), number);
  return bytes;
}

// The clause's own vectors are of AES: the mode over another block cipher.
TEST(Xts, Ieee1619) {
  for (const vec::Record& r : vec::read("aes_xts.vec", "xts", {"Key", "IV", "In", "Out"})) {
    SCOPED_TRACE(r.where());
    const Bytes key = r.bytes("Key"), in = r.bytes("In"), out = r.bytes("Out"), number = r.bytes("IV");
    const BlockEngine data = test::aes128_engine(key.data()), tweak = test::aes128_engine(key.data() + 16);
    const Xts xts(data, tweak, 1, *choose_product_kernel().row);
    for (const bool in_place : {false, true}) {
      EXPECT_EQ(unit(xts, Direction::encrypt, in, number, in_place), out);
      EXPECT_EQ(unit(xts, Direction::decrypt, out, number, in_place), in);
    }
    if (in.size() % 16) continue;
    Bytes result(in.size());
    xts.process(Direction::encrypt, result.data(), in.data(), 1, in.size() / 16, load_le64(number.data()), 1);
    EXPECT_EQ(result, out);
  }
}

struct KeyedTwice {
  explicit KeyedTwice(test::Random& random)
      : data(Algorithm::kuznyechik, random), tweak(Algorithm::kuznyechik, random) {}
  Bytes expected(Direction direction, const Bytes& in, const Bytes& number) const {
    const bool encrypts = direction == Direction::encrypt;
    return test::textbook::xts(encrypts ? data.e : data.d, encrypts, tweak.e, number, in);
  }
  Keyed data, tweak;
};

TEST(Xts, UnitsOfAnyLengthEqualTheClause) {
  SCOPED_TRACE(test::seed_note());
  test::Random random(1);
  const KeyedTwice k(random);
  const Xts xts(*k.data.engine, *k.tweak.engine, 1, *choose_product_kernel().row);
  std::vector<size_t> lengths = {127, 511, 512, 513, 1040};
  for (size_t len = 16; len <= 66; ++len) lengths.push_back(len);
  for (const size_t len : lengths) {
    const Bytes in = random.bytes(len), number = random.bytes(16);
    for (const Direction direction : {Direction::encrypt, Direction::decrypt}) {
      const Bytes expected = k.expected(direction, in, number);
      ASSERT_EQ(unit(xts, direction, in, number), expected) << len;
      ASSERT_EQ(unit(xts, direction, in, number, true), expected) << len;
    }
  }
}

// Longer than the mode's buffer of tweaks; the engine replaces the reference, which is slow.
TEST(Xts, LongUnits) {
  SCOPED_TRACE(test::seed_note());
  test::Random random(2);
  const KeyedTwice k(random);
  const Xts xts(*k.data.engine, *k.tweak.engine, 1, *choose_product_kernel().row);
  for (const size_t len : {16384u, 16385u, 40007u}) {
    const Bytes in = random.bytes(len), number = random.bytes(16);
    const Bytes out = test::textbook::xts(k.data.engine_e(), true, k.tweak.engine_e(), number, in);
    ASSERT_EQ(unit(xts, Direction::encrypt, in, number), out) << len;
    ASSERT_EQ(unit(xts, Direction::decrypt, out, number, true), in) << len;
  }
}

// Many units in one call equal the units one by one, on any number of threads.
TEST(Xts, ManyUnits) {
  SCOPED_TRACE(test::seed_note());
  test::Random random(3);
  const KeyedTwice k(random);
  const Xts one(*k.data.engine, *k.tweak.engine, 1, *choose_product_kernel().row);
  struct {
    size_t num, blocks;
    uint64_t first, step;
    unsigned threads;
  } const cases[] = {{1, 32, 0, 1, 1},          {3, 1, 7, 1, 1},    {5, 37, 1, 3, 1},
                     {300, 32, 1000, 1, 1},     {70, 256, 0, 8, 1}, {700, 32, UINT64_MAX - 699, 1, 3},
                     {90, 256, 1u << 31, 8, 4}, {2, 3000, 5, 1, 2}};
  for (const auto& c : cases) {
    const Xts xts(*k.data.engine, *k.tweak.engine, c.threads, *choose_product_kernel().row);
    const size_t len = 16 * c.blocks;
    const Bytes in = random.bytes(c.num * len);
    for (const Direction direction : {Direction::encrypt, Direction::decrypt}) {
      Bytes out = in;
      xts.process(direction, out.data(), out.data(), c.num, c.blocks, c.first, c.step);
      for (size_t i = 0; i < c.num; ++i) {
        const auto at = static_cast<long>(i * len);
        const Bytes piece(in.begin() + at, in.begin() + at + static_cast<long>(len));
        ASSERT_EQ(unit(one, direction, piece, little_endian(c.first + i * c.step)),
                  Bytes(out.begin() + at, out.begin() + at + static_cast<long>(len)))
            << c.num << " units of " << c.blocks << " blocks, unit " << i;
      }
    }
  }
}

}  // namespace
}  // namespace vsh
