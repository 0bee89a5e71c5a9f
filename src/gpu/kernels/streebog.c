// Streebog over many messages, four in a work item: GOST R 34.11-2012 (RFC 6986).
//
// A plane is a word of eight groups of four bits: plane 8 j + b has bit b of byte j of every row of the states, bit 4 g
// + m that of row g of message m. So 64 words are four states, and eight runs of the S-box and one of l are an LPS of
// all four. As in src/streebog/lanes.hpp: pi(x) = omega(s(alpha(x))) + pi(0), states are kept as alpha(state), l' =
// alpha l omega is one circuit, and the contribution of pi(0) is part of the constants.
//
// P transposes rows and bytes. Both states, data and key, are in registers, and l has 129 words alive at most.
// LOP3-class instructions a byte: 25 LPS of 560 (S), 455 (l), 256 (P) and 64 (key): 130; slicing 6.
#include "gpu/kernels/planes.h"

#define VSH_T vsh_u32
#define VSH_ANDN(a, b) (~(a) & (b))

#define VSH_X(i) x[i]
#define VSH_Y(i, value) x[i] = value
VSH_FUNCTION void vsh_s(vsh_u32* x) {
#if VSH_HAS_LUT3
#include "circuits/generated/streebog_s.lut3.inc"
#else
#include "circuits/generated/streebog_s.gates2.inc"
#endif
}
#undef VSH_X
#undef VSH_Y

// y = l'(x). The slots that the circuit keeps in memory on CPUs with few registers are ordinary words here.
#define VSH_XB(j, b) x[8 * (j) + (b)]
#define VSH_Y(i, value) y[i] = value
#define VSH_Z(i) y[i]
#define VSH_SLOTS(n) vsh_u32 slot[n];
#define VSH_SLOT(k) slot[k]
#define VSH_SPILL(k, value) slot[k] = value
VSH_FUNCTION void vsh_l(vsh_u32* y, const vsh_u32* x) {
#if VSH_HAS_LUT3
#include "circuits/generated/streebog_l.lut3.inc"
#else
#include "circuits/generated/streebog_l.gates2.inc"
#endif
}
#undef VSH_XB
#undef VSH_Y
#undef VSH_Z
#undef VSH_SLOTS
#undef VSH_SLOT
#undef VSH_SPILL
#undef VSH_T
#undef VSH_ANDN

// Multiplies the bytes of a state by the matrix of alpha, or of its inverse: bit k is the sum of the bits selected by
// row k.
VSH_FUNCTION void vsh_multiply(vsh_u32* s, const vsh_u32* rows) {
  VSH_UNROLL
  for (int j = 0; j < 64; j += 8) {
    vsh_u32 y[8];
    VSH_UNROLL
    for (int k = 0; k < 8; ++k) {
      y[k] = 0;
      VSH_UNROLL
      for (int b = 0; b < 8; ++b)
        if (rows[k] >> b & 1u) y[k] ^= s[j + b];
    }
    VSH_UNROLL
    for (int k = 0; k < 8; ++k) s[j + k] = y[k];
  }
}
VSH_FUNCTION void vsh_alpha(vsh_u32* s) {
  const vsh_u32 rows[8] = {
#if VSH_HAS_LUT3
#include "circuits/generated/streebog_alpha.lut3.inc"
#else
#include "circuits/generated/streebog_alpha.gates2.inc"
#endif
  };
  vsh_multiply(s, rows);
}
VSH_FUNCTION void vsh_alpha_inverse(vsh_u32* s) {
  const vsh_u32 rows[8] = {
#if VSH_HAS_LUT3
#include "circuits/generated/streebog_alpha_inverse.lut3.inc"
#else
#include "circuits/generated/streebog_alpha_inverse.gates2.inc"
#endif
  };
  vsh_multiply(s, rows);
}

// Turns four states of 16 words in memory order, w[word % 2][4 * (word / 2) + message], into planes; and back.
VSH_FUNCTION void vsh_slice(vsh_u32* s, vsh_u32 (*w)[32]) {
  VSH_UNROLL
  for (int h = 0; h < 2; ++h) {
    vsh_transpose(w[h]);
    VSH_UNROLL
    for (int i = 0; i < 32; ++i) s[32 * h + i] = w[h][i];
  }
  vsh_alpha(s);
}
VSH_FUNCTION void vsh_unslice(vsh_u32 (*w)[32], vsh_u32* s) {
  vsh_alpha_inverse(s);
  VSH_UNROLL
  for (int h = 0; h < 2; ++h) {
    VSH_UNROLL
    for (int i = 0; i < 32; ++i) w[h][i] = s[32 * h + i];
    vsh_transpose(w[h]);
  }
}

// P: rows become bytes.
VSH_FUNCTION void vsh_p(vsh_u32* s) {
  VSH_UNROLL
  for (int b = 0; b < 8; ++b) {
    VSH_UNROLL
    for (int i = 0; i < 4; ++i) VSH_EXCHANGE_BYTES(s[8 * i + b], s[8 * i + 32 + b], 0x5410, 0x7632);
    VSH_UNROLL
    for (int i = 0; i < 4; ++i) {
      const int k = 8 * (i + (i & 2)) + b;
      VSH_EXCHANGE_BYTES(s[k], s[k + 16], 0x6240, 0x7351);
    }
    VSH_UNROLL
    for (int i = 0; i < 4; ++i) VSH_EXCHANGE(s[16 * i + b], s[16 * i + 8 + b], 4, 0x0f0f0f0fu);
  }
}

VSH_FUNCTION void vsh_lps(vsh_u32* s) {
  vsh_u32 y[64];
  VSH_UNROLL
  for (int j = 0; j < 64; j += 8) vsh_s(s + j);
  vsh_p(s);
  vsh_l(y, s);
  VSH_UNROLL
  for (int i = 0; i < 64; ++i) s[i] = y[i];
}

// The rows of `constants`, planes shared by all messages: the constants added to the key before LPS number 0 to 12
// (zero, then C_1 .. C_12) and to a message.
#define VSH_ROUNDS 12
#define VSH_MESSAGE 13
#define VSH_ROWS 14

// rows: the same as 16 words each.
VSH_KERNEL void make_constants(VSH_GLOBAL vsh_u32* constants, VSH_GLOBAL const vsh_u32* rows) {
  const vsh_u32 item = (vsh_u32)vsh_item();
  if (item >= VSH_ROWS) return;
  vsh_u32 w[2][32], s[64];
  VSH_UNROLL
  for (int k = 0; k < 64; ++k) w[k / 4 % 2][4 * (k / 8) + k % 4] = rows[16 * item + k / 4];
  vsh_slice(s, w);
  VSH_UNROLL
  for (int k = 0; k < 64; ++k) constants[64 * item + k] = s[k];
}

// data = E(key, data).
VSH_FUNCTION void vsh_encrypt(vsh_u32* data, vsh_u32* key, VSH_GLOBAL const vsh_u32* constants) {
  VSH_KEEP_LOOP
  for (int r = 0; r <= VSH_ROUNDS; ++r) {
    VSH_UNROLL
    for (int k = 0; k < 64; k += 4) {
      const vsh_u32x4 c = vsh_load_u32x4(constants + 64 * r + k);
      key[k] ^= c.x;
      key[k + 1] ^= c.y;
      key[k + 2] ^= c.z;
      key[k + 3] ^= c.w;
    }
    vsh_lps(key);
    VSH_UNROLL
    for (int k = 0; k < 64; ++k) data[k] ^= key[k];
    if (r < VSH_ROUNDS) vsh_lps(data);
  }
}

// All ones if the condition holds, else zero.
#define VSH_WHERE(condition) (0u - (vsh_u32)(condition))

// The stages below are selected by masks, so that no branch and no address depends on the length of a message, only on
// that of the longest.

// The input of a step for a message of `len` bytes (RFC 6986 section 9): a whole block, the rest followed by a 1, the
// length in bits, or the sum of all blocks. Masks.
typedef struct {
  vsh_u32 is_text, is_length, is_sum;
  vsh_u32 bytes;  // of text in the block
} vsh_stage;

VSH_FUNCTION vsh_stage vsh_stage_of(vsh_u64 len, vsh_u32 step) {
  const vsh_u32 last = (vsh_u32)(len / 64);
  vsh_stage stage;
  stage.is_text = VSH_WHERE(step <= last);
  stage.is_length = VSH_WHERE(step == last + 1);
  stage.is_sum = VSH_WHERE(step == last + 2);
  stage.bytes = stage.is_text & ((VSH_WHERE(step < last) & 64u) | (VSH_WHERE(step == last) & (vsh_u32)(len % 64)));
  return stage;
}

// Returns word k of a block of text without the bytes beyond the message, and with the 1.
VSH_FUNCTION vsh_u32 vsh_pad(vsh_u32 word, vsh_stage stage, int k) {
  const int left = (int)stage.bytes - 4 * k, n = left < 0 ? 0 : left > 4 ? 4 : left;
  const vsh_u64 end = (vsh_u64)1 << 8 * n;  // the bit after the text, possibly beyond the word
  return (word & (vsh_u32)(end - 1)) | ((vsh_u32)end & VSH_WHERE(left >= 0) & stage.is_text);
}

// Loops over the messages of an item, at least one, unrolled.
#define VSH_FOR_MESSAGES(m) VSH_UNROLL for (vsh_u32 m = 0; m < 4; ++m) if (m == 0 || first + m < num_messages)

// Message i: lens[i] bytes from byte stride * i of data on. num_blocks: whole blocks of the longest. The bytes between
// messages are read. initial: a word of the first h. out: the last hash_words words of h. states: h and the sum of each
// message, 128 words for each item, those of neighbours interleaved.
VSH_KERNEL void hash(VSH_GLOBAL vsh_u32* out, VSH_GLOBAL const vsh_u32* data, VSH_GLOBAL const vsh_u64* lens,
                     VSH_GLOBAL vsh_u32* states, VSH_GLOBAL const vsh_u32* constants, vsh_u32 num_messages,
                     vsh_u64 stride, vsh_u32 num_blocks, vsh_u32 initial, vsh_u32 hash_words) {
  const vsh_u32 item = (vsh_u32)vsh_item(), first = 4 * item;
  if (first >= num_messages) return;
  states += (vsh_u64)(item / VSH_GROUP) * (128 * VSH_GROUP) + item % VSH_GROUP;
  VSH_KEEP_LOOP
  for (vsh_u32 k = 0; k < 128; ++k) states[k * VSH_GROUP] = k % 32 < 16 ? initial : 0u;
  VSH_KEEP_LOOP
  for (vsh_u32 step = 0; step < num_blocks + 3; ++step) {
    vsh_u32 w[2][32], key[64], state[64];
    VSH_UNROLL
    for (int i = 0; i < 32; ++i) w[0][i] = w[1][i] = 0;
    const vsh_u64 n = (vsh_u64)512 * step, at = (vsh_u64)64 * step;
    VSH_FOR_MESSAGES(m) {  // h ^ N
      const vsh_stage stage = vsh_stage_of(lens[first + m], step);
      VSH_UNROLL
      for (int k = 0; k < 16; ++k)
        w[k % 2][4 * (k / 2) + m] =
            states[(32 * m + k) * VSH_GROUP] ^ (k < 2 ? (vsh_u32)(n >> 32 * (k % 2)) & stage.is_text : 0u);
    }
    vsh_slice(key, w);
    VSH_FOR_MESSAGES(m) {
      const vsh_u64 len = lens[first + m];
      const vsh_stage stage = vsh_stage_of(len, step);
      const vsh_u32 works = stage.is_text | stage.is_length | stage.is_sum;
      VSH_GLOBAL vsh_u32* const h = states + 32 * m * VSH_GROUP;
      VSH_GLOBAL vsh_u32* const sum = h + 16 * VSH_GROUP;
      VSH_GLOBAL const vsh_u32* const text = data + (stride * (first + m) + at) / 4;
      vsh_u32 carry = 0;
      VSH_UNROLL
      for (int k = 0; k < 16; ++k) {
        const vsh_u32 word = vsh_pad(at + 4 * k < stride ? text[k] : 0u, stage, k);
        const vsh_u32 old = sum[k * VSH_GROUP], with_carry = old + carry, total = with_carry + word;
        carry = (with_carry < old) | (total < word);
        sum[k * VSH_GROUP] = VSH_SELECT(stage.is_text, total, old);
        const vsh_u32 bits = k == 0 ? (vsh_u32)(8 * len) : k == 1 ? (vsh_u32)(len >> 29) : 0u;
        const vsh_u32 hashed = (word & stage.is_text) | (bits & stage.is_length) | (old & stage.is_sum);
        w[k % 2][4 * (k / 2) + m] = hashed;
        h[k * VSH_GROUP] ^= hashed & works;
      }
    }
    vsh_slice(state, w);
    VSH_UNROLL
    for (int k = 0; k < 64; ++k) state[k] ^= constants[64 * VSH_MESSAGE + k];
    vsh_encrypt(state, key, constants);
    vsh_unslice(w, state);
    VSH_FOR_MESSAGES(m) {
      const vsh_stage stage = vsh_stage_of(lens[first + m], step);
      const vsh_u32 works = stage.is_text | stage.is_length | stage.is_sum;
      VSH_UNROLL
      for (int k = 0; k < 16; ++k) states[(32 * m + k) * VSH_GROUP] ^= w[k % 2][4 * (k / 2) + m] & works;
    }
  }
  VSH_FOR_MESSAGES(m)
  for (vsh_u32 k = 0; k < hash_words; ++k)
    out[(vsh_u64)hash_words * (first + m) + k] = states[(32 * m + 16 - hash_words + k) * VSH_GROUP];
}
