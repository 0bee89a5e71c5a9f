// Filtered back-projection of a parallel beam by the fast Hough transform.
#pragma once

#include "tomography/geometry/setup.hpp"

namespace vsh::tomography {

class Hfbp final : public Reconstructor {
 public:
  explicit Hfbp(const Setup& setup);
  void run(float* volume, Projections projections, size_t num_slices, const Progress& progress) const override;
  size_t batch() const override { return setup_.kernel->info.lanes; }
  uint64_t memory(size_t num_slices) const override;

 private:
  // A row at an angle modulo pi, as the mean of the projections at that angle.
  struct Part {
    size_t angle;
    bool flipped;  // theta was turned by an odd multiple of pi: t changes its sign
    float share;
  };
  struct Merged {
    double theta;  // in [0, pi)
    std::vector<Part> parts;
  };
  // The parts of a slope: 4 rows, whose weights contain the slope's share of pi.
  struct Slope {
    size_t rows[4];
    float weights[4];
  };
  class Workspace;

  Slope mix_of(double theta, double share) const;

  const Setup& setup_;
  size_t grid_;    // pixels of the tree's image on a pixel: 1 or 2
  size_t size_;    // N
  size_t margin_;  // bins beyond each end of a row that is filtered
  RecursiveFilter filter_;
  std::vector<float> weights_;  // of cubic interpolation
  std::vector<Merged> merged_;  // in order, with kWrapped more on both sides
  double widest_;               // a gap between angles that is wider is a missing wedge,
  double reach_;                // into which the row at its edge goes so far
};

}  // namespace vsh::tomography
