// Kernels of which is known how often they execute what, for tests of tools/gpu-static.
#define KERNEL extern "C" __global__ __launch_bounds__(128) void

static __device__ __forceinline__ unsigned mix(unsigned a, unsigned b, unsigned c) {
  unsigned d;
  asm volatile("lop3.b32 %0, %1, %2, %3, 0xe8;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
  return d;
}

// Five LOP3 a turn.
KERNEL loop(unsigned* out, const unsigned* in, unsigned turns) {
  unsigned a = in[0], b = in[1], c = in[2];
#pragma unroll 1
  for (unsigned i = 0; i < turns; ++i) {
    a = mix(a, b, c);
    b = mix(c, a, b);
    c = mix(b, a, c);
    a = mix(c, b, a);
    b = mix(a, c, b);
  }
  out[threadIdx.x] = a ^ b ^ c;
}

static __device__ __forceinline__ unsigned count(unsigned x) {
  unsigned d;
  asm volatile("popc.b32 %0, %1;" : "=r"(d) : "r"(x));
  return d;
}

KERNEL nested(unsigned* out, const unsigned* in, unsigned m, unsigned n) {
  unsigned x = in[threadIdx.x];
#pragma unroll 1
  for (unsigned i = 0; i < m; ++i)
#pragma unroll 1
    for (unsigned j = 0; j < n; ++j) x += count(x + j) * i;
  out[threadIdx.x] = x;
}

// As many turns as a division of arguments says.
KERNEL divided(unsigned* out, const unsigned* in, unsigned a, unsigned b) {
  unsigned x = in[threadIdx.x];
#pragma unroll 1
  for (unsigned i = a / b; i > 0; --i) x += count(x + i);
  out[threadIdx.x] = x;
}

KERNEL memory(unsigned* out, const uint4* in, unsigned n) {
#pragma unroll 1
  for (unsigned i = 0; i < n; ++i) {
    const uint4 v = in[i * 128 + threadIdx.x];
    out[i * 128 + threadIdx.x] = v.x + v.y + v.z + v.w;
  }
}
