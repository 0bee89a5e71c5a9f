// Filters rows of bundles by FFT: two slices are the real and the imaginary part of one complex row.
#pragma once

#include "tomography/filters/fft_plan.hpp"
#include "tomography/geometry/buffer.hpp"
#include "tomography/geometry/setup.hpp"

namespace vsh::tomography {

// Returns the length to which rows are padded.
size_t padded_length(size_t bins, vsh_tomo_padding padding);

// Bins beyond each end of a row that its edge values fill.
inline size_t edge_margin(size_t bins) { return bins / 2; }

// Continues a row of bundles of `each` floats by its edge values, which fall to 0 over a quarter of a cosine's period.
// before: the end of the part before bin 0, `row` itself or where it wraps.
void continue_edges(float* row, float* before, size_t bins, size_t each);

// Puts rows of 2 * lanes slices into the first bins of `data`, length bundles, and pads them.
void load_rows(const SliceKernel& kernel, float* data, size_t length, const float* const* in, size_t bins,
               size_t num_slices, vsh_tomo_padding padding);

class RowFilter {
 public:
  explicit RowFilter(const Setup& setup);

  // Floats of the two buffers that run needs, together.
  size_t scratch() const noexcept { return 4 * kernel_->info.lanes * plan_.length(); }
  // Filters num_slices <= 2 * lanes rows and multiplies them by a weight. Returns the filtered bundles, in `scratch`.
  const float* run(float* scratch, const float* const* in, size_t num_slices, float weight) const;

 private:
  const SliceKernel* kernel_;
  size_t bins_;
  vsh_tomo_padding padding_;
  FftPlan plan_;
  std::vector<float> factors_;  // of the filter, divided by the length
};

}  // namespace vsh::tomography
