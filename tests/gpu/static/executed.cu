// Kernels for tests of what tools/gpu-static/execute.py runs: what the tests expect of them stands in static_test.py.
// Item i has word i of `in`; each takes whole groups but `ways`.
#define KERNEL extern "C" __global__ __launch_bounds__(128) void
#define ITEM (blockIdx.x * 128 + threadIdx.x)

static __device__ __forceinline__ unsigned majority(unsigned a, unsigned b, unsigned c) {
  unsigned d;
  asm volatile("lop3.b32 %0, %1, %2, %3, 0xe8;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
  return d;
}

KERNEL bits(unsigned* out, const unsigned* in, unsigned n) {
  const unsigned x = in[ITEM];
  out[ITEM] = majority(x, __byte_perm(x, n, 0x7053), __funnelshift_l(n, x, 11));
}

// Threads that go several ways, as often as their data say, and not all of the last group.
KERNEL ways(unsigned* out, const unsigned* in, unsigned n) {
  if (ITEM >= n) return;
  unsigned x = in[ITEM], steps = 0;
  while (x > 1) {
    x = x % 2 ? 3 * x + 1 : x / 2;
    ++steps;
  }
  out[ITEM] = steps;
}

KERNEL wide(unsigned long long* out, const unsigned long long* in, unsigned long long n) {
  const unsigned long long x = in[ITEM];
  out[ITEM] = x / n * 3 + x % 1000003 - (x > n ? x * n : x << (n & 63));
}

// Each thread reads what another of its group has written.
KERNEL turned(unsigned* out, const unsigned* in, unsigned n) {
  __shared__ unsigned t[128];
  t[threadIdx.x] = in[ITEM] + n;
  __syncthreads();
  out[ITEM] = t[127 - threadIdx.x];
}

KERNEL lanes(unsigned* out, const unsigned* in, unsigned n) {
  unsigned x = in[ITEM];
  for (int i = 1; i < 32; i *= 2) x ^= __shfl_xor_sync(~0u, x, i);
  out[ITEM] = x + __shfl_up_sync(~0u, in[ITEM], 3) + n * __any_sync(~0u, in[ITEM] == 5);
}

// Two threads write one word.
KERNEL race_write(unsigned* out, const unsigned* in, unsigned n) { out[ITEM / 2] = n; }

// A thread reads what its neighbour writes.
KERNEL race_read(unsigned* out, const unsigned* in, unsigned n) {
  out[ITEM] = n;
  out[ITEM] = out[ITEM ^ 1] + 1;
}

KERNEL beyond(unsigned* out, const unsigned* in, unsigned n) { out[ITEM + 1] = n; }
