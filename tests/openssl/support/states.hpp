// Random programs of EVP calls. Each step of each cipher, digest and MAC is compared with a model of docs/openssl.md;
// with OpenSSL's own algorithm of the same mode in kind (success, and bytes written); and with gostprov in bytes, as
// long as it is right.
#pragma once

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "openssl/support/evp.hpp"

namespace vsh::test::evp {

struct Step {
  bool ok = true;
  Bytes out;
};

inline Bytes joined(const Bytes& a, const Bytes& b) {
  Bytes all = a;
  all.insert(all.end(), b.begin(), b.end());
  return all;
}
inline Bytes from(const Bytes& a, size_t begin) { return Bytes(a.begin() + static_cast<long>(begin), a.end()); }
inline Bytes to(const Bytes& a, size_t end) { return Bytes(a.begin(), a.begin() + static_cast<long>(end)); }

// A cipher of one provider, that takes the steps of a program. dead: no longer compared in this program.
struct Actor {
  Actor(const Library& library, const char* name) : cipher(library.cipher(name)), c(EVP_CIPHER_CTX_new()) {
    EXPECT_TRUE(cipher) << name << errors();
  }
  bool init(bool is_first, const uint8_t* key, const uint8_t* iv, int direction) {
    return EVP_CipherInit_ex2(c.get(), is_first ? cipher.get() : nullptr, key, iv, direction, nullptr);
  }
  // In place, or to another buffer.
  Step update(const Bytes& in, bool in_place) {
    Bytes buffer = in, other;
    buffer.resize(in.size() + EVP_MAX_BLOCK_LENGTH);
    other.resize(buffer.size());
    Bytes& out = in_place ? buffer : other;
    int len = 0;
    const bool ok = EVP_CipherUpdate(c.get(), out.data(), &len, buffer.data(), static_cast<int>(in.size()));
    out.resize(static_cast<size_t>(ok ? len : 0));
    return {ok, out};
  }
  Step final() {
    Step step;
    step.ok = evp::final(c.get(), step.out);
    return step;
  }
  // Goes on with a copy, after the original went elsewhere.
  bool copy() {
    CipherCtx twin(EVP_CIPHER_CTX_new());
    if (!EVP_CIPHER_CTX_copy(twin.get(), c.get())) return false;
    update(Bytes(77, 0x55), false);
    c = std::move(twin);
    return true;
  }

  Cipher cipher;
  CipherCtx c;
  bool is_dead = false;
};

// Runs programs of all names in turns, in a quarter of the 10 s that the four tests may take; VERSHINA_TEST_LONG:
// longer.
template <class Names, class Program>
void run_programs(uint64_t salt, const Names& names, const Program& program) {
  using Clock = std::chrono::steady_clock;
  Random random(salt);
  size_t num = 0;
  const auto end = Clock::now() + std::chrono::milliseconds(std::getenv("VERSHINA_TEST_LONG") ? 40000 : 2400);
  while (Clock::now() < end && !testing::Test::HasFailure()) {
    for (const auto& n : names) {
      SCOPED_TRACE(n.name);
      program(n, random);
      ++num;
    }
  }
  std::printf("%zu programs, %s\n", num, seed_note().c_str());
}

}  // namespace vsh::test::evp
