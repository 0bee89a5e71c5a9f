// PNG pictures of 8 or 16 bits of grey, or of classes, as bytes.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "programs/tomo/formats/bytes.hpp"

namespace vsh::tomo {

// The text that says what classes are; only a mask has it.
constexpr const char* kPngLabels = "Labels";

// of_classes: 8 bits are the numbers of classes, and a palette gives each a colour, 0 black.
enum class PngColours { grey, of_classes };

// pixels: big-endian for 16 bits, without gaps between rows. texts: keywords and their texts in
// UTF-8. Throws Failure.
Bytes encode_png(const Bytes& pixels, size_t rows, size_t columns, int bits,
                 const std::vector<std::pair<std::string, std::string>>& texts, PngColours colours = PngColours::grey);

}  // namespace vsh::tomo
