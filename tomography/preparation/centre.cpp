#include "tomography/preparation/centre.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

#include "tomography/geometry/angles.hpp"
#include "tomography/preparation/fourier.hpp"

namespace vsh::tomography {
namespace {

constexpr double kPi = std::numbers::pi;

double on_circle(double angle) { return angle - 2 * kPi * std::floor(angle / (2 * kPi)); }

// Returns the projection at any angle, between its neighbours; the angles are sorted in `order`, those of more than a
// turn by their places on the circle.
class Between {
 public:
  explicit Between(const Sinogram& sinogram)
      : sinogram_(sinogram),
        angles_(sinogram.angles, sinogram.angles + sinogram.num_angles),
        order_(sinogram.num_angles) {
    const auto [low, high] = std::minmax_element(angles_.begin(), angles_.end());
    if (*high - *low > 2 * kPi)
      for (double& angle : angles_) angle = on_circle(angle);
    std::iota(order_.begin(), order_.end(), size_t{0});
    std::stable_sort(order_.begin(), order_.end(), [&](size_t a, size_t b) { return angles_[a] < angles_[b]; });
  }
  double least() const { return angles_[order_.front()]; }
  double most() const { return angles_[order_.back()]; }

  void fill(double* out, double angle) const {
    const auto after = std::lower_bound(order_.begin(), order_.end(), angle,
                                        [&](size_t i, double value) { return angles_[i] < value; });
    const size_t b = after == order_.end() ? order_.back() : *after;
    const size_t a = after == order_.begin() || after == order_.end() ? b : *(after - 1);
    const double gap = angles_[b] - angles_[a];
    const double share = gap > 0 ? (angle - angles_[a]) / gap : 0;
    const float *first = sinogram_.row(a), *second = sinogram_.row(b);
    for (size_t k = 0; k < sinogram_.num_bins; ++k)
      out[k] = (1 - share) * static_cast<double>(first[k]) + share * static_cast<double>(second[k]);
  }

 private:
  const Sinogram& sinogram_;
  std::vector<double> angles_;
  std::vector<size_t> order_;
};

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// Fades a row to 0 at its ends, where an object that is wider would make a jump.
void taper(double* row, size_t num) {
  const size_t width = std::max<size_t>(2, num / 20);
  for (size_t k = 0; k < width; ++k) {
    const double weight = 0.5 - 0.5 * std::cos(kPi * (static_cast<double>(k) + 0.5) / static_cast<double>(width));
    row[k] *= weight;
    row[num - 1 - k] *= weight;
  }
}

// The Fourier transforms of half a turn, and of its mirror image in the other half: a shift of the latter by s bins is
// a factor e^(-i u s), so that a candidate costs no transform of its own.
class DoubleWedge {
 public:
  explicit DoubleWedge(const Sinogram& sinogram) {
    const Between between(sinogram);
    const size_t m = sinogram.num_bins;
    rows_ = num_rows(sinogram.num_angles);
    columns_ = power_of_two(2 * m);
    std::vector<Complex> half(rows_ * columns_), other(rows_ * columns_);
    std::vector<double> row(m);
    for (size_t i = 0; i < rows_ / 2; ++i) {
      const double angle = between.least() + 2 * kPi * static_cast<double>(i) / static_cast<double>(rows_);
      between.fill(row.data(), std::min(angle, between.most()));
      taper(row.data(), m);
      for (size_t k = 0; k < m; ++k) {
        half[i * columns_ + k] = row[k];
        other[(rows_ / 2 + i) * columns_ + k] = row[m - 1 - k];
      }
    }
    const Fourier2 fourier(rows_, columns_);
    fourier.forward(half.data());
    fourier.forward(other.data());
    // Outside of the double wedge |v| <= |u| R: v in periods a turn, u in radians a bin, R the object's reach in bins.
    const double reach = static_cast<double>(m) / 2;
    for (size_t v = 4; v < rows_ / 2; ++v) {
      for (size_t u = 2; u < columns_ / 2; ++u) {
        const double frequency = 2 * kPi * static_cast<double>(u) / static_cast<double>(columns_);
        if (frequency * reach * 1.05 + 2 > static_cast<double>(v)) break;
        points_.push_back({half[v * columns_ + u], other[v * columns_ + u], u});
      }
    }
  }
  bool is_usable() const { return points_.size() >= 16; }

  // Two transforms, and fewer points than a quarter of rows_ squared, in a vector that grows.
  static uint64_t bytes(size_t num_angles, size_t num_bins) {
    const uint64_t rows = num_rows(num_angles);
    return 2 * sizeof(Complex) * rows * power_of_two(2 * num_bins) + 3 * sizeof(Point) * rows * rows / 4;
  }

  double mean(double shift) const {
    std::vector<Complex> turns(columns_ / 2);
    for (size_t u = 0; u < turns.size(); ++u)
      turns[u] = std::polar(1.0, -2 * kPi * static_cast<double>(u) * shift / static_cast<double>(columns_));
    double sum = 0;
    for (const Point& point : points_) sum += std::abs(point.half + point.other * turns[point.u]);
    return sum / static_cast<double>(points_.size());
  }

 private:
  struct Point {
    Complex half, other;
    size_t u;
  };
  static size_t num_rows(size_t num_angles) { return power_of_two(std::min<size_t>(2 * num_angles, 1024)); }

  size_t rows_, columns_;
  std::vector<Point> points_;
};

// The bin for which `cost` is least, within a quarter of the row about its middle.
template <class Cost>
CentreGuess least_cost(vsh_tomo_centre_method method, size_t num_bins, const Cost& cost) {
  const double middle = static_cast<double>(num_bins - 1) / 2, most = static_cast<double>(num_bins) / 4;
  std::vector<double> costs;
  double best = 0, least = INFINITY;
  for (double offset = -std::floor(most); offset <= most; offset += 0.5) {
    costs.push_back(cost(middle + offset));
    if (costs.back() < least) best = offset, least = costs.back();
  }
  for (double step = 0.25; step > 0.01; step /= 2) {
    for (const double offset : {best - step, best + step}) {
      const double value = cost(middle + offset);
      if (value < least) best = offset, least = value;
    }
  }
  const double usual = median(costs);
  return {method, middle + best, usual > 0 ? std::clamp(1 - least / usual, 0.0, 1.0) : 0};
}

// The views of a sinogram on the circle, in order; one of each place.
struct Turn {
  explicit Turn(const Sinogram& sinogram) {
    const AngleCircle circle({sinogram.angles, sinogram.num_angles}, 2 * kPi);
    for (const AngleCircle::Place& place : circle.places) views.push_back({place.angle, place.members[0]});
    gaps = circle.gaps;
    widest = 3 * median(gaps);
  }

  std::vector<std::pair<double, size_t>> views;  // angle and place in the sinogram
  std::vector<double> gaps;                      // to the next one
  double widest;                                 // a gap above this was not measured
};

constexpr size_t kMostViews = 180, kMostAway = 192;  // that are compared, at most

// Pairs of rows that are the same to the left and to the right of the axis. Rows are smoothed first, because
// interpolation smoothes, too, and more between bins than at them.
class Mirror {
 public:
  Mirror(const float* rows, size_t num_rows, size_t num_bins, size_t stride)
      : m_(num_bins), rows_(num_rows * num_bins) {
    for (size_t i = 0; i < num_rows; ++i) std::copy_n(rows + i * stride, m_, rows_.data() + i * m_);
    std::vector<float> row(m_);
    for (float* to = rows_.data(); to < rows_.data() + rows_.size(); to += m_) {
      for (int pass = 0; pass < 2; ++pass) {
        std::copy_n(to, m_, row.begin());
        for (size_t k = 1; k + 1 < m_; ++k) to[k] = (row[k - 1] + 2 * row[k] + row[k + 1]) / 4;
      }
    }
  }
  // `row` at `away` bins to the right of the axis is the mean of two rows as far to its left.
  void add(size_t row, double away, size_t first, size_t second, double share) {
    pairs_.push_back({row * m_, first * m_, second * m_, away, share});
  }
  size_t num_pairs() const { return pairs_.size(); }
  // The rows, and pairs in a vector that grows.
  static uint64_t bytes(size_t num_rows, size_t num_bins) {
    return sizeof(float) * uint64_t{num_rows} * num_bins + 3 * sizeof(Pair) * kMostViews * kMostAway;
  }

  // The mean difference of the pairs on the detector, relative to their mean.
  double cost(double centre) const {
    double difference = 0, size = 0;
    for (const Pair& pair : pairs_) {
      const double right = centre + pair.away, left = centre - pair.away;
      if (left < 0 || right > static_cast<double>(m_ - 1)) continue;
      const double a = at(pair.row, right);
      const double b = (1 - pair.share) * at(pair.first, left) + pair.share * at(pair.second, left);
      difference += std::fabs(a - b);
      size += std::fabs(a) + std::fabs(b);
    }
    return size > 0 ? difference / size : 1;
  }

 private:
  struct Pair {
    size_t row, first, second;
    double away, share;
  };
  double at(size_t row, double bin) const {
    const size_t whole = std::min(static_cast<size_t>(bin), m_ - 2);
    const double f = bin - static_cast<double>(whole);
    return (1 - f) * static_cast<double>(rows_[row + whole]) + f * static_cast<double>(rows_[row + whole + 1]);
  }

  size_t m_;
  std::vector<float> rows_;
  std::vector<Pair> pairs_;
};

}  // namespace

std::optional<CentreGuess> centre_by_opposite(const Sinogram& sinogram) {
  const size_t m = sinogram.num_bins;
  if (sinogram.num_angles < 16 || m < 16) return std::nullopt;
  const Turn turn(sinogram);
  Mirror mirror(sinogram.values, sinogram.num_angles, m, sinogram.stride);
  const size_t stride = (turn.views.size() + kMostViews - 1) / kMostViews;
  const double step = std::max(1.0, static_cast<double>(m) * 3 / 4 / kMostAway);
  for (size_t i = 0; i < turn.views.size(); i += stride) {
    for (double away = step / 2; away < static_cast<double>(m) * 3 / 4; away += step) {
      // The ray of beta and gamma is that of beta - 2 gamma + pi and -gamma.
      const double gamma = std::atan(away / sinogram.source_distance);
      const double other = on_circle(turn.views[i].first - 2 * gamma + kPi);
      const auto above = std::upper_bound(turn.views.begin(), turn.views.end(), std::pair(other, size_t{0}));
      const size_t after = static_cast<size_t>(above - turn.views.begin()) % turn.views.size();
      const size_t before = (after + turn.views.size() - 1) % turn.views.size();
      if (turn.gaps[before] > turn.widest) continue;
      const double past = on_circle(other - turn.views[before].first);
      mirror.add(turn.views[i].second, away, turn.views[before].second, turn.views[after].second,
                 turn.gaps[before] > 0 ? std::min(past / turn.gaps[before], 1.0) : 0);
    }
  }
  if (mirror.num_pairs() < 256) return std::nullopt;
  return least_cost(VSH_TOMO_CENTRE_OPPOSITE, m, [&](double centre) { return mirror.cost(centre); });
}

std::optional<CentreGuess> centre_by_symmetry(const Sinogram& sinogram) {
  const size_t m = sinogram.num_bins;
  if (sinogram.num_angles < 16 || m < 16) return std::nullopt;
  const Turn turn(sinogram);
  if (*std::max_element(turn.gaps.begin(), turn.gaps.end()) > turn.widest) return std::nullopt;
  std::vector<double> sums(m);
  for (size_t i = 0; i < turn.views.size(); ++i) {
    const double share = turn.gaps[i] + turn.gaps[(i + turn.views.size() - 1) % turn.views.size()];
    const float* const view = sinogram.row(turn.views[i].second);
    for (size_t k = 0; k < m; ++k) sums[k] += share * static_cast<double>(view[k]);
  }
  const std::vector<float> row(sums.begin(), sums.end());
  Mirror mirror(row.data(), 1, m, m);
  for (double away = 0.5; away < static_cast<double>(m) * 3 / 4; ++away) mirror.add(0, away, 0, 0, 0);
  return least_cost(VSH_TOMO_CENTRE_SYMMETRY, m, [&](double centre) { return mirror.cost(centre); });
}

std::optional<CentreGuess> centre_by_fourier(const Sinogram& sinogram) {
  if (sinogram.num_angles < 16 || sinogram.num_bins < 16) return std::nullopt;
  const Between between(sinogram);
  if (between.most() - between.least() < 170 * kPi / 180) return std::nullopt;
  const DoubleWedge wedge(sinogram);
  if (!wedge.is_usable()) return std::nullopt;
  const double middle = static_cast<double>(sinogram.num_bins - 1) / 2;
  return least_cost(VSH_TOMO_CENTRE_FOURIER, sinogram.num_bins,
                    [&](double centre) { return wedge.mean(2 * (centre - middle)); });
}

std::optional<CentreGuess> centre_by_correlation(const Sinogram& sinogram) {
  const Between between(sinogram);
  const size_t m = sinogram.num_bins;
  const double range = between.most() - between.least();
  if (m < 16 || sinogram.num_angles < 2 || range < 175 * kPi / 180) return std::nullopt;
  const size_t length = power_of_two(2 * m);
  const Fourier fourier(length);
  std::vector<Complex> sum(length);
  std::vector<double> row(m), opposite(m);
  // Where the scan is longer than half a turn, several pairs.
  const double extra = std::max(0.0, range - kPi);
  const size_t pairs = extra > 0 ? 16 : 1;
  for (size_t i = 0; i < pairs; ++i) {
    const double angle = between.least() + extra * (static_cast<double>(i) + 0.5) / static_cast<double>(pairs);
    between.fill(row.data(), pairs > 1 ? angle : between.least());
    between.fill(opposite.data(), std::min(pairs > 1 ? angle + kPi : between.most(), between.most()));
    taper(row.data(), m);
    taper(opposite.data(), m);
    std::vector<Complex> a(length), b(length);
    for (size_t k = 0; k < m; ++k) a[k] = row[k], b[k] = opposite[m - 1 - k];
    fourier.forward(a.data());
    fourier.forward(b.data());
    for (size_t u = 0; u < length; ++u) {
      const Complex cross = a[u] * std::conj(b[u]);
      const double size = std::abs(cross);
      // Low frequencies only: the others are noise.
      const double place = static_cast<double>(std::min(u, length - u)) / static_cast<double>(length);
      if (size > 0) sum[u] += cross / size * std::exp(-place * place / (2 * 0.08 * 0.08));
    }
  }
  // a(k) = b(k - s): the correlation peaks at s.
  const auto height = [&](double shift) {
    double value = 0;
    for (size_t u = 1; u < length / 2; ++u)
      value +=
          (sum[u] * std::polar(1.0, 2 * kPi * static_cast<double>(u) * shift / static_cast<double>(length))).real();
    return value;
  };
  std::vector<Complex> peaks = sum;
  fourier.inverse(peaks.data());
  double best = 0, most = -INFINITY;
  for (size_t i = 0; i < length; ++i) {
    const double shift = i < length / 2 ? static_cast<double>(i) : static_cast<double>(i) - static_cast<double>(length);
    if (std::fabs(shift) <= static_cast<double>(m) / 2 && peaks[i].real() > most) best = shift, most = peaks[i].real();
  }
  double top = height(best);
  for (double step = 0.5; step > 0.005; step /= 2) {
    for (const double shift : {best - step, best + step}) {
      const double value = height(shift);
      if (value > top) best = shift, top = value;
    }
  }
  double all = 0;
  for (size_t u = 1; u < length / 2; ++u) all += std::abs(sum[u]);
  return CentreGuess{VSH_TOMO_CENTRE_CORRELATION, (static_cast<double>(m - 1) + best) / 2,
                     all > 0 ? std::clamp(top / all, 0.0, 1.0) : 0};
}

std::optional<CentreGuess> centre_by_mass(const Sinogram& sinogram) {
  const size_t m = sinogram.num_bins;
  if (sinogram.num_angles < 8) return std::nullopt;
  std::vector<double> centres, angles;
  for (size_t i = 0; i < sinogram.num_angles; ++i) {
    double mass = 0, moment = 0;
    for (size_t k = 0; k < m; ++k) {
      const auto value = static_cast<double>(sinogram.row(i)[k]);
      mass += value;
      moment += value * static_cast<double>(k);
    }
    if (!(mass > 0)) continue;
    centres.push_back(moment / mass);
    angles.push_back(sinogram.angles[i]);
  }
  if (centres.size() < 8) return std::nullopt;
  // Normal equations of c + a cos + b sin, solved by elimination.
  double matrix[3][4] = {};
  for (size_t i = 0; i < centres.size(); ++i) {
    const double terms[4] = {1, std::cos(angles[i]), std::sin(angles[i]), centres[i]};
    for (size_t r = 0; r < 3; ++r)
      for (size_t c = 0; c < 4; ++c) matrix[r][c] += terms[r] * terms[c];
  }
  const double mean = matrix[0][3] / matrix[0][0];
  for (size_t p = 0; p < 3; ++p) {
    size_t pivot = p;
    for (size_t r = p; r < 3; ++r)
      if (std::fabs(matrix[r][p]) > std::fabs(matrix[pivot][p])) pivot = r;
    if (std::fabs(matrix[pivot][p]) < 1e-9) return std::nullopt;
    std::swap(matrix[p], matrix[pivot]);
    for (size_t r = 0; r < 3; ++r) {
      if (r == p) continue;
      const double factor = matrix[r][p] / matrix[p][p];
      for (size_t c = p; c < 4; ++c) matrix[r][c] -= factor * matrix[p][c];
    }
  }
  const double c = matrix[0][3] / matrix[0][0], a = matrix[1][3] / matrix[1][1], b = matrix[2][3] / matrix[2][2];
  if (!(c > -0.5) || !(c < static_cast<double>(m) - 0.5)) return std::nullopt;
  double rest = 0, variance = 0;
  for (size_t i = 0; i < centres.size(); ++i) {
    const double error = centres[i] - c - a * std::cos(angles[i]) - b * std::sin(angles[i]);
    rest += error * error;
    variance += (centres[i] - mean) * (centres[i] - mean);
  }
  // An object in the middle moves little: then what counts is that the rest is a small part of a bin.
  const double spread = std::max(variance, 0.01 * static_cast<double>(centres.size()));
  return CentreGuess{VSH_TOMO_CENTRE_MASS, c, std::clamp(1 - rest / spread, 0.0, 1.0)};
}

std::vector<CentreGuess> centre_guesses(const Sinogram& sinogram) {
  std::vector<CentreGuess> guesses;
  const auto take = [&](const std::optional<CentreGuess>& guess) {
    if (guess) guesses.push_back(*guess);
  };
  if (sinogram.source_distance > 0) {
    take(centre_by_opposite(sinogram));
    take(centre_by_symmetry(sinogram));
  } else {
    take(centre_by_fourier(sinogram));
    take(centre_by_correlation(sinogram));
    take(centre_by_mass(sinogram));
  }
  return guesses;
}

uint64_t centre_bytes(size_t num_angles, size_t num_bins, bool is_fan) {
  const uint64_t rows = 64 * uint64_t{num_angles} + 256 * uint64_t{num_bins};
  return rows + (is_fan ? Mirror::bytes(num_angles, num_bins) : DoubleWedge::bytes(num_angles, num_bins));
}

std::optional<CentreGuess> best_guess(const std::vector<CentreGuess>& guesses) {
  std::optional<CentreGuess> best;
  for (const CentreGuess& guess : guesses) {
    size_t agreeing = 0;
    for (const CentreGuess& other : guesses) agreeing += std::fabs(other.centre - guess.centre) <= 0.5 ? 1 : 0;
    if (agreeing > 1 && guess.confidence >= 0.1) return guess;
    if (!best || guess.confidence > best->confidence) best = guess;
  }
  if (best) best->confidence /= 2;
  return best;
}

}  // namespace vsh::tomography
