#include "core/row_costs.hpp"

#include <algorithm>
#include <array>

#include "core/decimal.hpp"
#include "core/registry.hpp"
#include "vershina/vershina.h"

namespace vsh::tuner {
namespace {

constexpr std::string_view kMagic = "vershina-tune 1";

// FNV-1a, 64 bits: tells builds apart, keeps nobody out.
class Fingerprint {
 public:
  void add(std::string_view text) {
    for (const char c : text) mix(static_cast<uint8_t>(c));
    mix(0);
  }
  std::string hex() const {
    std::string text;
    for (int shift = 60; shift >= 0; shift -= 4) text += "0123456789abcdef"[value_ >> shift & 15];
    return text;
  }

 private:
  void mix(uint8_t byte) { value_ = (value_ ^ byte) * 0x100000001b3u; }
  uint64_t value_ = 0xcbf29ce484222325u;
};

// New pass costs stand for a kernel that was rewritten.
std::string build_id() {
  Fingerprint build;
  for (const uint32_t number : {VSH_VERSION_MAJOR, VSH_VERSION_MINOR, VSH_VERSION_PATCH}) build.add(decimal(number));
  build.add(__VERSION__);
  for (const KernelInfo* row : kernel_infos()) {
    build.add(row->family);
    build.add(row->variant);
    build.add(cpu::isa_name(row->isa));
    for (const uint32_t number : {row->lanes, row->pass_cost, row->pass_cost_custom}) build.add(decimal(number));
  }
  return build.hex();
}

// One word per call, separated by single spaces; empty at the end of the line.
std::string_view take_word(std::string_view& line) {
  const size_t end = std::min(line.find(' '), line.size());
  const std::string_view word = line.substr(0, end);
  line.remove_prefix(std::min(end + 1, line.size()));
  return word;
}

// 1 .. kMaxCost, without sign and leading zeros; 0 for anything else.
uint32_t read_cost(std::string_view word) {
  if (word.empty() || word.size() > 10 || word[0] == '0') return 0;
  uint64_t value = 0;
  for (const char c : word) {
    if (c < '0' || c > '9') return 0;
    value = 10 * value + static_cast<uint64_t>(c - '0');
  }
  return value <= kMaxCost ? static_cast<uint32_t>(value) : 0;
}

// Fills in what one line says; false where it is no line of a cache.
bool read_row(std::string_view line, std::span<const KernelInfo* const> rows, Costs& costs) {
  if (line.empty() || line.back() == ' ') return false;
  const std::string_view family = take_word(line), variant = take_word(line);
  const auto row = std::find_if(rows.begin(), rows.end(), [&](const KernelInfo* info) {
    return info->family == family && info->variant == variant;
  });
  if (row == rows.end() || !runnable(**row)) return false;
  RowCost& cost = costs.of[row - rows.begin()];
  if (cost.pass != 0) return false;
  cost.pass = cost.custom = read_cost(take_word(line));
  if (!line.empty()) cost.custom = read_cost(take_word(line));
  return cost.pass != 0 && cost.custom != 0 && line.empty();
}

}  // namespace

Identity identity_here() { return {cpu::model(), cpu::feature_names(cpu::features()), build_id()}; }

std::string format_cache(const Identity& identity, std::span<const KernelInfo* const> rows, const Costs& costs) {
  std::string text(kMagic);
  text += "\ncpu " + identity.cpu + "\nfeatures " + identity.features + "\nbuild " + identity.build + "\n";
  for (size_t i = 0; i < rows.size(); ++i) {
    const RowCost& cost = costs.of[i];
    if (!runnable(*rows[i]) || cost.pass == 0) continue;
    text += std::string(rows[i]->family) + " " + rows[i]->variant + " " + decimal(cost.pass);
    if (cost.custom != cost.pass) text += " " + decimal(cost.custom);
    text += "\n";
  }
  return text;
}

std::string parse_cache(std::string_view text, const Identity& here, std::span<const KernelInfo* const> rows,
                        Costs& costs) {
  const std::string malformed = "it is no list of costs as `vershina tune` writes it";
  if (text.size() > kMaxCacheSize || rows.size() > kMaxRows || !text.ends_with('\n')) return malformed;
  const auto take_line = [&] {
    const size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 1);  // the text ends with one
    return line;
  };
  if (take_line() != kMagic) return malformed;
  for (const auto& [key, value, difference] :
       {std::array<std::string_view, 3>{"cpu ", here.cpu, "it was measured on another CPU model"},
        {"features ", here.features, "it was measured with other CPU features"},
        {"build ", here.build, "it was measured with another build of Vershina"}}) {
    if (text.empty()) return malformed;
    const std::string_view line = take_line();
    if (!line.starts_with(key)) return malformed;
    if (line.substr(key.size()) != value) return std::string(difference);
  }
  Costs read{};
  while (!text.empty())
    if (!read_row(take_line(), rows, read)) return malformed;
  for (size_t i = 0; i < rows.size(); ++i)
    if (runnable(*rows[i]) && read.of[i].pass == 0) return "it lacks a kernel";
  costs = read;
  return "";
}

}  // namespace vsh::tuner
