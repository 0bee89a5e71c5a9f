#include "modes/padding.hpp"

#include "modes/cbc.hpp"
#include "modes/ecb.hpp"
#include "modes/padded.hpp"
#include "modes/support/modes.hpp"

namespace vsh {
namespace {

using modes::Direction;
using modes::End;
using modes::Padded;
using modes::Padding;
using test::Bytes;
using test::Keyed;

// Reads a padding in the obvious way, with branches. -1: invalid.
int plain_find(Padding p, const Bytes& block) {
  const int n = static_cast<int>(block.size());
  if (p == Padding::pkcs7) {
    const int b = block.back();
    if (b == 0 || b > n) return -1;
    for (int i = n - b; i < n; ++i)
      if (block[static_cast<size_t>(i)] != b) return -1;
    return n - b;
  }
  int i = n;
  while (i > 0 && block[static_cast<size_t>(i - 1)] == 0) --i;
  return i > 0 && block[static_cast<size_t>(i - 1)] == 0x80 ? i - 1 : -1;
}

int found(Padding p, const Bytes& block) {
  const modes::Unpadded u = modes::find_padding(p, block.data(), block.size());
  return u.valid ? static_cast<int>(u.len) : -1;
}

TEST(Padding, EveryRightPaddingIsFound) {
  test::Random random(1);
  for (const Padding p : {Padding::procedure2, Padding::pkcs7})
    for (const size_t n : {size_t{8}, size_t{16}})
      for (size_t len = 0; len < n; ++len) {
        Bytes block = random.bytes(n);
        modes::add_padding(p, block.data(), n, len);
        EXPECT_EQ(found(p, block), static_cast<int>(len));
      }
}

// Every last byte after every kind of tail, and every single byte of a valid padding changed to every value.
TEST(Padding, EveryWrongPaddingIsRefused) {
  SCOPED_TRACE(test::seed_note());
  test::Random random(2);
  for (const Padding p : {Padding::procedure2, Padding::pkcs7}) {
    for (const size_t n : {size_t{8}, size_t{16}}) {
      for (int last = 0; last < 256; ++last) {
        for (const int filler : {0x00, 0x80, 0x01, 0xff, last}) {
          Bytes block(n, static_cast<uint8_t>(filler));
          block.back() = static_cast<uint8_t>(last);
          ASSERT_EQ(found(p, block), plain_find(p, block)) << "last byte " << last << " after " << filler;
          block = random.bytes(n);
          block.back() = static_cast<uint8_t>(last);
          ASSERT_EQ(found(p, block), plain_find(p, block)) << "last byte " << last;
        }
      }
      for (size_t len = 0; len < n; ++len) {
        for (size_t at = 0; at < n; ++at) {
          for (int value = 0; value < 256; ++value) {
            Bytes block = random.bytes(n);
            modes::add_padding(p, block.data(), n, len);
            block[at] = static_cast<uint8_t>(value);
            ASSERT_EQ(found(p, block), plain_find(p, block));
          }
        }
      }
    }
  }
  EXPECT_EQ(found(Padding::procedure2, Bytes(16, 0)), -1);  // no bit 1 at all
}

// A stream through Padded: update in pieces, then finish.
template <class Mode>
End run(Padded<Mode> stream, Bytes& out, const Bytes& in, const std::vector<size_t>& pieces) {
  out.assign(in.size() + 32, 0);
  size_t from = 0, to = 0;
  for (const size_t piece : pieces) {
    const size_t expected = stream.update_len(piece);
    stream.update(out.data() + to, in.data() + from, piece);
    from += piece;
    to += expected;
  }
  uint8_t last[modes::kMaxBlock];
  const End end = stream.finish(last);
  if (end.verdict == End::Verdict::ok) {
    std::memcpy(out.data() + to, last, end.len);
    out.resize(to + end.len);
  }
  return end;
}

TEST(Padded, EqualsTheClauseAtEveryLength) {
  SCOPED_TRACE(test::seed_note());
  test::Random random(3);
  for (const Algorithm a : test::kCiphers) {
    const Keyed k(a, random);
    const size_t n = k.n();
    const Bytes iv = random.bytes(2 * n);
    const modes::Cbc cbc(*k.engine, iv.data(), iv.size());
    for (size_t len = 0; len <= 4 * n + 1; ++len) {
      const Bytes p = random.bytes(len);
      for (const Padding padding : {Padding::none, Padding::procedure1, Padding::procedure2, Padding::pkcs7}) {
        SCOPED_TRACE(std::string(algorithm_name(a)) + " padding " + std::to_string(static_cast<int>(padding)) +
                     " len " + std::to_string(len));
        const Bytes text = padding == Padding::none         ? p
                           : padding == Padding::procedure1 ? test::textbook::padded1(p, n)
                           : padding == Padding::procedure2 ? test::textbook::padded2(p, n)
                                                            : test::textbook::padded_pkcs7(p, n);
        const bool possible = text.size() % n == 0;
        const Bytes c = possible ? test::textbook::cbc_encrypt(k.e, n, iv, text) : Bytes();
        const Padded<modes::Cbc> encrypt(cbc, Direction::encrypt, padding), decrypt(cbc, Direction::decrypt, padding);
        uint8_t last[modes::kMaxBlock];
        for (int i = 0; i < 4; ++i) {
          Bytes out;
          const auto pieces = i == 0 ? std::vector<size_t>{len} : test::random_pieces(random, len);
          const End end = run(encrypt, out, p, pieces);
          if (!possible) {
            ASSERT_EQ(end.verdict, End::Verdict::data_length);
            ASSERT_EQ(encrypt.end_of_message(last, p.data(), len).verdict, End::Verdict::data_length);
            continue;
          }
          ASSERT_EQ(end.verdict, End::Verdict::ok);
          ASSERT_EQ(out, c);
          ASSERT_EQ(encrypt.update_len(len) + encrypt.end_of_message(last, p.data(), len).len, c.size());

          Bytes back;
          const auto more = i == 0 ? std::vector<size_t>{c.size()} : test::random_pieces(random, c.size());
          ASSERT_EQ(run(decrypt, back, c, more).verdict, End::Verdict::ok);
          ASSERT_EQ(back, padding == Padding::procedure1 ? text : p);
          const End known_before = decrypt.end_of_message(last, c.data(), c.size());
          ASSERT_EQ(known_before.verdict, End::Verdict::ok);
          ASSERT_EQ(decrypt.update_len(c.size()) + known_before.len, back.size());
        }
      }
    }
  }
}

TEST(Padded, RefusesCiphertextThatIsNoWholeNumberOfBlocks) {
  test::Random random(4);
  const Keyed k(Algorithm::kuznyechik, random);
  const modes::Ecb ecb(*k.engine);
  for (const Padding padding : {Padding::none, Padding::procedure1, Padding::procedure2, Padding::pkcs7}) {
    for (size_t len = 0; len <= 33; ++len) {
      const Padded<modes::Ecb> decrypt(ecb, Direction::decrypt, padding);
      Bytes out;
      const End end = run(decrypt, out, random.bytes(len), {len});
      const bool whole = len % 16 == 0 && (len > 0 || !modes::is_removable(padding));
      EXPECT_EQ(end.verdict == End::Verdict::data_length, !whole) << len;
    }
  }
}

// finish may be called repeatedly, with the same result.
TEST(Padded, FinishChangesNothing) {
  test::Random random(5);
  const Keyed k(Algorithm::magma, random);
  const Bytes iv = random.bytes(8);
  Padded<modes::Cbc> stream(modes::Cbc(*k.engine, iv.data(), 8), Direction::encrypt, Padding::procedure2);
  Bytes out(8);
  const Bytes p = random.bytes(11);
  stream.update(out.data(), p.data(), p.size());
  Bytes first(8), second(8);
  EXPECT_EQ(stream.finish(first.data()).len, 8u);
  EXPECT_EQ(stream.finish(second.data()).len, 8u);
  EXPECT_EQ(first, second);
}

TEST(Padded, LengthsNearTheEndOfSizeT) {
  test::Random random(6);
  const Keyed k(Algorithm::kuznyechik, random);
  Padded<modes::Ecb> stream(modes::Ecb(*k.engine), Direction::encrypt, Padding::procedure2);
  EXPECT_EQ(stream.update_len(SIZE_MAX), SIZE_MAX - 15);
  uint8_t byte = 0;
  stream.update(nullptr, &byte, 1);
  EXPECT_EQ(stream.update_len(SIZE_MAX), SIZE_MAX);  // 2^64 exactly
}

}  // namespace
}  // namespace vsh
