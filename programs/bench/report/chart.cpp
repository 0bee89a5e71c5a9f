#include "programs/bench/report/chart.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "programs/bench/report/format.hpp"
#include "programs/bench/setup/options.hpp"

namespace vsh::bench {
namespace {

constexpr double kPageWidth = 960, kChartHeight = 400, kHeadHeight = 44, kLineHeight = 16;
constexpr double kPlotLeft = 64, kPlotWidth = 640, kTop = 40, kPlotHeight = 300,
                 kLegendLeft = kPlotLeft + kPlotWidth + 20;

// Okabe and Ito's colours, distinguishable with any kind of colour vision; markers and dashes help if a chart has more
// lines.
constexpr const char* kColours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                    "#56b4e9", "#e69f00", "#7a5195", "#6b6b6b"};

std::string label(double x, double y, const char* anchor, const std::string& text, const char* more = "") {
  return format("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\"%s>", x, y, anchor, more) + escape(text) + "</text>\n";
}

// A logarithmic scale from data to pixels.
struct Scale {
  double low, high, from, to;
  double operator()(double value) const { return from + (to - from) * std::log(value / low) / std::log(high / low); }
};

// Returns 1, 2 and 5 in each decade, from the last at or below `low` to the first at or above `high`.
std::vector<double> decades(double low, double high) {
  std::vector<double> ticks;
  for (double decade = std::pow(10, std::floor(std::log10(low))); decade <= high * 10; decade *= 10)
    for (const double step : {1, 2, 5}) ticks.push_back(step * decade);
  while (ticks.size() > 2 && ticks[1] <= low) ticks.erase(ticks.begin());
  while (ticks.size() > 2 && ticks[ticks.size() - 2] >= high) ticks.pop_back();
  return ticks;
}

// Draws one chart with its upper edge at y = top.
class Drawing {
 public:
  Drawing(const Chart& chart, double top) : chart_(chart), top_(top) {
    double least = 1e300, most = 0;
    size_t first = SIZE_MAX, last = 0;
    for (const Series& s : chart.series)
      for (const auto& [bytes, cost] : s.points) {
        first = std::min(first, bytes), last = std::max(last, bytes);
        least = std::min(least, cost), most = std::max(most, cost);
      }
    ticks_ = decades(least, most);
    x_ = {static_cast<double>(first), static_cast<double>(std::max(last, 2 * first)), kPlotLeft,
          kPlotLeft + kPlotWidth};
    y_ = {ticks_.front(), ticks_.back(), top + kTop + kPlotHeight, top + kTop};
  }

  std::string svg() const {
    std::string text = label(kPlotLeft, top_ + 24, "start", chart_.title, " class=\"title\"") + axes();
    // The thick line is drawn first, below the others: where they coincide, both are visible.
    for (const bool thick : {true, false})
      for (size_t i = 0; i < chart_.series.size(); ++i)
        if ((chart_.series[i].style == Series::Style::thick) == thick) text += line(i);
    for (size_t i = 0; i < chart_.series.size(); ++i) text += legend(i);
    return text;
  }

 private:
  std::string axes() const {
    std::string text;
    const double bottom = y_.from, right = kPlotLeft + kPlotWidth;
    for (const double tick : ticks_) {
      text += format("<line class=\"grid\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n", kPlotLeft, y_(tick),
                     right, y_(tick));
      text += label(kPlotLeft - 8, y_(tick) + 4, "end", format("%g", tick));
    }
    const bool bytes = chart_.over.starts_with("bytes");
    size_t power = bytes ? 8 : 1;
    while (static_cast<double>(power) < x_.low) power *= 2;
    for (size_t n = 0; static_cast<double>(power) <= x_.high; power *= 2, ++n) {
      const double x = x_(static_cast<double>(power));
      text += format("<line class=\"grid\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n", x, y_.to, x, bottom);
      if (n % 3 == 1) text += label(x, bottom + 18, "middle", bytes ? format_size(power) : std::to_string(power));
    }
    text += label(kPlotLeft + kPlotWidth / 2, bottom + 38, "middle", chart_.over);
    const double middle = (y_.from + y_.to) / 2;
    return text +
           label(16, middle, "middle", chart_.unit, format(" transform=\"rotate(-90 16 %.1f)\"", middle).c_str());
  }

  std::string stroke(size_t i) const {
    const Series::Style style = chart_.series[i].style;
    if (style == Series::Style::thick) return "stroke=\"currentColor\" stroke-width=\"6\" opacity=\"0.35\"";
    if (style == Series::Style::dotted) return "stroke=\"currentColor\" stroke-width=\"1.5\" stroke-dasharray=\"1 4\"";
    const size_t colour = i % std::size(kColours);
    return format("class=\"colour%zu\" stroke=\"%s\" stroke-width=\"1.7\"%s", colour, kColours[colour],
                  style == Series::Style::dashed ? " stroke-dasharray=\"6 4\"" : "");
  }

  std::string line(size_t i) const {
    std::string points;
    for (const auto& [bytes, cost] : chart_.series[i].points)
      points += format("%.1f,%.1f ", x_(static_cast<double>(bytes)), y_(cost));
    return "<polyline fill=\"none\" " + stroke(i) + " points=\"" + points + "\"/>\n";
  }

  std::string legend(size_t i) const {
    const double y = y_.to + 8 + 18 * static_cast<double>(i);
    return format("<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" ", kLegendLeft, y, kLegendLeft + 30, y) +
           stroke(i) + "/>\n" + label(kLegendLeft + 38, y + 4, "start", chart_.series[i].name);
  }

  const Chart& chart_;
  double top_;
  std::vector<double> ticks_;
  Scale x_, y_;
};

}  // namespace

std::string to_svg(const std::vector<Chart>& charts, const std::string& heading,
                   const std::vector<std::string>& captions) {
  const double head = kHeadHeight + kLineHeight * static_cast<double>(captions.size());
  const double height = head + kChartHeight * static_cast<double>(charts.size());
  std::string text = format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" "
      "font-family=\"sans-serif\" font-size=\"12\" color=\"#222222\" fill=\"#222222\">\n",
      kPageWidth, height, kPageWidth, height);
  text +=
      "<style>.grid{stroke:#dddddd;stroke-width:1}.title{font-size:16px;font-weight:bold}</style>\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n";
  text += label(kPlotLeft, 28, "start", heading, " class=\"title\"");
  for (size_t i = 0; i < captions.size(); ++i)
    text += label(kPlotLeft, kHeadHeight + 4 + kLineHeight * static_cast<double>(i), "start", captions[i]);
  for (size_t i = 0; i < charts.size(); ++i)
    text += Drawing(charts[i], head + kChartHeight * static_cast<double>(i)).svg();
  return text + "</svg>\n";
}

std::string to_inline_svg(const Chart& chart) {
  return format(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" viewBox=\"0 0 %.0f %.0f\" "
             "fill=\"currentColor\">\n",
             kPageWidth, kChartHeight) +
         "<title>" + escape(chart.title + ", " + chart.unit + " against " + chart.over) + "</title>\n" +
         Drawing(chart, 0).svg() + "</svg>\n";
}

std::string to_text(const Chart& chart) {
  std::set<size_t> sizes;
  size_t width = 9;
  for (const Series& s : chart.series) {
    width = std::max(width, s.name.size());
    for (const auto& point : s.points) sizes.insert(point.first);
  }
  const int column = static_cast<int>(std::min<size_t>(width, 16));
  std::string text = chart.title + ", core c/B\n" + format("  %9s", "bytes");
  for (const Series& s : chart.series) text += format("  %*.*s", column, column, s.name.c_str());
  for (const size_t bytes : sizes) {
    text += "\n" + format("  %9s", format_size(bytes).c_str());
    for (const Series& s : chart.series) {
      const auto point =
          std::find_if(s.points.begin(), s.points.end(), [&](const auto& p) { return p.first == bytes; });
      text += "  " + (point == s.points.end() ? format("%*s", column, "-") : format("%*.2f", column, point->second));
    }
  }
  return text + "\n";
}

}  // namespace vsh::bench
