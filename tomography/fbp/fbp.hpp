// Filtered back-projection of a parallel beam.
#pragma once

#include "tomography/filters/row_filter.hpp"
#include "tomography/geometry/setup.hpp"

namespace vsh::tomography {

// Returns the number of vectors of the narrowest bundle that holds num_slices, at most 4.
size_t vectors_for(const SliceKernel& kernel, size_t num_slices);

// Back-projects rows of bundles, kGuard + bins + kGuard of them for every angle, to a block of the volume.
void back_project_slices(const Setup& setup, float* volume, const float* rows, size_t vectors, size_t num_slices,
                         Interpolation interpolation, const Progress& progress);

class Fbp final : public Reconstructor {
 public:
  explicit Fbp(const Setup& setup) : setup_(setup), filter_(setup) {}
  void run(float* volume, Projections projections, size_t num_slices, const Progress& progress) const override;
  size_t batch() const override { return 4 * setup_.kernel->info.lanes; }
  uint64_t memory(size_t num_slices) const override;

 private:
  // A slice by itself, for so few of them that lanes would be empty.
  void run_one(float* slice, Projections projections, size_t row, const Progress& progress) const;

  const Setup& setup_;
  RowFilter filter_;
};

}  // namespace vsh::tomography
