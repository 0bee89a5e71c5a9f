/* Streebog-512 (RFC 6986) as a C programmer writes it: the starting point of `vershina bench --study streebog`, which
 * compiles this file by the compilers that it finds and measures the programs and the library's kernels. Table
 * look-ups: not constant-time, for public input only, and no part of the library.
 *
 * PLAIN_FORCED     every function is inlined by force; without it the compiler decides
 * PLAIN_FRAGMENT   LPS spelled out word by word, in one piece
 * PLAIN_SSE2       LPS with words in vector registers, by intrinsics
 * PLAIN_BARE       needs neither a C library nor its headers (Linux, 32-bit x86)
 *
 * The program reads its tables (8 x 256 words, the eight bytes of LPS) and the 12 iteration constants, a length and so
 * many bytes of message; then requests {size, repeats}. Each is answered by the nanoseconds of CPU time that the
 * repeats took and the digest. All numbers are little-endian. */
typedef unsigned char u8;
typedef unsigned int u32;
typedef unsigned long long u64;

enum { kWords = 8, kBlock = 64, kRounds = 12, kLargest = 8 << 20 };

static struct {
  u64 table[kWords][256]; /* [j][x]: what byte x contributes as byte j of a word, after S, P and L */
  u64 constants[kRounds][kWords];
} given __attribute__((aligned(64)));
static u64 message[kLargest / 8] __attribute__((aligned(64)));

#ifdef PLAIN_FORCED
#define FUNCTION static inline __attribute__((always_inline))
#else
#define FUNCTION static
#endif

FUNCTION void add_modulo_2_512(u64* sum, const u64* x) {
  u64 carry = 0;
  for (int i = 0; i < kWords; ++i) {
    const u64 s = sum[i] + x[i], t = s + carry;
    carry = (s < x[i]) | (t < s);
    sum[i] = t;
  }
}

FUNCTION void xor512(u64* out, const u64* a, const u64* b) {
  for (int i = 0; i < kWords; ++i) out[i] = a[i] ^ b[i];
}

#if defined(PLAIN_SSE2)
#include <emmintrin.h>
#define ENTRY(j, index) _mm_loadl_epi64((const __m128i*)&given.table[j][index])
/* Two bytes of word j, each into the sum of its output word. */
#define TWO_BYTES(j, pair, at)                                          \
  do {                                                                  \
    const u32 bytes = (u32)_mm_extract_epi16(x, at);                    \
    sum[pair] = _mm_xor_si128(sum[pair], ENTRY(j, bytes & 255));        \
    sum[pair + 1] = _mm_xor_si128(sum[pair + 1], ENTRY(j, bytes >> 8)); \
  } while (0)
FUNCTION void lps(u64* out, const u64* in) {
  __m128i sum[kWords];
  for (int i = 0; i < kWords; ++i) sum[i] = _mm_setzero_si128();
  for (int j = 0; j < kWords; ++j) {
    const __m128i x = _mm_loadl_epi64((const __m128i*)&in[j]);
    TWO_BYTES(j, 0, 0);
    TWO_BYTES(j, 2, 1);
    TWO_BYTES(j, 4, 2);
    TWO_BYTES(j, 6, 3);
  }
  for (int i = 0; i < kWords; i += 2) _mm_storeu_si128((__m128i*)&out[i], _mm_unpacklo_epi64(sum[i], sum[i + 1]));
}
#elif defined(PLAIN_FRAGMENT)
#define BYTE(j, i) given.table[j][(u8)(x##j >> (8 * i))]
#define WORD(i) BYTE(0, i) ^ BYTE(1, i) ^ BYTE(2, i) ^ BYTE(3, i) ^ BYTE(4, i) ^ BYTE(5, i) ^ BYTE(6, i) ^ BYTE(7, i)
FUNCTION void lps(u64* out, const u64* in) {
  const u64 x0 = in[0], x1 = in[1], x2 = in[2], x3 = in[3], x4 = in[4], x5 = in[5], x6 = in[6], x7 = in[7];
  out[0] = WORD(0), out[1] = WORD(1), out[2] = WORD(2), out[3] = WORD(3);
  out[4] = WORD(4), out[5] = WORD(5), out[6] = WORD(6), out[7] = WORD(7);
}
#else
FUNCTION void lps(u64* out, const u64* in) {
  u64 sums[kWords];
  for (int i = 0; i < kWords; ++i) {
    sums[i] = 0;
    for (int j = 0; j < kWords; ++j) sums[i] ^= given.table[j][in[j] >> (8 * i) & 255];
  }
  for (int i = 0; i < kWords; ++i) out[i] = sums[i];
}
#endif

/* g_N(h, m) of section 8. */
FUNCTION void compress(u64* h, const u64* n, const u64* m) {
  u64 key[kWords], state[kWords], sum[kWords];
  xor512(sum, h, n);
  lps(key, sum);
  xor512(state, key, m);
  for (int i = 0; i < kRounds; ++i) {
    lps(state, state);
    xor512(sum, key, given.constants[i]);
    lps(key, sum);
    xor512(state, state, key);
  }
  xor512(h, h, state);
  xor512(h, h, m);
}

FUNCTION void hash512(u64* digest, const u64* in, u32 size) {
  u64 n[kWords] = {0}, sigma[kWords] = {0}, last[kWords] = {0};
  const u64 zero[kWords] = {0}, block_bits[kWords] = {8 * kBlock};
  for (int i = 0; i < kWords; ++i) digest[i] = 0;
  for (; size >= kBlock; size -= kBlock, in += kWords) {
    compress(digest, n, in);
    add_modulo_2_512(n, block_bits);
    add_modulo_2_512(sigma, in);
  }
  const u64 rest_bits[kWords] = {8 * (u64)size};
  const u8* const bytes = (const u8*)in;
  for (u32 i = 0; i < size; ++i) ((u8*)last)[i] = bytes[i];
  ((u8*)last)[size] = 1;
  compress(digest, n, last);
  add_modulo_2_512(n, rest_bits);
  add_modulo_2_512(sigma, last);
  compress(digest, zero, n);
  compress(digest, zero, sigma);
}

#ifdef PLAIN_BARE
static long system_call(long number, long a, const void* b, u32 c) {
  long result;
  __asm__ volatile("int $0x80" : "=a"(result) : "a"(number), "b"(a), "c"(b), "d"(c) : "memory");
  return result;
}
struct timespec {
  int tv_sec, tv_nsec;
};
enum { CLOCK_PROCESS_CPUTIME_ID = 2 };
static void clock_gettime(int clock, struct timespec* t) { system_call(265, clock, t, 0); }
static long read(int fd, void* data, u32 size) { return system_call(3, fd, data, size); }
static long write(int fd, const void* data, u32 size) { return system_call(4, fd, data, size); }
/* Compilers turn loops into calls of these. */
void* memset(void* to, int value, __SIZE_TYPE__ size) {
  for (volatile u8* p = to; size; --size) *p++ = (u8)value;
  return to;
}
void* memcpy(void* to, const void* from, __SIZE_TYPE__ size) {
  const volatile u8* q = from;
  for (u8* p = to; size; --size) *p++ = *q++;
  return to;
}
#else
#include <time.h>
#include <unistd.h>
#endif

static u64 cpu_time(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (u64)t.tv_sec * 1000000000 + (u64)t.tv_nsec;
}

static int read_all(void* data, u32 size) {
  for (u8* p = data; size;) {
    const long got = read(0, p, size);
    if (got <= 0) return 0;
    p += got;
    size -= (u32)got;
  }
  return 1;
}

static int serve(void) {
  u32 length;
  struct {
    u32 size, repeats;
  } request;
  struct {
    u64 time, digest[kWords];
  } answer;
  if (!read_all(&given, sizeof given) || !read_all(&length, sizeof length) || length > kLargest) return 1;
  if (!read_all(message, length)) return 1;
  while (read_all(&request, sizeof request)) {
    if (request.size > length) return 1;
    const u64 begin = cpu_time();
    for (u32 i = 0; i < request.repeats; ++i) hash512(answer.digest, message, request.size);
    answer.time = cpu_time() - begin;
    if (write(1, &answer, sizeof answer) != sizeof answer) return 1;
  }
  return 0;
}

#ifdef PLAIN_BARE
__attribute__((noreturn, force_align_arg_pointer)) void _start(void) {
  system_call(1, serve(), 0, 0);
  for (;;) {
  }
}
#else
int main(void) { return serve(); }
#endif
