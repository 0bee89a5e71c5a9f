// Kuznyechik on a few blocks, a block in each lane of some registers: the kernel of few chains with a key each, and of
// requests of a few blocks. Bit- and byte-sliced passes take 16 to 512 blocks and leave most of their lanes empty
// there; here nothing is transposed, and the rounds of several registers overlap, which one chain leaves idle.
// GOST R 34.12-2015 clause 4. C, the core, defines the representation of a block and a round:
//     V                   the vector
//     enter<d>, leave<d>  from memory's basis to the core's in a direction and back
//     forward(x, key)     x[i] = L(S(x[i])) ^ key(i) for each of some registers
//     backward(x, key)    x[i] = S^-1(L^-1(x[i])) ^ key(i)
#pragma once

#include "core/kernel.hpp"
#include "core/unrolled.hpp"
#include "core/wipe.hpp"
#include "kuznyechik/bytesliced.hpp"

namespace vsh::kuznyechik {
namespace {

template <class C, int kRegisters, uint32_t kCyclesOfPass>
struct FewBlocks {
  using V = typename C::V;
  using Schedule = RoundKeys;
  static constexpr const char* kLayout = "round keys";  // as in one_block_kernel.hpp
  static constexpr uint32_t kLanes = kRegisters * V::kLanes;
  static constexpr uint32_t kPassCost = kCyclesOfPass;
  static constexpr bool kConstantTime = true;
  static constexpr size_t kBlockSize = 16;
  static constexpr size_t kPassBytes = kLanes * 16, kRegisterBytes = V::kLanes * 16;

  // Round keys of every lane, in the basis of the direction.
  struct LanesSchedule {
    uint8_t encrypt[kRounds][kPassBytes], decrypt[kRounds][kPassBytes];
  };

  static void prepare(Schedule& s, const RoundKeys& rk) { s = rk; }

  static void encrypt(const Schedule& s, uint8_t* out, const uint8_t* in, size_t num_blocks) {
    run<Direction::encrypt>(out, in, num_blocks, [&](int r, int) VSH_LAMBDA_INLINE {
      return C::template enter<Direction::encrypt>(V::load_lanes(s.k[r]));
    });
  }
  static void decrypt(const Schedule& s, uint8_t* out, const uint8_t* in, size_t num_blocks) {
    run<Direction::decrypt>(out, in, num_blocks, [&](int r, int) VSH_LAMBDA_INLINE {
      return C::template enter<Direction::decrypt>(V::load_lanes(s.k[r]));
    });
  }
  static void encrypt_lanes(const LanesSchedule& s, uint8_t* out, const uint8_t* in, size_t num_rows) {
    run<Direction::encrypt>(out, in, num_rows * kLanes,
                            [&](int r, int i) VSH_LAMBDA_INLINE { return V::load(s.encrypt[r] + i * kRegisterBytes); });
  }
  static void decrypt_lanes(const LanesSchedule& s, uint8_t* out, const uint8_t* in, size_t num_rows) {
    run<Direction::decrypt>(out, in, num_rows * kLanes,
                            [&](int r, int i) VSH_LAMBDA_INLINE { return V::load(s.decrypt[r] + i * kRegisterBytes); });
  }

  // The key schedule of all lanes at once, clause 4.3; the constants C_i are shared by all lanes.
  static void prepare_lanes(LanesSchedule& s, const uint8_t* const* keys, const RoundKeys&) {
    constexpr auto enter = C::template enter<Direction::encrypt>;
    for (size_t lane = 0; lane < kLanes; ++lane)
      for (int half = 0; half < 2; ++half) {
        if (keys[lane]) std::memcpy(s.encrypt[half] + 16 * lane, keys[lane] + 16 * half, 16);
        else std::memset(s.encrypt[half] + 16 * lane, 0, 16);
      }
    for (size_t at = 0; at < kPassBytes; at += kRegisterBytes) {
      V a1 = enter(V::load(s.encrypt[0] + at)), a0 = enter(V::load(s.encrypt[1] + at));
      const auto save = [&](int r, V k) VSH_LAMBDA_INLINE {
        V::store(s.encrypt[r] + at, k);
        const V bytes = C::template leave<Direction::encrypt>(k);
        V::store(s.decrypt[r] + at, C::template enter<Direction::decrypt>(bytes));
      };
      save(0, a1), save(1, a0);
      for (int i = 0; i < 32; ++i) {
        V next[1] = {a1 ^ enter(V::load_lanes(kIterationConstants.c[i].b))};
        C::forward(next, [&](int) VSH_LAMBDA_INLINE { return a0; });
        a0 = a1;
        a1 = next[0];
        if (i % 8 == 7) save(i / 4 + 1, a1), save(i / 4 + 2, a0);
      }
    }
  }

 private:
  // key(r, i): that of round r for register i.
  template <Direction d, class Key>
  VSH_INLINE_MEMBER static void run(uint8_t* out, const uint8_t* in, size_t num_blocks, Key key) {
    for_passes<kPassBytes>(out, in, num_blocks * 16, [&](uint8_t* to, const uint8_t* from) VSH_LAMBDA_INLINE {
      V x[kRegisters];
      unrolled<kRegisters>(VSH_UNROLLED(i) {
        const V block = C::template enter<d>(V::load(from + i * kRegisterBytes));
        x[i] = block ^ key(d == Direction::encrypt ? 0 : kRounds - 1, i);
      });
      for (int r = 1; r < kRounds; ++r) {
        const auto key_here = [&](int i)
                                  VSH_LAMBDA_INLINE { return key(d == Direction::encrypt ? r : kRounds - 1 - r, i); };
        if constexpr (d == Direction::encrypt) C::forward(x, key_here);
        else C::backward(x, key_here);
      }
      unrolled<kRegisters>(VSH_UNROLLED(i) { V::store(to + i * kRegisterBytes, C::template leave<d>(x[i])); });
    });
  }
};

}  // namespace
}  // namespace vsh::kuznyechik
