#include "tomography/dfr/dfr.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include "tomography/filters/ramp.hpp"
#include "tomography/filters/row_filter.hpp"
#include "tomography/geometry/parallel.hpp"
#include "tomography/geometry/tiles.hpp"

namespace vsh::tomography {
namespace {

using std::numbers::pi;

constexpr double kOversampling = 1.25;
constexpr int kWidth = 4;            // cells of the gridding kernel
constexpr size_t kBandRows = 16;     // of the grid, gridded and transformed at a time
constexpr size_t kBandMargin = 4;    // columns beyond the grid on both sides, which wrap
constexpr size_t kColumnGroup = 16;  // pixels: a cache line of a slice's row

double bessel_i0(double x) {
  double term = 1, sum = 1;
  for (int k = 1; term > sum * 1e-17; ++k) {
    term *= x / (2 * k) * (x / (2 * k));
    sum += term;
  }
  return sum;
}

size_t row_length(const Setup& s) {
  // Far enough for every pixel of the circle, also where the image is wider than the detector.
  const double reach = static_cast<double>(s.bins) + static_cast<double>(s.size) * 0.71 +
                       std::abs(s.centre - (static_cast<double>(s.bins) - 1) / 2);
  return std::max(padded_length(s.bins, s.options.padding),
                  s.size > s.bins ? FftPlan::length_for(static_cast<size_t>(reach)) : 0);
}

size_t grid_length(size_t n) {
  size_t length =
      FftPlan::length_for(std::max<size_t>(static_cast<size_t>(std::ceil(kOversampling * static_cast<double>(n))), 16));
  while (length % 2 != 0) length = FftPlan::length_for(length + 1);
  return length;
}

}  // namespace

Dfr::Dfr(const Setup& setup)
    : setup_(setup), rows_(row_length(setup)), cells_(grid_length(setup.size)), top_((rows_.length() - 1) / 2) {
  const double length = static_cast<double>(rows_.length()), cells = static_cast<double>(cells_.length());
  const std::vector<double> filter = ramp(setup.options.filter, rows_.length());
  for (size_t k = 0; k <= top_; ++k) density_.push_back(static_cast<float>(filter[k] / length));

  // Kaiser-Bessel with the shape of Beatty, Nishimura and Pauly 2005, equation 5, for the actual oversampling.
  const double n = static_cast<double>(setup.size), sigma = cells / n;
  const double ratio = kWidth / sigma * (sigma - 0.5);
  const double beta = pi * std::sqrt(ratio * ratio - 0.8);
  for (size_t step = 0; step <= kSpreadSteps; ++step) {
    const double fraction = static_cast<double>(step) / kSpreadSteps;
    for (int cell = -1; cell <= 2; ++cell) {
      const double u = 2 * (cell - fraction) / kWidth;
      weights_.push_back(u * u < 1 ? static_cast<float>(bessel_i0(beta * std::sqrt(1 - u * u)) / bessel_i0(beta))
                                   : 0.0f);
    }
  }
  for (size_t i = 0; i < setup.size; ++i) {
    const double x = static_cast<double>(i) - static_cast<double>(setup.size / 2);
    const double a = pi * kWidth * x / cells;
    const double z = std::sqrt(beta * beta - a * a);
    correction_.push_back(static_cast<float>(bessel_i0(beta) * z / (kWidth * std::sinh(z))));
  }
}

void Dfr::transform_rows(float* spectra, Projections projections, size_t first, size_t count,
                         const Progress& progress) const {
  const SliceKernel& kernel = *setup_.kernel;
  const size_t length = rows_.length();
  // The image's pixel 0 of the FFT, n / 2 rounded down, is this far from the axis in x and -y.
  const double delta = static_cast<double>(setup_.size / 2) - (static_cast<double>(setup_.size) - 1) / 2;
  in_parallel(setup_.angles.size(), setup_.threads(), progress, [&](size_t begin, size_t end, const auto& step) {
    Buffer scratch(2 * each() * length);
    std::vector<const float*> in(each());
    std::vector<float> factors(2 * samples());
    for (size_t a = begin; a < end; ++a) {
      for (size_t i = 0; i < count; ++i) in[i] = projections.row(a, first + i, setup_.bins);
      load_rows(kernel, scratch.data(), length, in.data(), setup_.bins, count, setup_.options.padding);
      kernel.fft(rows_.stages(), scratch.data(), scratch.data() + each() * length, false);
      const double shift = setup_.centre + delta * (std::cos(setup_.angles[a]) - std::sin(setup_.angles[a]));
      const double turn = 2 * pi * shift / static_cast<double>(length);
      const std::complex<double> one = std::polar(1.0, turn);
      std::complex<double> now;
      for (size_t k = 0; k <= top_; ++k) {
        now = k % 64 == 0 ? std::polar(1.0, turn * static_cast<double>(k)) : now * one;
        const std::complex<double> factor = now * (setup_.weights[a] * static_cast<double>(density_[k]));
        factors[2 * (top_ + k)] = factors[2 * (top_ - k)] = static_cast<float>(factor.real());
        factors[2 * (top_ + k) + 1] = static_cast<float>(factor.imag());
        factors[2 * (top_ - k) + 1] = -static_cast<float>(factor.imag());
      }
      float* const out = spectra + a * samples() * each();
      kernel.turn(out, scratch.data() + (length - top_) * each(), factors.data(), top_);
      kernel.turn(out + top_ * each(), scratch.data(), factors.data() + 2 * top_, top_ + 1);
      step();
    }
  });
}

// Fills half[row of the grid][column of the image]: the grid, transformed along its rows.
void Dfr::grid(float* half, const float* spectra, const Progress& progress) const {
  const SliceKernel& kernel = *setup_.kernel;
  const size_t cells = cells_.length(), n = setup_.size, pitch = (cells + 2 * kBandMargin) * each();
  const double middle = static_cast<double>(cells / 2);
  const double scale = static_cast<double>(cells) / static_cast<double>(rows_.length());
  const size_t num_bands = (cells + kBandRows - 1) / kBandRows;
  in_parallel(num_bands, setup_.threads(), progress, [&](size_t begin, size_t end, const auto& step) {
    Buffer band(kBandRows * pitch);
    Buffer line(2 * each() * cells);
    for (size_t b = begin; b < end; ++b) {
      const size_t first = b * kBandRows, num_rows = std::min(kBandRows, cells - first);
      band.clear();
      for (size_t a = 0; a < setup_.angles.size(); ++a) {
        const double du = scale * std::cos(setup_.angles[a]), dv = -scale * std::sin(setup_.angles[a]);
        const double top = static_cast<double>(top_);
        const double u = middle + static_cast<double>(kBandMargin) - top * du;
        // Rows wrap: those at the lower edge also belong to lines that leave at the upper one, and the other way round.
        for (const double wrap : {0.0, static_cast<double>(cells), -static_cast<double>(cells)}) {
          const double v = middle - static_cast<double>(first) - top * dv + wrap;
          // The samples i with floor(v + i dv) from -2 to num_rows.
          const double low = -2, high = static_cast<double>(num_rows) + 1;
          double from = 0, to = 2 * top;
          if (std::abs(dv) < 1e-9) {
            if (!(v >= low && v < high)) continue;
          } else {
            const double i = (low - v) / dv, j = (high - v) / dv;
            from = std::max(from, std::floor(std::min(i, j)) - 1);
            to = std::min(to, std::ceil(std::max(i, j)) + 1);
            while (from <= to && !(v + from * dv >= low && v + from * dv < high)) ++from;
            while (to >= from && !(v + to * dv >= low && v + to * dv < high)) --to;
          }
          if (from > to) continue;
          const size_t skipped = static_cast<size_t>(from);
          kernel.spread(band.data(), pitch, num_rows, spectra + (a * samples() + skipped) * each(),
                        static_cast<size_t>(to) - skipped + 1, u + from * du, du, v + from * dv, dv, weights_.data());
        }
      }
      for (size_t r = 0; r < num_rows; ++r) {
        const float* const row = band.data() + r * pitch;
        // Frequencies 0 … are first, the negative ones last; the margins wrap.
        std::copy_n(row + (kBandMargin + cells / 2) * each(), cells / 2 * each(), line.data());
        std::copy_n(row + kBandMargin * each(), cells / 2 * each(), line.data() + cells / 2 * each());
        for (size_t i = 0; i < kBandMargin * each(); ++i) {
          line.data()[(cells / 2 - kBandMargin) * each() + i] += row[i];
          line.data()[cells / 2 * each() + i] += row[(kBandMargin + cells) * each() + i];
        }
        kernel.fft(cells_.stages(), line.data(), line.data() + cells * each(), true);
        const size_t frequency = (first + r + cells / 2) % cells;
        float* const out = half + frequency * n * each();
        std::copy_n(line.data() + (cells - n / 2) * each(), n / 2 * each(), out);
        std::copy_n(line.data(), (n - n / 2) * each(), out + n / 2 * each());
      }
      step();
    }
  });
}

void Dfr::finish(float* volume, const float* half, size_t count, const Progress& progress) const {
  const SliceKernel& kernel = *setup_.kernel;
  const size_t cells = cells_.length(), n = setup_.size;
  const auto work = [&](size_t begin, size_t end, const auto& step) {
    Buffer line(2 * each() * cells);
    Buffer group(n * kColumnGroup * each());
    std::vector<float*> out(each());
    std::vector<float> factors(n);
    for (size_t g = begin; g < end; ++g) {
      const size_t first = g * kColumnGroup, columns = std::min(kColumnGroup, n - first);
      for (size_t c = 0; c < columns; ++c) {
        const float* from = half + (first + c) * each();
        for (size_t k = 0; k < cells; ++k, from += n * each()) std::copy_n(from, each(), line.data() + k * each());
        kernel.fft(cells_.stages(), line.data(), line.data() + cells * each(), true);
        for (size_t j = 0; j < n; ++j) {
          const size_t at = j < n / 2 ? cells - n / 2 + j : j - n / 2;
          const float factor = correction_[first + c] * correction_[j];
          const Columns inside = setup_.options.whole_square ? Columns{0, n} : columns_in_circle(n, j);
          const bool keep = first + c >= inside.begin && first + c < inside.end;
          const float* const value = line.data() + at * each();
          float* const pixel = group.data() + (j * kColumnGroup + c) * each();
          for (size_t s = 0; s < each(); ++s) pixel[s] = keep ? value[s] * factor : 0;
        }
      }
      for (size_t j = 0; j < n; ++j) {
        for (size_t s = 0; s < count; ++s) out[s] = volume + (s * n + j) * n + first;
        kernel.deinterleave(out.data(), group.data() + j * kColumnGroup * each(), columns, each(), count);
      }
      step();
    }
  };
  in_parallel((n + kColumnGroup - 1) / kColumnGroup, setup_.threads(), progress, work);
}

void Dfr::run(float* volume, Projections projections, size_t num_slices, const Progress& progress) const {
  Buffer spectra(setup_.angles.size() * samples() * each());
  Buffer half(cells_.length() * setup_.size * each());
  for (size_t first = 0; first < num_slices; first += each()) {
    const size_t count = std::min(each(), num_slices - first);
    const Progress here = progress.part(static_cast<double>(first) / static_cast<double>(num_slices),
                                        static_cast<double>(first + count) / static_cast<double>(num_slices));
    transform_rows(spectra.data(), projections, first, count, here.part(0, 0.2));
    grid(half.data(), spectra.data(), here.part(0.2, 0.6));
    finish(volume + first * setup_.size * setup_.size, half.data(), count, here.part(0.6, 1));
  }
}

uint64_t Dfr::memory(size_t) const {
  const uint64_t shared = uint64_t{setup_.angles.size()} * samples() + uint64_t{cells_.length()} * setup_.size;
  const uint64_t thread = 2 * rows_.length() + kBandRows * (cells_.length() + 2 * kBandMargin) + 4 * cells_.length() +
                          setup_.size * kColumnGroup;
  return sizeof(float) * each() * (shared + thread * threads_used(setup_.threads())) + sizeof(float) * weights_.size();
}

}  // namespace vsh::tomography
