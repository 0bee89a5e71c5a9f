// Hexadecimal digits to bytes and back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace vsh::cli {

// Decodes exactly 2 * out.size() digits of either case. False (and zeros in `out`) for another length or
// another character. The time does not depend on the digits: this reads keys.
bool decode_hex(std::string_view text, std::span<uint8_t> out);

// Lower-case digits.
std::string encode_hex(std::span<const uint8_t> bytes);

bool is_hex_digit(char c);

// Why a text is no row of bytes in hexadecimal digits, "has a blank at position 3", or an empty string. Positions count
// from 1. No digit is told, so that keys may be asked about.
std::string hex_problem(std::string_view text);
// What to do about it.
inline constexpr const char* kTwoDigitsMakeAByte = "two hexadecimal digits make a byte";
std::string hex_advice(std::string_view text);

}  // namespace vsh::cli
