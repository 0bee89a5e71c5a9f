// Shared by vsh_sealer and vsh_opener: a sealed file from front to end, in pieces of any length.
#pragma once

#include "api/sealed/sealed.hpp"
#include "sealed/holdback.hpp"
#include "sealed/payload.hpp"

namespace vsh::api {

// Connects the input with a function process(out, run), which seals or opens the chunks of the run and returns how many
// precede the first damaged one. Arguments of the ABI that are not checked here have been validated.
class Pieces {
 public:
  // Turns plaintext into chunks, or chunks into plaintext. Throws std::bad_alloc.
  Pieces(const sealed::Layout& layout, bool seals)
      : chunk_len_(layout.chunk_len()),
        out_chunk_len_(seals ? layout.sealed_chunk_len() : layout.chunk_len()),
        held_(seals ? layout.chunk_len() : layout.sealed_chunk_len(), seals ? 0 : sealed::kEndLen) {}

  // Returns whether the file has ended: final was called, or something failed.
  bool ended() const noexcept { return ended_; }
  void end() noexcept { ended_ = true; }
  void rewind() noexcept {
    held_.clear();
    next_chunk_ = 0;
    ended_ = false;
  }
  uint64_t next_chunk() const noexcept { return next_chunk_; }
  // Sets the bytes with which final ends the file.
  const uint8_t* held() const noexcept { return held_.held(); }
  size_t held_len() const noexcept { return held_.held_len(); }

  // Returns how much update writes; SIZE_MAX on overflow.
  size_t update_capacity(size_t in_len) const noexcept {
    size_t len;
    const bool is_number =
        in_len <= SIZE_MAX - held_len() && !__builtin_mul_overflow(held_.num_ready(in_len), out_chunk_len_, &len);
    return is_number ? len : SIZE_MAX;
  }

  // Errors: CAPACITY, ARGUMENT; CHUNK, after the good chunks before it; MEMORY.
  template <class F>
  vsh_status update(uint8_t* out, size_t out_capacity, size_t* out_len, const uint8_t* in, size_t in_len, F&& process) {
    const size_t need = update_capacity(in_len);
    if (const vsh_status s = check_output(out, out_capacity, out_len, need, in, in_len)) return s;
    return guarded([&] {
      size_t num_good = 0, num_chunks = 0;
      ended_ = true;  // in case memory is exhausted in the middle
      held_.feed(in, in_len, [&](const uint8_t* head, size_t num_head, const uint8_t* rest, size_t num) {
        num_chunks = num;
        num_good = process(out, sealed::Run{next_chunk_, num, head, num_head, rest, chunk_len_, false});
      });
      next_chunk_ += num_good;
      *out_len = num_good * out_chunk_len_;
      if (num_good != num_chunks) return VSH_E_CHUNK;
      ended_ = false;
      return VSH_OK;
    });
  }

  // Processes the last chunk, last_len bytes of plaintext in held(); writes `need` bytes. Errors: as of
  // update.
  template <class F>
  vsh_status final(uint8_t* out, size_t out_capacity, size_t* out_len, size_t need, size_t last_len, F&& process) {
    if (const vsh_status s = check_output(out, out_capacity, out_len, need, nullptr, 0)) return s;
    return guarded([&] {
      ended_ = true;
      if (process(out, sealed::Run{next_chunk_, 1, held(), 1, nullptr, last_len, true}) != 1) return VSH_E_CHUNK;
      ++next_chunk_;
      *out_len = need;
      return VSH_OK;
    });
  }

 private:
  size_t chunk_len_, out_chunk_len_;
  sealed::Holdback held_;
  uint64_t next_chunk_ = 0;
  bool ended_ = false;
};

}  // namespace vsh::api
