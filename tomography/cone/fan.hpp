// A fan beam, by rebinning to a parallel one: theta = beta - gamma, t = R sin(gamma), s = R tan(gamma).
#pragma once

#include "tomography/geometry/setup.hpp"
#include "tomography/geometry/trajectory.hpp"

namespace vsh::tomography {

class Fan final : public Reconstructor {
 public:
  // make: makes the parallel algorithm of a setup, which lives as long as it.
  // Throws GeometryError if the angles do not cover the fan.
  Fan(const Setup& setup, const std::function<std::unique_ptr<const Reconstructor>(const Setup&)>& make);
  void run(float* volume, Projections projections, size_t num_slices, const Progress& progress) const override;
  size_t batch() const override { return parallel_->batch(); }
  uint64_t memory(size_t num_slices) const override;

 private:
  void rebin(float* out, Projections projections, size_t first, size_t count, const Progress& progress) const;

  const Setup& setup_;
  Trajectory trajectory_;
  Setup parallel_setup_;
  std::unique_ptr<const Reconstructor> parallel_;
};

}  // namespace vsh::tomography
