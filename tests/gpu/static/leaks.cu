// Kernels whose names say what of them depends on a secret (`in`), for tests of tools/gpu-static.
#define KERNEL extern "C" __global__ __launch_bounds__(128) void

__device__ __constant__ unsigned table[256] = {1, 2, 3};

KERNEL leak_address_constant(unsigned* out, const unsigned* in) { out[threadIdx.x] = table[in[threadIdx.x] & 255]; }

KERNEL leak_address_global(unsigned* out, const unsigned* in) { out[threadIdx.x] = in[in[threadIdx.x] & 255]; }

KERNEL leak_address_written(unsigned* out, const unsigned* in) { out[in[threadIdx.x] & 255] = 1; }

KERNEL leak_address_shared(unsigned* out, const unsigned* in) {
  __shared__ unsigned t[256];
  t[threadIdx.x] = threadIdx.x * 7;
  __syncthreads();
  out[threadIdx.x] = t[in[threadIdx.x] & 255];
}

KERNEL leak_address_local(unsigned* out, const unsigned* in) {
  unsigned t[256];
#pragma unroll 1
  for (int i = 0; i < 256; ++i) t[i] = in[64 + i];
  out[threadIdx.x] = t[in[threadIdx.x] & 255];
}

// The secret goes through shared memory before it is an index.
KERNEL leak_address_through_shared(unsigned* out, const unsigned* in) {
  __shared__ unsigned t[128];
  t[threadIdx.x] = in[threadIdx.x] & 127;
  __syncthreads();
  out[threadIdx.x] = table[t[threadIdx.x ^ 1]];
}

KERNEL leak_address_lane(unsigned* out, const unsigned* in) {
  out[threadIdx.x] = __shfl_sync(~0u, threadIdx.x * 3, in[threadIdx.x] & 31);
}

KERNEL leak_address_atomic(unsigned* out, const unsigned* in) { atomicAdd(out + (in[threadIdx.x] & 7), 1u); }

KERNEL leak_branch_loop(unsigned* out, const unsigned* in) {
  unsigned x = in[threadIdx.x];
  while (x > 5) x = x * x + out[threadIdx.x];
  out[threadIdx.x] = x;
}

// A warp's vote is as secret as what it is about.
KERNEL leak_branch_vote(unsigned* out, const unsigned* in) {
  unsigned n = 0;
  while (__any_sync(~0u, in[threadIdx.x + n] & 1)) ++n;
  out[threadIdx.x] = n;
}

KERNEL leak_store_predicated(unsigned* out, const unsigned* in) {
  if (in[threadIdx.x] & 1) out[threadIdx.x] = 5;
}

KERNEL leak_time_division(unsigned* out, const unsigned* in) { out[threadIdx.x] = 1000003u / in[threadIdx.x]; }

KERNEL leak_time_float(unsigned* out, const unsigned* in) { out[threadIdx.x] = (unsigned)sqrtf((float)in[threadIdx.x]); }

KERNEL fine_choice(unsigned* out, const unsigned* in) {
  const unsigned a = in[threadIdx.x], b = in[threadIdx.x + 128];
  out[threadIdx.x] = (a & 4) ? b : a * b + __popc(a);
}

KERNEL fine_public_index(unsigned* out, const unsigned* in, unsigned n) {
  unsigned x = in[threadIdx.x];
#pragma unroll 1
  for (unsigned i = 0; i < n; ++i) x = x * 3 ^ table[i & 255] ^ in[i];
  if (threadIdx.x < n) out[threadIdx.x] = x;
}

// One of two pointers, read where there is something to read; registers are used again.
KERNEL fine_two_pointers(unsigned long long* out, const unsigned long long* in, const unsigned long long* other,
                         unsigned n) {
  const unsigned i = blockIdx.x * 128 + threadIdx.x;
  unsigned long long x = in[i];
  if (i < n) x ^= i < 7 ? other[i] : in[i - 7];
  out[i] = x;
}

KERNEL fine_lanes(unsigned* out, const unsigned* in) {
  unsigned x = in[threadIdx.x];
  for (int i = 1; i < 32; i *= 2) x ^= __shfl_xor_sync(~0u, x, i);
  out[threadIdx.x] = x;
}
