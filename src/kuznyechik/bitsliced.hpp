// Kuznyechik over bit planes, written once for every word type. GOST R 34.12-2015 clause 4 (RFC 7801).
//
// L without moving a byte: R(a) = l(a) || a_15 || ... || a_1 is a shift register, so number all bytes that pass through
// it: s_0 .. s_15 is the state (s_i = a_i), and each step appends
//     s_(n+16) = l(s_(n+15), ..., s_n).
// After 16 steps the state is s_16 .. s_31. The coefficients of l read the same from both ends, and that of s_n is 1,
// so
//     s_n = l'(s_(n+16), s_(n+1), ..., s_(n+15))
// with the same circuit: decryption walks down where encryption walks up, at the same cost.
//
//     window   |   s_0 ........ s_15   |   s_16 ....... s_31   |     8 planes a byte
//     encrypt        S of the upper half goes to the lower half; 16 steps fill the upper half
//     decrypt        16 steps fill the lower half; inverse S of it goes to the upper half
#pragma once

#include "circuits/circuits.hpp"
#include "core/kernel.hpp"
#include "core/wipe.hpp"
#include "kuznyechik/linear.hpp"
#include "kuznyechik/round_keys.hpp"
#include "simd/planes.hpp"

namespace vsh::kuznyechik {
namespace {

template <class W, uint32_t kCyclesOfPass>
struct BitSliced {
  using V = W;
  using P = Planes<W, 16>;
  static constexpr size_t kFlip = 15;              // byte 0 in memory is a_15
  static constexpr const char* kLayout = "masks";  // Schedule is the same for every W
  static constexpr uint32_t kLanes = P::kLanes;
  static constexpr uint32_t kPassCost = kCyclesOfPass;
  static constexpr bool kConstantTime = true;
  static constexpr size_t kBlockSize = 16;

  // A round key as planes; plane 8 i + b is bit b of byte k_i. Either the same in all lanes, so that a 32-bit mask, all
  // ones or all zeros, represents a plane, or different in every lane.
  struct SharedKey {
    uint32_t mask[128];
    VSH_INLINE_MEMBER W plane(int p) const { return W::splat_mask(mask + p); }
    void set(const uint8_t* k) {
      for (int i = 0; i < 16; ++i) {
        const uint32_t byte = k[15 - i];  // a copy: a byte in memory could be part of a mask, and stop vectorisation
        for (int b = 0; b < 8; ++b) mask[8 * i + b] = 0u - (byte >> b & 1u);
      }
    }
  };
  struct LaneKeys {
    W planes[128];
    VSH_INLINE_MEMBER W plane(int p) const { return planes[p]; }
  };
  struct Schedule {
    SharedKey round[kRounds];
  };
  struct LanesSchedule {
    LaneKeys round[kRounds];
  };

  static void prepare(Schedule& s, const RoundKeys& rk) {
    for (int r = 0; r < kRounds; ++r) s.round[r].set(rk.k[r]);
  }

  // The key schedule of all lanes at once, clause 4.3: 32 rounds LSX under the constants C_i, which all lanes share.
  static void prepare_lanes(LanesSchedule& s, const uint8_t* const* keys, const RoundKeys&) {
    static constexpr IterationConstants kC = iteration_constants();
    struct {
      Window window;  // a_1 of the Feistel network
      W a0[128], a1[128];
      uint8_t half[P::kPassBytes];
    } t;
    for (int r = 0; r < 2; ++r) {
      for (size_t lane = 0; lane < kLanes; ++lane) {
        if (keys[lane]) std::memcpy(t.half + 16 * lane, keys[lane] + 16 * r, 16);
        else std::memset(t.half + 16 * lane, 0, 16);
      }
      P::load(s.round[r].planes, t.half, kFlip);
    }
    std::memcpy(t.window.upper(), s.round[0].planes, sizeof t.a0);
    std::memcpy(t.a0, s.round[1].planes, sizeof t.a0);
    for (int i = 0; i < 32; ++i) {
      std::memcpy(t.a1, t.window.upper(), sizeof t.a1);
      SharedKey c;
      c.set(kC.c[i].b);
      substitute(c, t.window);
      mix(t.window);
      for (int p = 0; p < 128; ++p) t.window.upper()[p] = t.window.upper()[p] ^ t.a0[p];
      std::memcpy(t.a0, t.a1, sizeof t.a1);
      if (i % 8 != 7) continue;
      std::memcpy(s.round[i / 4 + 1].planes, t.window.upper(), sizeof t.a0);
      std::memcpy(s.round[i / 4 + 2].planes, t.a0, sizeof t.a0);
    }
    wipe(&t, sizeof t);
  }

  static void encrypt(const Schedule& k, uint8_t* out, const uint8_t* in, size_t num_blocks) {
    encrypt_blocks(k, out, in, num_blocks);
  }
  static void decrypt(const Schedule& k, uint8_t* out, const uint8_t* in, size_t num_blocks) {
    decrypt_blocks(k, out, in, num_blocks);
  }
  static void encrypt_lanes(const LanesSchedule& k, uint8_t* out, const uint8_t* in, size_t num_rows) {
    encrypt_blocks(k, out, in, num_rows * kLanes);
  }
  static void decrypt_lanes(const LanesSchedule& k, uint8_t* out, const uint8_t* in, size_t num_rows) {
    decrypt_blocks(k, out, in, num_rows * kLanes);
  }

  static void ctr(const Schedule& k, uint8_t* out, const uint8_t* in, size_t num_blocks, const uint8_t* counter) {
    add_gamma<0, 128>(k, out, in, num_blocks, counter, [](uint8_t* next) { add_big_endian_128(next, P::kLanes); });
  }
  static void ctr_left(const Schedule& k, uint8_t* out, const uint8_t* in, size_t num_blocks, const uint8_t* counter) {
    add_gamma<P::kHalf, 128>(k, out, in, num_blocks, counter,
                             [](uint8_t* next) { store_be64(next, load_be64(next) + P::kLanes); });
  }
  static void ctr_right(const Schedule& k, uint8_t* out, const uint8_t* in, size_t num_blocks, const uint8_t* counter) {
    add_gamma<0, P::kHalf>(k, out, in, num_blocks, counter,
                           [](uint8_t* next) { store_be64(next + 8, load_be64(next + 8) + P::kLanes); });
  }

 private:
  template <size_t kFirst, size_t kEnd, class Advance>
  VSH_INLINE_MEMBER static void add_gamma(const Schedule& k, uint8_t* out, const uint8_t* in, size_t num_blocks,
                                          const uint8_t* counter, const Advance& advance) {
    Window w;
    uint8_t next[16];
    std::memcpy(next, counter, 16);
    for_passes<P::kPassBytes>(out, in, num_blocks * 16, [&](uint8_t* to, const uint8_t* from) {
      P::template load_counters<kFirst, kEnd>(w.upper(), next);
      advance(next);
      encrypt_window(k, w);
      P::template store<true>(to, w.upper(), kFlip, from);
    });
  }

  struct Window {
    W s[32][8];
    W* upper() { return s[16]; }
  };

  // Load planes for a step up or down, for a window that begins at s.
  struct Up {
    const W (*s)[8];
    VSH_INLINE_MEMBER W operator()(int i, int b) const { return s[i][b]; }
  };
  struct Down {
    const W (*s)[8];
    VSH_INLINE_MEMBER W operator()(int i, int b) const { return s[i == 0 ? 16 : i][b]; }
  };

  VSH_INLINE_MEMBER static void copy(W (&to)[8], const W (&from)[8]) {
    for (int b = 0; b < 8; ++b) to[b] = from[b];
  }
  template <class Key>
  VSH_INLINE_MEMBER static void add_key(W (&to)[8], const W (&from)[8], const Key& key, int i) {
    for (int b = 0; b < 8; ++b) to[b] = from[b] ^ key.plane(8 * i + b);
  }
  template <class Key>
  VSH_INLINE_MEMBER static void add_key(const Key& key, Window& w) {
    for (int i = 0; i < 16; ++i) add_key(w.s[16 + i], w.s[16 + i], key, i);
  }

  // S X[key] of the upper half to the lower.
  template <class Key>
  static void substitute(const Key& key, Window& w) {
    for (int i = 0; i < 16; ++i) {
      W x[8];
      add_key(x, w.s[16 + i], key, i);
      circuits::kuznyechik_sbox(x);
      copy(w.s[i], x);
    }
  }

  // L of the lower half to the upper.
  static void mix(Window& w) {
    for (int n = 0; n < 16; ++n) {
      W y[8];
      circuits::kuznyechik_lfsr(y, Up{w.s + n});
      copy(w.s[16 + n], y);
    }
  }

  // Sixteen 64-bit registers are too few for both circuits at once: there S and L alternate.
  static constexpr bool kSideBySide = W::kBytes > 8;

  // S X[key] L of the lower half to itself: no step needs s_n once s_(n+16) exists, so S of the byte that a step
  // produced overwrites s_n while the next step runs.
  template <class Key>
  static void mix_and_substitute(const Key& key, Window& w) {
    if constexpr (!kSideBySide) {
      mix(w);
      return substitute(key, w);
    }
    W x[8], y[8];
    circuits::kuznyechik_lfsr(y, Up{w.s});
    for (int n = 0; n < 15; ++n) {
      copy(w.s[16 + n], y);
      add_key(x, y, key, n);
      const auto put = [&w, n](int b, W v) VSH_LAMBDA_INLINE { w.s[n][b] = v; };
      circuits::kuznyechik_sbox_beside_lfsr(x, put, y, Up{w.s + n + 1});
    }
    add_key(x, y, key, 15);
    circuits::kuznyechik_sbox(x);
    copy(w.s[15], x);
  }

  // X[key] S^-1 L^-1 of the upper half to itself.
  template <class Key>
  static void unmix_and_substitute(const Key& key, Window& w) {
    W x[8], y[8];
    if constexpr (!kSideBySide) {
      for (int n = 15; n >= 0; --n) {
        circuits::kuznyechik_lfsr(y, Down{w.s + n});
        copy(w.s[n], y);
      }
      for (int i = 0; i < 16; ++i) {
        copy(x, w.s[i]);
        circuits::kuznyechik_sbox_inverse(x);
        add_key(w.s[16 + i], x, key, i);
      }
      return;
    }
    circuits::kuznyechik_lfsr(y, Down{w.s + 15});
    for (int n = 15; n > 0; --n) {
      copy(w.s[n], y);
      copy(x, y);
      const auto put = [&w, &key, n](int b, W v) VSH_LAMBDA_INLINE { w.s[16 + n][b] = v ^ key.plane(8 * n + b); };
      circuits::kuznyechik_sbox_inverse_beside_lfsr(x, put, y, Down{w.s + n - 1});
    }
    circuits::kuznyechik_sbox_inverse(y);
    add_key(w.s[16], y, key, 0);
  }

  template <class Keys>
  static void encrypt_window(const Keys& k, Window& w) {
    substitute(k.round[0], w);
    for (int r = 1; r < kRounds - 1; ++r) mix_and_substitute(k.round[r], w);
    mix(w);
    add_key(k.round[kRounds - 1], w);
  }

  template <class Keys>
  static void decrypt_window(const Keys& k, Window& w) {
    add_key(k.round[kRounds - 1], w);
    for (int r = kRounds - 2; r >= 0; --r) unmix_and_substitute(k.round[r], w);
  }

  template <class Keys>
  static void encrypt_blocks(const Keys& k, uint8_t* out, const uint8_t* in, size_t num_blocks) {
    Window w;
    for_passes<P::kPassBytes>(out, in, num_blocks * 16, [&](uint8_t* to, const uint8_t* from) {
      P::load(w.upper(), from, kFlip);
      encrypt_window(k, w);
      P::template store<false>(to, w.upper(), kFlip, nullptr);
    });
  }

  template <class Keys>
  static void decrypt_blocks(const Keys& k, uint8_t* out, const uint8_t* in, size_t num_blocks) {
    Window w;
    for_passes<P::kPassBytes>(out, in, num_blocks * 16, [&](uint8_t* to, const uint8_t* from) {
      P::load(w.upper(), from, kFlip);
      decrypt_window(k, w);
      P::template store<false>(to, w.upper(), kFlip, nullptr);
    });
  }
};

}  // namespace
}  // namespace vsh::kuznyechik
