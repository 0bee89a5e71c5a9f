#include "tomography/cone/fan.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "tomography/geometry/angles.hpp"
#include "tomography/geometry/buffer.hpp"
#include "tomography/geometry/parallel.hpp"

namespace vsh::tomography {
namespace {

using std::numbers::pi;

// Four taps of Catmull and Rom; linear if the second and third only.
void cubic(double f, float* w) {
  const double g = 1 - f;
  w[0] = static_cast<float>(-f * g * g / 2);
  w[1] = static_cast<float>(1 + f * f * (1.5 * f - 2.5));
  w[2] = static_cast<float>(1 + g * g * (1.5 * g - 2.5));
  w[3] = static_cast<float>(-g * f * f / 2);
}

// A bin of the parallel beam: of four bins of four views, with their weights.
struct Sample {
  size_t views[4];
  float view_weights[4], bin_weights[4];
  size_t bins[4];
};

// Takes the bins around `s`; those beyond the detector weigh nothing.
void take_bins(Sample& sample, double s, size_t num_bins) {
  const double whole = std::floor(s);
  cubic(s - whole, sample.bin_weights);
  for (int tap = 0; tap < 4; ++tap) {
    const double bin = whole - 1 + tap;
    const bool exists = bin >= 0 && bin < static_cast<double>(num_bins);
    sample.bins[tap] = exists ? static_cast<size_t>(bin) : 0;
    if (!exists) sample.bin_weights[tap] = 0;
  }
}

// The views in order of angle. Past the ends a full turn goes on, a short scan stops.
class Views {
 public:
  explicit Views(const Trajectory& trajectory)
      : trajectory_(trajectory), num_(static_cast<ptrdiff_t>(trajectory.angles.size())) {}

  // Takes the views around an angle.
  void take(Sample& sample, double angle) const {
    const std::vector<double>& beta = trajectory_.angles;
    if (trajectory_.full) angle -= 2 * pi * std::floor((angle - beta[0]) / (2 * pi));
    const ptrdiff_t above = std::upper_bound(beta.begin(), beta.end(), angle) - beta.begin();
    if (!trajectory_.full && (above < 2 || above + 1 >= num_)) take_at_end(sample, angle, above);
    else take_four(sample, angle, above);
  }

 private:
  // The two nearest ones, or the only one.
  void take_at_end(Sample& sample, double angle, ptrdiff_t above) const {
    const ptrdiff_t low = std::clamp<ptrdiff_t>(above - 1, 0, std::max<ptrdiff_t>(num_ - 2, 0));
    const ptrdiff_t high = std::min(low + 1, num_ - 1);
    const double gap = high > low ? place(high) - place(low) : 1;
    const double f = std::clamp((angle - place(low)) / gap, 0.0, 1.0);
    sample.views[0] = view(low);
    sample.views[1] = view(high);
    sample.view_weights[0] = static_cast<float>(1 - f);
    sample.view_weights[1] = static_cast<float>(f);
  }
  // above - 2 to above + 1; linearly where they are not evenly apart.
  void take_four(Sample& sample, double angle, ptrdiff_t above) const {
    const double gap = place(above) - place(above - 1), f = (angle - place(above - 1)) / gap;
    const double before = place(above - 1) - place(above - 2), after = place(above + 1) - place(above);
    for (int tap = 0; tap < 4; ++tap) sample.views[tap] = view(above - 2 + tap);
    if (std::max({gap, before, after}) > 1.5 * std::min({gap, before, after})) {
      sample.view_weights[1] = static_cast<float>(1 - f);
      sample.view_weights[2] = static_cast<float>(f);
    } else {
      cubic(f, sample.view_weights);
    }
  }

  size_t index(ptrdiff_t i) const { return static_cast<size_t>(((i % num_) + num_) % num_); }
  size_t view(ptrdiff_t i) const { return trajectory_.views[index(i)]; }
  double place(ptrdiff_t i) const {
    return trajectory_.angles[index(i)] + 2 * pi * std::floor(static_cast<double>(i) / static_cast<double>(num_));
  }

  const Trajectory& trajectory_;
  const ptrdiff_t num_;
};

// Makes a row of the parallel beam.
void resample(float* to, const std::vector<Sample>& samples, const Projections& projections, size_t row) {
  for (size_t k = 0; k < samples.size(); ++k) {
    const Sample& sample = samples[k];
    float value = 0;
    for (int i = 0; i < 4; ++i) {
      const float* const from = projections.row(sample.views[i], row, samples.size());
      float at_view = 0;
      for (int j = 0; j < 4; ++j) at_view += sample.bin_weights[j] * from[sample.bins[j]];
      value += sample.view_weights[i] * at_view;
    }
    to[k] = value;
  }
}

}  // namespace

Fan::Fan(const Setup& setup, const std::function<std::unique_ptr<const Reconstructor>(const Setup&)>& make)
    : setup_(setup), trajectory_(trajectory_of(setup.angles, setup.displaced)), parallel_setup_(setup) {
  const double radius = setup.source_distance;
  const double half = static_cast<double>(setup.size) / 2 * (setup.options.whole_square ? std::numbers::sqrt2 : 1);
  if (!(half < radius)) throw GeometryError();
  // The largest fan angle that the image needs and the detector sees.
  const double seen = std::atan(std::max(setup.centre, static_cast<double>(setup.bins) - 1 - setup.centre) / radius);
  const double widest = std::min(std::asin(half / radius), std::max(seen, 0.0));
  const double turn = trajectory_.full ? 2 * pi : trajectory_.range();
  const double step = trajectory_.range() / static_cast<double>(trajectory_.views.size());
  double start = trajectory_.angles.front(), range = turn;
  if (!trajectory_.full) {
    // A whole fan sees only these; the ends have half a step of their own.
    start += widest;
    range = turn - step - 2 * widest;
    // A single view has a step of a whole turn.
    if (range < std::max(pi - 1.5 * step, 0.0)) throw GeometryError();
  }
  parallel_setup_.beam = VSH_TOMO_PARALLEL;
  parallel_setup_.angles.clear();
  const size_t num =
      trajectory_.full ? trajectory_.views.size() : static_cast<size_t>(std::floor(range / step + 1e-6)) + 1;
  for (size_t i = 0; i < num; ++i) parallel_setup_.angles.push_back(start + step * static_cast<double>(i));
  parallel_setup_.weights = setup.options.angle_weights == VSH_TOMO_GAPS
                                ? gap_weights(parallel_setup_.angles)
                                : std::vector<double>(num, pi / static_cast<double>(num));
  parallel_ = make(parallel_setup_);
}

void Fan::rebin(float* out, Projections projections, size_t first, size_t count, const Progress& progress) const {
  const size_t m = setup_.bins;
  const double radius = setup_.source_distance;
  const Views views(trajectory_);
  const auto sample_of = [&](double angle, size_t k) {
    Sample sample{};
    const double t = static_cast<double>(k) - setup_.centre;
    if (std::abs(t) >= radius) return sample;
    const double gamma = std::asin(t / radius);
    const double s = radius * std::tan(gamma) + setup_.centre;
    if (s < -1 || s > static_cast<double>(m)) return sample;
    take_bins(sample, s, m);
    views.take(sample, angle + gamma);
    return sample;
  };
  const auto work = [&](size_t begin, size_t end, const auto& step) {
    std::vector<Sample> samples(m);
    for (size_t a = begin; a < end; ++a, step()) {
      for (size_t k = 0; k < m; ++k) samples[k] = sample_of(parallel_setup_.angles[a], k);
      for (size_t row = 0; row < count; ++row) resample(out + (a * count + row) * m, samples, projections, first + row);
    }
  };
  in_parallel(parallel_setup_.angles.size(), setup_.threads(), progress, work);
}

void Fan::run(float* volume, Projections projections, size_t num_slices, const Progress& progress) const {
  const size_t most = std::min(batch(), num_slices), row = setup_.bins;
  Buffer parallel(parallel_setup_.angles.size() * most * row);
  for (size_t first = 0; first < num_slices; first += most) {
    const size_t count = std::min(most, num_slices - first);
    const Progress here = progress.part(static_cast<double>(first) / static_cast<double>(num_slices),
                                        static_cast<double>(first + count) / static_cast<double>(num_slices));
    rebin(parallel.data(), projections, first, count, here.part(0, 0.3));
    parallel_->run(volume + first * setup_.size * setup_.size, {parallel.data(), count * row}, count,
                   here.part(0.3, 1));
  }
}

uint64_t Fan::memory(size_t num_slices) const {
  return parallel_->memory(num_slices) +
         sizeof(float) * parallel_setup_.angles.size() * std::min(batch(), num_slices) * setup_.bins;
}

}  // namespace vsh::tomography
