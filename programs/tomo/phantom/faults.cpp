#include "programs/tomo/phantom/faults.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace vsh::tomo {
namespace {

// SplitMix64 (Steele, Lea, Flood 2014, doi 10.1145/2714064.2660195), so that every platform has the same numbers.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  uint64_t bits() {
    uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
  }
  double uniform() { return (static_cast<double>(bits() >> 11) + 0.5) * 0x1p-53; }
  double normal() { return std::sqrt(-2 * std::log(uniform())) * std::cos(2 * std::numbers::pi * uniform()); }
  // Poisson's distribution; above 60 the normal one.
  double poisson(double mean) {
    if (mean > 60) return std::max(0.0, std::round(mean + std::sqrt(mean) * normal()));
    const double limit = std::exp(-mean);
    double product = uniform();
    unsigned count = 0;
    for (; product > limit; ++count) product *= uniform();
    return count;
  }

 private:
  uint64_t state_;
};

enum class Stream : uint64_t { gains, rings, projection, white, dark };

Random stream(uint64_t seed, Stream what, uint64_t index) {
  Random mix(seed * 0x2545f4914f6cdd1d + static_cast<uint64_t>(what));
  return Random(mix.bits() ^ (index + 1) * 0xd1342543de82ef95);
}

}  // namespace

FaultMaker::FaultMaker(const Faults& faults, size_t num_rows, size_t num_bins)
    : faults_(faults), num_rows_(num_rows), num_bins_(num_bins), gains_(num_bins, 1), rings_(num_bins, 1) {
  Random random = stream(faults.seed, Stream::gains, 0);
  for (double& gain : gains_) gain = 0.8 + 0.4 * random.uniform();
  random = stream(faults.seed, Stream::rings, 0);
  for (size_t i = 0; i < faults.rings; ++i)
    rings_[random.bits() % num_bins] = 1 + kRingStrength * (2 * random.uniform() - 1);
}

void FaultMaker::apply(float* projection, size_t angle) const {
  Random random = stream(faults_.seed, Stream::projection, angle);
  const size_t num = num_rows_ * num_bins_;
  for (size_t i = 0; i < num; ++i) {
    const size_t bin = i % num_bins_;
    double value = projection[i] * faults_.scale;
    if (faults_.noise > 0) value += faults_.noise * random.normal();
    if (faults_.counts > 0) {
      value = random.poisson(faults_.counts * gains_[bin] * rings_[bin] * std::exp(-value)) + kDarkCounts;
    } else {
      value -= std::log(rings_[bin]);
    }
    projection[i] = static_cast<float>(value);
  }
  for (size_t i = 0; i < faults_.zingers; ++i) {
    float& value = projection[random.bits() % num];
    // A photon that hits the sensor itself: far more counts, a line integral that is far too small.
    value = static_cast<float>(faults_.counts > 0 ? value + 5 * faults_.counts : value - 3);
  }
}

void FaultMaker::white(float* frame, size_t index) const {
  Random random = stream(faults_.seed, Stream::white, index);
  for (size_t i = 0; i < num_rows_ * num_bins_; ++i)
    frame[i] = static_cast<float>(random.poisson(faults_.counts * gains_[i % num_bins_]) + kDarkCounts);
}

void FaultMaker::dark(float* frame, size_t index) const {
  Random random = stream(faults_.seed, Stream::dark, index);
  for (size_t i = 0; i < num_rows_ * num_bins_; ++i)
    frame[i] = static_cast<float>(std::round(kDarkCounts + random.normal()));
}

}  // namespace vsh::tomo
