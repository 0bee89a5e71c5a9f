// Kuznyechik on one block by byte shuffles, constant time, by ShiftedProducts or HalvedProducts, which have the idea
// and its cost.
#pragma once

#include "kuznyechik/nibble_layer.hpp"
#include "kuznyechik/one_block_kernel.hpp"

namespace vsh::kuznyechik {
namespace {

template <class Core>
struct OneBlockBytes {
  using V = typename Core::V;

  // In the basis of a direction.
  template <Direction d>
  struct State {
    V v;

    VSH_INLINE_MEMBER static State load(const uint8_t* p) { return {NibbleLayer<V, d>::enter(V::load_lanes(p))}; }
    VSH_INLINE_MEMBER void store(uint8_t* p) const { V::store_lane(p, NibbleLayer<V, d>::leave(v)); }
    VSH_INLINE_MEMBER friend State operator^(State a, State b) { return {V(a.v ^ b.v)}; }
  };
  using Forward = State<Direction::encrypt>;
  using Backward = State<Direction::decrypt>;

  VSH_INLINE_MEMBER static Forward forward(Forward x, Forward k) {
    V v[1] = {x.v};
    Core::forward(v, [&](int) VSH_LAMBDA_INLINE { return k.v; });
    return {v[0]};
  }
  VSH_INLINE_MEMBER static Backward backward(Backward x) {
    V v[1] = {x.v};
    Core::backward(v, [](int) VSH_LAMBDA_INLINE { return V::splat(0); });
    return {v[0]};
  }
};

}  // namespace
}  // namespace vsh::kuznyechik
