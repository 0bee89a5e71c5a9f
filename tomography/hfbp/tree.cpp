#include "tomography/hfbp/tree.hpp"

#include <algorithm>
#include <bit>

namespace vsh::tomography {
namespace {

// Levels that are made of a block of slopes at a time, so that the block's lines stay in the second cache; the rest is
// made strip by strip, whose lines do too.
size_t depth_for(size_t size) {
  size_t depth = 0;
  while (depth < 5 && (size >> depth) > (size_t{1} << (depth + 1))) ++depth;
  return depth;
}

// Lines of the strips below one another: at most as many as the first one has, a half, a quarter and so on, and one
// more each.
size_t scratch_lines(size_t size, size_t depth) {
  return 2 * std::max(size_t{1} << depth, std::bit_ceil(size) >> depth) + 32;
}

}  // namespace

Tree::Halves Tree::halve(size_t width) {
  const size_t left = std::bit_floor(width - 1);
  return {left, width - left};
}

Tree::Tree(const SliceKernel& kernel, size_t size)
    : kernel_(kernel),
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

void Tree::make_half(const Strip& strip, const Strip& half, bool right, float* out, size_t written) const {
  const size_t end = strip.low + strip.num;
  for (size_t s = strip.low; s < end;) {
    const size_t q = child_slope(s, strip.width, half.width);
    float* const to = out + place(half.low, q);
    const size_t bundles = size_ + q;
    // Offsets -q … size - 1 of the half are the last ones of the line on the left, the first ones on the right.
    const auto from = [&](size_t slope) {
      return strip.lines + place(strip.low, slope) + (right ? 0 : (slope - q) * lanes_);
    };
    const size_t begin = s;
    while (s < end && child_slope(s, strip.width, half.width) == q) ++s;
    size_t next = begin;
    if (q >= written) {
      kernel_.add(to, from(begin), begin + 1 < s ? from(begin + 1) : nullptr, bundles);
      next = begin + 2;
    }
    for (; next < s; ++next) kernel_.add(to, to, from(next), bundles);
  }
}

void Tree::spread_block(const Strip& strip, size_t depth, float* scratch) {
  if (depth == depth_ || strip.width == 1) {  // of a tree that has no blocks
    for (Node& node : nodes_) {
      if (node.first != strip.first) continue;
      float* const to = node.data.data() + place(0, strip.low);
      kernel_.add(to, strip.lines, nullptr, place(strip.low, strip.low + strip.num) / lanes_);
    }
    return;
  }
  const Halves h = halve(strip.width);
  for (const bool right : {false, true}) {
    Strip half = slopes_of_half(strip, right ? h.right : h.left, right);
    if (depth + 1 == depth_ || half.width == 1) {
      // Its lines go where they stay. Blocks share at most the slope between them.
      for (Node& node : nodes_) {
        if (node.first != half.first) continue;
        make_half(strip, half, right, node.data.data() + place(0, half.low), node.written);
        node.written = half.low + half.num;
      }
      continue;
    }
    make_half(strip, half, right, scratch, 0);
    half.lines = scratch;
    spread_block(half, depth + 1, scratch + place(half.low, half.low + half.num));
  }
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
