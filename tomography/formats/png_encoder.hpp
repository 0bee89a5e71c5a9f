// PNG pictures of 8 or 16 bits of grey, as bytes.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tomography/formats/bytes.hpp"

namespace vsh::tomo {

// pixels: big-endian for 16 bits, without gaps between rows. texts: keywords and their texts. Throws Failure.
Bytes encode_png(const Bytes& pixels, size_t rows, size_t columns, int bits,
                 const std::vector<std::pair<std::string, std::string>>& texts);

}  // namespace vsh::tomo
