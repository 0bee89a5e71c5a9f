// Charts of lines over bytes or numbers of messages, both axes logarithmic: as an SVG file, as a part of a page, and as
// a table of text.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace vsh::bench {

struct Series {
  enum class Style { thick, plain, dashed, dotted };

  std::string name;
  Style style = Style::plain;
  std::vector<std::pair<size_t, double>> points;  // in ascending order; units as the chart says
};

struct Chart {
  std::string title;
  std::vector<Series> series;
  std::string unit = "core cycles per byte";
  std::string over = "bytes of one message";
};

// Returns a page without scripts or embedded fonts. caption: below the heading, one line each.
std::string to_svg(const std::vector<Chart>& charts, const std::string& heading,
                   const std::vector<std::string>& captions);

// Returns one chart as an SVG that takes its colours from the page in which it stands (programs/bench/report/page.cpp).
std::string to_inline_svg(const Chart& chart);

// Returns a line for each size, a column for each series; "-" if not measured.
std::string to_text(const Chart& chart);

}  // namespace vsh::bench
