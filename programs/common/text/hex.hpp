// Hexadecimal digits to bytes and back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "programs/common/text/translate.hpp"

namespace vsh::cli {

// Decodes exactly 2 * out.size() digits of either case. Returns false (with zeros in `out`) for any other length or
// character. The time does not depend on the digits: this reads keys.
bool decode_hex(std::string_view text, std::span<uint8_t> out);

// Encodes as lower-case digits.
std::string encode_hex(std::span<const uint8_t> bytes);

bool is_hex_digit(char c);

// Explains why a text is not bytes in hexadecimal digits, "has a blank at position 3", or returns an empty string.
// Positions count from 1. Never quotes a digit, so it is safe for keys.
std::string hex_problem(std::string_view text);
// Advice on the problem.
inline constexpr const char* kTwoDigitsMakeAByte = mark("two hexadecimal digits make a byte");
std::string hex_advice(std::string_view text);

}  // namespace vsh::cli
