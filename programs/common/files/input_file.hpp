// A file, or standard input, read from beginning to end; a regular one more than once, if needed.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "programs/common/system/descriptor.hpp"
#include "programs/common/text/translate.hpp"

namespace vsh::cli {

class InputFile {
 public:
  // "-" is standard input, called `stdin_name` in messages. Throws Failure.
  explicit InputFile(const std::string& name, const std::string& stdin_name = mark("standard input"));

  // Opens a regular file `base` of an open directory; follows no link, and does not wait for the other end of a FIFO.
  // `name` is for messages. Throws Failure.
  InputFile(int directory, const std::string& base, std::string name);

  // Takes an open file, called `name` in messages.
  InputFile(Descriptor file, std::string name);

  bool is_regular() const { return S_ISREG(status_.st_mode); }
  bool is_named_file() const { return owned_.is_open() && is_regular(); }  // not standard input
  void rewind();  // regular files: to where reading began, or begin_here() was called. Throws Failure
  void begin_here() { start_ = position_; }  // the bytes read so far are not part of the data

  // Reads at least one byte, or returns 0 at the end. Throws Failure, also if the file became shorter. With wake_fd,
  // returns 0 as soon as that descriptor is readable.
  size_t read(std::span<uint8_t> out, int wake_fd = -1);

  // Fills `out`; returns how many bytes there were, fewer at the end of the file. Throws Failure.
  size_t read_all(std::span<uint8_t> out);

  // Makes the next reads return these bytes first, which were read already. Not a copy.
  void unread(std::span<const uint8_t> bytes) { unread_.assign(bytes.begin(), bytes.end()); }

  // Fills `out` from an offset of a regular file. Throws Failure, also if the file ends before.
  void read_at(std::span<uint8_t> out, uint64_t offset) const;

  // Throws Failure if it was written to since it was opened, judged by its size and time.
  void check_unchanged() const;

  // Returns whether another read would not block. Always true for regular files.
  bool is_ready() const;

  std::optional<uint64_t> remaining_at_open() const;  // for regular files: bytes from here to the end
  const struct stat& status() const { return status_; }
  int descriptor() const { return fd_; }
  const std::string& name() const { return name_; }  // for messages

 private:
  void begin();
  [[noreturn]] void fail(int error) const;
  [[noreturn]] void throw_shorter() const;
  void check_not_truncated() const;

  std::string name_;
  Descriptor owned_;
  int fd_;
  struct stat status_ {};
  std::vector<uint8_t> unread_;
  uint64_t start_ = 0, position_ = 0;  // offsets in the file, the second for the check against truncation
};

}  // namespace vsh::cli
