#include "verdicts.hpp"

#include <valgrind/memcheck.h>

#include "api/arguments/keys.hpp"
#include "core/wipe.hpp"
#include "esp/trailer.hpp"
#include "modes/padding.hpp"

// The linker's --wrap (CMakeLists.txt) redirects the library's calls of these functions here.
#define REAL(symbol) __asm__("__real_" symbol)
#define WRAP(symbol) __asm__("__wrap_" symbol)
#define EQUAL "_ZN3vsh19equal_constant_timeEPKvS1_m"
#define FIND_PADDING "_ZN3vsh5modes12find_paddingENS0_7PaddingEPKhm"
#define CHECK_SBOX "_ZN3vsh3api10check_sboxENS_9AlgorithmERKNS0_7OptionsE"
#define PAD_LEN "_ZN3vsh3esp7pad_lenEPKh"
#define IS_PADDING "_ZN3vsh3esp10is_paddingEPKhh"

using namespace vsh;

bool real_equal(const void*, const void*, size_t) REAL(EQUAL);
bool wrap_equal(const void*, const void*, size_t) WRAP(EQUAL);
modes::Unpadded real_find_padding(modes::Padding, const uint8_t*, size_t) REAL(FIND_PADDING);
modes::Unpadded wrap_find_padding(modes::Padding, const uint8_t*, size_t) WRAP(FIND_PADDING);
vsh_status real_check_sbox(Algorithm, const api::Options&) REAL(CHECK_SBOX);
vsh_status wrap_check_sbox(Algorithm, const api::Options&) WRAP(CHECK_SBOX);
uint8_t real_pad_len(const uint8_t*) REAL(PAD_LEN);
uint8_t wrap_pad_len(const uint8_t*) WRAP(PAD_LEN);
bool real_is_padding(const uint8_t*, uint8_t) REAL(IS_PADDING);
bool wrap_is_padding(const uint8_t*, uint8_t) WRAP(IS_PADDING);

namespace {

unsigned long excused = 0;

template <class T>
T declassified(T verdict) {
  VALGRIND_MAKE_MEM_DEFINED(&verdict, sizeof verdict);
  return verdict;
}

}  // namespace

unsigned long excused_reports() { return excused; }

bool wrap_equal(const void* a, const void* b, size_t len) { return declassified(real_equal(a, b, len)); }

modes::Unpadded wrap_find_padding(modes::Padding p, const uint8_t* block, size_t block_size) {
  return declassified(real_find_padding(p, block, block_size));
}

uint8_t wrap_pad_len(const uint8_t* end) { return declassified(real_pad_len(end)); }

bool wrap_is_padding(const uint8_t* end, uint8_t padding) { return declassified(real_is_padding(end, padding)); }

// It turns its verdict into a status: this one branch is excused, a second one is not.
vsh_status wrap_check_sbox(Algorithm algorithm, const api::Options& options) {
  const unsigned long before = VALGRIND_COUNT_ERRORS;
  const vsh_status status = real_check_sbox(algorithm, options);
  if (VALGRIND_COUNT_ERRORS - before == 1) ++excused;
  return declassified(status);
}
