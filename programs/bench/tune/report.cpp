#include "programs/bench/tune/report.hpp"

#include <algorithm>
#include <cstdio>
#include <iterator>

#include "programs/common/text/columns.hpp"
#include "programs/common/text/json.hpp"
#include "programs/common/text/text.hpp"

namespace vsh::bench {
namespace {

using cli::align_columns;
using cli::Json;
using cli::JsonArray;
using cli::JsonLayout;
using cli::JsonObject;

std::string fixed(double value, int decimals) {
  char text[40];
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  return text;
}

// Formats about three significant digits: 0.98, 12.3, 250.
std::string short_number(double value) { return fixed(value, value < 10 ? 2 : value < 100 ? 1 : 0); }

std::string percent(double fraction) { return fixed(100 * fraction, 1) + " %"; }

// The share of key set-up in 4 KiB of Kuznyechik under a new key.
std::string set_up_note(const char* which, double set_up, double a_byte) {
  return std::string(which) + " " + fixed(set_up, 0) + " cycles (" + percent(set_up / (4096 * a_byte)) + ")";
}

JsonArray json_numbers(const std::vector<double>& values) {
  JsonArray array;
  for (const double value : values) array.add(Json::fixed(value, 3));
  return array;
}

JsonObject json_row(const MeasuredRow& row) {
  JsonObject object;
  object.add("kernel", row.info->variant).add("lanes", row.info->lanes).add("pass_cycles", row.pass);
  object.add("spread", Json::fixed(row.spread, 4)).add("set_up_cycles", Json::fixed(row.set_up, 0));
  return object.add("cycles_per_byte", json_numbers(row.cycles_per_byte));
}

JsonObject json_choice(const ComparedChoice& choice) {
  JsonObject object;
  object.add("name", choice.name).add("default", choice.by_default).add("tuned", choice.tuned);
  object.add("default_cycles_per_byte", json_numbers(choice.default_cycles));
  object.add("tuned_cycles_per_byte", json_numbers(choice.tuned_cycles));
  object.add("default_set_up_cycles", Json::fixed(choice.default_set_up, 0));
  return object.add("tuned_set_up_cycles", Json::fixed(choice.tuned_set_up, 0));
}

}  // namespace

std::string tune_table(const TunedFamily& family) {
  std::vector<std::vector<std::string>> lines = {{family.name, "LANES", "KEY SET-UP", "CYCLES A PASS", "SPREAD"}};
  std::vector<size_t> right = {1, 2, 3, 4};
  for (const size_t num_blocks : kRowBlocks) {
    right.push_back(lines[0].size());
    lines[0].push_back(std::to_string(num_blocks) + (num_blocks == 1 ? " BLOCK" : ""));
  }
  const auto add = [&](std::vector<std::string> line, const std::vector<double>& cycles) {
    for (const double value : cycles) line.push_back(short_number(value));
    lines.push_back(std::move(line));
  };
  for (const MeasuredRow& row : family.rows)
    add({std::string("  ") + row.info->variant, std::to_string(row.info->lanes), row.set_up ? fixed(row.set_up, 0) : "",
         std::to_string(row.pass), percent(row.spread)},
        row.cycles_per_byte);
  std::string notes;
  for (const ComparedChoice& choice : family.choices) {
    const std::string name = family.choices.size() > 1 ? " (" + choice.name + ")" : "";
    const auto set_up = [](double cycles) { return cycles ? fixed(cycles, 0) : ""; };
    add({"default" + name, "", set_up(choice.default_set_up), "", ""}, choice.default_cycles);
    add({"tuned" + name, "", set_up(choice.tuned_set_up), "", ""}, choice.tuned_cycles);
    std::vector<std::string> gains = {"gain", "", "", "", ""};
    for (size_t i = 0; i < choice.tuned_cycles.size(); ++i)
      gains.push_back(percent(choice.default_cycles[i] / choice.tuned_cycles[i] - 1));
    lines.push_back(std::move(gains));
    notes += "default" + name + ": " + choice.by_default + "\n  tuned" + name + ": " + choice.tuned + "\n";
    if (choice.tuned_set_up)
      notes +=
          "a new key for every 4 KiB: " + set_up_note("default", choice.default_set_up, choice.default_cycles.back()) +
          ", " + set_up_note("tuned", choice.tuned_set_up, choice.tuned_cycles.back()) + "\n";
  }
  return align_columns(lines, right) + notes + "\n";
}

std::string tune_summary(const std::vector<TunedFamily>& families) {
  const std::string blocks = std::to_string(kRowBlocks[std::size(kRowBlocks) - 1]) + " BLOCKS";
  std::vector<std::vector<std::string>> lines = {
      {"CYCLES A BYTE OF " + blocks, "DEFAULT", "TUNED", "GAIN", "MOST", "", "KERNELS, TUNED"}};
  for (const TunedFamily& family : families) {
    for (const ComparedChoice& choice : family.choices) {
      size_t most = 0;
      const auto gain = [&](size_t i) { return choice.default_cycles[i] / choice.tuned_cycles[i] - 1; };
      for (size_t i = 1; i < choice.tuned_cycles.size(); ++i)
        if (gain(i) > gain(most)) most = i;
      const size_t last = choice.tuned_cycles.size() - 1;
      lines.push_back({family.choices.size() > 1 ? choice.name : family.name, short_number(choice.default_cycles[last]),
                       short_number(choice.tuned_cycles[last]), percent(gain(last)), percent(gain(most)),
                       "of " + std::to_string(kRowBlocks[most]), choice.tuned});
    }
  }
  return align_columns(lines, {1, 2, 3, 4});
}

std::string tune_json(const std::vector<TunedFamily>& families) {
  JsonArray list(JsonLayout::lines);
  for (const TunedFamily& family : families) {
    JsonArray rows(JsonLayout::lines), choices(JsonLayout::lines);
    for (const MeasuredRow& row : family.rows) rows.add(json_row(row));
    for (const ComparedChoice& choice : family.choices) choices.add(json_choice(choice));
    list.add(JsonObject(JsonLayout::lines).add("name", family.name).add("kernels", rows).add("choices", choices));
  }
  return JsonObject(JsonLayout::lines).add("blocks", JsonArray(kRowBlocks)).add("families", list).text() + "\n";
}

namespace {

const CheckedSize& worst_of(const std::vector<CheckedSize>& sizes) {
  return *std::max_element(sizes.begin(), sizes.end(),
                           [](const CheckedSize& a, const CheckedSize& b) { return a.ratio() < b.ratio(); });
}

}  // namespace

std::string check_table(const Workload& workload, const std::vector<CheckedSize>& sizes) {
  std::vector<std::vector<std::string>> lines = {{"BLOCKS", "CYCLES", "BEST ROW", "RATIO", ""}};
  for (const CheckedSize& size : sizes) {
    lines.push_back({std::to_string(size.num_blocks), fixed(size.chosen, 0), fixed(size.best, 0),
                     fixed(size.ratio(), 2), size.best_row});
  }
  const CheckedSize& worst = worst_of(sizes);
  return std::string(workload.name) + "\n" + align_columns(lines, {0, 1, 2, 3}) + "worst: " + fixed(worst.ratio(), 2) +
         " times the best row, at " + std::to_string(worst.num_blocks) + " blocks\n\n";
}

std::string check_line(const Workload& workload, const std::vector<CheckedSize>& sizes) {
  const CheckedSize& worst = worst_of(sizes);
  const std::string at = worst.best_row + " at " + cli::tr_count(worst.num_blocks, "{1} block", "{1} blocks");
  return std::string(workload.name) + ": worst " + fixed(worst.ratio(), 2) + " times the best row, which is " + at +
         "; " + std::to_string(sizes.size()) + " sizes\n";
}

}  // namespace vsh::bench
