// Kuznyechik byte-sliced, written once for every byte vector: register i holds byte a_i of as many blocks as the vector
// has bytes. GOST R 34.12-2015 clause 4 (RFC 7801).
//
// L in place: of the window s_0 .. s_31 of bitsliced.hpp only 16 bytes are alive at a time, so s_(n+16) takes the place
// of s_n, and 16 steps later every byte is in its place; decryption visits the places backwards. A step is
//     z_n = k + l(z_(n+15), ..., z_(n+1), z_n),   indices modulo 16.
// Its key byte k costs nothing where it makes an odd XOR even. It is not the byte of the round key, because later steps
// read z_n with k included: prepare computes the bytes that together have the effect of the round key, for all rounds
// at once, by running the kernel's own steps on a round key as a block.
//
// With a key in every lane, such bytes are computed for all lanes and rounds, which takes 27 times L, where XORs have
// three inputs. Elsewhere they would save nothing, and the round keys are added as they are.
//
// C, the layer, defines how bytes are substituted and multiplied, and the bases of GF(2)^8 in between:
//     V                       the vector
//     enter, leave            from memory's basis to the direction's own and back
//     substitute              pi or its inverse
//     steps<count>(at, key)   the equation above for count places, one after the other: at(k, i) is z_(n+i) of step k,
//                             key(k) what to add; kSideBySide is the count that suits it best
//     kKeysJoinSteps          whether key(k) costs nothing there
#pragma once

#include "core/kernel.hpp"
#include "core/unrolled.hpp"
#include "core/wipe.hpp"
#include "kuznyechik/linear.hpp"
#include "kuznyechik/round_keys.hpp"
#include "simd/planes.hpp"
#include "simd/zip.hpp"

namespace vsh::kuznyechik {
namespace {

enum class Direction { encrypt, decrypt };

// Calls f(0), ..., f(n - 1), unrolled so that places are registers; not where instructions are emulated by functions:
// the code would grow too large.
template <int n, class F>
VSH_INLINE void each(F f) {
#if VSH_EMULATED
  for (int i = 0; i < n; ++i) f(i);
#else
  unrolled<n>(f);
#endif
}

// C_1 .. C_32, of which place j is byte 15 - j in memory, eight times each.
struct ByteConstants {
  uint64_t byte[32][16];
};
constexpr ByteConstants byte_constants() {
  ByteConstants of{};
  for (int i = 0; i < 32; ++i)
    for (int j = 0; j < 16; ++j) of.byte[i][j] = kIterationConstants.c[i].b[15 - j] * 0x0101010101010101u;
  return of;
}
constexpr ByteConstants kByteConstants = byte_constants();

// Returns the place that step i of L writes.
template <Direction d>
constexpr int place(int i) {
  return d == Direction::encrypt ? i : 15 - i;
}

template <template <Direction> class C, uint32_t kCyclesOfPass>
struct ByteSliced {
  using V = typename C<Direction::encrypt>::V;
  static constexpr uint32_t kLanes = 16 * V::kLanes;
  static constexpr uint32_t kPassCost = kCyclesOfPass;
  static constexpr bool kConstantTime = true;
  static constexpr size_t kBlockSize = 16;
  static constexpr size_t kPassBytes = kLanes * 16;

  // Bytes of keys in the basis of the direction: eight times each, or a vector of every lane's.
  template <class Byte>
  struct Keys {
    Byte outer[16];              // K_1, before the first round of encryption or after the last of decryption
    Byte step[kRounds - 1][16];  // in the order of use
  };
  struct Schedule {
    Keys<uint64_t> encrypt, decrypt;
  };
  // Round keys of every lane, in the basis of the direction.
  static constexpr bool kKeysJoinSteps = C<Direction::encrypt>::kKeysJoinSteps;
  struct LanesSchedule {
    std::conditional_t<kKeysJoinSteps, Keys<V>, V[kRounds][16]> encrypt, decrypt;
  };
  VSH_INLINE_MEMBER static V vector_of(uint64_t byte) { return V::splat64(byte); }
  VSH_INLINE_MEMBER static V vector_of(V bytes) { return bytes; }

  // 16 places; the vectors are those of blocks, byte 0 in memory is a_15.
  VSH_INLINE_MEMBER static void load(V (&v)[16], const uint8_t* in) {
    V t[16];
    each<16>(VSH_UNROLLED(i) { t[i] = V::load(in + i * 16 * V::kLanes); });
    zip_levels<4>(t);
    each<16>(VSH_UNROLLED(i) { v[i] = t[15 - i]; });
  }
  template <bool kAdd>
  VSH_INLINE_MEMBER static void store(uint8_t* out, const V (&v)[16], const uint8_t* add) {
    V t[16];
    each<16>(VSH_UNROLLED(i) { t[i] = v[15 - i]; });
    zip_levels<4>(t);
    each<16>(VSH_UNROLLED(i) {
      const int at = i * 16 * V::kLanes;
      V::store(out + at, kAdd ? V(t[i] ^ V::load(add + at)) : t[i]);
    });
  }

  // Block number of byte j of a vector: the transposition leaves 128-bit lanes where they are.
  static constexpr size_t lane_number(size_t j) { return j % 16 * V::kLanes + j / 16; }

  struct Numbers {
    alignas(64) uint8_t number[kLanes];
  };
  static constexpr Numbers make_numbers() {
    Numbers n{};
    for (size_t j = 0; j < kLanes; ++j) n.number[j] = static_cast<uint8_t>(lane_number(j));
    return n;
  }

  // Loads counter + lane number, big-endian, where bytes kFirst .. kEnd - 1 from the right count, modulo 2^(8 * their
  // number). Those above the first: as in the counter, or plus one where the first overflows.
  template <int kFirst, int kEnd>
  VSH_INLINE_MEMBER static void load_counters(V (&v)[16], const uint8_t* counter) {
    static constexpr Numbers kNumbers = make_numbers();
    const V number = V::load(kNumbers.number);
    const uint8_t room = static_cast<uint8_t>(255 - counter[15 - kFirst]);  // numbers above it overflow
    const V stays = V::look_up(V::splat(0xFF), V::sub(V::splat(room < 127 ? room : 127), number) & V::splat(0x80));
    unsigned carry = 1;
    each<16>(VSH_UNROLLED(i) {
      const uint8_t byte = counter[15 - i], after = static_cast<uint8_t>(byte + carry);
      if (i < kFirst || i >= kEnd) {
        v[i] = V::splat(byte);
      } else if (i == kFirst) {
        v[i] = V::add(V::splat(byte), number);
      } else {
        carry &= after == 0;
        v[i] = V::xor_and(V::splat(after), stays, V::splat(byte ^ after));
      }
    });
  }

  template <Direction d>
  struct State {
    using Layer = C<d>;
    V z[16];

    VSH_INLINE_MEMBER void enter(const V (&v)[16]) {
      each<16>(VSH_UNROLLED(i) { z[i] = Layer::enter(v[i]); });
    }
    VSH_INLINE_MEMBER void leave(V (&v)[16]) const {
      each<16>(VSH_UNROLLED(i) { v[i] = Layer::leave(z[i]); });
    }
    // Runs steps first .. first + count - 1 of L or its inverse; the step that writes place n adds key(n).
    template <int count, class Key>
    VSH_INLINE_MEMBER void steps(int first, Key key) {
      Layer::template steps<count>(
          [&](int k, int i) VSH_LAMBDA_INLINE -> auto& { return z[(place<d>(first + k) + i) % 16]; },
          [&](int k) VSH_LAMBDA_INLINE { return key(place<d>(first + k)); });
    }
    template <class Key>
    VSH_INLINE_MEMBER void mix(Key key) {
      each<16 / Layer::kSideBySide>(VSH_UNROLLED(g) { steps<Layer::kSideBySide>(g * Layer::kSideBySide, key); });
    }
    VSH_INLINE_MEMBER void substitute() {
      each<16>(VSH_UNROLLED(i) { z[i] = Layer::substitute(z[i]); });
    }
    template <class Byte>
    VSH_INLINE_MEMBER void add_outer(const Keys<Byte>& k) {
      each<16>(VSH_UNROLLED(i) { z[i] = z[i] ^ vector_of(k.outer[i]); });
    }
    VSH_INLINE_MEMBER void mix() {
      mix([](int) VSH_LAMBDA_INLINE { return V::splat(0); });
    }
    VSH_INLINE_MEMBER void add(const V (&k)[16]) {
      each<16>(VSH_UNROLLED(i) { z[i] = z[i] ^ k[i]; });
    }
    VSH_INLINE_MEMBER void rounds(const V (&k)[kRounds][16]) {
      if constexpr (d == Direction::encrypt) {
        for (int r = 0; r < kRounds - 1; ++r) add(k[r]), substitute(), mix();
        add(k[kRounds - 1]);
      } else {
        add(k[kRounds - 1]);
        for (int r = kRounds - 2; r >= 0; --r) mix(), substitute(), add(k[r]);
      }
    }
    template <class Byte>
    VSH_INLINE_MEMBER void rounds(const Keys<Byte>& k) {
      if constexpr (d == Direction::encrypt) add_outer(k);
      for (int r = 0; r < kRounds - 1; ++r) {
        if constexpr (d == Direction::encrypt) substitute();
        mix([&](int n) VSH_LAMBDA_INLINE { return vector_of(k.step[r][n]); });
        if constexpr (d == Direction::decrypt) substitute();
      }
      if constexpr (d == Direction::decrypt) add_outer(k);
    }
  };

  // Calls keep(n, bytes) with what each step has to add so that all together add `wanted`. window: memory.
  template <Direction d, class Keep>
  VSH_INLINE_MEMBER static void for_step_keys(State<d>& window, const State<d>& wanted, Keep keep) {
    each<16>(VSH_UNROLLED(i) { window.z[i] = V::splat(0); });
    each<16>(VSH_UNROLLED(i) {
      const int n = place<d>(i);
      window.template steps<1>(i, [&](int) VSH_LAMBDA_INLINE { return wanted.z[n]; });
      keep(n, window.z[n]);
      window.z[n] = wanted.z[n];
    });
  }

  template <Direction d>
  static void prepare_direction(Keys<uint64_t>& keys, const V (&round_keys)[16]) {
    State<d> wanted, window;
    alignas(64) uint8_t bytes[kLanes];  // of one place
    const auto of_block = [&](int b) { return bytes[b % V::kLanes * 16 + b / V::kLanes] * 0x0101010101010101u; };
    wanted.enter(round_keys);
    each<16>(VSH_UNROLLED(i) {
      V::store(bytes, wanted.z[i]);
      keys.outer[i] = of_block(0);
    });
    // D = X[K_1] S' L' X[K_2] ... S' L' X[K_10] with S', L' inverse: a step's key stands before S', and
    // L' X[K] = X[L'(K)] L'.
    if constexpr (d == Direction::decrypt) wanted.mix();
    for_step_keys(window, wanted, [&](int n, V step_keys) VSH_LAMBDA_INLINE {
      V::store(bytes, step_keys);
      for (int r = 0; r < kRounds - 1; ++r)
        keys.step[r][n] = of_block(d == Direction::encrypt ? r + 1 : kRounds - 1 - r);
    });
    wipe(&wanted, sizeof wanted);
    wipe(&window, sizeof window);
    wipe(bytes, sizeof bytes);
  }

  static void prepare(Schedule& s, const RoundKeys& rk) {
    uint8_t blocks[kPassBytes] = {};
    std::memcpy(blocks, rk.k, sizeof rk.k);
    V keys[16];
    load(keys, blocks);
    prepare_direction<Direction::encrypt>(s.encrypt, keys);
    prepare_direction<Direction::decrypt>(s.decrypt, keys);
    wipe(blocks, sizeof blocks);
    wipe(keys, sizeof keys);
  }

  // Keeps K_(r + 1) of all lanes, given as they are in memory. The caller of prepare_lanes erases the stack that it
  // has used.
  template <Direction d>
  static void keep_round_keys(Keys<V>& keys, int r, const V (&round_keys)[16]) {
    State<d> wanted, window;
    wanted.enter(round_keys);
    if (r == 0) {
      std::memcpy(keys.outer, wanted.z, sizeof wanted.z);
      return;
    }
    if constexpr (d == Direction::decrypt) wanted.mix();
    V(&step)[16] = keys.step[d == Direction::encrypt ? r - 1 : kRounds - 1 - r];
    for_step_keys(window, wanted, [&](int n, V step_keys) VSH_LAMBDA_INLINE { step[n] = step_keys; });
  }
  template <Direction d>
  static void keep_round_keys(V (&keys)[kRounds][16], int r, const V (&round_keys)[16]) {
    each<16>(VSH_UNROLLED(i) { keys[r][i] = C<d>::enter(round_keys[i]); });
  }

  // The key schedule of all lanes at once, clause 4.3: 32 rounds LSX under the constants C_i, which all lanes share.
  static void prepare_lanes(LanesSchedule& s, const uint8_t* const* keys, const RoundKeys&) {
    struct {
      State<Direction::encrypt> halves[2];  // after i rounds, a_1 is the one with number i modulo 2
      V v[16];
      uint8_t half[kPassBytes];
    } t;
    const auto load_half = [&](size_t half, State<Direction::encrypt>& to) {
      for (size_t lane = 0; lane < kLanes; ++lane) {
        if (keys[lane]) std::memcpy(t.half + 16 * lane, keys[lane] + 16 * half, 16);
        else std::memset(t.half + 16 * lane, 0, 16);
      }
      load(t.v, t.half);
      to.enter(t.v);
    };
    const auto save = [&](int r) {
      for (int i = 0; i < 2; ++i) {
        t.halves[i].leave(t.v);
        keep_round_keys<Direction::encrypt>(s.encrypt, r + i, t.v);
        keep_round_keys<Direction::decrypt>(s.decrypt, r + i, t.v);
      }
    };
    load_half(0, t.halves[0]), load_half(1, t.halves[1]);
    save(0);
    for (int i = 0; i < 32; ++i) {
      const State<Direction::encrypt>& a1 = t.halves[i % 2];
      State<Direction::encrypt>& a0 = t.halves[1 - i % 2];
      State<Direction::encrypt> next;
      each<16>(VSH_UNROLLED(j) {
        next.z[j] = a1.z[j] ^ C<Direction::encrypt>::enter(V::splat64(kByteConstants.byte[i][j]));
      });
      next.substitute();
      next.mix();
      next.add(a0.z);
      a0 = next;
      if (i % 8 == 7) save(i / 4 + 1);
    }
    wipe(&t, sizeof t);
  }

  static void encrypt_lanes(const LanesSchedule& s, uint8_t* out, const uint8_t* in, size_t num_rows) {
    run<Direction::encrypt>(s.encrypt, out, in, num_rows * kLanes);
  }
  static void decrypt_lanes(const LanesSchedule& s, uint8_t* out, const uint8_t* in, size_t num_rows) {
    run<Direction::decrypt>(s.decrypt, out, in, num_rows * kLanes);
  }

  static void encrypt(const Schedule& s, uint8_t* out, const uint8_t* in, size_t num_blocks) {
    run<Direction::encrypt>(s.encrypt, out, in, num_blocks);
  }
  static void decrypt(const Schedule& s, uint8_t* out, const uint8_t* in, size_t num_blocks) {
    run<Direction::decrypt>(s.decrypt, out, in, num_blocks);
  }

  static void ctr(const Schedule& s, uint8_t* out, const uint8_t* in, size_t num_blocks, const uint8_t* counter) {
    add_gamma<0, 16>(s, out, in, num_blocks, counter, [](uint8_t* next) { add_big_endian_128(next, kLanes); });
  }
  static void ctr_left(const Schedule& s, uint8_t* out, const uint8_t* in, size_t num_blocks, const uint8_t* counter) {
    add_gamma<8, 16>(s, out, in, num_blocks, counter,
                     [](uint8_t* next) { store_be64(next, load_be64(next) + kLanes); });
  }
  static void ctr_right(const Schedule& s, uint8_t* out, const uint8_t* in, size_t num_blocks, const uint8_t* counter) {
    add_gamma<0, 8>(s, out, in, num_blocks, counter,
                    [](uint8_t* next) { store_be64(next + 8, load_be64(next + 8) + kLanes); });
  }

 private:
  template <int kFirst, int kEnd, class Advance>
  VSH_INLINE_MEMBER static void add_gamma(const Schedule& s, uint8_t* out, const uint8_t* in, size_t num_blocks,
                                          const uint8_t* counter, const Advance& advance) {
    uint8_t next[16];
    std::memcpy(next, counter, 16);
    for_passes<kPassBytes>(out, in, num_blocks * 16, [&](uint8_t* to, const uint8_t* from) {
      V v[16];
      load_counters<kFirst, kEnd>(v, next);
      advance(next);
      State<Direction::encrypt> state;
      state.enter(v);
      state.rounds(s.encrypt);
      state.leave(v);
      store<true>(to, v, from);
    });
  }

  template <Direction d, class RoundKeysOfPass>
  VSH_INLINE_MEMBER static void run(const RoundKeysOfPass& k, uint8_t* out, const uint8_t* in, size_t num_blocks) {
    for_passes<kPassBytes>(out, in, num_blocks * 16, [&](uint8_t* to, const uint8_t* from) {
      V v[16];
      load(v, from);
      State<d> state;
      state.enter(v);
      state.rounds(k);
      state.leave(v);
      store<false>(to, v, nullptr);
    });
  }
};

}  // namespace
}  // namespace vsh::kuznyechik
