#include "tomography/geometry/displaced.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "tomography/geometry/buffer.hpp"
#include "tomography/geometry/parallel.hpp"

namespace vsh::tomography {

std::vector<float> displaced_weights(size_t bins, double centre) {
  const double last = static_cast<double>(bins) - 1;
  const double nearer = std::min(centre, last - centre);  // from the axis to the end
  if (nearer < 0 || last - 2 * nearer < 1) return {};
  const double ramp = std::min(std::max(nearer / 4, 8.0), nearer);
  std::vector<float> weights(bins);
  for (size_t k = 0; k < bins; ++k) {
    const double t = static_cast<double>(k) - centre;
    const double past = std::abs(t) - (nearer - ramp);  // into the ramp
    const bool is_flat = past <= 0 || t == 0;           // the axis itself is always seen twice
    const double share = is_flat ? 0 : past >= ramp ? 1 : std::pow(std::sin(past / ramp * std::numbers::pi / 2), 2);
    weights[k] = static_cast<float>(1 + ((t < 0) == (centre > last / 2) ? share : -share));
  }
  return weights;
}

Displaced::Displaced(const Setup& setup, std::vector<float> weights,
                     const std::function<std::unique_ptr<const Reconstructor>(const Setup&)>& make)
    : bins_(setup.bins), weights_(std::move(weights)), wide_(setup) {
  const double beyond = static_cast<double>(bins_) - 1 - 2 * setup.centre;  // on the right, if it is positive
  const size_t zeros = static_cast<size_t>(std::ceil(std::abs(beyond)));
  before_ = beyond > 0 ? zeros : 0;
  wide_.bins += zeros;
  wide_.centre += static_cast<double>(before_);
  reconstructor_ = make(wide_);
}

// Returns the rows of the detector that num_slices slices are made of.
size_t Displaced::rows(size_t num_slices) const { return wide_.beam == VSH_TOMO_CONE ? wide_.rows : num_slices; }

void Displaced::run(float* volume, Projections projections, size_t num_slices, const Progress& progress) const {
  const size_t num_angles = wide_.angles.size(), m = wide_.bins;
  const size_t most = std::min(batch(), num_slices);
  Buffer weighted(num_angles * rows(most) * m);
  for (size_t first = 0; first < num_slices; first += most) {
    const size_t count = std::min(most, num_slices - first), num_rows = rows(count);
    const Progress here = progress.part(static_cast<double>(first) / static_cast<double>(num_slices),
                                        static_cast<double>(first + count) / static_cast<double>(num_slices));
    in_parallel(num_angles, wide_.threads(), here.part(0, 0.05), [&](size_t begin, size_t end, const auto& step) {
      for (size_t a = begin; a < end; ++a, step()) {
        for (size_t row = 0; row < num_rows; ++row) {
          const float* const from = projections.row(a, first + row, bins_);
          float* const to = weighted.data() + (a * num_rows + row) * m;
          std::fill_n(to, m, 0.0f);
          for (size_t k = 0; k < bins_; ++k) to[before_ + k] = from[k] * weights_[k];
        }
      }
    });
    reconstructor_->run(volume + first * wide_.size * wide_.size, {weighted.data(), num_rows * m}, count,
                        here.part(0.05, 1));
  }
}

uint64_t Displaced::memory(size_t num_slices) const {
  return reconstructor_->memory(num_slices) +
         sizeof(float) * uint64_t{wide_.angles.size()} * rows(std::min(batch(), num_slices)) * wide_.bins;
}

}  // namespace vsh::tomography
