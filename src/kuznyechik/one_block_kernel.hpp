// Shared by one-block kernels. C, the core, defines the representation of a block and a round:
//     Forward, Backward     a block on its way through encryption, decryption: load(p), store(p), ^
//     forward(x, k)         L(S(x)) ^ k
//     backward(x)           S^-1(L^-1(x))
#pragma once

#include "core/bytes.hpp"
#include "core/kernel.hpp"
#include "kuznyechik/linear.hpp"
#include "kuznyechik/round_keys.hpp"

namespace vsh::kuznyechik {
namespace {

// A block of byte vectors: the same in every lane.
template <class V>
struct Lanes {
  V v;

  VSH_INLINE_MEMBER static Lanes load(const uint8_t* p) { return {V::load_lanes(p)}; }
  VSH_INLINE_MEMBER void store(uint8_t* p) const { V::store_lane(p, v); }
  VSH_INLINE_MEMBER friend Lanes operator^(Lanes a, Lanes b) { return {a.v ^ b.v}; }
};

template <class C, uint32_t kCyclesOfBlock>
struct OneBlock {
  using Schedule = RoundKeys;
  static constexpr const char* kLayout = "round keys";  // Schedule is the same for every C
  using Forward = typename C::Forward;
  using Backward = typename C::Backward;
  static constexpr uint32_t kLanes = 1;
  static constexpr uint32_t kPassCost = kCyclesOfBlock;
  static constexpr bool kConstantTime = true;
  static constexpr size_t kBlockSize = 16;

  static void prepare(Schedule& s, const RoundKeys& rk) { s = rk; }

  static void encrypt(const Schedule& s, uint8_t* out, const uint8_t* in, size_t num_blocks) {
    for (; num_blocks; --num_blocks, in += 16, out += 16) {
      Forward x = Forward::load(in) ^ Forward::load(s.k[0]);
      for (int r = 1; r < kRounds; ++r) x = C::forward(x, Forward::load(s.k[r]));
      x.store(out);
    }
  }

  static void decrypt(const Schedule& s, uint8_t* out, const uint8_t* in, size_t num_blocks) {
    for (; num_blocks; --num_blocks, in += 16, out += 16) {
      Backward x = Backward::load(in) ^ Backward::load(s.k[kRounds - 1]);
      for (int r = kRounds - 2; r >= 0; --r) x = C::backward(x) ^ Backward::load(s.k[r]);
      x.store(out);
    }
  }

  // K_1 || K_2 = K; (K_(2i+1), K_(2i+2)) = F[C_8i] ... F[C_(8(i-1)+1)](K_(2i-1), K_2i), i = 1 .. 4, where
  // F[k](a_1, a_0) = (L(S(a_1 ^ k)) ^ a_0, a_1).
  static void expand_key(RoundKeys& round_keys, const uint8_t* key) {
    Forward a1 = Forward::load(key), a0 = Forward::load(key + 16);
    a1.store(round_keys.k[0]);
    a0.store(round_keys.k[1]);
    for (int i = 0; i < 32; ++i) {
      const Forward next = C::forward(a1 ^ Forward::load(kIterationConstants.c[i].b), a0);
      a0 = a1;
      a1 = next;
      if (i % 8 != 7) continue;
      a1.store(round_keys.k[i / 4 + 1]);
      a0.store(round_keys.k[i / 4 + 2]);
    }
  }
};

}  // namespace
}  // namespace vsh::kuznyechik
