// Kuznyechik by table look-ups: S and L of one byte as one entry of 16 bytes, 16 look-ups and XORs a round. GOST R
// 34.12-2015 clause 4. NOT constant-time: addresses depend on key and data (cache timing), so this row runs only where
// the caller allows tables. Lanes: 1. 144 loads of 16 bytes a block, two a cycle: 4.5 cycles a byte at best. Decryption
// follows the usual form (Saarinen and others), with keys moved through L^-1:
//   D = X[K_1] S^-1 . X[K'_2] L^-1 S^-1 ... X[K'_9] L^-1 S^-1 . X[K'_10] L^-1,  K'_i = L^-1(K_i),
// where the first L^-1 goes through the table of L^-1 S^-1 applied to S of the block.
#include "circuits/sbox_tables.hpp"
#include "core/bytes.hpp"
#include "core/kernel.hpp"
#include "kuznyechik/linear.hpp"
#include "kuznyechik/round_keys.hpp"

namespace vsh {
namespace kuznyechik {
namespace {

struct Pair {
  uint64_t lo, hi;
  VSH_INLINE_MEMBER static Pair load(const uint8_t* p) { return {load_le64(p), load_le64(p + 8)}; }
  VSH_INLINE_MEMBER friend Pair operator^(Pair a, Pair b) { return {a.lo ^ b.lo, a.hi ^ b.hi}; }
};

// entry[j][v]: the contribution of byte j with value v to L(S(.)), as two little-endian words.
struct Table {
  Pair entry[16][256];
};

constexpr Table make_table(const Matrix& m, const uint8_t* sbox) {
  Table t{};
  for (int j = 0; j < 16; ++j) {
    // Powers of two first, the rest by linearity: 8 products a column instead of 256.
    Pair bit[8]{};
    for (int b = 0; b < 8; ++b)
      for (int i = 0; i < 16; ++i) {
        const uint64_t product = field_product(m.column[j].b[i], static_cast<uint8_t>(1 << b));
        (i < 8 ? bit[b].lo : bit[b].hi) |= product << (8 * (i % 8));
      }
    for (int v = 0; v < 256; ++v) {
      const int s = sbox[v];
      for (int b = 0; b < 8; ++b)
        if ((s >> b) & 1) {
          t.entry[j][v].lo ^= bit[b].lo;
          t.entry[j][v].hi ^= bit[b].hi;
        }
    }
  }
  return t;
}

alignas(64) constexpr Table kForward = make_table(matrix_of(l_transform), tables::kKuznyechikPi);
alignas(64) constexpr Table kBackward = make_table(matrix_of(l_inverse), tables::kKuznyechikPiInverse);

// Entries are summed in one vector register: as two words GCC 12's code takes 14.6 cycles a byte instead of 8.5. On
// Elbrus such vectors are slow, so it uses two words.
#if defined(__e2k__)
using Sum = Pair;
#else
typedef uint64_t Sum __attribute__((vector_size(16)));
#endif

VSH_INLINE Pair look_up(const Table& t, Pair x) {
  Sum sum{};
  for (int j = 0; j < 16; ++j) {
    const uint64_t half = j < 8 ? x.lo : x.hi;
    Sum entry;
    std::memcpy(&entry, &t.entry[j][(half >> (8 * (j % 8))) & 0xFF], sizeof entry);
    sum = sum ^ entry;
  }
  Pair y;
  std::memcpy(&y, &sum, sizeof y);
  return y;
}

VSH_INLINE Pair substitute(const uint8_t* sbox, Pair x) {
  Pair y{0, 0};
  for (int j = 0; j < 8; ++j) {
    y.lo |= static_cast<uint64_t>(sbox[(x.lo >> (8 * j)) & 0xFF]) << (8 * j);
    y.hi |= static_cast<uint64_t>(sbox[(x.hi >> (8 * j)) & 0xFF]) << (8 * j);
  }
  return y;
}

struct Tables {
  struct Schedule {
    Pair encrypt[kRounds];  // K_1 .. K_10
    Pair decrypt[kRounds];  // K_1, L^-1(K_2), ..., L^-1(K_10)
  };
  static constexpr uint32_t kLanes = 1;
  static constexpr uint32_t kPassCost = 170;
  static constexpr bool kConstantTime = false;
  static constexpr size_t kBlockSize = 16;

  static void prepare(Schedule& s, const RoundKeys& rk) {
    for (int i = 0; i < kRounds; ++i) {
      s.encrypt[i] = Pair::load(rk.k[i]);
      s.decrypt[i] = i == 0 ? s.encrypt[0] : inverse_l(s.encrypt[i]);
    }
  }

  // Processes n independent blocks together, which hides the latency of look-ups.
  template <int n>
  VSH_INLINE_MEMBER static void encrypt_few(const Schedule& s, uint8_t* out, const uint8_t* in) {
    Pair x[n];
    for (int i = 0; i < n; ++i) x[i] = Pair::load(in + 16 * i);
    for (int r = 0; r < kRounds - 1; ++r)
      for (int i = 0; i < n; ++i) x[i] = look_up(kForward, x[i] ^ s.encrypt[r]);
    for (int i = 0; i < n; ++i) store(out + 16 * i, x[i] ^ s.encrypt[kRounds - 1]);
  }

  template <int n>
  VSH_INLINE_MEMBER static void decrypt_few(const Schedule& s, uint8_t* out, const uint8_t* in) {
    Pair x[n];
    for (int i = 0; i < n; ++i) x[i] = inverse_l(Pair::load(in + 16 * i)) ^ s.decrypt[kRounds - 1];
    for (int r = kRounds - 2; r >= 1; --r)
      for (int i = 0; i < n; ++i) x[i] = look_up(kBackward, x[i]) ^ s.decrypt[r];
    for (int i = 0; i < n; ++i) store(out + 16 * i, substitute(tables::kKuznyechikPiInverse, x[i]) ^ s.decrypt[0]);
  }

  static void encrypt(const Schedule& s, uint8_t* out, const uint8_t* in, size_t num_blocks) {
    for (; num_blocks >= 2; num_blocks -= 2, in += 32, out += 32) encrypt_few<2>(s, out, in);
    if (num_blocks) encrypt_few<1>(s, out, in);
  }

  static void decrypt(const Schedule& s, uint8_t* out, const uint8_t* in, size_t num_blocks) {
    for (; num_blocks >= 2; num_blocks -= 2, in += 32, out += 32) decrypt_few<2>(s, out, in);
    if (num_blocks) decrypt_few<1>(s, out, in);
  }

 private:
  VSH_INLINE_MEMBER static Pair inverse_l(Pair x) { return look_up(kBackward, substitute(tables::kKuznyechikPi, x)); }
  VSH_INLINE_MEMBER static void store(uint8_t* out, Pair x) {
    store_le64(out, x.lo);
    store_le64(out + 8, x.hi);
  }
};

}  // namespace
}  // namespace kuznyechik

extern constinit const BlockKernel vsh_kernel_kuznyechik_tables =
    block_row<kuznyechik::Tables, kuznyechik::RoundKeys>("kuznyechik", "tables", cpu::Isa::any);

}  // namespace vsh
