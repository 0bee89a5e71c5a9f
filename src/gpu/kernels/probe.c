// Checks that a device compiles and runs a program at all: the first step of its self-test, before the ciphers.
#include "gpu/kernels/dialect.h"

// out[i] = in[i] * factor + (i + first) rotated by half a word, for i below n; all kinds of arguments.
VSH_KERNEL void vsh_probe(VSH_GLOBAL vsh_u32* out, VSH_GLOBAL const vsh_u32* in, vsh_u64 first, vsh_u32 factor,
                          vsh_u64 n) {
  const vsh_u64 i = vsh_item();
  const vsh_u64 number = i + first;
  if (i >= n) return;
  out[i] = in[i] * factor + (vsh_u32)(number >> 32 | number << 32);
}
