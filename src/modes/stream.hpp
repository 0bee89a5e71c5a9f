// One face for all modes, as a context needs it: how much comes out, work, and the end of the message.
// Stream gives it to the modes that yield a byte for every byte at once, Padded (padded.hpp) to ECB and CBC.
// A mode refers to the engine, or the cipher with sections, that it was made with; a copy may go on with a copy of that
// (set_engine).
#pragma once

#include <cstddef>
#include <cstdint>

namespace vsh::modes {

// How a message ends: with so many bytes more, or not as it should.
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
