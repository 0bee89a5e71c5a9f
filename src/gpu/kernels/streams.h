// Many messages of the same number of blocks, each under its own key: the work items of any cipher.
//
//     spread     32 blocks of one stream. With `share` items to a stream, item (stream, part) has the blocks
//                lane * share + part: neighbouring items read neighbouring blocks. Round keys are words of the stream.
//     lockstep   a block at a time of each of 32 streams, for chained modes and short messages. Of `share` items, item
//                `part` has the streams lane * share + part. Round keys are planes, sliced by the kernel slice_keys.
//
// Lanes beyond the streams or blocks that there are do not write. A program has one operation: -DVSH_OPERATION. Blocks
// are chained as words in the order that memory has, so modes are rules over words.
//
// Buffers: block b of stream s at block stride * s + b of in and out, which do not overlap; the IV of stream s, a whole
// block, at block s of ivs. tables: the cipher's tables other than keys, or null.
//
// Neighbouring items of lockstep have neighbouring messages: a block of each is a part of as many sectors, which would
// be read again for the next block, and written as often. So an item stages 64 bytes of each of its messages in a
// buffer of its own, where neighbours read and write neighbouring blocks.
//
// A file that includes this has defined VSH_WORDS, words of a block, included blocks.h, and defines
//     VSH_SCHEDULE_WORDS            of a stream's round keys
//     VSH_SCHEDULE(stream)          index of the first of them
//     VSH_NUMBER(w)                 a word of a number in the byte order of blocks, and back
//     vsh_cipher(lockstep, w, keys, num_streams, tables)   encrypts or decrypts, as VSH_DECRYPTS says, 32 blocks of
//                                   words, turned in parts (blocks.h), in place
#ifndef VSH_STREAMS_H
#define VSH_STREAMS_H

#include "gpu/kernels/counters.h"

// Lane j has block or stream number VSH_NUMBER_OF(j), and is used if that is less than `limit`. Parts as in blocks.h.
#define VSH_NUMBER_OF(j) ((vsh_u32)(j)*share + part)
#define VSH_FOR_PARTS_BELOW(begin, limit) \
  VSH_UNROLL for (int begin = 0; begin < VSH_LANES; begin += VSH_PART) if (VSH_NUMBER_OF(begin) < (limit))

// ---- Staging -------------------------------------------------------------------------------------------------------

// A lane has a slot for each block that is staged (blocks.h). Where a block needs the ciphertext before it, one more
// comes first, for the last one staged before or the IV.
#define VSH_NEEDS_EARLIER (VSH_IS(cbc_decrypt) || VSH_IS(cfb_decrypt))
#define VSH_SLOTS (VSH_STAGED_BLOCKS + VSH_NEEDS_EARLIER)

// Offset of slot k of lane j from slot 0 of lane 0, which is at vsh_slots.
#define VSH_SLOT(k, j) (((vsh_u32)(k)*VSH_LANES + (vsh_u32)(j)) * VSH_GROUP)
VSH_FUNCTION vsh_blocks vsh_slots(VSH_GLOBAL vsh_u32* staged, vsh_u32 item) {
  return (vsh_blocks)staged + (vsh_u64)(item / VSH_GROUP) * (VSH_SLOTS * VSH_LANES * VSH_GROUP) + item % VSH_GROUP;
}

// Lanes that are copied at a time, 16 words of each: few, for the item's blocks are in registers meanwhile.
#define VSH_STAGED_LANES 2

// Fills slots with blocks b, b + 1, ... of num_blocks; b is a multiple of VSH_STAGED_BLOCKS. Lanes without a stream get
// another's.
VSH_FUNCTION void vsh_stage(vsh_blocks slots, VSH_GLOBAL const vsh_u32* in, vsh_u64 stride, vsh_u32 num_streams,
                            vsh_u32 num_blocks, vsh_u32 share, vsh_u32 part, vsh_u32 b) {
  const vsh_u32 last = num_blocks - 1 - b;
  const int whole = last >= VSH_STAGED_BLOCKS - 1 && stride * VSH_WORDS % 4 == 0;  // 16 bytes at a time are aligned
  VSH_KEEP_LOOP
  for (int begin = 0; begin < VSH_LANES; begin += VSH_STAGED_LANES) {
    vsh_block copied[VSH_STAGED_LANES][VSH_STAGED_BLOCKS];
    VSH_UNROLL
    for (int j = 0; j < VSH_STAGED_LANES; ++j) {
      const vsh_u32 s = VSH_NUMBER_OF(begin + j);
      const vsh_const_blocks from = (vsh_const_blocks)in + (stride * (s < num_streams ? s : part) + b);
      if (whole) {
        vsh_load_staged(copied[j], from);
      } else {
        VSH_UNROLL
        for (vsh_u32 k = 0; k < VSH_STAGED_BLOCKS; ++k) copied[j][k] = from[k < last ? k : last];
      }
    }
    VSH_UNROLL
    for (int j = 0; j < VSH_STAGED_LANES; ++j) VSH_UNROLL
    for (int k = 0; k < VSH_STAGED_BLOCKS; ++k) slots[VSH_SLOT(VSH_NEEDS_EARLIER + k, begin + j)] = copied[j][k];
  }
}

// Writes slots 0 .. num - 1 to blocks b, b + 1, ...; b is a multiple of VSH_STAGED_BLOCKS.
VSH_FUNCTION void vsh_unstage(VSH_GLOBAL vsh_u32* out, vsh_blocks slots, vsh_u64 stride, vsh_u32 num_streams,
                              vsh_u32 num, vsh_u32 share, vsh_u32 part, vsh_u32 b) {
  const int whole = num == VSH_STAGED_BLOCKS && stride * VSH_WORDS % 4 == 0;
  VSH_KEEP_LOOP
  for (int begin = 0; begin < VSH_LANES; begin += VSH_STAGED_LANES) {
    vsh_block copied[VSH_STAGED_LANES][VSH_STAGED_BLOCKS];
    VSH_UNROLL
    for (int j = 0; j < VSH_STAGED_LANES; ++j) VSH_UNROLL
    for (int k = 0; k < VSH_STAGED_BLOCKS; ++k) copied[j][k] = slots[VSH_SLOT(k, begin + j)];
    VSH_UNROLL
    for (int j = 0; j < VSH_STAGED_LANES; ++j) {
      const vsh_u32 s = VSH_NUMBER_OF(begin + j);
      if (s >= num_streams) continue;
      const vsh_blocks to = (vsh_blocks)out + (stride * s + b);
      if (whole) {
        vsh_store_staged(to, copied[j]);
      } else {
        VSH_UNROLL
        for (vsh_u32 k = 0; k < VSH_STAGED_BLOCKS; ++k)
          if (k < num) to[k] = copied[j][k];
      }
    }
  }
}

// ---- Works that are not chained ------------------------------------------------------------------------------------

#if !VSH_CHAINED

// Sets lane j of w to the cipher's input for block b of a stream, *in; *before precedes it, or is the IV.
VSH_FUNCTION void vsh_enter(vsh_u32 (*w)[VSH_LANES], int j, vsh_const_blocks in, vsh_const_blocks before,
                            vsh_const_blocks iv, vsh_u32 b) {
#if VSH_IS(ctr)  // the left half is the IV (GOST R 34.13-2015 clause 5.2.1)
  vsh_set_words(w, j, *iv);
  VSH_UNROLL
  for (int k = VSH_WORDS / 2; k < VSH_WORDS; ++k) w[k][j] = k == VSH_WORDS - 1 ? VSH_NUMBER(b) : 0u;
  (void)in, (void)before;
#elif VSH_IS(cnt)  // N3 and N4 of RFC 5830 clause 6.1, one step beyond those of block b - 1
  const vsh_block n = *iv;
  w[0][j] = n.x + (b + 1) * 0x01010101u;
  w[1][j] = vsh_modulo(n.y + (vsh_u64)vsh_modulo((vsh_u64)b + 1) * 0x01010104u);
  (void)in, (void)before;
#elif VSH_IS(cfb_decrypt)
  vsh_set_words(w, j, *before);
  (void)in, (void)iv, (void)b;
#else
  vsh_set_words(w, j, *in);
  (void)before, (void)iv, (void)b;
#endif
}

// Turns the cipher's output in lane j of w into the output block.
VSH_FUNCTION void vsh_leave(vsh_u32 (*w)[VSH_LANES], int j, vsh_const_blocks in, vsh_const_blocks before) {
  if (VSH_IS(cbc_decrypt)) vsh_add_words(w, j, *before);
  if (VSH_IS(cfb_decrypt) || VSH_IS(ctr) || VSH_IS(cnt)) vsh_add_words(w, j, *in);
}

// schedules: VSH_SCHEDULE_WORDS for each stream, the first at VSH_SCHEDULE(stream).
VSH_KERNEL void spread(VSH_GLOBAL vsh_u32* out, VSH_GLOBAL const vsh_u32* in, VSH_GLOBAL const vsh_u32* schedules,
                       VSH_GLOBAL const vsh_u32* tables, VSH_GLOBAL const vsh_u32* ivs, vsh_u64 stride,
                       vsh_u32 num_streams, vsh_u32 num_blocks, vsh_u32 share) {
  const vsh_u32 item = (vsh_u32)vsh_item(), stream = item / share, part = item % share;
  if (stream >= num_streams) return;
  const vsh_blocks to = (vsh_blocks)out + stride * stream;
  const vsh_const_blocks from = (vsh_const_blocks)in + stride * stream, iv = (vsh_const_blocks)ivs + stream;
  vsh_u32 w[VSH_WORDS][VSH_LANES];
  vsh_clear(w);
  VSH_FOR_PARTS_BELOW(begin, num_blocks) {
    VSH_FOR_LANES(j, begin) {
      const vsh_u32 b = VSH_NUMBER_OF(j);
      if (b < num_blocks) vsh_enter(w, j, from + b, b ? from + b - 1 : iv, iv, b);
    }
    vsh_turn(w, begin);
  }
  VSH_FORGET(share);
  vsh_cipher(0, w, schedules + VSH_SCHEDULE(stream), num_streams, tables);
  VSH_FOR_PARTS_BELOW(begin, num_blocks) {
    vsh_turn(w, begin);
    VSH_FOR_LANES(j, begin) {
      const vsh_u32 b = VSH_NUMBER_OF(j);
      if (b >= num_blocks) continue;
      vsh_leave(w, j, from + b, b ? from + b - 1 : iv);
      to[b] = vsh_get_words(w, j);
    }
  }
}

// sliced: round keys of each item's streams, laid out by vsh_sliced. staged: VSH_SLOTS blocks for each lane of all
// items of whole groups.
VSH_KERNEL void lockstep(VSH_GLOBAL vsh_u32* out, VSH_GLOBAL const vsh_u32* in, VSH_GLOBAL const vsh_u32* sliced,
                         VSH_GLOBAL const vsh_u32* tables, VSH_GLOBAL const vsh_u32* ivs, VSH_GLOBAL vsh_u32* staged,
                         vsh_u64 stride, vsh_u32 num_streams, vsh_u32 num_blocks, vsh_u32 share) {
  const vsh_u32 part = (vsh_u32)vsh_item();
  if (part >= share) return;
  const vsh_blocks slots = vsh_slots(staged, part);
  VSH_KEEP_LOOP
  for (vsh_u32 b = 0; b < num_blocks; ++b) {
    const vsh_u32 k = b % VSH_STAGED_BLOCKS;
    if (k == 0) {
      VSH_UNROLL
      for (int j = 0; VSH_NEEDS_EARLIER && j < VSH_LANES; ++j)
        if (b) slots[VSH_SLOT(0, j)] = slots[VSH_SLOT(VSH_STAGED_BLOCKS, j)];
        else if (VSH_NUMBER_OF(j) < num_streams) slots[VSH_SLOT(0, j)] = ((vsh_const_blocks)ivs)[VSH_NUMBER_OF(j)];
      vsh_stage(slots, in, stride, num_streams, num_blocks, share, part, b);
    }
    const vsh_blocks before = slots + VSH_SLOT(k, 0), now = before + VSH_SLOT(VSH_NEEDS_EARLIER, 0);
    vsh_u32 w[VSH_WORDS][VSH_LANES];
    vsh_clear(w);
    VSH_FOR_PARTS_BELOW(begin, num_streams) {
      VSH_FOR_LANES(j, begin) {
        const vsh_u32 s = VSH_NUMBER_OF(j);
        if (s < num_streams)
          vsh_enter(w, j, now + VSH_SLOT(0, j), before + VSH_SLOT(0, j), (vsh_const_blocks)ivs + s, b);
      }
      vsh_turn(w, begin);
    }
    VSH_FORGET(share);
    vsh_cipher(1, w, sliced + vsh_sliced(part), num_streams, tables);
    VSH_FOR_PARTS_BELOW(begin, num_streams) {
      vsh_turn(w, begin);
      VSH_FOR_LANES(j, begin) {
        vsh_leave(w, j, now + VSH_SLOT(0, j), before + VSH_SLOT(0, j));
        before[VSH_SLOT(0, j)] = vsh_get_words(w, j);
      }
    }
    if (k == VSH_STAGED_BLOCKS - 1 || b == num_blocks - 1)
      vsh_unstage(out, slots, stride, num_streams, k + 1, share, part, b - k);
  }
}

#elif !VSH_IS(mac) && !VSH_IS(imit)

// CBC and CFB encryption, OFB: w is the register.
VSH_KERNEL void lockstep(VSH_GLOBAL vsh_u32* out, VSH_GLOBAL const vsh_u32* in, VSH_GLOBAL const vsh_u32* sliced,
                         VSH_GLOBAL const vsh_u32* tables, VSH_GLOBAL const vsh_u32* ivs, VSH_GLOBAL vsh_u32* staged,
                         vsh_u64 stride, vsh_u32 num_streams, vsh_u32 num_blocks, vsh_u32 share) {
  const vsh_u32 part = (vsh_u32)vsh_item();
  if (part >= share) return;
  const vsh_blocks slots = vsh_slots(staged, part);
  vsh_u32 w[VSH_WORDS][VSH_LANES];
  vsh_clear(w);
  VSH_FOR_PARTS_BELOW(begin, num_streams)
  VSH_FOR_LANES(j, begin)
  if (VSH_NUMBER_OF(j) < num_streams) vsh_set_words(w, j, ((vsh_const_blocks)ivs)[VSH_NUMBER_OF(j)]);
  VSH_KEEP_LOOP
  for (vsh_u32 b = 0; b < num_blocks; ++b) {
    const vsh_u32 k = b % VSH_STAGED_BLOCKS;
    if (k == 0) vsh_stage(slots, in, stride, num_streams, num_blocks, share, part, b);
    const vsh_blocks now = slots + VSH_SLOT(k, 0);
    VSH_FOR_PARTS_BELOW(begin, num_streams) {
      VSH_FOR_LANES(j, begin) if (VSH_IS(cbc_encrypt)) vsh_add_words(w, j, now[VSH_SLOT(0, j)]);
      vsh_turn(w, begin);
    }
    VSH_FORGET(share);
    vsh_cipher(1, w, sliced + vsh_sliced(part), num_streams, tables);
    VSH_FOR_PARTS_BELOW(begin, num_streams) {
      vsh_turn(w, begin);
      VSH_FOR_LANES(j, begin) {
        const vsh_block keystream = vsh_get_words(w, j);
        if (!VSH_IS(cbc_encrypt)) vsh_add_words(w, j, now[VSH_SLOT(0, j)]);
        now[VSH_SLOT(0, j)] = vsh_get_words(w, j);
        if (VSH_IS(ofb)) vsh_set_words(w, j, keystream);
      }
    }
    VSH_FORGET(share);
    if (k == VSH_STAGED_BLOCKS - 1 || b == num_blocks - 1)
      vsh_unstage(out, slots, stride, num_streams, k + 1, share, part, b - k);
  }
}

#else

// Multiplies lane j of w by the polynomial x, GOST R 34.13-2015 clause 5.6.1.
VSH_FUNCTION void vsh_double(vsh_u32 (*w)[VSH_LANES], int j) {
  const vsh_u32 highest = VSH_NUMBER(w[0][j]) >> 31;
  VSH_UNROLL
  for (int k = 0; k < VSH_WORDS; ++k) {
    const vsh_u32 carry = k + 1 < VSH_WORDS ? VSH_NUMBER(w[(k + 1) % VSH_WORDS][j]) >> 31
                                            : (0u - highest) & (VSH_WORDS == 4 ? 0x87u : 0x1bu);
    w[k][j] = VSH_NUMBER(VSH_NUMBER(w[k][j]) << 1 ^ carry);
  }
}

// Adds the first `bytes` bytes of a block, 0 to all, to lane j of w, and where a MAC ends in it the 1 that follows
// them.
VSH_FUNCTION void vsh_add_text(vsh_u32 (*w)[VSH_LANES], int j, vsh_const_blocks in, vsh_u32 bytes) {
  VSH_GLOBAL const vsh_u32* const words = (VSH_GLOBAL const vsh_u32*)in;
  VSH_UNROLL
  for (int k = 0; k < VSH_WORDS; ++k) {
    const int left = (int)bytes - 4 * k;
    if (left >= 4) w[k][j] ^= words[k];
    if (left > 0 && left < 4) w[k][j] ^= words[k] & ((1u << 8 * left) - 1u);
    if (VSH_IS(mac) && left >= 0 && left < 4) w[k][j] ^= 0x80u << 8 * left;
  }
}

// out: a block for each stream. last: bytes of the last of num_blocks blocks, 0 only in an empty message, which counts
// as one block.
//
// MAC (clause 5.6) first encrypts zeros for the key that is added to the last block; until then it is kept in the MAC's
// place. IMIT (RFC 5830 clause 8) fills a last block with zeros, and one block to two.
VSH_KERNEL void lockstep(VSH_GLOBAL vsh_u32* out, VSH_GLOBAL const vsh_u32* in, VSH_GLOBAL const vsh_u32* sliced,
                         VSH_GLOBAL const vsh_u32* tables, VSH_GLOBAL vsh_u32* staged, vsh_u64 stride,
                         vsh_u32 num_streams, vsh_u32 num_blocks, vsh_u32 share, vsh_u32 last) {
  const vsh_u32 part = (vsh_u32)vsh_item();
  if (part >= share) return;
  const vsh_blocks slots = vsh_slots(staged, part);
  const vsh_u32 before = VSH_IS(mac);  // passes before that of block 0
  const vsh_u32 passes = VSH_IS(imit) && num_blocks == 1 ? 2 : before + num_blocks;
  vsh_u32 w[VSH_WORDS][VSH_LANES];
  vsh_clear(w);
  VSH_KEEP_LOOP
  for (vsh_u32 pass = 0; pass < passes; ++pass) {
    const vsh_u32 b = pass - before;
    const int adds_key = VSH_IS(mac) && b == num_blocks - 1;
    if (b < num_blocks && b % VSH_STAGED_BLOCKS == 0 && last)
      vsh_stage(slots, in, stride, num_streams, num_blocks, share, part, b);
    VSH_FOR_PARTS_BELOW(begin, num_streams) {
      VSH_FOR_LANES(j, begin) {
        const vsh_u32 s = VSH_NUMBER_OF(j);
        if (s >= num_streams || b >= num_blocks) continue;
        vsh_add_text(w, j, slots + VSH_SLOT(b % VSH_STAGED_BLOCKS, j), b == num_blocks - 1 ? last : 4 * VSH_WORDS);
        if (adds_key) vsh_add_words(w, j, ((vsh_const_blocks)out)[s]);
      }
      vsh_turn(w, begin);
    }
    VSH_FORGET(share);
    vsh_cipher(1, w, sliced + vsh_sliced(part), num_streams, tables);
    const int makes_key = pass < before, leaves = makes_key || pass + 1 == passes;
    VSH_FOR_PARTS_BELOW(begin, num_streams) {
      vsh_turn(w, begin);
      if (!leaves) continue;
      VSH_FOR_LANES(j, begin) {
        if (makes_key) vsh_double(w, j);
        if (makes_key && last < 4 * VSH_WORDS) vsh_double(w, j);
        if (VSH_NUMBER_OF(j) < num_streams) ((vsh_blocks)out)[VSH_NUMBER_OF(j)] = vsh_get_words(w, j);
      }
    }
    VSH_FORGET(share);
    if (makes_key) vsh_clear(w);
  }
}

#endif

#endif
