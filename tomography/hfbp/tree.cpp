#include "tomography/hfbp/tree.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace vsh::tomography {
namespace {

// Levels that are made of a block of slopes at a time, so that the block's lines stay in the second cache; the rest is
// made strip by strip, whose lines do too.
size_t depth_for(size_t size) {
  size_t depth = 0;
  while (depth < 5 && (size >> depth) > (size_t{1} << (depth + 1))) ++depth;
  return depth;
}

// Lines of the strip, and bytes of each, that are read at a time: they stay in the first cache.
constexpr size_t kLines = 4, kChunk = 2048;

// Lines of the strips below one another: at most as many as the first one has, a quarter, a sixteenth and so on, and
// three more each.
size_t scratch_lines(size_t size, size_t depth) {
  return 2 * std::max(size_t{1} << depth, std::bit_ceil(size) >> depth) + 32;
}

}  // namespace

Tree::Halves Tree::halve(size_t width) {
  const size_t left = std::bit_floor(width - 1);
  return {left, width - left};
}

Tree::Tree(const SliceKernel& kernel, size_t size, const Circle& circle)
    : kernel_(kernel),
      circle_(circle),
      size_(size),
      lanes_(kernel.info.lanes),
      depth_(depth_for(size)),
      block_(size_t{1} << depth_),
      scratch_(scratch_lines(size, depth_) * 2 * size * lanes_) {
  split(0, size, 0);
}

void Tree::split(size_t first, size_t width, size_t depth) {
  if (depth == depth_ || width == 1) {
    nodes_.push_back({first, width, 0, Buffer(place(0, width))});
    return;
  }
  const Halves h = halve(width);
  split(first, h.left, depth + 1);
  split(first + h.left, h.right, depth + 1);
}

void Tree::clear() {
  for (Node& node : nodes_) node.written = 0;
}

Tree::Strip Tree::slopes_of_half(const Strip& strip, size_t child, bool right) const {
  const size_t low = child_slope(strip.low, strip.width, child);
  const size_t num = child_slope(strip.low + strip.num - 1, strip.width, child) - low + 1;
  return {nullptr, low, num, child, strip.first + (right ? strip.width - child : 0)};
}

// Returns all o with which the straight line y = o + m (x - first) meets the circle in the strip: between the least
// and the greatest of middle ± sqrt(radius^2 - (x - middle)^2) - m (x - first). A line of a half deviates by at most
// half a pixel from each line of the strip that it is a part of, so where its bundles are wanted, theirs are.
Tree::Range Tree::wanted(size_t first, size_t width, size_t slope) const {
  const double low = std::max(static_cast<double>(first) - circle_.middle, -circle_.radius);
  const double high = std::min(static_cast<double>(first + width - 1) - circle_.middle, circle_.radius);
  if (low > high) return {0, 0};
  const double m = width == 1 ? 0 : static_cast<double>(slope) / static_cast<double>(width - 1);
  const double farthest = circle_.radius * m / std::sqrt(1 + m * m);  // where a tangent of this slope is
  const double deviation = 1 + static_cast<double>(std::bit_width(width - 1)) / 2;
  // Offset -slope is bundle 0.
  const double start = circle_.middle + static_cast<double>(slope) - m * (circle_.middle - static_cast<double>(first));
  const auto side = [&](double x, double sign) {
    return start - m * x + sign * (std::sqrt(std::max(circle_.radius * circle_.radius - x * x, 0.0)) + deviation);
  };
  const double last = static_cast<double>(size_ + slope);
  const double begin = std::clamp(std::floor(side(std::clamp(farthest, low, high), -1)), 0.0, last);
  const double end = std::clamp(std::ceil(side(std::clamp(-farthest, low, high), 1)) + 1, begin, last);
  return {static_cast<size_t>(begin), static_cast<size_t>(end)};
}

Tree::Parts Tree::parts_of(const Strip& strip, size_t halvings) const {
  Parts parts;
  const Halves h = halve(strip.width);
  for (const bool half_right : {false, true}) {
    const Strip half = slopes_of_half(strip, half_right ? h.right : h.left, half_right);
    if (halvings == 1 || half.width == 1) {
      parts.part[parts.num++] = {half, 0, half_right, false, nullptr, 0};
      continue;
    }
    const Halves q = halve(half.width);
    for (const bool right : {false, true})
      parts.part[parts.num++] = {
          slopes_of_half(half, right ? q.right : q.left, right), half.width, half_right, right, nullptr, 0};
  }
  return parts;
}

// Some lines of the strip after the others, for all parts what begins with them.
void Tree::make(const Strip& strip, Parts& parts) {
  const size_t end = strip.low + strip.num, chunk = kChunk / (lanes_ * sizeof(float));
  std::array<size_t, 4> next;
  next.fill(strip.low);
  for (size_t lines = strip.low; lines < end; lines += kLines) {
    sums_.clear();
    rows_.clear();
    size_t begin = SIZE_MAX, last = 0;
    for (size_t i = 0; i < parts.num; ++i) {
      const Part& part = parts.part[i];
      // Offsets -q … size - 1 of a half are the last ones of the line on the left, the first ones on the right.
      const auto slope_of = [&](size_t s, size_t& shift) {
        const size_t h = child_slope(s, strip.width, part.half ? part.half : part.strip.width);
        const size_t q = part.half ? child_slope(h, part.half, part.strip.width) : h;
        shift = (part.half_right ? 0 : s - h) + (part.right ? 0 : h - q);
        return q;
      };
      while (next[i] < std::min(lines + kLines, end)) {
        size_t shift, s = next[i];
        const size_t q = slope_of(s, shift);
        float* const out = part.lines + place(part.strip.low, q);
        const Range range = wanted(part.strip.first, part.strip.width, q);
        const Sum sum{out, range, shift, rows_.size(), 0};
        if (q < part.written) rows_.push_back(out);
        for (; s < end && slope_of(s, shift) == q; ++s)
          rows_.push_back(strip.lines + place(strip.low, s) + shift * lanes_);
        next[i] = s;
        if (range.begin == range.end) continue;
        sums_.push_back(sum);
        sums_.back().num_rows = rows_.size() - sum.first_row;
        begin = std::min(begin, range.begin + sum.shift);
        last = std::max(last, range.end + sum.shift);
      }
    }
    for (; begin < last; begin += chunk) {
      for (const Sum& sum : sums_) {
        const size_t from = std::max(sum.range.begin + sum.shift, begin) - sum.shift;
        const size_t to = std::min(sum.range.end + sum.shift, begin + chunk);
        if (from + sum.shift < to)
          kernel_.sum(sum.out, rows_.data() + sum.first_row, sum.num_rows, from, to - sum.shift);
      }
    }
  }
}

void Tree::spread_block(const Strip& strip, size_t depth, float* scratch) {
  const auto node_of = [&](size_t first) {
    return std::find_if(nodes_.begin(), nodes_.end(), [&](const Node& node) { return node.first == first; });
  };
  if (depth == depth_ || strip.width == 1) {  // of a tree that has no blocks
    kernel_.sum(node_of(strip.first)->data.data() + place(0, strip.low), &strip.lines, 1, 0,
                place(strip.low, strip.low + strip.num) / lanes_);
    return;
  }
  const size_t halvings = depth_ - depth == 1 ? 1 : 2;
  Parts parts = parts_of(strip, halvings);
  const auto is_node = [&](const Part& part) { return depth + halvings == depth_ || part.strip.width == 1; };
  for (size_t i = 0; i < parts.num; ++i) {
    Part& part = parts.part[i];
    if (is_node(part)) {
      // Its lines go where they stay. Blocks share at most the slope between them.
      Node& node = *node_of(part.strip.first);
      part.lines = node.data.data() + place(0, part.strip.low);
      part.written = std::exchange(node.written, part.strip.low + part.strip.num);
    } else {
      part.strip.lines = part.lines = scratch;
      scratch += place(part.strip.low, part.strip.low + part.strip.num);
    }
  }
  make(strip, parts);
  for (size_t i = 0; i < parts.num; ++i)
    if (!is_node(parts.part[i])) spread_block(parts.part[i].strip, depth + halvings, scratch);
}

void Tree::add_lines(const float* lines, size_t first, size_t num) {
  spread_block({lines, first, num, size_, 0}, 0, scratch_.data());
}

uint64_t Tree::memory(size_t size, size_t lanes) {
  const size_t depth = depth_for(size);
  const uint64_t nodes = uint64_t{size} * (size + (size >> depth));
  const uint64_t scratch = uint64_t{scratch_lines(size, depth)} * 2 * size;
  return (nodes + scratch) * lanes * sizeof(float);
}

}  // namespace vsh::tomography
