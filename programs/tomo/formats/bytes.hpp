// Numbers as bytes of files, little-endian.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

namespace vsh::tomo {

using Bytes = std::vector<uint8_t>;

template <class Number>
void put(Bytes& bytes, Number number) {
  if constexpr (std::is_floating_point_v<Number>) {
    using Bits = std::conditional_t<sizeof number == 4, uint32_t, uint64_t>;
    put(bytes, std::bit_cast<Bits>(number));
  } else {
    for (size_t i = 0; i < sizeof number; ++i)
      bytes.push_back(static_cast<uint8_t>(static_cast<std::make_unsigned_t<Number>>(number) >> 8 * i));
  }
}

inline void put_text(Bytes& bytes, std::string_view text) { bytes.insert(bytes.end(), text.begin(), text.end()); }

// Appends floats.
inline void put_floats(Bytes& bytes, const float* numbers, size_t num) {
  const size_t begin = bytes.size();
  bytes.resize(begin + 4 * num);
  if constexpr (std::endian::native == std::endian::little) {
    if (num > 0) std::memcpy(bytes.data() + begin, numbers, 4 * num);
  } else {
    for (size_t i = 0; i < num; ++i) {
      const auto bits = std::bit_cast<uint32_t>(numbers[i]);
      for (size_t j = 0; j < 4; ++j) bytes[begin + 4 * i + j] = static_cast<uint8_t>(bits >> 8 * j);
    }
  }
}

}  // namespace vsh::tomo
