// Direct Fourier reconstruction of a parallel beam: gridding, inverse FFT, deapodisation.
#pragma once

#include "tomography/filters/fft_plan.hpp"
#include "tomography/geometry/setup.hpp"

namespace vsh::tomography {

class Dfr final : public Reconstructor {
 public:
  explicit Dfr(const Setup& setup);
  void run(float* volume, Projections projections, size_t num_slices, const Progress& progress) const override;
  size_t batch() const override { return each(); }
  uint64_t memory(size_t num_slices) const override;

 private:
  size_t each() const { return 2 * setup_.kernel->info.lanes; }  // slices, and floats of a complex bundle
  size_t samples() const { return 2 * top_ + 1; }                // of an angle
  void transform_rows(float* spectra, Projections projections, size_t first, size_t count, const Progress& p) const;
  void grid(float* half, const float* spectra, const Progress& progress) const;
  void finish(float* volume, const float* half, size_t count, const Progress& progress) const;

  const Setup& setup_;
  FftPlan rows_;                   // of length L
  FftPlan cells_;                  // of length G
  size_t top_;                     // the highest frequency, (L - 1) / 2
  std::vector<float> density_;     // ramp and window for 0 … top, over L
  std::vector<float> weights_;     // of spreading
  std::vector<float> correction_;  // of a pixel's row or column
};

}  // namespace vsh::tomography
