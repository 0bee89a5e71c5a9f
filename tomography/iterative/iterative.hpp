// SIRT, CGLS and total variation over Joseph's projector and its transpose, each slice a problem of its own.
#pragma once

#include "tomography/geometry/setup.hpp"
#include "tomography/iterative/pair.hpp"

namespace vsh::tomography {

class Iterative final : public Reconstructor {
 public:
  explicit Iterative(const Setup& setup) : setup_(setup) {}
  void run(float* volume, Projections projections, size_t num_slices, const Progress& progress) const override;
  size_t batch() const override { return 2 * setup_.kernel->info.lanes; }
  uint64_t memory(size_t num_slices) const override;

 private:
  // x from b; x begins with zeros, b is overwritten.
  void sirt(const Pair& pair, Bundles& x, Bundles& b, const Progress& progress) const;
  void cgls(const Pair& pair, Bundles& x, Bundles& b, const Progress& progress) const;
  void tv(const Pair& pair, Bundles& x, Bundles& b, const Progress& progress) const;

  const Setup& setup_;
};

}  // namespace vsh::tomography
