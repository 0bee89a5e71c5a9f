// Charts of cycles per byte against bytes, both axes logarithmic: as an SVG file and as a table of text.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace vsh::bench {

struct Series {
  enum class Style { thick, plain, dashed };

  std::string name;
  Style style = Style::plain;
  std::vector<std::pair<size_t, double>> points;  // bytes, core c/B; in order of bytes
};

struct Chart {
  std::string title;
  std::vector<Series> series;
};

// Returns a page without scripts or embedded fonts. caption: below the heading, one line each.
std::string to_svg(const std::vector<Chart>& charts, const std::string& heading,
                   const std::vector<std::string>& captions);

// Returns a line for each size, a column for each series; "-" if not measured.
std::string to_text(const Chart& chart);

}  // namespace vsh::bench
