// Streebog by table look-ups, for public input only: addresses depend on message, key and state.
// S, P and L together are eight look-ups and XORs for an output word, in 8 tables of 256 x 8 bytes (16 KiB); 25 x 8
// words a block make 25 loads a byte, a floor of 12.5 cycles at two loads a cycle. Word j of the input gives one byte
// to each of the eight output words, which stay in registers; its bytes are taken as al, ah, shift by 16: 2.4
// instructions a look-up, 60 a byte: a tighter bound than the loads. Key and data chain of a round overlap in the
// reorder window.
// Core cycles a byte, 16 KiB message: 14.7 with GCC 12 and Clang 14 on an Emerald Rapids Xeon; 20.0 with GCC 12, 21.9
// with Clang 14 on an AMD EPYC (Zen 3), whose four integer units take 40 cycles for an LPS (15.6 a byte) and whose
// loads conflict in cache banks: with every look-up at one address it takes 17.2.
#include "circuits/sbox_tables.hpp"
#include "core/bytes.hpp"
#include "core/unrolled.hpp"
#include "streebog/constants.hpp"
#include "streebog/hash_row.hpp"

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

// A 512-bit value. Volatile, so that words are stored and loaded one by one: vectorisers tend to load two at a time,
// and a load that covers two recent stores has to wait until both have left the store buffer.
struct Words {
  volatile uint64_t w[8];
};

// y[i] += t[byte i of x], or y[i] = … for the first word.
#if defined(__x86_64__) && !defined(__e2k__)
// Assembly, because compilers merge the shifts by 16 into one shift a byte, or reorder the sums until the words no
// longer fit into the registers: without it 16 to 38 cycles a byte, depending on the compiler.
// clang-format off
#define VSH_TWO_BYTES(op, y0, y1)            \
  "movzbl %b[x], %k[i]\n\t"                  \
  op " %c[offset](%[t],%q[i],8), %[" y0 "]\n\t" \
  "movzbl %h[x], %k[i]\n\t"                  \
  op " %c[offset](%[t],%q[i],8), %[" y1 "]\n\t"
#define VSH_EIGHT_BYTES(op)                    \
  VSH_TWO_BYTES(op, "y0", "y1")                \
  "shrq $16, %[x]\n\t"                         \
  VSH_TWO_BYTES(op, "y2", "y3")                \
  "shrq $16, %[x]\n\t"                         \
  VSH_TWO_BYTES(op, "y4", "y5")                \
  "shrq $16, %[x]\n\t"                         \
  VSH_TWO_BYTES(op, "y6", "y7")
// clang-format on
// "Q" and "R": the second byte of a register can only be read from the first four, and only into the first
// eight.
template <int j>
VSH_INLINE void look_up(uint64_t (&y)[8], const Tables* t, uint64_t x) {
  uint64_t i;
  if constexpr (j == 0) {
    __asm__(VSH_EIGHT_BYTES("movq")
            : [y0] "=&r"(y[0]), [y1] "=&r"(y[1]), [y2] "=&r"(y[2]), [y3] "=&r"(y[3]), [y4] "=&r"(y[4]),
              [y5] "=&r"(y[5]), [y6] "=&r"(y[6]), [y7] "=&r"(y[7]), [x] "+Q"(x), [i] "=&R"(i)
            : [t] "r"(t), [offset] "i"(0), "m"(*t)
            : "cc");
  } else {
    __asm__(VSH_EIGHT_BYTES("xorq")
            : [y0] "+r"(y[0]), [y1] "+r"(y[1]), [y2] "+r"(y[2]), [y3] "+r"(y[3]), [y4] "+r"(y[4]), [y5] "+r"(y[5]),
              [y6] "+r"(y[6]), [y7] "+r"(y[7]), [x] "+Q"(x), [i] "=&R"(i)
            : [t] "r"(t), [offset] "i"(j * sizeof t->t[0]), "m"(*t)
            : "cc");
  }
}
#undef VSH_EIGHT_BYTES
#undef VSH_TWO_BYTES
#else
template <int j>
VSH_INLINE void look_up(uint64_t (&y)[8], const Tables* t, uint64_t x) {
  unrolled<8>(VSH_UNROLLED(i) {
    const uint64_t v = t->t[j][(x >> (8 * i)) & 0xFF];
    y[i] = j == 0 ? v : y[i] ^ v;
  });
}
#endif

// out = LPS(a ^ b): byte i of word j becomes byte j of word i (P), so word i of the result is the sum over j
// of t[j][byte i of word j].
template <class B>
VSH_INLINE void lpsx(Words& out, const Tables* t, const Words& a, const B& b) {
  uint64_t y[8];
  look_up<0>(y, t, a.w[0] ^ b.w[0]);
  look_up<1>(y, t, a.w[1] ^ b.w[1]);
  look_up<2>(y, t, a.w[2] ^ b.w[2]);
  look_up<3>(y, t, a.w[3] ^ b.w[3]);
  look_up<4>(y, t, a.w[4] ^ b.w[4]);
  look_up<5>(y, t, a.w[5] ^ b.w[5]);
  look_up<6>(y, t, a.w[6] ^ b.w[6]);
  look_up<7>(y, t, a.w[7] ^ b.w[7]);
  unrolled<8>(VSH_UNROLLED(i) { out.w[i] = y[i]; });
}

struct Kernel {
  using Value = Words;
  VSH_INLINE_MEMBER static Words load(const uint8_t* p) {
    Words x;
    for (int w = 0; w < 8; ++w) x.w[w] = load_le64(p + 8 * w);
    return x;
  }
  VSH_INLINE_MEMBER static void store(uint8_t* p, const Words& x) {
    for (int w = 0; w < 8; ++w) store_le64(p + 8 * w, x.w[w]);
  }
  VSH_INLINE_MEMBER static void g(Words& h, const Words& n, const Words& m) {
    const Tables* t = &kTables;
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
};

}  // namespace

constinit const HashKernel vsh_kernel_streebog_tables =
    streebog::hash_row<Kernel>("tables", cpu::Isa::any, 1280, false);

}  // namespace vsh
