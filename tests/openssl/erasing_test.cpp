// Memory that the provider gives back to OpenSSL's allocator, which the test replaces: unused keystream is erased
// before.
#include <malloc.h>

#include <algorithm>
#include <cstdlib>

#include "openssl/support/evp.hpp"

namespace vsh::test::evp {
namespace {

Bytes wanted;  // empty: nothing is looked at
const uint8_t* pieces[64];
size_t num_pieces = 0, num_leaks = 0;

bool has_wanted(const void* piece) {
  const auto* const p = static_cast<const uint8_t*>(piece);
  const uint8_t* const end = p + malloc_usable_size(const_cast<void*>(piece));
  return std::search(p, end, wanted.begin(), wanted.end()) != end;
}

void* take(size_t len, const char*, int) {
  void* const p = std::calloc(1, len);  // or what others gave back would lie in it
  if (p && !wanted.empty() && num_pieces < std::size(pieces)) pieces[num_pieces++] = static_cast<uint8_t*>(p);
  return p;
}
void* resize(void* p, size_t len, const char*, int) { return std::realloc(p, len); }
void give_back(void* p, const char*, int) {
  if (p && !wanted.empty()) {
    num_leaks += has_wanted(p);
    num_pieces = static_cast<size_t>(std::remove(pieces, pieces + num_pieces, p) - pieces);
  }
  std::free(p);
}

// OpenSSL takes others only before its first allocation.
const bool is_watched = CRYPTO_set_mem_functions(take, resize, give_back);

TEST(EvpErasing, PrecomputedKeystream) {
  ASSERT_TRUE(is_watched);
  for (const CipherName& n : kCiphers) {
    if (!n.is_counter_mode()) continue;
    SCOPED_TRACE(n.name);
    const Bytes stream = crypt(start(vershina(), n.name, true).get(), Bytes(256));
    wanted.assign(stream.begin() + 224, stream.end());  // keystream of the fourth update
    num_leaks = num_pieces = 0;
    {
      const CipherCtx c = start(vershina(), n.name, true), copy(EVP_CIPHER_CTX_new());
      uint8_t piece[64] = {};
      int written;
      for (int i = 0; i < 3; ++i) EXPECT_TRUE(EVP_CipherUpdate(c.get(), piece, &written, piece, sizeof piece));
      EXPECT_TRUE(EVP_CIPHER_CTX_copy(copy.get(), c.get()));
      EXPECT_EQ(std::count_if(pieces, pieces + num_pieces, has_wanted), 2) << "of the context and of its copy";
    }
    EXPECT_EQ(num_leaks, 0u);
    wanted.clear();
  }
}

}  // namespace
}  // namespace vsh::test::evp
