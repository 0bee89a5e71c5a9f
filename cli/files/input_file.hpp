// A file, or standard input, that is read from beginning to end; a regular one more than once, if need be.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/system/descriptor.hpp"

namespace vsh::cli {

class InputFile {
 public:
  // "-" is standard input, which messages call `stdin_name`. Throws Failure.
  explicit InputFile(const std::string& name, const std::string& stdin_name = "standard input");

  // A file that is open already; messages call it `name`.
  InputFile(Descriptor file, std::string name);

  bool is_regular() const { return S_ISREG(status_.st_mode); }
  bool is_named_file() const { return owned_.is_open() && is_regular(); }  // and not standard input
  void rewind();  // regular files: to where reading began. Throws Failure

  // Reads at least one byte, or 0 at the end. Throws Failure, also when the file became shorter meanwhile.
  // Where wake_fd is given, returns 0 as soon as that descriptor is readable.
  size_t read(std::span<uint8_t> out, int wake_fd = -1);

  // The next reads give these bytes first, which were read and belong to somebody else.
  void unread(std::span<const uint8_t> bytes) { unread_.assign(bytes.begin(), bytes.end()); }

  // All of `out` from a place of a regular file. Throws Failure, also where the file ends before.
  void read_at(std::span<uint8_t> out, uint64_t offset) const;

  // Throws Failure where somebody wrote to it since it was opened, as far as its size and time tell.
  void check_unchanged() const;

  // Whether another read would not wait. Always so for regular files.
  bool is_ready() const;

  std::optional<uint64_t> remaining_at_open() const;  // for regular files: bytes from here to the end
  const struct stat& status() const { return status_; }
  const std::string& name() const { return name_; }  // as messages show it

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
