// Bars in groups, from the left, on one linear scale: a part of a page, which has the colours
// (programs/bench/report/page.cpp), or a picture of its own.
#pragma once

#include <string>
#include <vector>

namespace vsh::bench {

struct Bar {
  enum class Kind { own, peer, published };

  std::string name;
  Kind kind = Kind::own;
  double value = 0;
  std::string note;  // behind the value
};

struct BarGroup {
  std::string title;
  std::vector<Bar> bars;
};

struct BarChart {
  std::string title;  // of the picture, for readers who do not see it
  std::string unit;   // "MB/s"
  std::vector<BarGroup> groups;
  std::string heading = {};  // above the bars; empty: none
};

std::string to_inline_svg(const BarChart& chart);
std::string to_svg(const BarChart& chart);  // follows the reader's light or dark scheme

}  // namespace vsh::bench
