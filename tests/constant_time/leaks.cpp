// Deliberate mistakes: each must be reported.
#include <cstring>

#include "cases.hpp"

namespace vsh::test {
namespace {

// Hides a value's origin from the optimiser, so that a deliberate leak is not compiled away.
template <class T>
T opaque(T x) {
  __asm__ volatile("" : "+r"(x));
  return x;
}

__attribute__((noinline)) int branch_on(const uint8_t* key) {
  if (opaque(key[3]) & 1) {
    __asm__ volatile("");  // keeps this a branch
    return 1;
  }
  return 0;
}

volatile uint8_t table[256];
__attribute__((noinline)) uint8_t look_up(const uint8_t* key) { return table[opaque(key[0])]; }

__attribute__((noinline)) bool compare_early_exit(const uint8_t* a, const uint8_t* b, size_t n) {
  for (size_t i = 0; i < n; ++i) {
    if (a[i] != b[i]) return false;
    __asm__ volatile("");
  }
  return true;
}

__attribute__((noinline)) size_t strip_padding_by_loop(const uint8_t* block, size_t n) {
  while (n && block[n - 1] == 0) {
    __asm__ volatile("");
    --n;
  }
  return n;
}

}  // namespace

void add_deliberate_leaks(Cases& cases) {
  const auto leak = [&cases](const char* name, std::function<bool()> run) {
    cases.push_back({std::string("leak/") + name, Expect::leaks, true, std::move(run)});
  };
  leak("branch", [] {
    const Bytes key = secret(32);
    (void)opaque(branch_on(key.data()));
    return true;
  });
  leak("index", [] {
    const Bytes key = secret(32);
    (void)opaque(look_up(key.data()));
    return true;
  });
  leak("memcmp-on-tags", [] {
    const Bytes tag = secret(16), expected = pattern(16);
    int (*volatile compare)(const void*, const void*, size_t) = std::memcmp;
    (void)opaque(compare(tag.data(), expected.data(), 16));
    return true;
  });
  leak("early-exit-on-tags", [] {
    const Bytes tag = secret(16), expected = pattern(16);
    (void)opaque(compare_early_exit(tag.data(), expected.data(), 16));
    return true;
  });
  leak("padding-loop", [] {
    const Bytes block = secret(16);
    (void)opaque(strip_padding_by_loop(block.data(), 16));
    return true;
  });
}

}  // namespace vsh::test
