// Numbers in files: their type and byte order, and their conversion to float.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

namespace vsh::tomo {

enum class ElementKind { u8, i8, u16, i16, u32, i32, f32, f64 };

struct Element {
  ElementKind kind = ElementKind::f32;
  bool is_big_endian = false;

  size_t size() const;
  std::string name() const;  // "uint16"
};

// "uint16", "float32", ...; nothing for another word.
std::optional<ElementKind> element_of(std::string_view name);

// Converts `num` numbers. `in` need not be aligned; `out` may not overlap it.
void to_floats(float* out, const uint8_t* in, size_t num, Element element);

// Returns the product of sizes, or nothing if it exceeds 2^63 - 1.
std::optional<uint64_t> product(std::initializer_list<uint64_t> factors);

// Returns a number for people, with six digits.
std::string shown(double value);

}  // namespace vsh::tomo
