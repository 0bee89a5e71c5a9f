// Key files whose length is not always the same, read whole into memory that is erased.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "output_file.hpp"
#include "wipe.hpp"

namespace vsh::cli {

// Bytes of a secret, erased at the end; never grown, so that no copy is left behind.
class SecretBuffer {
 public:
  explicit SecretBuffer(size_t capacity = 0) : bytes_(capacity) {}
  SecretBuffer(SecretBuffer&&) noexcept = default;  // leaves nothing behind
  SecretBuffer& operator=(SecretBuffer&& other) noexcept {
    bytes_.swap(other.bytes_);
    std::swap(len_, other.len_);
    return *this;
  }
  ~SecretBuffer() { wipe(bytes_.data(), bytes_.size()); }

  std::span<uint8_t> room() { return bytes_; }
  void set_len(size_t len) { len_ = len; }
  std::span<const uint8_t> bytes() const { return std::span(bytes_).first(len_); }

 private:
  std::vector<uint8_t> bytes_;
  size_t len_ = 0;
};

struct SecretFile {
  std::string name;  // as messages show it
  ReadFile source;
  SecretBuffer content;
};

// "-" is standard input. Throws Failure, also where there are more than max_len bytes.
SecretFile read_secret_file(const std::string& name, size_t max_len);

// Hexadecimal digits of either case with at most one newline behind them. Throws Failure.
SecretBuffer decode_secret_hex(const SecretFile& file);

}  // namespace vsh::cli
