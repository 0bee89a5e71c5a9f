// A user-defined S-box set for GOST 28147-89 as a text file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace vsh::cli {

constexpr size_t kSboxRows = 8;
constexpr size_t kSboxLen = kSboxRows * 16;

// The longest valid content: 8 lines of 16 digits.
constexpr size_t kMaxSboxText = kSboxRows * 17;

// 8 lines of 16 hexadecimal digits; the newline of the last may be missing. Line i (from 1) substitutes the i-th
// half-byte counted from the least significant one; its k-th digit (from 0) is the image of k. Each line must be a
// permutation. Returns the problem, or an empty string.
std::string parse_sbox(std::string_view text, std::span<uint8_t, kSboxLen> sbox);

}  // namespace vsh::cli
