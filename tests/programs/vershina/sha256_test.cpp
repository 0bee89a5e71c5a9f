// The SHA-256 of `--openssl-salted`: examples of the standards.
#include "programs/common/digest/sha256.hpp"

#include <gtest/gtest.h>

#include <string>

namespace vsh::cli {
namespace {

std::string hex(const uint8_t (&bytes)[32]) {
  std::string digits;
  for (const uint8_t byte : bytes) {
    digits += "0123456789abcdef"[byte >> 4];
    digits += "0123456789abcdef"[byte & 15];
  }
  return digits;
}

std::span<const uint8_t> bytes_of(const std::string& text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

std::string sha256(const std::string& text, size_t piece) {
  Sha256 hash;
  for (size_t at = 0; at < text.size(); at += piece) hash.update(bytes_of(text.substr(at, piece)));
  uint8_t digest[32];
  hash.final(digest);
  return hex(digest);
}

// FIPS 180-2 appendix B.1 to B.3, and the empty message of NIST's CAVP (SHA256ShortMsg).
TEST(Sha256, Nist) {
  const std::pair<std::string, const char*> examples[] = {
      {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
      {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
      {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
       "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
      {std::string(1000000, 'a'), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"}};
  for (const auto& [text, digest] : examples)
    for (const size_t piece : {1, 55, 64, 1000}) EXPECT_EQ(sha256(text, piece), digest) << text.size() << ' ' << piece;
}

// RFC 4231 test cases 1, 2 and 6.
TEST(HmacSha256, Rfc4231) {
  const auto tag = [](const std::string& key, const std::string& text) {
    uint8_t tag[32];
    HmacSha256 hmac(bytes_of(key));
    hmac(tag, bytes_of(text), {});  // again: the key stays
    hmac(tag, bytes_of(text).first(3), bytes_of(text).subspan(3));
    return hex(tag);
  };
  EXPECT_EQ(tag(std::string(20, '\x0b'), "Hi There"),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
  EXPECT_EQ(tag("Jefe", "what do ya want for nothing?"),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  EXPECT_EQ(tag(std::string(131, '\xaa'), "Test Using Larger Than Block-Size Key - Hash Key First"),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

}  // namespace
}  // namespace vsh::cli
