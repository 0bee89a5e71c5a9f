#include "programs/bench/report/bars.hpp"

#include <algorithm>
#include <cmath>

#include "programs/bench/report/format.hpp"

namespace vsh::bench {
namespace {

constexpr double kWidth = 960, kLeft = 300, kBarsWidth = 470, kBar = 17, kStep = 23, kGap = 16, kTitle = 24, kFoot = 30,
                 kDigit = 8;

const char* class_of(Bar::Kind kind) {
  switch (kind) {
    case Bar::Kind::own: return "own";
    case Bar::Kind::peer: return "peer";
    case Bar::Kind::published: return "published";
  }
  return "";
}

// Returns 1, 2 or 5 times a power of ten that divides `most` into three to eight parts.
double tick_step(double most) {
  const double decade = std::pow(10, std::floor(std::log10(most / 3)));
  for (const double step : {5, 2})
    if (step * decade <= most / 3) return step * decade;
  return decade;
}

}  // namespace

std::string to_inline_svg(const BarChart& chart) {
  const double head = chart.heading.empty() ? 8 : 8 + kTitle;
  double most = 0, height = kFoot + head;
  for (const BarGroup& group : chart.groups) {
    height += kTitle + kGap + kStep * static_cast<double>(group.bars.size());
    for (const Bar& bar : group.bars) most = std::max(most, bar.value);
  }
  if (most <= 0) most = 1;
  std::string text = format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" viewBox=\"0 0 %.0f %.0f\" fill=\"currentColor\">\n",
      kWidth, height);
  text += "<title>" + escape(chart.title) + "</title>\n";
  const double step = tick_step(most), bottom = height - kFoot;
  for (double tick = 0; tick <= most * 1.0001; tick += step) {
    const double x = kLeft + kBarsWidth * tick / most;
    text += format("<line class=\"grid\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n", x, head - 4, x, bottom);
    text +=
        format("<text class=\"tick\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%g</text>\n", x, bottom + 18, tick);
  }
  text += format("<text class=\"tick\" x=\"%.1f\" y=\"%.1f\">", kLeft + kBarsWidth + 60, bottom + 18) +
          escape(chart.unit) + "</text>\n";
  if (!chart.heading.empty()) text += "<text class=\"tick\" x=\"8\" y=\"20\">" + escape(chart.heading) + "</text>\n";
  double y = head;
  for (const BarGroup& group : chart.groups) {
    text += format("<text class=\"group\" x=\"8\" y=\"%.1f\">", y + 16) + escape(group.title) + "</text>\n";
    y += kTitle;
    for (const Bar& bar : group.bars) {
      const double width = std::max(1.0, kBarsWidth * bar.value / most);
      const std::string value = short_number(bar.value) + " " + chart.unit;
      text += format("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">", kLeft - 10, y + 13) + escape(bar.name) +
              "</text>\n";
      text += format("<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.0f\"><title>",
                     class_of(bar.kind), kLeft, y, width, kBar) +
              escape(group.title + ", " + bar.name + ": " + value) + "</title></rect>\n";
      text += format("<text class=\"value\" x=\"%.1f\" y=\"%.1f\">", kLeft + width + 6, y + 13) +
              short_number(bar.value) + "</text>\n";
      if (!bar.note.empty()) {
        const double behind = kLeft + width + 16 + kDigit * static_cast<double>(short_number(bar.value).size());
        text += format("<text class=\"tick\" x=\"%.1f\" y=\"%.1f\">", behind, y + 13) + escape(bar.note) + "</text>\n";
      }
      y += kStep;
    }
    y += kGap;
  }
  return text + "</svg>\n";
}

std::string to_svg(const BarChart& chart) {
  std::string text = to_inline_svg(chart);
  return text.insert(text.find(">\n") + 2, R"(<style>
svg { color-scheme: light dark; color: #1d1f21; font: 13px system-ui, "DejaVu Sans", sans-serif; }
.paper { fill: #fcfcfa; } .grid { stroke: #dddcd6; } .group { font-weight: 600; font-size: 15px; }
.tick { fill: #62666a; font-size: 12px; } .own { fill: #0067a8; } .peer { fill: #a9a79e; }
@media (prefers-color-scheme: dark) {
  svg { color: #e6e4de; } .paper { fill: #16181a; } .grid { stroke: #36393c; } .tick { fill: #9a9c9e; }
  .own { fill: #4aa8e0; } .peer { fill: #74777a; }
}
</style>
<rect class="paper" width="100%" height="100%" rx="8"/>
)");
}

}  // namespace vsh::bench
