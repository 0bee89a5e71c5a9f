// The common subset of CUDA C, OpenCL C 1.2 and, for tests that need no device, C++. Device sources use only these
// names and no function of either language's library.
//
//     VSH_KERNEL void name(VSH_GLOBAL uint* out, ...)  an entry; u32 and u64 by value, buffers as VSH_GLOBAL pointers
//     VSH_FUNCTION               a function that is inlined
//     VSH_TABLE                  a constant table at file scope, read at public indices only
//     vsh_item()                 this work item's number in the launch
//     vsh_u32x2, vsh_u32x4       .x .y (.z .w): one access to memory, aligned to its size
//     vsh_load_u32x4(p)          of memory that no item writes: keys, tables
//     VSH_LUT3(imm, a, b, c)     any function of three bits, bit a*4 + b*2 + c of imm
//     VSH_HAS_LUT3               whether that is one instruction: selects the circuits
//     VSH_BYTES(a, b, s)         bytes of a (0 to 3) and b (4 to 7), chosen by the four nibbles of s
//     VSH_MASK(x, b)             bit b of x in all bits
//
// Hints for compilers that keep everything in registers until none are left:
//     VSH_UNROLL                 before a loop whose index must be a constant, or arrays are not registers
//     VSH_KEEP_LOOP              before one that must stay a loop
//     VSH_FORGET(x)              hides the value of x, a 32-bit variable: results computed from it are computed again
//     VSH_ZERO()                 zero, unknown to the compiler: no code moves across a branch that tests it
#ifndef VSH_DIALECT_H
#define VSH_DIALECT_H

#if defined(__CUDACC__)  // NVRTC and nvcc

typedef unsigned int vsh_u32;
typedef unsigned long long vsh_u64;
#define VSH_KERNEL extern "C" __global__ __launch_bounds__(VSH_GROUP)
#define VSH_FUNCTION static __device__ __forceinline__
#define VSH_TABLE static __device__ __constant__ const
#define VSH_GLOBAL
#define VSH_RESTRICT __restrict__
#define VSH_UNROLL _Pragma("unroll")
#define VSH_KEEP_LOOP _Pragma("unroll 1")
#define VSH_FORGET(x) asm volatile("" : "+r"(x))
VSH_FUNCTION vsh_u32 VSH_ZERO() {  // grids have one dimension
  vsh_u32 zero;
  asm volatile("mov.u32 %0, %%ctaid.y;" : "=r"(zero));
  return zero;
}
VSH_FUNCTION vsh_u64 vsh_item() { return (vsh_u64)blockIdx.x * VSH_GROUP + threadIdx.x; }
#define VSH_HAS_LUT3 1
template <int kImm>
VSH_FUNCTION vsh_u32 vsh_lut3(vsh_u32 a, vsh_u32 b, vsh_u32 c) {
  vsh_u32 d;
  asm("lop3.b32 %0, %1, %2, %3, %4;" : "=r"(d) : "r"(a), "r"(b), "r"(c), "n"(kImm));
  return d;
}
#define VSH_LUT3(imm, a, b, c) vsh_lut3<imm>(a, b, c)
typedef uint2 vsh_u32x2;
typedef uint4 vsh_u32x4;
VSH_FUNCTION vsh_u32x4 vsh_load_u32x4(const vsh_u32* p) { return *(const vsh_u32x4*)p; }
VSH_FUNCTION vsh_u32 vsh_bytes(vsh_u32 a, vsh_u32 b, int bytes) {
  vsh_u32 d;
  asm("prmt.b32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(bytes));
  return d;
}
#define VSH_BYTES(a, b, bytes) vsh_bytes(a, b, bytes)
// Copies a byte's sign to all bytes: one instruction, and a shift for every four bits.
#define VSH_MASK(x, b) VSH_BYTES((x) << (7 - (b) % 8), 0u, 0x8888 + (b) / 8 * 0x1111)

#else

#if defined(__OPENCL_VERSION__) || defined(__OPENCL_C_VERSION__)
typedef uint vsh_u32;
typedef ulong vsh_u64;
#define VSH_KERNEL __kernel __attribute__((reqd_work_group_size(VSH_GROUP, 1, 1)))
#if defined(__x86_64__) || defined(__aarch64__)  // PoCL on a processor, which has too few registers for unrolling
#define VSH_FUNCTION static
#define VSH_UNROLL
#else
#define VSH_FUNCTION static inline __attribute__((always_inline))
#define VSH_UNROLL _Pragma("unroll")
#endif
#define VSH_TABLE __constant const
#define VSH_GLOBAL __global
#define VSH_RESTRICT restrict
#define VSH_KEEP_LOOP
VSH_FUNCTION vsh_u64 vsh_item(void) { return get_global_id(0); }
typedef uint2 vsh_u32x2;
typedef uint4 vsh_u32x4;
#else  // C++: the tests' emulated device sets vsh_item_now and calls kernels item by item
#include <cstdint>
typedef uint32_t vsh_u32;
typedef uint64_t vsh_u64;
#define VSH_KERNEL static
#define VSH_FUNCTION static inline __attribute__((always_inline))
#define VSH_TABLE static const
#define VSH_GLOBAL
#define VSH_RESTRICT __restrict
#define VSH_UNROLL
#define VSH_KEEP_LOOP
typedef struct alignas(8) {
  vsh_u32 x, y;
} vsh_u32x2;
typedef struct alignas(16) {
  vsh_u32 x, y, z, w;
} vsh_u32x4;
inline thread_local vsh_u64 vsh_item_now = 0;
VSH_FUNCTION vsh_u64 vsh_item() { return vsh_item_now; }
#endif
#if !defined(VSH_HAS_LUT3)  // tests run the other circuits, too
#define VSH_HAS_LUT3 0
#endif
// Composed; for a constant imm only the necessary operations remain.
VSH_FUNCTION vsh_u32 vsh_lut3(const int imm, vsh_u32 a, vsh_u32 b, vsh_u32 c) {
  vsh_u32 d = 0;
  if (imm == 0x96) return a ^ b ^ c;
  if (imm == 0xca) return c ^ (a & (b ^ c));
  if (imm == 0xe8) return (a & b) | ((a ^ b) & c);
  if (imm == 0x78) return a ^ (b & c);
  if (imm & 0x01) d |= ~(a | b | c);
  if (imm & 0x02) d |= ~(a | b) & c;
  if (imm & 0x04) d |= ~(a | c) & b;
  if (imm & 0x08) d |= ~a & b & c;
  if (imm & 0x10) d |= ~(b | c) & a;
  if (imm & 0x20) d |= ~b & a & c;
  if (imm & 0x40) d |= ~c & a & b;
  if (imm & 0x80) d |= a & b & c;
  return d;
}
#define VSH_LUT3(imm, a, b, c) vsh_lut3(imm, a, b, c)
VSH_FUNCTION vsh_u32x4 vsh_load_u32x4(VSH_GLOBAL const vsh_u32* p) { return *(VSH_GLOBAL const vsh_u32x4*)p; }
VSH_FUNCTION vsh_u32 vsh_byte(vsh_u32 a, vsh_u32 b, int number) {
  return ((number < 4 ? a : b) >> (number % 4 * 8)) & 0xffu;
}
#define VSH_FORGET(x)
#define VSH_ZERO() 0u
#define VSH_BYTES(a, b, bytes)                                                                                  \
  (vsh_byte(a, b, (bytes)&7) | vsh_byte(a, b, (bytes) >> 4 & 7) << 8 | vsh_byte(a, b, (bytes) >> 8 & 7) << 16 | \
   vsh_byte(a, b, (bytes) >> 12 & 7) << 24)
#define VSH_MASK(x, b) (0u - (((x) >> (b)) & 1u))

#endif

#endif
