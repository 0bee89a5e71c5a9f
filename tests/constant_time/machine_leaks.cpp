// Deliberate mistakes in instructions of x86-64: some unknown to valgrind, others with effects unknown to it.
#include <immintrin.h>

#include "cases.hpp"
#include "core/cpu.hpp"
#include "support/skipped_rows.hpp"

namespace vsh::test {
namespace {

alignas(64) int32_t table[256];

__attribute__((noinline, target("avx2"))) void gather(uint8_t* out, const uint8_t* key) {
  const __m256i at = _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(key)));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), _mm256_i32gather_epi32(table, at, 4));
}

// From two cache lines: a mask selects those that are read.
__attribute__((noinline, target("avx512f"))) void load_some(uint8_t* out, const uint8_t* key) {
  const __mmask16 some = static_cast<__mmask16>(key[0] | key[1] << 8);
  _mm512_storeu_si512(out, _mm512_maskz_loadu_epi32(some, table + 8));
}

__attribute__((noinline, target("avx512f"))) void store_some(uint8_t* out, const uint8_t* key) {
  const __mmask16 some = static_cast<__mmask16>(key[0] | key[1] << 8);
  _mm512_mask_storeu_epi32(table, some, _mm512_loadu_si512(key));
  out[0] = static_cast<uint8_t>(table[0]);
}

__attribute__((noinline, target("avx512f,avx512bw"))) void load_some_by_comparison(uint8_t* out, const uint8_t* key) {
  const __mmask64 some = _mm512_cmplt_epu8_mask(_mm512_loadu_si512(key), _mm512_set1_epi8(100));
  _mm512_storeu_si512(out, _mm512_maskz_loadu_epi8(some, table + 8));
}

__attribute__((noinline)) void copy_some(uint8_t* out, const uint8_t* key) {
  const void* from = table;
  void* to = out;
  size_t n = key[0] & 31;
  __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(n)::"memory");
}

__attribute__((noinline)) void divide(uint8_t* out, const uint8_t* key) {
  uint64_t high = 0, low = key[0], divisor = key[1] | 1u;
  __asm__ volatile("divq %2" : "+a"(low), "+d"(high) : "r"(divisor) : "cc");
  out[0] = static_cast<uint8_t>(low);
}

__attribute__((noinline)) void divide_by_memory(uint8_t* out, const uint8_t* key) {
  uint32_t high = 0, low = 77, divisor = key[1] | 1u;
  __asm__ volatile("divl %2" : "+a"(low), "+d"(high) : "m"(divisor) : "cc");
  out[0] = static_cast<uint8_t>(low);
}

}  // namespace

void add_machine_leaks(Cases& cases) {
  const auto leak = [&cases](const std::string& name, uint32_t needed, void (*run)(uint8_t*, const uint8_t*)) {
    cases.push_back({"leak/" + name, Expect::leaks, (needed & ~cpu::features()) == 0,
                     [run] {
                       const Bytes key = secret(64);
                       uint8_t out[64] = {};
                       run(out, key.data());
                       __asm__ volatile("" ::"r"(out) : "memory");
                       return true;
                     },
                     false, why_skipped("leak/" + name, needed)});
  };
  leak("gather", cpu::kAvx2, gather);
  leak("masked-load", cpu::kAvx512, load_some);
  leak("masked-store", cpu::kAvx512, store_some);
  leak("masked-load-by-comparison", cpu::kAvx512, load_some_by_comparison);
  leak("repeated-move", 0, copy_some);
  leak("division", 0, divide);
  leak("division-by-memory", 0, divide_by_memory);
}

}  // namespace vsh::test
