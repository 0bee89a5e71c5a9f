#include "tomography/preparation/fourier.hpp"

#include <numbers>
#include <utility>

namespace vsh::tomography {

size_t power_of_two(size_t num) {
  size_t power = 1;
  while (power < num) power *= 2;
  return power;
}

Fourier::Fourier(size_t length) : length_(length), roots_(length / 2), order_(length, 0) {
  for (size_t i = 0; i < roots_.size(); ++i)
    roots_[i] = std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(length));
  for (size_t i = 1; i < length; ++i) order_[i] = order_[i / 2] / 2 + (i % 2 != 0 ? length / 2 : 0);
}

void Fourier::run(Complex* data, bool is_inverse) const {
  for (size_t i = 0; i < length_; ++i)
    if (i < order_[i]) std::swap(data[i], data[order_[i]]);
  for (size_t half = 1; half < length_; half *= 2) {
    const size_t step = length_ / (2 * half);
    for (size_t begin = 0; begin < length_; begin += 2 * half) {
      for (size_t i = 0; i < half; ++i) {
        const Complex root = roots_[i * step];
        const double re = root.real(), im = is_inverse ? -root.imag() : root.imag();
        Complex& a = data[begin + i];
        Complex& b = data[begin + i + half];
        const Complex turned{b.real() * re - b.imag() * im, b.real() * im + b.imag() * re};
        b = a - turned;
        a += turned;
      }
    }
  }
}

void Fourier::inverse(Complex* data) const {
  run(data, true);
  const double scale = 1 / static_cast<double>(length_);
  for (size_t i = 0; i < length_; ++i) data[i] *= scale;
}

void Fourier2::run(Complex* data, bool is_inverse) const {
  const size_t rows = across_.length(), columns = along_.length();
  for (size_t row = 0; row < rows; ++row) {
    if (is_inverse) along_.inverse(data + row * columns);
    else along_.forward(data + row * columns);
  }
  std::vector<Complex> column(rows);
  for (size_t i = 0; i < columns; ++i) {
    for (size_t row = 0; row < rows; ++row) column[row] = data[row * columns + i];
    if (is_inverse) across_.inverse(column.data());
    else across_.forward(column.data());
    for (size_t row = 0; row < rows; ++row) data[row * columns + i] = column[row];
  }
}

}  // namespace vsh::tomography
