// The declarations of OpenCL, CUDA and NVRTC against the vendors' headers, as far as those are installed. They are
// compared when this file is compiled; the program prints the missing ones.
#include <gtest/gtest.h>

#include <type_traits>

#include "gpu/cuda/api.hpp"
#include "gpu/opencl/api.hpp"

// The values, kept under other names before the headers define macros.
#define VSH_KEEP(name, value) enum : int64_t { kept_##name = value };
VSH_OPENCL_CONSTANTS(VSH_KEEP)
VSH_CUDA_CONSTANTS(VSH_KEEP)
#undef VSH_KEEP
#define VSH_SAME_CONSTANT(name, value) static_assert(int64_t{kept_##name} == static_cast<int64_t>(name), #name);

namespace {

// Equal in calling convention: both pointers, or both integers or enumerations of one size.
template <class A, class B>
constexpr bool same_value() {
  constexpr bool pointers = std::is_pointer_v<A> && std::is_pointer_v<B>;
  constexpr bool numbers = (std::is_integral_v<A> || std::is_enum_v<A>)&&(std::is_integral_v<B> || std::is_enum_v<B>);
  if constexpr (pointers) return true;
  else return numbers && sizeof(A) == sizeof(B);
}

template <class A, class B>
struct SameCall : std::false_type {};
template <class R, class... A, class S, class... B>
requires(sizeof...(A) == sizeof...(B)) struct SameCall<R (*)(A...), S (*)(B...)>
    : std::bool_constant<same_value<R, S>() && (same_value<A, B>() && ...)> {
};

}  // namespace

#if __has_include(<CL/cl.h>)
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <CL/cl_ext.h>
VSH_OPENCL_CONSTANTS(VSH_SAME_CONSTANT)
#define VSH_SAME_CALL(name, result, parameters) \
  static_assert(SameCall<decltype(vsh::gpu::opencl::Functions::name), decltype(&::name)>::value, #name);
VSH_OPENCL_FUNCTIONS(VSH_SAME_CALL)
#undef VSH_SAME_CALL
TEST(Headers, OpenCl) {}
#else
TEST(Headers, OpenCl) { GTEST_SKIP() << "no CL/cl.h: install opencl-headers"; }
#endif

#if __has_include(<cuda.h>) && __has_include(<nvrtc.h>)
#include <cuda.h>
#include <nvrtc.h>
VSH_CUDA_CONSTANTS(VSH_SAME_CONSTANT)
#define VSH_SAME_CALL(name, result, parameters) \
  static_assert(SameCall<decltype(vsh::gpu::cuda::Functions::name), decltype(&::name)>::value, #name);
VSH_CUDA_FUNCTIONS(VSH_SAME_CALL)
#undef VSH_SAME_CALL
#define VSH_SAME_CALL(name, result, parameters) \
  static_assert(SameCall<decltype(vsh::gpu::cuda::CompilerFunctions::name), decltype(&::name)>::value, #name);
VSH_NVRTC_FUNCTIONS(VSH_SAME_CALL)
#undef VSH_SAME_CALL
TEST(Headers, Cuda) {}
#else
TEST(Headers, Cuda) { GTEST_SKIP() << "no cuda.h and nvrtc.h: CPLUS_INCLUDE_PATH may name their folder"; }
#endif
