#include "programs/tomo/commands/accumulation.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "programs/common/system/machine.hpp"
#include "programs/common/text/translate.hpp"

namespace vsh::tomo {

Accumulation::Accumulation(PlanOptions options, unsigned threads, size_t num_rows, size_t num_bins, double centre,
                           size_t subset)
    : options_(std::move(options)), threads_(threads), rows_(num_rows), bins_(num_bins), centre_(centre) {
  options_.weigh_equally();
  options_.take_as_parts(false);
  size_ = vsh_tomo_plan_size(options_.plan({0}, bins_, threads_, centre_).get());
  // The sum, a part of it, two states of the slices; projections as they come and together.
  cli::check_memory(4 * uint64_t{rows_} * (4 * uint64_t{size_} * size_ + 2 * uint64_t{subset} * bins_),
                    cli::tr("{1} slices of {2} x {2}", rows_, size_));
  sum_.resize(rows_ * size_ * size_);
  part_.resize(sum_.size());
}

bool Accumulation::take_as_parts_of(const std::vector<double>& radians) {
  int is_whole = 0;
  check_tomo(vsh_tomo_whole_turn(&is_whole, radians.data(), radians.size()));
  options_.take_as_parts(is_whole != 0);
  return is_whole != 0;
}

std::vector<double> Accumulation::weights_of(const std::vector<double>& radians) const {
  std::vector<double> weights(radians.size());
  check_tomo(vsh_tomo_plan_weights(PlanOptions().plan(radians, bins_, 1, centre_).get(), weights.data()));
  return weights;
}

void Accumulation::add(const std::vector<double>& radians, const std::vector<double>& weights,
                       std::vector<float>& values) {
  const size_t num = radians.size(), len = rows_ * bins_;
  for (size_t i = 0; i < num; ++i) {
    const auto scale = static_cast<float>(weights[i] * static_cast<double>(num) / std::numbers::pi);
    for (float* value = values.data() + i * len; value < values.data() + (i + 1) * len; ++value) *value *= scale;
    weight_ += weights[i];
  }
  check_tomo(vsh_tomo_reconstruct(options_.plan(radians, bins_, threads_, centre_).get(), part_.data(), values.data(),
                                  0, rows_));
  for (size_t i = 0; i < sum_.size(); ++i) sum_[i] += part_[i];
}

void Accumulation::clear() {
  std::fill(sum_.begin(), sum_.end(), 0.F);
  weight_ = 0;
}

double Accumulation::take(std::vector<float>& slices, double whole) const {
  const double scale = whole / weight_;
  double difference = 0, square = 0;
  slices.resize(sum_.size());
  for (size_t i = 0; i < sum_.size(); ++i) {
    const double value = static_cast<double>(sum_[i]) * scale, change = value - static_cast<double>(slices[i]);
    difference += change * change;
    square += value * value;
    slices[i] = static_cast<float>(value);
  }
  return square > 0 ? std::sqrt(difference / square) : 0;
}

}  // namespace vsh::tomo
