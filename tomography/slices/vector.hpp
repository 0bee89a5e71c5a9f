// Vectors of floats by the compiler's vector extension: the same source on every instruction set; where a vector is
// wider than the registers (the preset `emulated`), the compiler splits it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/bytes.hpp"

namespace vsh::tomography {
namespace {

template <int lanes>
struct VectorOf;
#define VSH_VECTOR(lanes)                                                               \
  template <>                                                                           \
  struct VectorOf<lanes> {                                                              \
    typedef float Float __attribute__((vector_size(4 * lanes), may_alias));             \
    typedef float Loose __attribute__((vector_size(4 * lanes), may_alias, aligned(4))); \
    typedef int32_t Int __attribute__((vector_size(4 * lanes), may_alias));             \
  }
VSH_VECTOR(4);
VSH_VECTOR(8);
VSH_VECTOR(16);
#undef VSH_VECTOR

// The vector of a row: every kernel file includes its code after this struct has the row's width.
template <int lanes>
struct Simd {
  static constexpr int kLanes = lanes;
  using V = typename VectorOf<lanes>::Float;
  using I = typename VectorOf<lanes>::Int;
  VSH_INLINE V load(const float* p) { return *reinterpret_cast<const V*>(p); }
  VSH_INLINE void store(float* p, V v) { *reinterpret_cast<V*>(p) = v; }
  VSH_INLINE V load_loose(const float* p) { return *reinterpret_cast<const typename VectorOf<lanes>::Loose*>(p); }
  VSH_INLINE void store_loose(float* p, V v) { *reinterpret_cast<typename VectorOf<lanes>::Loose*>(p) = v; }
  VSH_INLINE V all(float x) { return x - V{}; }
  VSH_INLINE V min(V a, V b) { return a < b ? a : b; }
  VSH_INLINE V max(V a, V b) { return a > b ? a : b; }
  VSH_INLINE I to_int(V v) { return __builtin_convertvector(v, I); }
  VSH_INLINE V to_float(I i) { return __builtin_convertvector(i, V); }
  VSH_INLINE V ramp() {  // 0, 1, 2, …
    V v;
    for (int i = 0; i < lanes; ++i) v[i] = static_cast<float>(i);
    return v;
  }
};

}  // namespace
}  // namespace vsh::tomography
