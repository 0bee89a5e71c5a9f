#include "cases.hpp"

#include <valgrind/memcheck.h>

#include <cstdio>
#include <cstdlib>

namespace vsh::test {

void make_secret(void* p, size_t n) { VALGRIND_MAKE_MEM_UNDEFINED(p, n); }
void make_secret(uint8_t (&sboxes)[8][16]) { make_secret(sboxes, sizeof sboxes); }
void declassify(void* p, size_t n) { VALGRIND_MAKE_MEM_DEFINED(p, n); }

// VALGRIND_CHECK_MEM_IS_DEFINED would count as an error.
bool is_secret(const void* p, size_t n) {
  Bytes undefined_bits(n);
  VALGRIND_GET_VBITS(p, undefined_bits.data(), n);
  VALGRIND_MAKE_MEM_DEFINED(undefined_bits.data(), n);
  for (const uint8_t bits : undefined_bits)
    if (bits) return true;
  return false;
}

Bytes pattern(size_t n) {
  Bytes b(n);
  for (size_t i = 0; i < n; ++i) b[i] = static_cast<uint8_t>(i * 37 + 11);
  return b;
}

void must(const std::string& what, vsh_status status) {
  declassify(&status, sizeof status);
  if (status == VSH_OK) return;
  std::fprintf(stderr, "ct_check: %s: %s\n", what.c_str(), vsh_status_message(status));
  std::exit(3);
}

}  // namespace vsh::test
