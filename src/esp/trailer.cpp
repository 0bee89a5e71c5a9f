#include "esp/trailer.hpp"

namespace vsh::esp {

void write_trailer(uint8_t* end_of_payload, size_t padding, uint8_t next_header) noexcept {
  for (size_t i = 0; i < padding; ++i) end_of_payload[i] = static_cast<uint8_t>(i + 1);
  end_of_payload[padding] = static_cast<uint8_t>(padding);
  end_of_payload[padding + 1] = next_header;
}

uint8_t pad_len(const uint8_t* end_of_trailer) noexcept { return end_of_trailer[-2]; }

bool is_padding(const uint8_t* end_of_trailer, uint8_t padding) noexcept {
  const uint8_t* const first = end_of_trailer - 2 - padding;
  unsigned wrong = 0;
  for (unsigned i = 0; i < padding; ++i) wrong |= first[i] ^ (i + 1);
  return wrong == 0;
}

}  // namespace vsh::esp
