#include "core/row_costs.hpp"

#include <algorithm>

#include "core/decimal.hpp"
#include "core/registry.hpp"

namespace vsh::tuner {
namespace {

constexpr std::string_view kNames[kNumFigures] = {"pass",     "request",    "chain",      "expand",
                                                  "prepare",  "lane-row",   "lane-apart", "lane-chain",
                                                  "lane-tag", "lane-begin", "lane-keys"};

// Reads names, each with its cycles. The first figure is the row's pass.
bool read_figures(Line line, RowCost& cost) {
  cost.figures = {};
  cost.figures[Figure::pass] = cost.pass;
  while (!line.at_end()) {
    const auto name = std::find(std::begin(kNames), std::end(kNames), line.word());
    if (name == std::end(kNames)) return false;
    uint32_t& cycles = cost.figures.of[name - std::begin(kNames)];
    if (cycles != 0) return false;  // named before
    cycles = static_cast<uint32_t>(line.number(kMaxCost).value_or(0));
    if (cycles == 0) return false;
  }
  return true;
}

// Fills in the costs of one line; returns false if it is invalid.
bool read_row(Line line, std::span<const KernelInfo* const> rows, RowCosts& costs) {
  const std::string_view family = line.word(), variant = line.word();
  const auto row = std::find_if(rows.begin(), rows.end(), [&](const KernelInfo* info) {
    return info->family == family && info->variant == variant;
  });
  if (row == rows.end() || !runnable(**row)) return false;
  RowCost& cost = costs.of[row - rows.begin()];
  if (cost.pass != 0) return false;
  const auto read_cost = [&] { return static_cast<uint32_t>(line.number(kMaxCost).value_or(0)); };
  cost.pass = cost.custom = read_cost();
  if (line.next_is_digit()) cost.custom = read_cost();
  return cost.pass != 0 && cost.custom != 0 && read_figures(line, cost);
}

struct State {
  RowCosts costs{};
  Source source;
};

const State& state() noexcept {
  static const State read = [] {
    State s;
    s.source = read_costs({}, kMaxRowCostsSize, [&](std::string_view text) {
      return parse_row_costs(text, identity_here(), kernel_infos(), s.costs);
    });
    return s;
  }();
  return read;
}

}  // namespace

Identity identity_here() { return identity_of(kernel_infos()); }

std::string format_row_costs(const Identity& identity, std::span<const KernelInfo* const> rows, const RowCosts& costs) {
  std::string text = heading(identity);
  for (size_t i = 0; i < rows.size(); ++i) {
    const RowCost& cost = costs.of[i];
    if (!runnable(*rows[i]) || cost.pass == 0) continue;
    text += std::string(rows[i]->family) + " " + rows[i]->variant + " " + decimal(cost.pass);
    if (cost.custom != cost.pass) text += " " + decimal(cost.custom);
    for (size_t f = 1; f < kNumFigures; ++f)
      if (cost.figures.of[f]) text += " " + std::string(kNames[f]) + " " + decimal(cost.figures.of[f]);
    text += "\n";
  }
  return text;
}

std::string parse_row_costs(std::string_view text, const Identity& here, std::span<const KernelInfo* const> rows,
                            RowCosts& costs) {
  if (rows.size() > kMaxRows) return "there are too many kernels";
  RowCosts read{};
  const std::string problem = parse(text, here, [&](Line line) { return read_row(line, rows, read); });
  if (!problem.empty()) return problem;
  for (size_t i = 0; i < rows.size(); ++i)
    if (runnable(*rows[i]) && read.of[i].pass == 0) return "it lacks a kernel";
  costs = read;
  return "";
}

const RowCosts* measured() noexcept { return state().source.problem.empty() ? &state().costs : nullptr; }

const Source& source() noexcept { return state().source; }

const Figures* measured_figures(const KernelInfo& row) noexcept {
  const RowCosts* const costs = measured();
  const auto rows = kernel_infos();
  const auto found = std::find(rows.begin(), rows.end(), &row);
  if (!costs || found == rows.end()) return nullptr;
  return &costs->of[found - rows.begin()].figures;
}

uint32_t pass_cost(const RowCosts* costs, const KernelInfo& row, bool custom_sbox) noexcept {
  const auto rows = kernel_infos();
  const auto found = std::find(rows.begin(), rows.end(), &row);
  if (costs && found != rows.end()) {
    const RowCost& cost = costs->of[found - rows.begin()];
    if (cost.pass) return custom_sbox ? cost.custom : cost.pass;
  }
  return std::max(custom_sbox && row.pass_cost_custom ? row.pass_cost_custom : row.pass_cost, 1u);
}

}  // namespace vsh::tuner
