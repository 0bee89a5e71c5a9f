// Makes a row out of a width of vectors; every kernel file includes this and nothing else.
#pragma once

#include "tomography/slices/back_project.hpp"
#include "tomography/slices/cone.hpp"
#include "tomography/slices/fft.hpp"
#include "tomography/slices/hough.hpp"
#include "tomography/slices/kernel.hpp"
#include "tomography/slices/one.hpp"
#include "tomography/slices/spread.hpp"
#include "tomography/slices/transpose.hpp"

namespace vsh::tomography {
namespace {

template <int lanes>
constexpr SliceKernel slice_row(const char* variant, cpu::Isa isa) {
  using S = Simd<lanes>;
  SliceKernel row{};
  row.info = {"slices", variant, isa, lanes, 0, true};
  row.interleave = interleave;
  row.deinterleave = deinterleave;
  row.fft = Fft<S>::run;
  row.scale = scale<S>;
  row.turn = turn<S>;
  row.spread = spread<S>;
  row.recursive = recursive<S>;
  row.resample = resample<S>;
  row.mix = mix<S>;
  row.sum = sum<S>;
  row.fold = fold<S>;
  row.back_project = back_project<S>;
  row.back_project_one = back_project_one<S>;
  row.project = project<S>;
  row.cone_column = cone_column<S>;
  return row;
}

}  // namespace
}  // namespace vsh::tomography
