#include "programs/tomo/commands/counts.hpp"

#include <algorithm>
#include <cmath>

#include "programs/common/text/failure.hpp"
#include "programs/common/text/translate.hpp"
#include "programs/tomo/commands/engine.hpp"

namespace vsh::tomo {
namespace {

// The transmission of half a count [row][bin].
std::vector<float> least_transmission(const Fields& fields) {
  std::vector<float> least(fields.white.size());
  for (size_t i = 0; i < least.size(); ++i) {
    const float range = fields.white[i] - fields.dark[i];
    least[i] = range > 1 ? std::max(0.5F / range, 1e-6F) : 1e-6F;
  }
  return least;
}

}  // namespace

std::vector<float> mean_frame(const std::vector<float>& frames, size_t num_frames, size_t len) {
  std::vector<float> mean(len, 0);
  if (num_frames == 0) return mean;
  for (size_t i = 0; i < len; ++i) {
    double sum = 0;
    for (size_t frame = 0; frame < num_frames; ++frame) sum += static_cast<double>(frames[frame * len + i]);
    mean[i] = static_cast<float>(sum / static_cast<double>(num_frames));
  }
  return mean;
}

uint64_t count_gaps(const std::vector<float>& values) {
  uint64_t count = 0;
  for (const float value : values) count += std::isfinite(value) ? 0 : 1;
  return count;
}

Findings RawProjections::integrate(DataKind data, const Fields& fields, uint64_t gaps,
                                   const std::function<void()>& on_transmission) const {
  Findings findings;
  findings.num_values = values.size();
  findings.not_finite = gaps;
  std::vector<float> least;
  if (data == DataKind::counts) {
    check_tomo(vsh_tomo_normalise(values.data(), num_angles, num_rows, num_bins, fields.white.data(),
                                  fields.dark.data(), &findings.dead));
    least = least_transmission(fields);
  }
  on_transmission();
  if (data != DataKind::integrals)
    check_tomo(vsh_tomo_minus_log(values.data(), num_angles, num_rows, num_bins, least.empty() ? nullptr : least.data(),
                                  &findings.clipped));
  if (gaps + findings.dead > 0) fill();
  return findings;
}

void RawProjections::fill() const {
  check_tomo(vsh_tomo_fill_gaps(values.data(), num_angles, num_rows, num_bins, nullptr));
  if (count_gaps(values) > 0)
    throw cli::Failure(cli::ExitCode::data, cli::tr("{1}: a whole row of bins without any number", name),
                       cli::tr("leave its slice out with --slices"));
}

}  // namespace vsh::tomo
