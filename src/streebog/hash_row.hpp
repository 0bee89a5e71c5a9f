// Builds the table row of a kernel for one message. K has
//   Value                                      a 512-bit number in the kernel's own form
//   load(const uint8_t*), store(uint8_t*, Value)
//   g(Value& h, const Value& n, const Value& m)  h = g_n(h, m) of RFC 6986, section 8
#pragma once

#include "core/kernel.hpp"
#include "streebog/arithmetic.hpp"
#include "streebog/constants.hpp"
#include "streebog/state.hpp"

namespace vsh::streebog {
namespace {

template <class K>
void absorb(State* state, const uint8_t* in, size_t num_blocks) {
  if (num_blocks == 0) return;
  typename K::Value h = K::load(state->h);
  for (; num_blocks > 0; --num_blocks, in += kBlockSize) {
    const typename K::Value n = K::load(state->n), m = K::load(in);
    // Before g, so that the words stored here have left the store buffer when vectors load them again.
    add_bits(state->n, 8 * kBlockSize);
    add_512(state->sigma, in);
    K::g(h, n, m);
  }
  K::store(state->h, h);
}

template <class K>
void compress(uint8_t* h, const uint8_t* n, const uint8_t* m) {
  typename K::Value value = K::load(h);
  K::g(value, K::load(n), K::load(m));
  K::store(h, value);
}

template <class K>
constexpr HashKernel hash_row(const char* variant, cpu::Isa isa, uint32_t cycles_of_block, bool constant_time = true) {
  HashKernel row{};
  row.info = {"streebog", variant, isa, 1, cycles_of_block, constant_time};
  row.absorb = absorb<K>;
  row.compress = compress<K>;
  return row;
}

}  // namespace
}  // namespace vsh::streebog
