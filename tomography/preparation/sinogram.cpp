#include "tomography/preparation/sinogram.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <vector>

#include "tomography/preparation/fourier.hpp"

namespace vsh::tomography {
namespace {

// Scaling function of Daubechies 5 (Daubechies 1992, table 6.1), normalised to the sum sqrt(2).
constexpr std::array<double, 10> kLow = {0.160102397974125,  0.603829269797473,  0.724308528438574, 0.138428145901103,
                                         -0.242294887066190, -0.032244869585030, 0.077571493840065, -0.006241490212798,
                                         -0.012580751999016, 0.003335725285474};

// One step of the periodic wavelet transform of `num` numbers, `stride` apart: averages into the first half, details
// into the second one. num: even.
void split(double* data, size_t num, size_t stride, std::vector<double>& copy) {
  copy.resize(num);
  for (size_t i = 0; i < num; ++i) copy[i] = data[i * stride];
  for (size_t i = 0; i < num / 2; ++i) {
    double low = 0, high = 0;
    for (size_t k = 0; k < kLow.size(); ++k) {
      const double value = copy[(2 * i + k) % num];
      low += kLow[k] * value;
      high += (k % 2 == 0 ? 1 : -1) * kLow[kLow.size() - 1 - k] * value;
    }
    data[i * stride] = low;
    data[(num / 2 + i) * stride] = high;
  }
}

// The inverse, which is the transpose.
void merge(double* data, size_t num, size_t stride, std::vector<double>& sum) {
  sum.assign(num, 0);
  for (size_t i = 0; i < num / 2; ++i) {
    const double low = data[i * stride], high = data[(num / 2 + i) * stride];
    for (size_t k = 0; k < kLow.size(); ++k)
      sum[(2 * i + k) % num] += kLow[k] * low + (k % 2 == 0 ? 1 : -1) * kLow[kLow.size() - 1 - k] * high;
  }
  for (size_t i = 0; i < num; ++i) data[i * stride] = sum[i];
}

size_t mirrored(size_t i, size_t num) {
  const size_t period = 2 * num, place = i % period;
  return place < num ? place : period - 1 - place;
}

size_t round_up(size_t num, size_t multiple) { return (num + multiple - 1) / multiple * multiple; }

// The array that the wavelets transform: mirrored beyond the ends, so that the periodic transforms see no jump.
struct Extent {
  Extent(size_t num_angles, size_t num_bins) {
    while (levels < 5 && num_bins >> (levels + 6) > 0) ++levels;  // coarser ones hold the object, not stripes
    rows = power_of_two(round_up(num_angles + 16, size_t{1} << levels));
    columns = round_up(num_bins + 32, size_t{1} << levels);
  }
  size_t levels = 1, rows, columns;
};

}  // namespace

std::vector<float> gather(const float* projections, size_t num_angles, size_t num_rows, size_t num_bins, size_t row) {
  std::vector<float> sinogram(num_angles * num_bins);
  for (size_t i = 0; i < num_angles; ++i)
    std::copy_n(projections + (i * num_rows + row) * num_bins, num_bins, sinogram.data() + i * num_bins);
  return sinogram;
}

void scatter(float* projections, const std::vector<float>& sinogram, size_t num_rows, size_t num_bins, size_t row) {
  for (size_t i = 0; i < sinogram.size() / num_bins; ++i)
    std::copy_n(sinogram.data() + i * num_bins, num_bins, projections + (i * num_rows + row) * num_bins);
}

uint64_t remove_zingers(float* sinogram, size_t num_angles, size_t num_bins, double threshold) {
  const auto bound = static_cast<float>(std::log1p(threshold));
  const std::vector<float> before(sinogram, sinogram + num_angles * num_bins);
  uint64_t count = 0;
  for (size_t angle = 0; angle < num_angles; ++angle) {
    for (size_t bin = 0; bin < num_bins; ++bin) {
      std::array<float, 9> near;
      size_t num = 0;
      for (size_t i = angle > 0 ? angle - 1 : 0; i <= std::min(angle + 1, num_angles - 1); ++i)
        for (size_t k = bin > 0 ? bin - 1 : 0; k <= std::min(bin + 1, num_bins - 1); ++k)
          near[num++] = before[i * num_bins + k];
      std::nth_element(near.begin(), near.begin() + static_cast<ptrdiff_t>(num / 2),
                       near.begin() + static_cast<ptrdiff_t>(num));
      if (near[num / 2] - before[angle * num_bins + bin] <= bound) continue;
      sinogram[angle * num_bins + bin] = near[num / 2];
      ++count;
    }
  }
  return count;
}

size_t default_window(size_t num_bins) {
  return std::max(std::clamp<size_t>(num_bins / 40, 5, 21), num_bins / 100) | 1;
}

void remove_stripes_sorting(float* sinogram, size_t num_angles, size_t num_bins, size_t window) {
  std::vector<uint32_t> order(num_angles * num_bins);
  std::vector<float> sorted(num_angles * num_bins);  // [rank][bin]
  for (size_t bin = 0; bin < num_bins; ++bin) {
    const auto first = order.begin() + static_cast<ptrdiff_t>(bin * num_angles);
    std::iota(first, first + static_cast<ptrdiff_t>(num_angles), 0U);
    std::stable_sort(first, first + static_cast<ptrdiff_t>(num_angles), [&](uint32_t a, uint32_t b) {
      return sinogram[a * num_bins + bin] < sinogram[b * num_bins + bin];
    });
    for (size_t rank = 0; rank < num_angles; ++rank)
      sorted[rank * num_bins + bin] = sinogram[first[static_cast<ptrdiff_t>(rank)] * num_bins + bin];
  }
  const size_t half = window / 2;
  std::vector<float> near;
  for (size_t rank = 0; rank < num_angles; ++rank) {
    const float* const row = sorted.data() + rank * num_bins;
    for (size_t bin = 0; bin < num_bins; ++bin) {
      near.clear();
      for (size_t k = 0; k <= 2 * half; ++k) {  // beyond the ends the row is mirrored
        const auto place = static_cast<ptrdiff_t>(bin + k) - static_cast<ptrdiff_t>(half);
        near.push_back(row[mirrored(static_cast<size_t>(place < 0 ? -1 - place : place), num_bins)]);
      }
      std::nth_element(near.begin(), near.begin() + static_cast<ptrdiff_t>(half), near.end());
      sinogram[order[bin * num_angles + rank] * num_bins + bin] = near[half];
    }
  }
}

uint64_t wavelet_bytes(size_t num_angles, size_t num_bins) {
  const Extent extent(num_angles, num_bins);
  return 8 * uint64_t{extent.rows} * extent.columns;
}

void remove_stripes_wavelet(float* sinogram, size_t num_angles, size_t num_bins, double sigma) {
  const auto [levels, rows, columns] = Extent(num_angles, num_bins);
  std::vector<double> data(rows * columns);
  const auto place = [](size_t i, size_t num, size_t padded) {
    const auto from = static_cast<ptrdiff_t>(i) - static_cast<ptrdiff_t>((padded - num) / 2);
    return mirrored(static_cast<size_t>(from < 0 ? -1 - from : from), num);
  };
  for (size_t i = 0; i < rows; ++i)
    for (size_t k = 0; k < columns; ++k)
      data[i * columns + k] =
          static_cast<double>(sinogram[place(i, num_angles, rows) * num_bins + place(k, num_bins, columns)]);
  std::vector<double> work;
  for (size_t level = 0; level < levels; ++level) {
    const size_t height = rows >> level, width = columns >> level;
    for (size_t i = 0; i < height; ++i) split(data.data() + i * columns, width, 1, work);
    for (size_t k = 0; k < width; ++k) split(data.data() + k, height, columns, work);
    // Averages over angles of details across bins: the upper right quarter.
    const Fourier fourier(height / 2);
    std::vector<Complex> line(height / 2);
    // Frequencies count periods in the scan, not in what it was extended to.
    const double stretch = static_cast<double>(num_angles) / static_cast<double>(rows);
    for (size_t k = width / 2; k < width; ++k) {
      for (size_t i = 0; i < height / 2; ++i) line[i] = data[i * columns + k];
      fourier.forward(line.data());
      for (size_t i = 0; i < height / 2; ++i) {
        const double v = static_cast<double>(std::min(i, height / 2 - i)) * stretch;
        line[i] *= -std::expm1(-v * v / (2 * sigma * sigma));
      }
      fourier.inverse(line.data());
      for (size_t i = 0; i < height / 2; ++i) data[i * columns + k] = line[i].real();
    }
  }
  for (size_t level = levels; level-- > 0;) {
    const size_t height = rows >> level, width = columns >> level;
    for (size_t k = 0; k < width; ++k) merge(data.data() + k, height, columns, work);
    for (size_t i = 0; i < height; ++i) merge(data.data() + i * columns, width, 1, work);
  }
  const size_t top = (rows - num_angles) / 2, left = (columns - num_bins) / 2;
  for (size_t i = 0; i < num_angles; ++i)
    for (size_t k = 0; k < num_bins; ++k)
      sinogram[i * num_bins + k] = static_cast<float>(data[(top + i) * columns + left + k]);
}

}  // namespace vsh::tomography
