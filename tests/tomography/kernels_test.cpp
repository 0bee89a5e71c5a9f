// Every row of tomography/kernels.def against plain loops in double precision.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <numbers>
#include <random>
#include <vector>

#include "support/skipped_rows.hpp"
#include "tomography/filters/fft_plan.hpp"
#include "tomography/geometry/buffer.hpp"
#include "tomography/slices/registry.hpp"

namespace vsh::tomography {
namespace {

using std::numbers::pi;
using Complex = std::complex<double>;

Buffer random_buffer(size_t floats, unsigned seed = 1) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<float> uniform(-1, 1);
  Buffer buffer(floats);
  for (size_t i = 0; i < floats; ++i) buffer.data()[i] = uniform(generator);
  return buffer;
}

std::vector<const SliceKernel*> rows_here() {
  std::vector<const SliceKernel*> rows;
  for (const SliceKernel* row : slice_kernels())
    if (test::runs_here(row->info)) rows.push_back(row);
  return rows;
}

class SliceRows : public testing::TestWithParam<const SliceKernel*> {
 protected:
  const SliceKernel& row() const { return *GetParam(); }
  size_t lanes() const { return row().info.lanes; }
};

TEST_P(SliceRows, Interleave) {
  for (const size_t slices : {lanes(), 2 * lanes(), 4 * lanes()}) {
    for (const size_t num_slices : {size_t{1}, slices - 1, slices}) {
      constexpr size_t kNum = 37;
      Buffer in = random_buffer(slices * kNum), out = random_buffer(slices * kNum, 2),
             back = random_buffer(slices * kNum, 3);
      std::vector<const float*> from(num_slices);
      std::vector<float*> to(num_slices);
      for (size_t s = 0; s < num_slices; ++s) {
        from[s] = in.data() + s * kNum;
        to[s] = back.data() + s * kNum;
      }
      row().interleave(out.data(), from.data(), kNum, slices, num_slices);
      for (size_t i = 0; i < kNum; ++i)
        for (size_t s = 0; s < slices; ++s)
          ASSERT_EQ(out.data()[i * slices + s], s < num_slices ? in.data()[s * kNum + i] : 0) << i << " " << s;
      row().deinterleave(to.data(), out.data(), kNum, slices, num_slices);
      for (size_t i = 0; i < num_slices * kNum; ++i) ASSERT_EQ(back.data()[i], in.data()[i]);
    }
  }
}

TEST_P(SliceRows, Fft) {
  const size_t each = 2 * lanes();
  for (const size_t length : {1u, 2u, 3u, 4u, 5u, 6u, 8u, 9u, 12u, 25u, 30u, 64u, 100u, 240u}) {
    for (const bool inverse : {false, true}) {
      const FftPlan plan(length);
      const Buffer in = random_buffer(length * each);
      Buffer data = random_buffer(length * each), scratch(length * each);
      row().fft(plan.stages(), data.data(), scratch.data(), inverse);
      for (size_t k = 0; k < length; ++k) {
        for (const size_t lane : {size_t{0}, lanes() - 1}) {
          Complex sum;
          for (size_t n = 0; n < length; ++n) {
            const double angle =
                (inverse ? 2 : -2) * pi * static_cast<double>(k * n % length) / static_cast<double>(length);
            sum += Complex(in.data()[n * each + lane], in.data()[n * each + lanes() + lane]) * std::polar(1.0, angle);
          }
          const double tolerance = 1e-6 * static_cast<double>(length);
          ASSERT_NEAR(data.data()[k * each + lane], sum.real(), tolerance) << length << " " << inverse << " " << k;
          ASSERT_NEAR(data.data()[k * each + lanes() + lane], sum.imag(), tolerance) << length << " " << inverse;
        }
      }
    }
  }
}

TEST_P(SliceRows, ScaleAndTurn) {
  const size_t each = 2 * lanes();
  constexpr size_t kNum = 11;
  const Buffer in = random_buffer(kNum * each), factors = random_buffer(2 * kNum, 7);
  Buffer data = random_buffer(kNum * each), out(kNum * each);
  row().scale(data.data(), factors.data(), kNum, each, 3);
  row().turn(out.data(), in.data(), factors.data(), kNum);
  for (size_t i = 0; i < kNum * each; ++i) {
    const size_t k = i / each, lane = i % lanes();
    ASSERT_NEAR(data.data()[i], 3 * in.data()[i] * factors.data()[k], 1e-6);
    const Complex product = Complex(in.data()[k * each + lane], in.data()[k * each + lanes() + lane]) *
                            Complex(factors.data()[2 * k], factors.data()[2 * k + 1]);
    ASSERT_NEAR(out.data()[i], i % each < lanes() ? product.real() : product.imag(), 1e-6);
  }
}

// Returns weights of the bins floor(t) - 1 … floor(t) + 2.
std::array<double, 4> weights_at(double f, Interpolation interpolation, const TileAngle& a) {
  const double g = 1 - f;
  if (interpolation == Interpolation::linear) return {0, g, f, 0};
  if (interpolation == Interpolation::cubic)
    return {-f * g * g / 2, 1 + f * f * (1.5 * f - 2.5), 1 + g * g * (1.5 * g - 2.5), -g * f * f / 2};
  const double c = std::max(std::abs(a.cosine), std::abs(a.sine));
  return {0, std::max(0.0, (c - f) / (c * c)), std::max(0.0, (c - g) / (c * c)), 0};
}

TEST_P(SliceRows, BackProjectAndProject) {
  constexpr size_t kBins = 29;
  // Angles of all quadrants, axes included; 11 of them: a block and single ones. The tile reaches beyond the detector.
  std::vector<TileAngle> angles;
  for (const double theta : {0.0, 0.4, pi / 4, 1.2, pi / 2, 2.0, 2.9, pi, 4.0, 3 * pi / 2, 5.5})
    angles.push_back({std::cos(theta), std::sin(theta), 13.6});
  TileRows pixels{};
  pixels.x = -14.5;
  pixels.y = 12;
  pixels.num_rows = 30;
  for (size_t r = 0; r < pixels.num_rows; ++r) {
    pixels.begin[r] = static_cast<uint8_t>(r % 5);
    pixels.end[r] = static_cast<uint8_t>(r == 7 ? r % 5 : 32 - r % 3);
  }
  for (const size_t vectors : {size_t{1}, size_t{2}, size_t{4}}) {
    const size_t slices = vectors * lanes(), pitch = (kBins + 2 * kGuard) * slices;
    Buffer rows = random_buffer(angles.size() * pitch);
    for (size_t a = 0; a < angles.size(); ++a) {
      std::fill_n(rows.data() + a * pitch, kGuard * slices, 0.0f);
      std::fill_n(rows.data() + a * pitch + (kGuard + kBins) * slices, kGuard * slices, 0.0f);
    }
    for (const Interpolation interpolation : {Interpolation::linear, Interpolation::cubic, Interpolation::joseph}) {
      Buffer tile = random_buffer(kTile * kTile * slices, 5);
      const Buffer before = random_buffer(kTile * kTile * slices, 5);
      row().back_project(tile.data(), pixels, rows.data(), pitch, kBins, angles.data(), angles.size(), vectors,
                         interpolation);
      for (size_t r = 0; r < kTile; ++r) {
        for (size_t x = 0; x < kTile; ++x) {
          const size_t at = (r * kTile + x) * slices + slices / 2;
          double expected = before.data()[at];
          if (r < pixels.num_rows && x >= pixels.begin[r] && x < pixels.end[r]) {
            for (size_t a = 0; a < angles.size(); ++a) {
              const double t = std::clamp((pixels.x + static_cast<double>(x)) * angles[a].cosine +
                                              (pixels.y - static_cast<double>(r)) * angles[a].sine + angles[a].centre,
                                          -1.0, static_cast<double>(kBins));
              const auto weights = weights_at(t - std::floor(t), interpolation, angles[a]);
              for (int tap = 0; tap < 4; ++tap) {
                const ptrdiff_t bin = static_cast<ptrdiff_t>(std::floor(t)) - 1 + tap;
                if (bin < 0 || bin >= static_cast<ptrdiff_t>(kBins)) continue;
                expected += weights[static_cast<size_t>(tap)] *
                            rows.data()[a * pitch + (kGuard + static_cast<size_t>(bin)) * slices + slices / 2];
              }
            }
          }
          ASSERT_NEAR(tile.data()[at], expected, 3e-4) << vectors << " " << r << " " << x;
        }
      }
    }
    // A single slice is the same.
    Buffer one_row(angles.size() * (kBins + 2 * kGuard) + kSlack), one(kTile * kTile), many(kTile * kTile * slices);
    one_row.clear();
    one.clear();
    many.clear();
    for (size_t i = 0; i < angles.size() * (kBins + 2 * kGuard); ++i) one_row.data()[i] = rows.data()[i * slices + 1];
    row().back_project_one(one.data(), pixels, one_row.data(), kBins + 2 * kGuard, kBins, angles.data(), angles.size());
    row().back_project(many.data(), pixels, rows.data(), pitch, kBins, angles.data(), angles.size(), vectors,
                       Interpolation::linear);
    for (size_t i = 0; i < kTile * kTile; ++i) ASSERT_NEAR(one.data()[i], many.data()[i * slices + 1], 1e-4) << i;
    // project is the transpose of Joseph's back-projection, slice by slice.
    const Buffer image = random_buffer(kTile * kTile * slices, 9);
    Buffer projected(angles.size() * pitch), tile(kTile * kTile * slices);
    projected.clear();
    tile.clear();
    row().project(projected.data(), pitch, kBins, image.data(), pixels, angles.data(), angles.size(), vectors);
    row().back_project(tile.data(), pixels, rows.data(), pitch, kBins, angles.data(), angles.size(), vectors,
                       Interpolation::joseph);
    for (size_t s = 0; s < slices; ++s) {
      double left = 0, right = 0, norm = 0;
      for (size_t i = s; i < projected.size(); i += slices) left += double{projected.data()[i]} * rows.data()[i];
      for (size_t i = s; i < tile.size(); i += slices) {
        right += double{tile.data()[i]} * image.data()[i];
        norm += double{tile.data()[i]} * tile.data()[i];
      }
      ASSERT_NEAR(left, right, 1e-5 * norm) << s;
    }
  }
}

TEST_P(SliceRows, Spread) {
  const size_t each = 2 * lanes();
  constexpr size_t kRows = 6, kColumns = 24, kSamples = 9;
  // A kernel that is a polynomial, so that the test has its own.
  const auto kernel = [](double u) { return std::abs(u) < 2 ? (4 - u * u) / 4 : 0.0; };
  std::vector<float> weights;
  for (size_t step = 0; step <= kSpreadSteps; ++step)
    for (int cell = -1; cell <= 2; ++cell)
      weights.push_back(static_cast<float>(kernel(cell - static_cast<double>(step) / kSpreadSteps)));
  const Buffer samples = random_buffer(kSamples * each);
  for (const double dv : {0.9, -0.8, 0.0}) {
    const double u = 3.3, du = 1.7, v = dv < 0 ? 6.4 : -1.2;
    Buffer band(kRows * kColumns * each);
    band.clear();
    row().spread(band.data(), kColumns * each, kRows, samples.data(), kSamples, u, du, v, dv, weights.data());
    for (size_t r = 0; r < kRows; ++r) {
      for (size_t c = 0; c < kColumns; ++c) {
        double re = 0, im = 0;
        for (size_t i = 0; i < kSamples; ++i) {
          const double w = kernel(static_cast<double>(c) - u - static_cast<double>(i) * du) *
                           kernel(static_cast<double>(r) - v - static_cast<double>(i) * dv);
          re += w * samples.data()[i * each + 1];
          im += w * samples.data()[i * each + lanes() + 1];
        }
        ASSERT_NEAR(band.data()[(r * kColumns + c) * each + 1], re, 2e-3) << r << " " << c << " " << dv;
        ASSERT_NEAR(band.data()[(r * kColumns + c) * each + lanes() + 1], im, 2e-3) << r << " " << c;
      }
    }
  }
}

TEST_P(SliceRows, RecursiveFilter) {
  constexpr size_t kNum = 40;
  Buffer in = random_buffer((kNum + 2) * lanes()), out(kNum * lanes());
  std::fill_n(in.data(), lanes(), 0.0f);
  std::fill_n(in.data() + (kNum + 1) * lanes(), lanes(), 0.0f);
  for (const uint32_t lag : {1u, 2u}) {
    const RecursiveFilter filter{lag, 0.3f, 0.1f, {0.9f, 0.6f, 0.3f, 0.1f}, {0.02f, 0.05f, 0.07f, 0.03f}};
    row().recursive(out.data(), in.data() + lanes(), kNum, filter);
    const auto z = [&](size_t n) {
      const float* const x = in.data() + (n + 1) * lanes() + 1;
      return 0.8 * x[0] + 0.1 * (double{x[0 - static_cast<ptrdiff_t>(lanes())]} + x[lanes()]);
    };
    for (size_t n = 0; n < kNum; ++n) {
      double expected = 0.3 * z(n);
      for (size_t i = 0; i < kNum; ++i) {
        const size_t distance = i > n ? i - n : n - i;
        if (distance == 0 || (lag == 2 && distance % 2 == 0)) continue;
        for (size_t j = 0; j < RecursiveFilter::kPoles; ++j)
          expected -= filter.ra[j] * std::pow(filter.r[j], static_cast<double>((distance - 1) / lag)) * z(i);
      }
      ASSERT_NEAR(out.data()[n * lanes() + 1], expected, 1e-5) << lag << " " << n;
    }
  }
}

TEST_P(SliceRows, ResampleMixFold) {
  constexpr size_t kBins = 20, kNum = 60;
  Buffer in = random_buffer((kBins + 2 * kGuard) * lanes());
  std::fill_n(in.data(), kGuard * lanes(), 0.0f);
  std::fill_n(in.data() + (kGuard + kBins) * lanes(), kGuard * lanes(), 0.0f);
  std::vector<float> weights;
  for (size_t step = 0; step <= kResampleSteps; ++step)
    for (const double w : weights_at(static_cast<double>(step) / kResampleSteps, Interpolation::cubic, {}))
      weights.push_back(static_cast<float>(w));
  for (const double step : {0.62, -0.71, 0.0}) {
    const double start = step < 0 ? 25 : -6;
    Buffer out(kNum * lanes());
    row().resample(out.data(), in.data() + kGuard * lanes(), kBins, start, step, kNum, weights.data());
    for (size_t i = 0; i < kNum; ++i) {
      const double t = std::clamp(start + static_cast<double>(i) * step, -1.0, static_cast<double>(kBins));
      const auto w = weights_at(t - std::floor(t), Interpolation::cubic, {});
      double expected = 0;
      for (int tap = 0; tap < 4; ++tap) {
        const ptrdiff_t bin = static_cast<ptrdiff_t>(std::floor(t)) - 1 + tap;
        if (bin >= 0 && bin < static_cast<ptrdiff_t>(kBins))
          expected += w[static_cast<size_t>(tap)] * in.data()[(kGuard + static_cast<size_t>(bin)) * lanes() + 2];
      }
      ASSERT_NEAR(out.data()[i * lanes() + 2], expected, 5e-3) << step << " " << i;
    }
  }
  const Buffer a = random_buffer(kNum * lanes(), 2), b = random_buffer(kNum * lanes(), 3);
  const Buffer c = random_buffer(kNum * lanes(), 4), d = random_buffer(kNum * lanes(), 5);
  Buffer mixed(kNum * lanes()), folded = random_buffer(kNum / 2 * lanes(), 6);
  const Buffer before = random_buffer(kNum / 2 * lanes(), 6);
  const float* const rows[] = {a.data(), b.data(), c.data(), d.data()};
  const float shares[] = {0.5f, -1, 2, 0.25f};
  row().mix(mixed.data(), rows, shares, kNum);
  row().fold(folded.data(), a.data(), kNum / 2);
  for (size_t i = 0; i < kNum * lanes(); ++i)
    ASSERT_NEAR(mixed.data()[i], 0.5 * a.data()[i] - b.data()[i] + 2 * c.data()[i] + 0.25 * d.data()[i], 1e-6);
  for (size_t i = 0; i < kNum / 2; ++i)
    for (size_t lane = 0; lane < lanes(); ++lane)
      ASSERT_NEAR(folded.data()[i * lanes() + lane],
                  before.data()[i * lanes() + lane] +
                      (a.data()[2 * i * lanes() + lane] + a.data()[(2 * i + 1) * lanes() + lane]) / 4,
                  1e-6);
}

TEST_P(SliceRows, Sum) {
  constexpr size_t kNum = 11, kMost = 9;
  std::vector<Buffer> rows;
  for (unsigned seed = 1; seed <= kMost; ++seed) rows.push_back(random_buffer(kNum * lanes(), seed));
  for (size_t num = 1; num <= kMost; ++num) {
    for (const bool adds : {false, true}) {  // the first row is the result
      const Buffer before = random_buffer(kNum * lanes(), 20);
      Buffer out = random_buffer(kNum * lanes(), 20);
      std::vector<const float*> in;
      if (adds) in.push_back(out.data());
      while (in.size() < num) in.push_back(rows[in.size()].data());
      row().sum(out.data(), in.data(), num, 2, kNum - 1);
      for (size_t i = 0; i < kNum * lanes(); ++i) {
        double expected = before.data()[i];
        if (i >= 2 * lanes() && i < (kNum - 1) * lanes()) {
          if (!adds) expected = 0;
          for (size_t k = adds; k < num; ++k) expected += rows[k].data()[i];
        }
        ASSERT_NEAR(out.data()[i], expected, 1e-5) << num << " " << adds << " " << i;
      }
    }
  }
}

TEST_P(SliceRows, ConeColumn) {
  constexpr size_t kRows = 21, kDepth = 33;
  Buffer left = random_buffer(kRows + 2 * kGuard), right = random_buffer(kRows + 2 * kGuard, 2);
  for (Buffer* column : {&left, &right}) {
    std::fill_n(column->data(), kGuard, 0.0f);
    std::fill_n(column->data() + kGuard + kRows, kGuard, 0.0f);
  }
  Buffer mixed(kRows + 2 * kGuard);
  for (const double start : {-7.3, 2.6, 30.0, -50.0}) {
    Buffer sum(kDepth);
    sum.clear();
    row().cone_column(sum.data(), kDepth, left.data(), right.data(), 0.7f, 0.2f, mixed.data(), kRows, start, 0.9);
    for (size_t z = 0; z < kDepth; ++z) {
      const double v = start + 0.9 * static_cast<double>(z), f = v - std::floor(v);
      double expected = 0;
      for (int tap = 0; tap < 2; ++tap) {
        const ptrdiff_t r = static_cast<ptrdiff_t>(std::floor(v)) + tap;
        if (r < 0 || r >= static_cast<ptrdiff_t>(kRows)) continue;
        const size_t at = kGuard + static_cast<size_t>(r);
        expected += (tap ? f : 1 - f) * (0.7 * left.data()[at] + 0.2 * right.data()[at]);
      }
      ASSERT_NEAR(sum.data()[z], expected, 1e-4) << start << " " << z;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, SliceRows, testing::ValuesIn(rows_here()),
                         [](const auto& row) { return std::string(row.param->info.variant); });

}  // namespace
}  // namespace vsh::tomography
