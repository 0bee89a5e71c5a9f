// Stream gives all modes one interface for contexts: output length, update, end of the message. It serves modes that
// output a byte for every byte; Padded (padded.hpp) serves ECB and CBC. A mode refers to the engine, or the cipher with
// sections, that it was made with; set_engine gives a copy of the mode a copy of the engine.
#pragma once

#include <cstddef>
#include <cstdint>

namespace vsh::modes {

// Result of a message's end: the bytes that it adds, or an error.
struct End {
  enum class Verdict { ok, data_length, bad_padding } verdict;
  size_t len;
};

// Mode: CTR, CNT, OFB or CFB.
template <class Mode>
class Stream : public Mode {
 public:
  using Mode::Mode;
  size_t update_len(size_t in_len) const noexcept { return in_len; }
  bool has_pending() const noexcept { return false; }
  void update(uint8_t* out, const uint8_t* in, size_t len) { this->process(out, in, len); }
  End finish(uint8_t*) const noexcept { return {End::Verdict::ok, 0}; }
  End end_of_message(uint8_t*, const uint8_t*, size_t) const noexcept { return {End::Verdict::ok, 0}; }
};

}  // namespace vsh::modes
