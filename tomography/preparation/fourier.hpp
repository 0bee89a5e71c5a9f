// Fourier transforms of single rows and pictures, for steps that are done once a scan or once a slice: radix 2, in
// double precision. Reconstruction has its own, with a slice in every lane.
#pragma once

#include <complex>
#include <cstddef>
#include <vector>

namespace vsh::tomography {

using Complex = std::complex<double>;

// Returns the smallest power of two that is at least `num`.
size_t power_of_two(size_t num);

class Fourier {
 public:
  // length: a power of two.
  explicit Fourier(size_t length);

  // Transforms in place; the inverse has the factor 1 / length.
  void forward(Complex* data) const { run(data, false); }
  void inverse(Complex* data) const;
  size_t length() const { return length_; }

 private:
  void run(Complex* data, bool is_inverse) const;

  size_t length_;
  std::vector<Complex> roots_;
  std::vector<size_t> order_;
};

// A picture of rows x columns, both powers of two.
class Fourier2 {
 public:
  Fourier2(size_t rows, size_t columns) : along_(columns), across_(rows) {}
  void forward(Complex* data) const { run(data, false); }
  void inverse(Complex* data) const { run(data, true); }

 private:
  void run(Complex* data, bool is_inverse) const;

  Fourier along_, across_;
};

}  // namespace vsh::tomography
