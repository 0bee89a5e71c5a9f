#include "tomography/filters/row_filter.hpp"

#include <cmath>
#include <numbers>

#include "tomography/filters/ramp.hpp"

namespace vsh::tomography {

size_t padded_length(size_t bins, vsh_tomo_padding padding) {
  return FftPlan::length_for(padding == VSH_TOMO_EDGES ? 3 * bins + 2 : 2 * bins);
}

void continue_edges(float* row, float* before, size_t bins, size_t each) {
  const size_t margin = edge_margin(bins);
  const float* const last = row + (bins - 1) * each;
  for (size_t i = 1; i <= margin; ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(margin + 1);
    const float taper = static_cast<float>((1 + std::cos(std::numbers::pi * share)) / 2);
    for (size_t s = 0; s < each; ++s) {
      row[(bins - 1 + i) * each + s] = taper * last[s];
      *(before - i * each + s) = taper * row[s];
    }
  }
}

void load_rows(const SliceKernel& kernel, float* data, size_t length, const float* const* in, size_t bins,
               size_t num_slices, vsh_tomo_padding padding) {
  const size_t each = 2 * kernel.info.lanes;
  kernel.interleave(data, in, bins, each, num_slices);
  std::memset(data + bins * each, 0, (length - bins) * each * sizeof(float));
  if (padding == VSH_TOMO_EDGES) continue_edges(data, data + length * each, bins, each);
}

RowFilter::RowFilter(const Setup& setup)
    : kernel_(setup.kernel),
      bins_(setup.bins),
      padding_(setup.options.padding),
      plan_(padded_length(setup.bins, setup.options.padding)) {
  const std::vector<double> filter = ramp(setup.options.filter, plan_.length());
  for (const double h : filter) factors_.push_back(static_cast<float>(h / static_cast<double>(plan_.length())));
}

const float* RowFilter::run(float* scratch, const float* const* in, size_t num_slices, float weight) const {
  const size_t each = 2 * kernel_->info.lanes;
  float* const other = scratch + each * plan_.length();
  load_rows(*kernel_, scratch, plan_.length(), in, bins_, num_slices, padding_);
  kernel_->fft(plan_.stages(), scratch, other, false);
  kernel_->scale(scratch, factors_.data(), plan_.length(), each, weight);
  kernel_->fft(plan_.stages(), scratch, other, true);
  return scratch;
}

}  // namespace vsh::tomography
