// Layout computes the places of chunks in a sealed file: docs/sealed-format.md, clause 6. No secrets; lengths are
// hostile.
#pragma once

#include <optional>

#include "sealed/format.hpp"

namespace vsh::sealed {

// Plaintext is bounded so that no sum of lengths overflows.
inline constexpr uint64_t kMaxPlainLen = uint64_t{1} << 62;

class Layout {
 public:
  // header_len: both slots.
  Layout(unsigned chunk_log2, size_t header_len) noexcept : chunk_log2_(chunk_log2), header_len_(header_len) {}

  size_t header_len() const noexcept { return header_len_; }
  size_t chunk_len() const noexcept { return size_t{1} << chunk_log2_; }
  size_t sealed_chunk_len() const noexcept { return chunk_len() + kTagLen; }
  // An empty plaintext has a chunk too.
  uint64_t num_chunks(uint64_t plain_len) const noexcept {
    return plain_len == 0 ? 1 : (plain_len - 1) / chunk_len() + 1;
  }
  // Empty if no file has that length.
  std::optional<uint64_t> plain_len(uint64_t file_len) const noexcept {
    if (file_len < header_len_ + kTagLen + kEndLen) return std::nullopt;
    const uint64_t sealed = file_len - header_len_ - kEndLen;
    const uint64_t num = (sealed - 1) / sealed_chunk_len() + 1;
    const uint64_t last = sealed - (num - 1) * sealed_chunk_len();
    if (last < kTagLen + (num > 1) || sealed - num * kTagLen > kMaxPlainLen) return std::nullopt;
    return sealed - num * kTagLen;
  }
  uint64_t chunk_at(uint64_t position) const noexcept { return position >> chunk_log2_; }
  uint64_t offset_in_file(uint64_t chunk) const noexcept { return header_len_ + chunk * sealed_chunk_len(); }

 private:
  unsigned chunk_log2_;
  size_t header_len_;
};

}  // namespace vsh::sealed
