// The parts of HFBP with slices in the lanes: recursive filter, resampling, sums of the tree.
#pragma once

#include "tomography/slices/kernel.hpp"
#include "tomography/slices/vector.hpp"

namespace vsh::tomography {
namespace {

// One direction: forward adds to `out` what the past gives, backward the future. Bound by the latency of an FMA a bin:
// the poles are independent.
template <class S, int lag, int direction>
VSH_INLINE void recursive_pass(float* out, const float* in, size_t num, const RecursiveFilter& filter) {
  using V = typename S::V;
  constexpr size_t kPoles = RecursiveFilter::kPoles;
  constexpr ptrdiff_t kStep = ptrdiff_t{S::kLanes} * direction;
  const V middle = S::all(1 - 2 * filter.side), side = S::all(filter.side);
  if (direction < 0) {
    in += (num - 1) * S::kLanes;
    out += (num - 1) * S::kLanes;
  }
  V now[kPoles] = {}, before[kPoles] = {};  // states of this bin and, with lag 2, of the last one
  for (size_t i = 0; i < num; ++i, in += kStep, out += kStep) {
    const V x = S::load(in) * middle + (S::load(in - S::kLanes) + S::load(in + S::kLanes)) * side;
    V sum = now[0];
    for (size_t j = 1; j < kPoles; ++j) sum += now[j];
    S::store(out, (direction > 0 ? x * filter.centre : S::load(out)) - sum);
    for (size_t j = 0; j < kPoles; ++j) {
      const V next = (lag == 2 ? before[j] : now[j]) * filter.r[j] + x * filter.ra[j];
      before[j] = now[j];
      now[j] = next;
    }
  }
}

template <class S>
void recursive(float* out, const float* in, size_t num, const RecursiveFilter& filter) {
  if (filter.lag == 2) {
    recursive_pass<S, 2, 1>(out, in, num, filter);
    recursive_pass<S, 2, -1>(out, in, num, filter);
  } else {
    recursive_pass<S, 1, 1>(out, in, num, filter);
    recursive_pass<S, 1, -1>(out, in, num, filter);
  }
}

template <class S>
void resample(float* out, const float* in, size_t num_bins, double start, double step, size_t num,
              const float* weights) {
  // Places from -1 on; beyond the row's ends they stay on bins that are 0.
  const double low = 0, high = static_cast<double>(num_bins) + 1;
  for (size_t i = 0; i < num; ++i, out += S::kLanes) {
    double place = start + 1 + static_cast<double>(i) * step;
    place = place > low ? place : low;
    place = place < high ? place : high;
    const int64_t whole = static_cast<int64_t>(place);
    const float* const w =
        weights + 4 * static_cast<size_t>((place - static_cast<double>(whole)) * kResampleSteps + 0.5);
    const float* const p = in + (whole - 2) * S::kLanes;
    const auto a = S::load(p) * w[0] + S::load(p + S::kLanes) * w[1];
    const auto b = S::load(p + 2 * S::kLanes) * w[2] + S::load(p + 3 * S::kLanes) * w[3];
    S::store(out, a + b);
  }
}

template <class S>
void mix(float* out, const float* const* rows, const float* weights, size_t num) {
  for (size_t i = 0; i < num * S::kLanes; i += S::kLanes)
    S::store(out + i, S::load(rows[0] + i) * weights[0] + S::load(rows[1] + i) * weights[1] +
                          (S::load(rows[2] + i) * weights[2] + S::load(rows[3] + i) * weights[3]));
}

template <class S, size_t num>
VSH_INLINE void sum_of(float* out, const float* const* rows, size_t begin, size_t end) {
  const float* row[num];
  for (size_t k = 0; k < num; ++k) row[k] = rows[k];
  for (size_t i = begin; i < end; i += S::kLanes) {
    auto v = S::load(row[0] + i);
    for (size_t k = 1; k < num; ++k) v += S::load(row[k] + i);
    S::store(out + i, v);
  }
}

template <class S>
void sum(float* out, const float* const* rows, size_t num_rows, size_t begin, size_t end) {
  begin *= S::kLanes;
  end *= S::kLanes;
  if (num_rows == 1) return sum_of<S, 1>(out, rows, begin, end);
  if (num_rows == 2) return sum_of<S, 2>(out, rows, begin, end);
  if (num_rows == 3) return sum_of<S, 3>(out, rows, begin, end);
  sum_of<S, 4>(out, rows, begin, end);
  for (size_t k = 4; k < num_rows; ++k) {
    const float* const more[] = {out, rows[k]};
    sum_of<S, 2>(out, more, begin, end);
  }
}

template <class S>
void fold(float* out, const float* in, size_t num) {
  for (size_t i = 0; i < num; ++i, out += S::kLanes, in += 2 * S::kLanes)
    S::store(out, S::load(out) + (S::load(in) + S::load(in + S::kLanes)) * 0.25f);
}

}  // namespace
}  // namespace vsh::tomography
