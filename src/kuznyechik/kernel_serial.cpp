// Kuznyechik one block at a time, constant time, on general registers: the kernel of feedback modes and short messages
// where no faster one-block kernel exists. GOST R 34.12-2015 clause 4; the idea is in one_block.hpp.
// Lanes: 1. A round is about 270 operations for S and 600 for L; bound by their number (about 4 a cycle).
#include "core/kernel.hpp"
#include "kuznyechik/one_block.hpp"
#include "kuznyechik/round_keys.hpp"

namespace vsh {
namespace kuznyechik {
namespace {

struct Serial {
  using Schedule = RoundKeys;
  static constexpr uint32_t kLanes = 1;
  static constexpr uint32_t kPassCost = 3100;
  static constexpr bool kConstantTime = true;
  static constexpr size_t kBlockSize = 16;

  static void prepare(Schedule& s, const RoundKeys& rk) { s = rk; }

  static void encrypt(const Schedule& s, uint8_t* out, const uint8_t* in, size_t num_blocks) {
    for (; num_blocks; --num_blocks, in += 16, out += 16) {
      Pair x = Pair::load(in);
      for (int r = 0; r < kRounds - 1; ++r) x = lsx(Pair::load(s.k[r]), x);
      (x ^ Pair::load(s.k[kRounds - 1])).store(out);
    }
  }

  static void decrypt(const Schedule& s, uint8_t* out, const uint8_t* in, size_t num_blocks) {
    for (; num_blocks; --num_blocks, in += 16, out += 16) {
      Pair x = Pair::load(in) ^ Pair::load(s.k[kRounds - 1]);
      for (int r = kRounds - 2; r >= 0; --r) x = lsx_inverse(Pair::load(s.k[r]), x);
      x.store(out);
    }
  }
};

}  // namespace
}  // namespace kuznyechik

extern constinit const BlockKernel vsh_kernel_kuznyechik_serial =
    block_row<kuznyechik::Serial, kuznyechik::RoundKeys>("kuznyechik", "serial", cpu::Isa::any);

}  // namespace vsh
