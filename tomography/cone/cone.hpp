// A cone beam on a circle, by Feldkamp, Davis and Kress (J. Opt. Soc. Am. A 1, 1984), with Parker's weights (Med. Phys.
// 9, 1982) for scans of less than a turn.
#pragma once

#include "tomography/filters/row_filter.hpp"
#include "tomography/geometry/setup.hpp"
#include "tomography/geometry/trajectory.hpp"

namespace vsh::tomography {

// Returns Parker's weight of a ray at beta above the start of a scan of pi + 2 delta, with the sign of gamma of Kak and
// Slaney (the source on the other side): |gamma| <= delta.
double parker_weight(double beta, double gamma, double delta);

class Cone final : public Reconstructor {
 public:
  // Throws GeometryError if the angles do not cover the fan, or the source is within the image.
  explicit Cone(const Setup& setup);
  void run(float* volume, Projections projections, size_t num_slices, const Progress& progress) const override;
  size_t batch() const override { return setup_.depth; }
  uint64_t memory(size_t num_slices) const override;

 private:
  size_t column() const { return setup_.rows + 2 * kGuard; }  // floats of a detector's column
  void filter(float* columns, Projections projections, const Progress& progress) const;

  const Setup& setup_;
  Trajectory trajectory_;
  double delta_ = 0;  // of a short scan
  RowFilter filter_;
};

}  // namespace vsh::tomography
