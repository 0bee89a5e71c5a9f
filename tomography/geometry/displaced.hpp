// A whole turn about an axis that is not in the middle of the detector, which so sees more: lines that both of its
// sides see are measured twice, those beyond its nearer end once.
#pragma once

#include "tomography/geometry/setup.hpp"

namespace vsh::tomography {

// The weights of bins with which each line counts as if it were measured twice: 1 about the axis, and from there to the
// detector's nearer end 0 on that side, 2 on the other one, by a quarter of a sine's period squared (Wang, Med. Phys.
// 29, 2002; of fans and cones, too, whose opposite rays are at bins of opposite sign). Empty if no whole bin is beyond,
// or the axis is not on the detector.
std::vector<float> displaced_weights(size_t bins, double centre);

// Reconstructs from projections times these weights, which zeros make as wide on both sides: the filtered row
// beyond the nearer end belongs to the sum. The iterative algorithms use only measured values, and do not need it.
class Displaced final : public Reconstructor {
 public:
  // make: makes the algorithm of a setup, which lives as long as it.
  Displaced(const Setup& setup, std::vector<float> weights,
            const std::function<std::unique_ptr<const Reconstructor>(const Setup&)>& make);
  void run(float* volume, Projections projections, size_t num_slices, const Progress& progress) const override;
  size_t batch() const override { return reconstructor_->batch(); }
  uint64_t memory(size_t num_slices) const override;

 private:
  size_t rows(size_t num_slices) const;

  const size_t bins_;
  const std::vector<float> weights_;
  Setup wide_;
  size_t before_ = 0;  // zeros in front of a row
  std::unique_ptr<const Reconstructor> reconstructor_;
};

}  // namespace vsh::tomography
