// Numbers in headers of files and frames, little-endian.
#pragma once

#include <cstddef>
#include <cstdint>

namespace vsh::tomo {

// The unsigned number at `bytes`, which need not be aligned.
template <class Number>
Number get(const uint8_t* bytes) {
  Number number = 0;
  for (size_t i = sizeof number; i-- > 0;) number = static_cast<Number>(number << 8 | bytes[i]);
  return number;
}

}  // namespace vsh::tomo
