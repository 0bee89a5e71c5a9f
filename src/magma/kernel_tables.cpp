// Magma and GOST 28147-89 by table look-ups: two S-boxes and the rotation in one entry, four look-ups a round.
// GOST R 34.12-2015 clause 5. NOT constant-time: addresses depend on key and data (cache timing), so this row runs only
// where the caller allows tables. Lanes: 1 (two blocks interleaved where they are independent). Bound by the latency of
// a round, add + load + three XORs, about 10 cycles.
#include "core/kernel.hpp"
#include "magma/one_block.hpp"

namespace vsh {
namespace magma {
namespace {

struct Tables {
  struct Schedule {
    uint32_t k[8];
    uint32_t entry[4][256];  // byte i of the sum through boxes 2i and 2i + 1, already rotated by 11
    bool little_endian;
  };
  static constexpr uint32_t kLanes = 1;
  static constexpr uint32_t kPassCost = 190;
  static constexpr bool kConstantTime = false;
  static constexpr size_t kBlockSize = 8;

  static void prepare(Schedule& s, const RoundKeys& rk) {
    std::memcpy(s.k, rk.k, sizeof s.k);
    s.little_endian = rk.little_endian;
    for (int i = 0; i < 4; ++i)
      for (int v = 0; v < 256; ++v) {
        const uint32_t y = static_cast<uint32_t>(rk.rows[2 * i][v & 15] | rk.rows[2 * i + 1][v >> 4] << 4) << (8 * i);
        s.entry[i][v] = y << 11 | y >> 21;
      }
  }

  template <bool kDecrypt>
  VSH_INLINE_MEMBER static void run(const Schedule& s, uint8_t* out, const uint8_t* in, size_t num_blocks) {
    const auto g = [&s](uint32_t k, uint32_t a) VSH_LAMBDA_INLINE {
      const uint32_t x = a + k;
      return s.entry[0][x & 0xFF] ^ s.entry[1][x >> 8 & 0xFF] ^ s.entry[2][x >> 16 & 0xFF] ^ s.entry[3][x >> 24];
    };
    for (; num_blocks >= 2; num_blocks -= 2, in += 16, out += 16) {
      Halves x = Halves::load(in, s.little_endian), y = Halves::load(in + 8, s.little_endian);
      for (int i = 0; i < kNumRounds; i += 2) {
        const uint32_t k0 = s.k[key_of_round<kDecrypt>(i)], k1 = s.k[key_of_round<kDecrypt>(i + 1)];
        x.a1 ^= g(k0, x.a0);
        y.a1 ^= g(k0, y.a0);
        x.a0 ^= g(k1, x.a1);
        y.a0 ^= g(k1, y.a1);
      }
      Halves{x.a1, x.a0}.store(out, s.little_endian);
      Halves{y.a1, y.a0}.store(out + 8, s.little_endian);
    }
    if (num_blocks) run_rounds<kDecrypt>(Halves::load(in, s.little_endian), s.k, g).store(out, s.little_endian);
  }

  static void encrypt(const Schedule& s, uint8_t* out, const uint8_t* in, size_t n) { run<false>(s, out, in, n); }
  static void decrypt(const Schedule& s, uint8_t* out, const uint8_t* in, size_t n) { run<true>(s, out, in, n); }
};

}  // namespace
}  // namespace magma

extern constinit const BlockKernel vsh_kernel_magma_tables =
    block_row<magma::Tables, magma::RoundKeys>("magma", "tables", cpu::Isa::any);

}  // namespace vsh
