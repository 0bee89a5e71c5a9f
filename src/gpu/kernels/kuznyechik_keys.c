// Kuznyechik's round keys for many messages, 32 in a work item: GOST R 34.12-2015 clause 4.3 (RFC 7801).
//
// Costs as much as four blocks a message. The half of the Feistel network that is idle in a round is kept in the place
// of a later round key.
#define VSH_WORDS 4
#define VSH_SCHEDULE_WORDS 40
#include "gpu/kernels/blocks.h"
#include "gpu/kernels/kuznyechik_rounds.h"
#include "gpu/kernels/stream_operations.h"

// C_1 .. C_32, C_i = L(i): four words each, lowest first. tests/gpu compares them with src/kuznyechik/linear.hpp.
// clang-format off
VSH_TABLE vsh_u32 vsh_iteration_constants[128] = {
    0xdd849401, 0x5d27bd10, 0x6c487ab8, 0x6ea27672, 0x79cbeb02, 0xba4eb920, 0xd890f4b3, 0xdc87ece4,
    0xa44f7f03, 0xe7690430, 0xb4d88e0b, 0xb2259a96, 0xf2551504, 0xb79cb140, 0x73e32ba5, 0x7bcd1b0b,
    0x2fd18105, 0xeabb0c50, 0x1fab511d, 0x156f6d79, 0x8b9efe06, 0x0dd20860, 0xab73df16, 0xa74af7ef,
    0x561a6a07, 0x50f5b570, 0xc73ba5ae, 0xc9e8819d, 0x27aa2a08, 0xadfba180, 0xe6055689, 0xf6593616,
    0xfa2ebe09, 0xf0dc1c90, 0x8a4d2c31, 0x98fb4064, 0x5e61c10a, 0x17b518a0, 0x3e95a23a, 0x2adedaf2,
    0x83e5550b, 0x4a92a5b0, 0x52ddd882, 0x447cac80, 0xd5ff3f0c, 0x1a6710c0, 0x95e67d2c, 0x8d942d1d,
    0x087bab0d, 0x4740add0, 0xf9ae0794, 0xe3365b6f, 0xac34d40e, 0xa029a9e0, 0x4d76899f, 0x5113c1f9,
    0x71b0400f, 0xfd0e14f0, 0x213ef327, 0x3fb1b78b, 0x4e975410, 0x993581c3, 0x0f0aacd1, 0x2fb26c2c,
    0x9313c011, 0xc4123cd3, 0x6342d669, 0x41101a5e, 0x375cbf12, 0x237b38e3, 0xd79a5862, 0xf33580c8,
    0xead82b13, 0x7e5c85f3, 0xbbd222da, 0x9d97f6ba, 0xbcc24114, 0x2ea93083, 0x7ce98774, 0x547f7727,
    0x6146d515, 0x738e8d93, 0x10a1fdcc, 0x3add0155, 0xc509aa16, 0x94e789a3, 0xa47973c7, 0x88f89bc3,
    0x188d3e17, 0xc9c034b3, 0xc831097f, 0xe65aedb1, 0x693d7e18, 0x34ce2043, 0xe90ffa58, 0xd9eb5a3a,
    0xb4b9ea19, 0x69e99d53, 0x854780e0, 0xb7492c48, 0x10f6951a, 0x8e809963, 0x319f0eeb, 0x056cb6de,
    0xcd72011b, 0xd3a72473, 0x5dd77453, 0x6bcec0ac, 0x9b686b1c, 0x83529103, 0x9aecd1fd, 0xa2264131,
    0x46ecff1d, 0xde752c13, 0xf6a4ab45, 0xcc843743, 0xe2a3801e, 0x391c2823, 0x427c254e, 0x7ea1add5,
    0x3f27141f, 0x643b9533, 0x2e345ff6, 0x1003dba7, 0x9ceda820, 0xf16ac145, 0x1e149b61, 0x5ea7d858};
// clang-format on

VSH_FUNCTION void vsh_put(VSH_GLOBAL vsh_u32* key, const vsh_u32* a) {
  VSH_UNROLL
  for (int i = 0; i < 128; ++i) key[i * VSH_GROUP] = a[i];
}

// keys: 32 bytes for each stream. sliced: laid out by vsh_sliced.
VSH_KERNEL void slice_keys(VSH_GLOBAL vsh_u32* sliced, VSH_GLOBAL const vsh_u32* keys, vsh_u32 num_streams,
                           vsh_u32 share) {
  const vsh_u32 part = (vsh_u32)vsh_item();
  if (part >= share) return;
  VSH_GLOBAL vsh_u32* key = sliced + vsh_sliced(part);  // K_1; K_(n+1) is n * next further on
  const int next = 128 * VSH_GROUP;
  vsh_u32 a[128];
  VSH_KEEP_LOOP
  for (int k = 1; k >= 0; --k) {
    vsh_u32 w[VSH_WORDS][VSH_LANES];
    vsh_clear(w);
    VSH_UNROLL
    for (int j = 0; j < VSH_LANES; ++j)
      if (j * share + part < num_streams)
        vsh_set_words(w, j, ((vsh_const_blocks)keys)[(vsh_u64)2 * (j * share + part) + k]);
    vsh_to_planes(a, w);
    vsh_put(key + k * next, a);
  }
  // (a_1, a_0) -> (L S X[C](a_1) ^ a_0, a_1), eight times from a pair of round keys to the next. a is a_1; a_0 is where
  // the last step but one put it: first K_2 of the old pair, then K_1, then alternately the places of K_2 and K_1 of
  // the new.
  VSH_KEEP_LOOP
  for (int step = 0; step < 32; ++step) {
    const int turn = step % 8;
    VSH_GLOBAL const vsh_u32* a0 = key + (turn < 2 ? 1 - turn : 3 - turn % 2) * next;
    if (turn > 0) vsh_put(key + (turn % 2 ? 3 : 2) * next, a);
    VSH_UNROLL
    for (int k = 0; k < 4; ++k) {
      const vsh_u32 word = vsh_iteration_constants[4 * step + k];
      VSH_UNROLL
      for (int i = 0; i < 32; ++i) a[32 * k + i] ^= VSH_MASK(word, i);
    }
    vsh_s(a);
    vsh_l(a);
    VSH_UNROLL
    for (int i = 0; i < 128; ++i) a[i] ^= a0[i * VSH_GROUP];
    if (turn < 7) continue;
    key += 2 * next;
    vsh_put(key, a);
  }
}

// The same as words of each stream, four a round key, lowest first. Word k of stream s is at k * num_streams + s, so
// that neighbouring items write, and read in `spread`, neighbouring words.
VSH_KERNEL void schedule_words(VSH_GLOBAL vsh_u32* schedules, VSH_GLOBAL const vsh_u32* sliced, vsh_u32 num_streams,
                               vsh_u32 share) {
  const vsh_u32 part = (vsh_u32)vsh_item();
  if (part >= share) return;
  sliced += vsh_sliced(part);
  VSH_KEEP_LOOP
  for (int k = 0; k < VSH_SCHEDULE_WORDS; ++k) {
    vsh_u32 w[VSH_LANES];
    VSH_UNROLL
    for (int i = 0; i < 32; ++i) w[i] = sliced[(32 * k + i) * VSH_GROUP];
    vsh_transpose(w);
    VSH_UNROLL
    for (int j = 0; j < VSH_LANES; ++j)
      if (j * share + part < num_streams) schedules[(vsh_u64)k * num_streams + j * share + part] = w[j];
  }
}
