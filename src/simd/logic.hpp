// Three-input functions over any word type: one instruction where the word has ternary logic, otherwise composed.
#pragma once

#include "core/bytes.hpp"

namespace vsh {
namespace {

template <class W>
VSH_INLINE W xor3(W a, W b, W c) {
  if constexpr (W::has_ternary) return W::template ternary<0x96>(a, b, c);
  else return a ^ b ^ c;
}

// m ? a : b, bit by bit. NEON has an instruction for it, BSL.
template <class W>
VSH_INLINE W select(W m, W a, W b) {
  if constexpr (W::has_ternary) return W::template ternary<0xCA>(m, a, b);
  else if constexpr (requires { W::select(m, a, b); }) return W::select(m, a, b);
  else return b ^ (m & (a ^ b));
}

// Full adder: sets carry to the carry of a + b + carry and returns the sum. Two operations with ternary logic, three
// with a selection (the incoming carry where a and b differ, else a), five without; two of them are on the path to the
// next bit of a ripple-carry adder.
template <class W>
VSH_INLINE W full_add(W a, W b, W& carry) {
  if constexpr (W::has_ternary) {
    const W sum = xor3(a, b, carry);
    carry = W::template ternary<0xE8>(a, b, carry);
    return sum;
  } else {
    const W half = a ^ b, sum = half ^ carry;
    if constexpr (requires { W::select(half, carry, a); }) carry = W::select(half, carry, a);
    else carry = (a & b) | (half & carry);
    return sum;
  }
}

// a ^ (b & c)
template <class W>
VSH_INLINE W xor_and(W a, W b, W c) {
  if constexpr (W::has_ternary) return W::template ternary<0x78>(a, b, c);
  else return a ^ (b & c);
}

}  // namespace
}  // namespace vsh
