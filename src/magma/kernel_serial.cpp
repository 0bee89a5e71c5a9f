// Magma and GOST 28147-89 one block at a time, constant time for any S-boxes, on general registers: the kernel of
// feedback modes and short messages. GOST R 34.12-2015 clause 5; the idea is in one_block.hpp.
// Lanes: 1. 50 operations a round in a chain of about 14: bound by latency.
#include "core/kernel.hpp"
#include "magma/one_block.hpp"

namespace vsh {
namespace magma {
namespace {

struct Serial {
  struct Schedule {
    uint32_t k[8];
    NibblePolynomials boxes;
    bool little_endian;
  };
  static constexpr uint32_t kLanes = 1;
  static constexpr uint32_t kPassCost = 700;
  static constexpr bool kConstantTime = true;
  static constexpr size_t kBlockSize = 8;

  static void prepare(Schedule& s, const RoundKeys& rk) {
    std::memcpy(s.k, rk.k, sizeof s.k);
    s.boxes.prepare(rk.rows);
    s.little_endian = rk.little_endian;
  }

  template <bool kDecrypt>
  VSH_INLINE_MEMBER static void run(const Schedule& s, uint8_t* out, const uint8_t* in, size_t num_blocks) {
    const NibblePolynomials boxes = s.boxes;
    for (; num_blocks; --num_blocks, in += 8, out += 8)
      run_rounds<kDecrypt>(Halves::load(in, s.little_endian), s.k, [&](uint32_t k, uint32_t a) VSH_LAMBDA_INLINE {
        return boxes.g(k, a);
      }).store(out, s.little_endian);
  }

  static void encrypt(const Schedule& s, uint8_t* out, const uint8_t* in, size_t n) { run<false>(s, out, in, n); }
  static void decrypt(const Schedule& s, uint8_t* out, const uint8_t* in, size_t n) { run<true>(s, out, in, n); }

  static void imit(const Schedule& s, uint8_t* state, const uint8_t* in, size_t num_blocks) {
    const NibblePolynomials boxes = s.boxes;
    Halves x = Halves::load(state, s.little_endian);
    for (; num_blocks; --num_blocks, in += 8) {
      const Halves block = Halves::load(in, s.little_endian);
      x = {x.a0 ^ block.a0, x.a1 ^ block.a1};
      for (int i = 0; i < ImitStep::kRounds; i += 2) {
        x.a1 ^= boxes.g(s.k[key_of_round<false>(i)], x.a0);
        x.a0 ^= boxes.g(s.k[key_of_round<false>(i + 1)], x.a1);
      }
    }
    x.store(state, s.little_endian);
  }

  static void encrypt_four(const Schedule& s, uint8_t* out, const uint8_t* in, const uint32_t (*words)[4]) {
    const NibblePolynomials boxes = s.boxes;
    Halves x[4];
    for (int i = 0; i < 4; ++i) x[i] = Halves::load(in + 8 * i, s.little_endian);
    for (int round = 0; round < kNumRounds; round += 2) {
      const uint32_t* const even = words[key_of_round<false>(round)];
      const uint32_t* const odd = words[key_of_round<false>(round + 1)];
      for (int i = 0; i < 4; ++i) {
        x[i].a1 ^= boxes.g(even[i], x[i].a0);
        x[i].a0 ^= boxes.g(odd[i], x[i].a1);
      }
    }
    for (int i = 0; i < 4; ++i) Halves{x[i].a1, x[i].a0}.store(out + 8 * i, s.little_endian);
  }
};

}  // namespace
}  // namespace magma

extern constinit const BlockKernel vsh_kernel_magma_serial =
    block_row<magma::Serial, magma::RoundKeys>("magma", "serial", cpu::Isa::any);

}  // namespace vsh
