// Tables of FFTs of any length with the factors 2, 3 and 5.
#pragma once

#include <complex>
#include <span>
#include <vector>

#include "tomography/slices/kernel.hpp"

namespace vsh::tomography {

class FftPlan {
 public:
  // length: a product of 2, 3 and 5.
  explicit FftPlan(size_t length);
  FftPlan(FftPlan&&) = default;

  const FftStages& stages() const noexcept { return stages_; }
  size_t length() const noexcept { return stages_.length; }

  // Returns the smallest length of at least this many that has no other factors than 2, 3 and 5.
  static size_t length_for(size_t at_least);

 private:
  std::vector<FftStage> list_;
  std::vector<std::vector<float>> twiddles_;
  FftStages stages_{};
};

// Transforms in double precision, for tables: sum of data[n] e^(-2 pi i k n / length), any length; quick for lengths of
// small factors.
std::vector<std::complex<double>> transform(std::span<const std::complex<double>> data);

}  // namespace vsh::tomography
