#include "programs/tomo/formats/elements.hpp"

#include <array>
#include <bit>
#include <concepts>
#include <cstdio>
#include <cstring>
#include <utility>

namespace vsh::tomo {
namespace {

struct Row {
  const char* name;
  size_t size;
};

// In the order of ElementKind.
constexpr std::array<Row, 8> kRows = {{{"uint8", 1},
                                       {"int8", 1},
                                       {"uint16", 2},
                                       {"int16", 2},
                                       {"uint32", 4},
                                       {"int32", 4},
                                       {"float32", 4},
                                       {"float64", 8}}};

template <class Bits>
Bits swap_bytes(Bits bits) {
  Bits swapped = 0;
  for (size_t i = 0; i < sizeof bits; ++i) swapped = static_cast<Bits>(swapped << 8 | (bits >> (8 * i) & 0xff));
  return swapped;
}

template <class Number, class Bits>
void convert(float* out, const uint8_t* in, size_t num, bool swaps) {
  for (size_t i = 0; i < num; ++i) {
    Bits bits;
    std::memcpy(&bits, in + i * sizeof bits, sizeof bits);
    if (swaps) bits = swap_bytes(bits);
    out[i] = static_cast<float>(std::bit_cast<Number>(bits));
  }
}

}  // namespace

size_t Element::size() const { return kRows[static_cast<size_t>(kind)].size; }
std::string Element::name() const { return kRows[static_cast<size_t>(kind)].name; }

std::optional<ElementKind> element_of(std::string_view name) {
  for (size_t i = 0; i < kRows.size(); ++i)
    if (name == kRows[i].name) return static_cast<ElementKind>(i);
  return std::nullopt;
}

void to_floats(float* out, const uint8_t* in, size_t num, Element element) {
  const bool swaps = element.is_big_endian != (std::endian::native == std::endian::big);
  switch (element.kind) {
    case ElementKind::u8: return convert<uint8_t, uint8_t>(out, in, num, false);
    case ElementKind::i8: return convert<int8_t, uint8_t>(out, in, num, false);
    case ElementKind::u16: return convert<uint16_t, uint16_t>(out, in, num, swaps);
    case ElementKind::i16: return convert<int16_t, uint16_t>(out, in, num, swaps);
    case ElementKind::u32: return convert<uint32_t, uint32_t>(out, in, num, swaps);
    case ElementKind::i32: return convert<int32_t, uint32_t>(out, in, num, swaps);
    case ElementKind::f32: return convert<float, uint32_t>(out, in, num, swaps);
    case ElementKind::f64: return convert<double, uint64_t>(out, in, num, swaps);
  }
}

std::optional<uint64_t> product(std::initializer_list<uint64_t> factors) {
  uint64_t result = 1;
  for (const uint64_t factor : factors)
    if (__builtin_mul_overflow(result, factor, &result) || result > INT64_MAX) return std::nullopt;
  return result;
}

std::string shown(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

}  // namespace vsh::tomo
