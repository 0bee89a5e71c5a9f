// Separate arrays to bundles and back. Blocks of a cache line of each array, so that every line is touched once.
#pragma once

#include "tomography/slices/vector.hpp"

namespace vsh::tomography {
namespace {

constexpr size_t kTransposeBlock = 16;

void interleave(float* out, const float* const* in, size_t num, size_t slices, size_t num_slices) {
  for (size_t first = 0; first < num; first += kTransposeBlock) {
    const size_t last = num - first < kTransposeBlock ? num : first + kTransposeBlock;
    for (size_t s = 0; s < num_slices; ++s) {
      const float* const row = in[s];
      for (size_t i = first; i < last; ++i) out[i * slices + s] = row[i];
    }
    for (size_t i = first; i < last; ++i)
      for (size_t s = num_slices; s < slices; ++s) out[i * slices + s] = 0;
  }
}

void deinterleave(float* const* out, const float* in, size_t num, size_t slices, size_t num_slices) {
  for (size_t first = 0; first < num; first += kTransposeBlock) {
    const size_t last = num - first < kTransposeBlock ? num : first + kTransposeBlock;
    for (size_t s = 0; s < num_slices; ++s) {
      float* const row = out[s];
      for (size_t i = first; i < last; ++i) row[i] = in[i * slices + s];
    }
  }
}

}  // namespace
}  // namespace vsh::tomography
