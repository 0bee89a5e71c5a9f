// Sums of products of polynomials over GF(2), for MGM: ProductKernel of src/core/kernel.hpp. Programs: -DVSH_WORDS=2|4,
// words of a block.
#include "gpu/kernels/products.h"

// Writes word k of item i's sum, over every num_items-th block from i on, to sums[num_items * k + i].
VSH_KERNEL void products(VSH_GLOBAL vsh_u32* sums, VSH_GLOBAL const vsh_u32* a, VSH_GLOBAL const vsh_u32* b,
                         vsh_u32 num_items, vsh_u64 num_blocks) {
  const vsh_u32 item = (vsh_u32)vsh_item();
  if (item >= num_items) return;
  vsh_sum sum;
  vsh_clear_sum(&sum);
  VSH_KEEP_LOOP
  for (vsh_u64 at = item; at < num_blocks; at += num_items)
    vsh_add_product(&sum, ((vsh_const_blocks)a)[at], ((vsh_const_blocks)b)[at]);
  vsh_u32 product[2 * VSH_WORDS];
  vsh_total(product, &sum);
  VSH_UNROLL
  for (int k = 0; k < 2 * VSH_WORDS; ++k) sums[(vsh_u64)num_items * k + item] = product[k];
}

// Adds every VSH_GROUP-th of the num_items words of each word of the sum.
VSH_KERNEL void fold(VSH_GLOBAL vsh_u32* folded, VSH_GLOBAL const vsh_u32* sums, vsh_u32 num_items) {
  const vsh_u32 item = (vsh_u32)vsh_item(), word = item / VSH_GROUP;
  if (word >= 2 * VSH_WORDS) return;
  vsh_u32 sum = 0;
  for (vsh_u32 i = item % VSH_GROUP; i < num_items; i += VSH_GROUP) sum ^= sums[(vsh_u64)num_items * word + i];
  folded[item] = sum;
}
