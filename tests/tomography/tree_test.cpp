// The tree of HFBP against its definition, and against adrt.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "tomography/hfbp/tree.hpp"
#include "tomography/slices/registry.hpp"

namespace vsh::tomography {
namespace {

using Lines = std::vector<std::vector<float>>;  // [slope s][offset + s]
using Image = std::vector<std::vector<float>>;  // [row][column]

// Small integers, whose sums are exact.
Lines random_lines(size_t size) {
  Lines lines;
  uint32_t state = 1;
  for (size_t s = 0; s < size; ++s) {
    lines.emplace_back();
    for (size_t i = 0; i < size + s; ++i) {
      state = state * 1664525 + 1013904223;
      lines.back().push_back(static_cast<float>(state >> 29));
    }
  }
  return lines;
}

// How far above its offset the line of this slope is in a column of a strip.
size_t height(size_t slope, size_t column, size_t width) {
  if (width == 1) return 0;
  const size_t left = std::bit_floor(width - 1), half = column < left ? left : width - left;
  const auto q =
      static_cast<size_t>(std::floor(static_cast<double>(slope * (half - 1)) / static_cast<double>(width - 1) + 0.5));
  return column < left ? height(q, column, half) : slope - q + height(q, column - left, half);
}

Image sums(const Lines& lines) {
  const size_t size = lines.size();
  Image image(size, std::vector<float>(size));
  for (size_t s = 0; s < size; ++s)
    for (size_t column = 0; column < size; ++column)
      for (size_t row = 0; row < size; ++row) image[row][column] += lines[s][row + s - height(s, column, size)];
  return image;
}

// The sums that the tree makes, with factors 1, 2, … in the lanes; they are divided out.
Image by_tree(const SliceKernel& kernel, const Lines& lines, const Tree::Circle& circle, size_t lane) {
  const size_t size = lines.size(), lanes = kernel.info.lanes;
  Tree tree(kernel, size, circle);
  Image image(size, std::vector<float>(size, NAN));
  for (int turn = 0; turn < 2; ++turn) {  // nothing of the first image is left in the second
    tree.clear();
    for (size_t first = 0; first < size; first += tree.block()) {
      const size_t num = std::min(tree.block(), size - first);
      Buffer block(num * 2 * size * lanes);
      float* out = block.data();
      for (size_t s = first; s < first + num; ++s)
        for (const float value : lines[s])
          for (size_t i = 0; i < lanes; ++i) *out++ = value * static_cast<float>(i + 1);
      tree.add_lines(block.data(), first, num);
    }
    tree.columns([&](size_t column, const float* rows) {
      for (size_t row = 0; row < size; ++row)
        image[row][column] = rows[row * lanes + lane] / static_cast<float>(lane + 1);
    });
  }
  return image;
}

std::vector<const SliceKernel*> rows() {
  std::vector<const SliceKernel*> found;
  for (const SliceKernel* kernel : slice_kernels())
    if (runnable(kernel->info)) found.push_back(kernel);
  return found;
}

TEST(Tree, AddsLinesByItsDefinition) {
  for (const size_t size : {1u, 2u, 3u, 4u, 5u, 8u, 9u, 16u, 17u, 31u, 33u, 64u, 100u, 151u, 200u}) {
    const Lines lines = random_lines(size);
    const Image expected = sums(lines);
    const double middle = (static_cast<double>(size) - 1) / 2, radius = static_cast<double>(size) / 3;
    for (const SliceKernel* kernel : rows()) {
      ASSERT_EQ(by_tree(*kernel, lines, {middle, static_cast<double>(size)}, 1), expected)
          << kernel->info.variant << " " << size;
      // Within a circle the same; values beyond it are not asked for.
      const Image within = by_tree(*kernel, lines, {middle, radius}, 0);
      for (size_t row = 0; row < size; ++row) {
        for (size_t column = 0; column < size; ++column) {
          if (std::hypot(static_cast<double>(row) - middle, static_cast<double>(column) - middle) > radius) continue;
          ASSERT_EQ(within[row][column], expected[row][column])
              << kernel->info.variant << " " << size << " " << row << " " << column;
        }
      }
    }
  }
}

// adrt 1.2.0, truncate(bdrt(lines)) of 16 x 16, of the same lines (its row is bundle o + s, its first quadrant turned
// by a quarter and mirrored): for powers of two both are Brady's transform.
TEST(Tree, IsThatOfAdrt) {
  const Image adrt = {{52, 58, 59, 63, 45, 49, 41, 63, 66, 54, 69, 60, 62, 68, 56, 71},
                      {51, 47, 60, 52, 64, 59, 61, 47, 49, 61, 47, 54, 64, 61, 68, 58},
                      {69, 61, 52, 66, 61, 61, 54, 59, 64, 56, 72, 59, 50, 61, 61, 67},
                      {55, 59, 63, 49, 53, 61, 69, 62, 60, 59, 47, 68, 72, 52, 64, 62},
                      {50, 51, 48, 52, 56, 42, 47, 55, 52, 62, 58, 39, 44, 59, 49, 52},
                      {59, 58, 59, 53, 57, 63, 55, 47, 49, 39, 53, 61, 50, 54, 54, 50},
                      {64, 64, 66, 75, 55, 61, 65, 67, 68, 66, 50, 52, 58, 49, 51, 59},
                      {49, 47, 53, 48, 72, 57, 65, 64, 53, 59, 70, 58, 54, 59, 59, 55},
                      {55, 53, 43, 47, 47, 58, 52, 56, 64, 57, 53, 56, 61, 51, 48, 50},
                      {61, 61, 68, 58, 48, 50, 52, 50, 59, 62, 66, 70, 58, 66, 63, 59},
                      {55, 49, 49, 58, 49, 52, 57, 54, 43, 47, 59, 54, 71, 54, 61, 54},
                      {54, 72, 55, 46, 58, 42, 45, 57, 48, 45, 44, 49, 52, 66, 64, 64},
                      {42, 45, 61, 65, 59, 65, 57, 48, 65, 63, 47, 51, 49, 42, 56, 57},
                      {47, 44, 49, 62, 71, 66, 55, 50, 46, 56, 70, 63, 53, 70, 58, 57},
                      {64, 54, 42, 43, 36, 51, 57, 60, 59, 47, 46, 48, 64, 49, 57, 64},
                      {59, 58, 59, 53, 60, 62, 60, 61, 57, 61, 53, 57, 46, 55, 50, 54}};
  for (const SliceKernel* kernel : rows())
    EXPECT_EQ(by_tree(*kernel, random_lines(16), {7.5, 16}, 2), adrt) << kernel->info.variant;
}

}  // namespace
}  // namespace vsh::tomography
