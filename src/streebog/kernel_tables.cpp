// SPDX-License-Identifier: Apache-2.0
//
// Streebog by table look-ups, for public input only: addresses depend on message, key and state.
// S, P and L together are eight look-ups and XORs an output word in 8 tables of 256 x 8 bytes (16 KiB); 25 words times
// eight look-ups a word and 64-byte block: 25 loads a byte. Word j of the input gives one byte to each of the eight
// output words, which stay in registers; the bytes are taken as al, ah, shift by 16, so that a look-up is 2.6
// instructions. Key chain and data chain of a round are independent and overlap in the reorder window.
#include "circuits/sbox_tables.hpp"
#include "core/bytes.hpp"
#include "core/kernel.hpp"
#include "streebog/arithmetic.hpp"
#include "streebog/constants.hpp"
#include "streebog/state.hpp"

namespace vsh {
extern const HashKernel vsh_kernel_streebog_tables;

namespace {
namespace st = streebog;

// t[j][x]: l of pi(x) as byte j of a word.
struct Tables {
  uint64_t t[8][256];
};
constexpr Tables make_tables() {
  Tables tables{};
  for (int j = 0; j < 8; ++j)
    for (int x = 0; x < 256; ++x) tables.t[j][x] = st::l_of_byte(j, tables::kKuznyechikPi[x]);
  return tables;
}
alignas(64) constexpr Tables kTables = make_tables();

struct Constants {
  struct {
    uint64_t w[8];
  } c[st::kRounds];
};
constexpr Constants make_constants() {
  Constants k{};
  for (int i = 0; i < st::kRounds; ++i)
    for (int w = 0; w < 8; ++w) k.c[i].w[w] = st::iteration_constant_word(i, w);
  return k;
}
alignas(64) constexpr Constants kConstants = make_constants();

// Compilers merge the shifts by 16 into one shift a byte, reorder the sums until the words no longer fit into the
// registers and look the table's address up again and again; empty assembly statements keep values where they are:
// x in one of the four registers whose second byte has a name.
#if defined(__x86_64__) && !defined(__e2k__)
#define VSH_KEEP_Y(y) __asm__("" : "+r"(y))
#else
#define VSH_KEEP_Y(y)
#endif
VSH_INLINE uint64_t second_byte(uint64_t x) {
#if defined(__x86_64__) && !defined(__e2k__)
  uint32_t b;
  __asm__("movzbl %h1, %0" : "=Q"(b) : "Q"(x));
  return b;
#else
  return (x >> 8) & 0xFF;
#endif
}

// A 512-bit value. Volatile, so that words are stored and loaded one by one: vectorisers like to load two at a time,
// and a load that covers two recent stores has to wait until both have left the store buffer.
struct Words {
  volatile uint64_t w[8];
};

// y[i] += t[byte i of x].
template <bool first>
VSH_INLINE void look_up(uint64_t (&y)[8], const uint64_t* t, uint64_t x) {
  for (int i = 0; i < 8; i += 2) {
    const uint64_t even = t[x & 0xFF];
    const uint64_t odd = t[second_byte(x)];
    y[i] = first ? even : y[i] ^ even;
    y[i + 1] = first ? odd : y[i + 1] ^ odd;
    x >>= 16;
    VSH_KEEP_Y(x);
  }
  for (int i = 0; i < 8; ++i) VSH_KEEP_Y(y[i]);
}

// out = LPS(a ^ b): byte i of word j becomes byte j of word i (P), so word i of the result is the sum over j of
// t[j][byte i of word j].
template <class B>
VSH_INLINE void lpsx(Words& out, const uint64_t* t, const Words& a, const B& b) {
  uint64_t y[8];
  look_up<true>(y, t, a.w[0] ^ b.w[0]);
  look_up<false>(y, t + 1 * 256, a.w[1] ^ b.w[1]);
  look_up<false>(y, t + 2 * 256, a.w[2] ^ b.w[2]);
  look_up<false>(y, t + 3 * 256, a.w[3] ^ b.w[3]);
  look_up<false>(y, t + 4 * 256, a.w[4] ^ b.w[4]);
  look_up<false>(y, t + 5 * 256, a.w[5] ^ b.w[5]);
  look_up<false>(y, t + 6 * 256, a.w[6] ^ b.w[6]);
  look_up<false>(y, t + 7 * 256, a.w[7] ^ b.w[7]);
  for (int i = 0; i < 8; ++i) out.w[i] = y[i];
}

// h = g_n(h, m) (RFC 6986, section 8).
VSH_INLINE void g(Words& h, const Words& n, const Words& m) {
  const uint64_t* t = kTables.t[0];
  VSH_KEEP_Y(t);
  Words key, state;
  lpsx(key, t, h, n);
  lpsx(state, t, m, key);
  lpsx(key, t, key, kConstants.c[0]);
  for (int i = 1; i < st::kRounds; ++i) {
    lpsx(state, t, state, key);
    lpsx(key, t, key, kConstants.c[i]);
  }
  for (int w = 0; w < 8; ++w) h.w[w] = h.w[w] ^ key.w[w] ^ state.w[w] ^ m.w[w];
}

VSH_INLINE void load(Words& x, const uint8_t* p) {
  for (int w = 0; w < 8; ++w) x.w[w] = load_le64(p + 8 * w);
}
VSH_INLINE void store(uint8_t* p, const Words& x) {
  for (int w = 0; w < 8; ++w) store_le64(p + 8 * w, x.w[w]);
}

void absorb(st::State* state, const uint8_t* in, size_t num_blocks) {
  if (num_blocks == 0) return;
  Words h, n, m;
  load(h, state->h);
  for (; num_blocks > 0; --num_blocks, in += st::kBlockSize) {
    load(n, state->n);
    load(m, in);
    g(h, n, m);
    st::add_bits(state->n, 512);
    st::add_512(state->sigma, in);
  }
  store(state->h, h);
}

void compress(uint8_t* h, const uint8_t* n, const uint8_t* m) {
  Words hw, nw, mw;
  load(hw, h);
  load(nw, n);
  load(mw, m);
  g(hw, nw, mw);
  store(h, hw);
}

}  // namespace

constinit const HashKernel vsh_kernel_streebog_tables = {
    {"streebog", "tables", cpu::Isa::any, 1, 1, false}, absorb, compress};

}  // namespace vsh
