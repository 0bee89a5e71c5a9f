// MGM (RFC 9058) over many packets, each under its own key, without the cipher. The cipher encrypts the blocks that
// these kernels write as messages in ECB (programs magma_streams, kuznyechik_streams). Programs: -DVSH_WORDS=2|4, words
// of a block.
//
// A launch's packets have rows of one length in each buffer, so that no address depends on a packet's own lengths:
//
//     in         data_blocks of associated data, text_blocks of text, both padded with zeros
//     counters   Z for each block of `in` and one more for the lengths; then Y for each block of text
//     encrypted  those encrypted: multipliers H, then keystream
//     out        text_blocks
//
// The blocks that a packet with h blocks of data and q of text authenticates have the multipliers H_1 .. H_h, H_(h+1)
// .. H_(h+q), H_(h+q+1) (clause 4.1), wherever they stand in the row. Other columns are multiplied by zeros in the sum
// and have no meaning.
//
// Costs, in instructions of the logic pipe for a byte of text: two bytes through the cipher, 56 each (Magma 28); their
// counters 3 (6); products and keystream 16 (14). Together 130 (77), and some 11 bytes to and from memory.
#include "gpu/kernels/counters.h"
#include "gpu/kernels/products.h"

// Multipliers of a packet.
#define VSH_MULTIPLIERS (data_blocks + text_blocks + 1u)
#define VSH_COLUMNS (VSH_MULTIPLIERS + text_blocks)

VSH_FUNCTION vsh_u32 vsh_blocks_of(vsh_u32 bytes) { return (bytes + (4 * VSH_WORDS - 1)) / (4 * VSH_WORDS); }

// incr_l and incr_r of clause 3, `steps` times, modulo 2^(n/2).
VSH_FUNCTION void vsh_add_left(vsh_block* b, vsh_u32 steps) {
#if VSH_WORDS == 4
  const vsh_u32 low = vsh_reverse(b->y) + steps;
  b->y = vsh_reverse(low);
  b->x = vsh_reverse(vsh_reverse(b->x) + (low < steps));
#else
  b->x = vsh_reverse(vsh_reverse(b->x) + steps);
#endif
}
VSH_FUNCTION void vsh_add_right(vsh_block* b, vsh_u32 steps) {
#if VSH_WORDS == 4
  const vsh_u32 low = vsh_reverse(b->w) + steps;
  b->w = vsh_reverse(low);
  b->z = vsh_reverse(vsh_reverse(b->z) + (low < steps));
#else
  b->y = vsh_reverse(vsh_reverse(b->y) + steps);
#endif
}

// firsts: Y_1 and Z_1 of each packet. lens: its bytes of data, and of text. An item writes one counter.
VSH_KERNEL void make_counters(VSH_GLOBAL vsh_u32* counters, VSH_GLOBAL const vsh_u32* firsts,
                              VSH_GLOBAL const vsh_u32* lens, vsh_u32 num_packets, vsh_u32 data_blocks,
                              vsh_u32 text_blocks) {
  const vsh_u32 item = (vsh_u32)vsh_item(), packet = item / VSH_COLUMNS, column = item % VSH_COLUMNS;
  if (packet >= num_packets) return;
  const vsh_const_blocks first = (vsh_const_blocks)firsts + 2 * packet;
  vsh_block b;
  if (column >= VSH_MULTIPLIERS) {
    b = first[0];
    vsh_add_right(&b, column - VSH_MULTIPLIERS);
  } else {
    const vsh_u32 h = vsh_blocks_of(lens[2 * packet]), q = vsh_blocks_of(lens[2 * packet + 1]);
    b = first[1];
    vsh_add_left(&b, column < data_blocks ? column : column + 1 < VSH_MULTIPLIERS ? h + (column - data_blocks) : h + q);
  }
  ((vsh_blocks)counters)[item] = b;
}

// len(A) || len(C) of clause 4.1, in bits.
VSH_FUNCTION vsh_block vsh_lengths(vsh_u32 data_len, vsh_u32 text_len) {
  vsh_block b;
#if VSH_WORDS == 4
  b.x = vsh_reverse(data_len >> 29);
  b.y = vsh_reverse(data_len << 3);
  b.z = vsh_reverse(text_len >> 29);
  b.w = vsh_reverse(text_len << 3);
#else
  b.x = vsh_reverse(data_len << 3);
  b.y = vsh_reverse(text_len << 3);
#endif
  return b;
}

// Returns ones where bytes at, ..., at + 3 lie before len.
VSH_FUNCTION vsh_u32 vsh_mask_of_text(vsh_u32 len, vsh_u32 at) {
  const int left = (int)(len - at), n = left < 0 ? 0 : left > 4 ? 4 : left;
  return (vsh_u32)(((vsh_u64)1 << 8 * n) - 1);
}

// Returns a + b for block j of a text, without the bytes beyond the text.
VSH_FUNCTION vsh_block vsh_mix(vsh_block a, vsh_block b, vsh_u32 len, vsh_u32 j) {
  const vsh_u32 at = 4 * VSH_WORDS * j;
  a.x = (a.x ^ b.x) & vsh_mask_of_text(len, at);
  a.y = (a.y ^ b.y) & vsh_mask_of_text(len, at + 4);
#if VSH_WORDS == 4
  a.z = (a.z ^ b.z) & vsh_mask_of_text(len, at + 8);
  a.w = (a.w ^ b.w) & vsh_mask_of_text(len, at + 12);
#endif
  return a;
}

// Item (packet, part) of `share` a packet has columns part, part + share, ...: adds keystream to text, and multiplies
// the ciphertext. opens: `in` has ciphertext. Word k of the item's sum goes to
// sums[num_packets * share * k + item].
VSH_KERNEL void absorb(VSH_GLOBAL vsh_u32* out, VSH_GLOBAL vsh_u32* sums, VSH_GLOBAL const vsh_u32* in,
                       VSH_GLOBAL const vsh_u32* encrypted, VSH_GLOBAL const vsh_u32* lens, vsh_u32 num_packets,
                       vsh_u32 data_blocks, vsh_u32 text_blocks, vsh_u32 share, vsh_u32 opens) {
  const vsh_u32 item = (vsh_u32)vsh_item(), packet = item / share;
  if (packet >= num_packets) return;
  const vsh_u32 data_len = lens[2 * packet], text_len = lens[2 * packet + 1];
  const vsh_const_blocks from = (vsh_const_blocks)in + (vsh_u64)(VSH_MULTIPLIERS - 1) * packet;
  const vsh_const_blocks multipliers = (vsh_const_blocks)encrypted + (vsh_u64)VSH_COLUMNS * packet;
  const vsh_blocks to = (vsh_blocks)out + (vsh_u64)text_blocks * packet;
  vsh_sum sum;
  vsh_clear_sum(&sum);
  VSH_KEEP_LOOP
  for (vsh_u32 column = item % share; column < VSH_MULTIPLIERS; column += share) {
    vsh_block b = vsh_lengths(data_len, text_len);
    if (column + 1 < VSH_MULTIPLIERS) b = from[column];
    if (column >= data_blocks && column + 1 < VSH_MULTIPLIERS) {
      const vsh_u32 j = column - data_blocks;
      const vsh_block mixed = vsh_mix(b, multipliers[VSH_MULTIPLIERS + j], text_len, j);
      to[j] = mixed;
      if (!opens) b = mixed;
    }
    vsh_add_product(&sum, multipliers[column], b);
  }
  vsh_u32 total[2 * VSH_WORDS];
  vsh_total(total, &sum);
  VSH_UNROLL
  for (int k = 0; k < 2 * VSH_WORDS; ++k) sums[(vsh_u64)num_packets * share * k + item] = total[k];
}

// Reduces each packet's sum to a block: modulo w^128 + w^7 + w^2 + w + 1, or w^64 + w^4 + w^3 + w + 1 (clause 3).
VSH_KERNEL void reduce(VSH_GLOBAL vsh_u32* blocks, VSH_GLOBAL const vsh_u32* sums, vsh_u32 num_packets, vsh_u32 share) {
  const vsh_u32 packet = (vsh_u32)vsh_item();
  if (packet >= num_packets) return;
  vsh_u32 p[2 * VSH_WORDS];
  VSH_UNROLL
  for (int k = 0; k < 2 * VSH_WORDS; ++k) p[k] = 0;
  VSH_KEEP_LOOP
  for (vsh_u32 part = 0; part < share; ++part) {
    VSH_UNROLL
    for (int k = 0; k < 2 * VSH_WORDS; ++k) p[k] ^= sums[((vsh_u64)num_packets * k + packet) * share + part];
  }
  const int a = VSH_WORDS == 4 ? 7 : 4, b = VSH_WORDS == 4 ? 2 : 3;
  VSH_UNROLL
  for (int k = 2 * VSH_WORDS - 1; k >= VSH_WORDS; --k) {
    p[k - VSH_WORDS] ^= p[k] ^ p[k] << 1 ^ p[k] << b ^ p[k] << a;
    p[k - VSH_WORDS + 1] ^= p[k] >> 31 ^ p[k] >> (32 - b) ^ p[k] >> (32 - a);
  }
  VSH_UNROLL
  for (int k = 0; k < VSH_WORDS; ++k) blocks[VSH_WORDS * packet + k] = vsh_reverse(p[VSH_WORDS - 1 - k]);
}
