// The end of what ESP encrypts: padding 1, 2, 3, ..., its length, the next header (RFC 4303 2.4 to 2.6).
#pragma once

#include <cstddef>
#include <cstdint>

namespace vsh::esp {

// Appends the trailer behind a payload; there is room.
void write_trailer(uint8_t* end_of_payload, size_t padding, uint8_t next_header) noexcept;

// Returns the pad length of a verified packet. It tells the payload's length, which the caller is told anyway.
uint8_t pad_len(const uint8_t* end_of_trailer) noexcept;

// Returns whether the padding before the trailer's last two bytes is 1, 2, ..., padding. The time depends on `padding`
// only.
bool is_padding(const uint8_t* end_of_trailer, uint8_t padding) noexcept;

}  // namespace vsh::esp
