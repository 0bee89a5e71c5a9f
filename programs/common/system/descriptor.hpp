// File descriptors: ownership, whole reads and writes, identity of files.
#pragma once

#include <sys/stat.h>
#include <unistd.h>

#include <cstddef>
#include <string>
#include <utility>

namespace vsh::cli {

// Owns a descriptor (or none: -1).
class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor() { close(); }

  int get() const { return fd_; }
  bool is_open() const { return fd_ >= 0; }
  int close();  // 0 or errno: on some file systems the last write fails only here

 private:
  int fd_;
};

// Writes all bytes, in as many calls as needed. Returns 0 or errno.
int write_all(int fd, const void* data, size_t len);

enum class FileUse { reading, writing };
// Returns advice on an error that any file may have; empty for others.
std::string advice_for_any_file(int error, FileUse use);
// Throws the Failure for a write to `name` (empty: standard output) that ended with `error`.
[[noreturn]] void throw_write_failure(const std::string& name, int error);

// Returns whether writing to one would destroy the other: the same regular file or block device, by any name.
bool is_same_file(const struct stat& a, const struct stat& b);

// Opens /dev/null on those of 0, 1 and 2 that the caller left closed, so that no file opened later gets that number and
// is overwritten by a message. Using them still fails with EBADF.
void occupy_standard_descriptors();

}  // namespace vsh::cli
