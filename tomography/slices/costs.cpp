#include "tomography/slices/costs.hpp"

#include <vector>

#include "core/decimal.hpp"
#include "tomography/slices/registry.hpp"

namespace vsh::tomography {

const std::string_view kMethodNames[kNumMethods] = {"fbp", "dfr", "hfbp", "hfbp-fast", "iterative", "cone"};

namespace {

constexpr size_t kMaxSize = 8 * 1024;  // bytes; a longer file is not read

bool read_row(tuner::Line line, SliceCosts& costs) {
  const std::string_view family = line.word(), variant = line.word();
  const auto rows = slice_kernels();
  for (size_t i = 0; i < rows.size(); ++i) {
    const KernelInfo& info = rows[i]->info;
    if (family != info.family || variant != info.variant) continue;
    if (!runnable(info) || costs.of[i][0] != 0) return false;
    for (size_t method = 0; method < kNumMethods; ++method) {
      if (line.word() != kMethodNames[method]) return false;
      costs.of[i][method] = line.number(kMaxCost).value_or(0);
      if (costs.of[i][method] == 0) return false;
    }
    return line.at_end();
  }
  return false;
}

struct State {
  SliceCosts costs{};
  tuner::Source source;
};

const State& state() noexcept {
  static const State read = [] {
    State s;
    s.source = tuner::read_costs(tuner::kTomographySuffix, kMaxSize,
                                 [&](std::string_view text) { return parse_costs(text, identity_here(), s.costs); });
    return s;
  }();
  return read;
}

}  // namespace

tuner::Identity identity_here() {
  std::vector<const KernelInfo*> infos;
  for (const SliceKernel* row : slice_kernels()) infos.push_back(&row->info);
  return tuner::identity_of(infos);
}

std::string format_costs(const tuner::Identity& identity, const SliceCosts& costs) {
  std::string text = tuner::heading(identity);
  const auto rows = slice_kernels();
  for (size_t i = 0; i < rows.size(); ++i) {
    if (!runnable(rows[i]->info)) continue;
    text.append(rows[i]->info.family).append(" ").append(rows[i]->info.variant);
    for (size_t method = 0; method < kNumMethods; ++method) {
      if (costs.of[i][method] == 0) return "";
      text.append(" ")
          .append(kMethodNames[method])
          .append(" ")
          .append(decimal(static_cast<int64_t>(costs.of[i][method])));
    }
    text += "\n";
  }
  return text;
}

std::string parse_costs(std::string_view text, const tuner::Identity& here, SliceCosts& costs) {
  SliceCosts read{};
  const std::string problem = tuner::parse(text, here, [&](tuner::Line line) { return read_row(line, read); });
  if (!problem.empty()) return problem;
  const auto rows = slice_kernels();
  for (size_t i = 0; i < rows.size(); ++i)
    if (runnable(rows[i]->info) && read.of[i][0] == 0) return "it lacks a kernel";
  costs = read;
  return "";
}

const SliceCosts* measured() noexcept { return state().source.problem.empty() ? &state().costs : nullptr; }

const tuner::Source& source() noexcept { return state().source; }

}  // namespace vsh::tomography
