#include "programs/bench/report/plot.hpp"

#include <algorithm>

namespace vsh::bench {
namespace {

std::string title(const Work& work) {
  const bool shown = work.transforms() && (work.mode == "ecb" || work.mode == "cbc" || work.mode == "cfb");
  return work.algorithm + (work.operation == "hash" ? "" : " " + work.mode) + (shown ? " " + work.operation : "");
}

Series::Style style(const Result& r) {
  if (r.chosen) return Series::Style::thick;
  return r.peer || !r.constant_time ? Series::Style::dashed : Series::Style::plain;
}

std::string name(const Result& r) {
  if (r.chosen) return "library's choice";
  return r.kernel + (!r.peer && !r.constant_time ? " (not constant-time)" : "");
}

template <class T, class Name>
T& find_or_add(std::vector<T>& list, Name T::*key, const std::string& wanted) {
  const auto found = std::find_if(list.begin(), list.end(), [&](const T& item) { return item.*key == wanted; });
  if (found != list.end()) return *found;
  list.push_back({});
  list.back().*key = wanted;
  return list.back();
}

}  // namespace

std::vector<Chart> to_charts(const std::vector<Result>& results) {
  std::vector<Chart> charts;
  for (const Result& r : results) {
    Series& series = find_or_add(find_or_add(charts, &Chart::title, title(r.work)).series, &Series::name, name(r));
    series.style = style(r);
    series.points.emplace_back(r.bytes, r.cpb());
  }
  return charts;
}

WorstChoice worst_choice(const std::vector<Result>& results) {
  WorstChoice worst;
  for (const Result& chosen : results) {
    if (!chosen.chosen) continue;
    for (const Result& r : results) {
      const double ratio = chosen.cpb() / r.cpb();
      if (r.bytes == chosen.bytes && r.constant_time && !r.peer && !r.cost.rough && ratio > worst.ratio)
        worst = {ratio, r.bytes, r.kernel};
    }
  }
  return worst;
}

}  // namespace vsh::bench
