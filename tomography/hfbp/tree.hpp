// The transpose of the fast Hough transform: lines to pixels, O(n^2 log n) additions (Brady, A fast discrete
// approximation algorithm for the Radon transform, SIAM J. Comput. 27, 1998), for any n (arXiv 2411.07351).
//
// The line of slope s and offset o enters a strip of w columns at row o and leaves it at row o + s. A strip is halved:
// a line becomes a line of the left part and one of the right part, so what belongs to lines of the whole strip is
// added to the lines of both parts, and a strip of one column is the image's. Two halvings are made at a time, each
// line of a quarter from the lines of the whole strip, some rows of them at a time: they are read from the second cache
// once.
#pragma once

#include <array>
#include <vector>

#include "tomography/geometry/buffer.hpp"

namespace vsh::tomography {

class Tree {
 public:
  // Pixels that are wanted: those within `radius` of (middle, middle), where 0 is the centre of the first one. The
  // rows that `columns` gives of the others are not set.
  struct Circle {
    double middle, radius;
  };
  // Some of a line's bundles.
  struct Range {
    size_t begin, end;
  };

  Tree(const SliceKernel& kernel, size_t size, const Circle& circle);

  // Floats of a line of slope s: offsets -s to size - 1.
  size_t line(size_t slope) const { return (size_ + slope) * lanes_; }
  // Number of slopes that `add_lines` takes at a time.
  size_t block() const { return block_; }
  // The bundles of a line of slope s that meet the circle: the only ones that are read.
  Range wanted(size_t slope) const { return wanted(0, size_, slope); }

  // Begins a new image.
  void clear();
  // Adds the lines of slopes [first, first + num), one after the other in `lines`; in the order of slopes.
  void add_lines(const float* lines, size_t first, size_t num);
  // Calls column(index, rows) for every column of the image: its size bundles, valid for the call.
  template <class F>
  void columns(F&& column) {
    for (const Node& node : nodes_)
      descend({node.data.data(), 0, node.width, node.width, node.first}, scratch_.data(), column);
  }

  static uint64_t memory(size_t size, size_t lanes);

 private:
  struct Node {
    size_t first, width;  // columns
    size_t written;       // slopes below this one have lines
    Buffer data;          // lines of all its slopes
  };
  // The lines of `num` slopes from `low` on of a strip of `width` columns.
  struct Strip {
    const float* lines;
    size_t low, num, width, first;
  };
  // A half of a strip, or a half of a half.
  struct Part {
    Strip strip;
    size_t half;             // width of the half that it is a half of, else 0
    bool half_right, right;  // which half of the strip; which half of that
    float* lines;            // of its slopes, to be made
    size_t written;          // to lines of slopes below this one is added
  };
  struct Parts {
    std::array<Part, 4> part;
    size_t num = 0;
  };
  // A line to make from `num_rows` lines of the strip.
  struct Sum {
    float* out;
    Range range;
    size_t shift;  // its bundle i is made of bundle i + shift of the first of them
    size_t first_row, num_rows;
  };
  struct Halves {
    size_t left, right;  // widths
  };
  static Halves halve(size_t width);
  static size_t child_slope(size_t slope, size_t width, size_t child) {
    return width == 1 ? 0 : (2 * slope * (child - 1) + (width - 1)) / (2 * (width - 1));
  }
  size_t place(size_t low, size_t slope) const {  // of a line among those from `low` on
    const size_t num = slope - low;
    return (num * size_ + (slope * (slope - 1) - low * (low - 1)) / 2) * lanes_;
  }
  Range wanted(size_t first, size_t width, size_t slope) const;
  // The slopes of a half, and how many.
  Strip slopes_of_half(const Strip& strip, size_t child, bool right) const;
  Parts parts_of(const Strip& strip, size_t halvings) const;
  void make(const Strip& strip, Parts& parts);
  void spread_block(const Strip& strip, size_t depth, float* scratch);
  void split(size_t first, size_t width, size_t depth);

  template <class F>
  void descend(const Strip& strip, float* scratch, F& column) {
    if (strip.width == 1) return column(strip.first, strip.lines);
    Parts parts = parts_of(strip, 2);
    for (size_t i = 0; i < parts.num; ++i) {
      Part& part = parts.part[i];
      part.strip.lines = part.lines = scratch;
      scratch += place(part.strip.low, part.strip.low + part.strip.num);
    }
    make(strip, parts);
    for (size_t i = 0; i < parts.num; ++i) descend(parts.part[i].strip, scratch, column);
  }

  const SliceKernel& kernel_;
  Circle circle_;
  size_t size_, lanes_, depth_, block_;
  std::vector<Node> nodes_;
  Buffer scratch_;
  std::vector<Sum> sums_;  // of `make`
  std::vector<const float*> rows_;
};

}  // namespace vsh::tomography
