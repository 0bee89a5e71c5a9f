#pragma once

#include <type_traits>
#include <utility>

#include "core/bytes.hpp"

namespace vsh {
namespace {

// Calls f(0), …, f(n - 1) without a loop and with constant arguments, at every optimisation level: kernels keep small
// arrays in registers, which requires constant indices.
template <int n, class F>
VSH_INLINE void unrolled(F f) {
  [&]<int... i>(std::integer_sequence<int, i...>) __attribute__((always_inline)) {
    (f(std::integral_constant<int, i>{}), ...);
  }
  (std::make_integer_sequence<int, n>{});
}

}  // namespace
}  // namespace vsh

// Defines a lambda for unrolled.
#define VSH_UNROLLED(i) [&](auto i) __attribute__((always_inline))
