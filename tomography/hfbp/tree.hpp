// The transpose of the fast Hough transform: lines to pixels, O(n^2 log n) additions (Brady, A fast discrete
// approximation algorithm for the Radon transform, SIAM J. Comput. 27, 1998), for any n (arXiv 2411.07351).
//
// The line of slope s and offset o enters a strip of w columns at row o and leaves it at row o + s. A strip is halved:
// a line becomes a line of the left part and one of the right part, so what belongs to lines of the whole strip is
// added to the lines of both parts, and a strip of one column is the image's.
#pragma once

#include <functional>
#include <vector>

#include "tomography/geometry/buffer.hpp"

namespace vsh::tomography {

class Tree {
 public:
  Tree(const SliceKernel& kernel, size_t size);

  // Floats of a line of slope s: offsets -s to size - 1.
  size_t line(size_t slope) const { return (size_ + slope) * lanes_; }
  // Number of slopes that `add_lines` takes at a time.
  size_t block() const { return block_; }

  // Begins a new image.
  void clear();
  // Adds the lines of slopes [first, first + num), one after the other in `lines`; in the order of slopes.
  void add_lines(const float* lines, size_t first, size_t num);
  // Calls column(index, rows) for every column of the image: its size bundles, valid for the call.
  template <class F>
  void columns(F&& column) {
    for (const Node& node : nodes_) descend_all(node.data.data(), 0, node.width, node.width, node.first, column);
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
  // The slopes of a half, and how many.
  Strip slopes_of_half(const Strip& strip, size_t child, bool right) const;
  // Makes its lines at half.lines; to lines of slopes below `written` it adds.
  void make_half(const Strip& strip, const Strip& half, bool right, float* out, size_t written) const;
  void spread_block(const Strip& strip, size_t depth, float* scratch);
  void split(size_t first, size_t width, size_t depth);

  template <class F>
  void descend_all(const float* lines, size_t low, size_t num, size_t width, size_t first, F& column) {
    descend({lines, low, num, width, first}, scratch_.data(), column);
  }
  template <class F>
  void descend(const Strip& strip, float* scratch, F& column) {
    if (strip.width == 1) return column(strip.first, strip.lines);
    const Halves h = halve(strip.width);
    for (const bool right : {false, true}) {
      Strip half = slopes_of_half(strip, right ? h.right : h.left, right);
      make_half(strip, half, right, scratch, 0);
      half.lines = scratch;
      descend(half, scratch + place(half.low, half.low + half.num), column);
    }
  }

  const SliceKernel& kernel_;
  size_t size_, lanes_, depth_, block_;
  std::vector<Node> nodes_;
  Buffer scratch_;
};

}  // namespace vsh::tomography
