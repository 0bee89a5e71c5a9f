#include "programs/common/options/sbox_text.hpp"

#include "programs/common/text/hex.hpp"
#include "programs/common/text/translate.hpp"

namespace vsh::cli {

std::string parse_sbox(std::string_view text, std::span<uint8_t, kSboxLen> sbox) {
  for (size_t row = 0; row < kSboxRows; ++row) {
    const size_t line = row + 1;
    if (text.empty()) return tr("an S-box set is 8 lines of 16 hexadecimal digits: line {1} is missing", line);
    const size_t end = text.find('\n');
    const std::string_view digits = text.substr(0, end);
    text.remove_prefix(end == text.npos ? text.size() : end + 1);

    uint8_t pairs[8];
    if (!decode_hex(digits, pairs)) return tr("line {1} is not 16 hexadecimal digits", line);
    unsigned seen = 0;
    for (size_t i = 0; i < 16; ++i) {
      const uint8_t value = i % 2 == 0 ? pairs[i / 2] >> 4 : pairs[i / 2] & 15;
      sbox[16 * row + i] = value;
      seen |= 1u << value;
    }
    if (seen != 0xffff) return tr("line {1} is not a permutation of the 16 digits: one of them occurs twice", line);
  }
  if (!text.empty()) return tr("an S-box set is 8 lines of 16 hexadecimal digits: there is more after line 8");
  return {};
}

}  // namespace vsh::cli
