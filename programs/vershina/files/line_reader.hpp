// Reads lines of a file, in constant memory even if a hostile file has one endless line.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "programs/common/files/input_file.hpp"

namespace vsh::cli {

class LineReader {
 public:
  explicit LineReader(InputFile& input) : input_(input), buffer_(size_t{64} << 10) {}

  // Reads the next line without its newline; returns false at the end. whole: false if the line was longer than
  // kMaxLine and `line` holds only its beginning. Throws Failure.
  bool next(std::string& line, bool& whole);

  // More than an escaped name of PATH_MAX bytes and a checksum.
  static constexpr size_t kMaxLine = size_t{64} << 10;

 private:
  InputFile& input_;
  std::vector<uint8_t> buffer_;
  size_t begin_ = 0, end_ = 0;
};

}  // namespace vsh::cli
