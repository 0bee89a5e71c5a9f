#include "disk/store/file_store.hpp"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "cli/text/failure.hpp"
#include "cli/text/text.hpp"
#include "cli/text/translate.hpp"

namespace vsh::disk {
namespace {

using cli::ExitCode;
using cli::Failure;
using cli::tr;

// Linux transfers at most 0x7ffff000 bytes per call.
constexpr size_t kMostPerCall = size_t{1} << 30;

// Returns the loop device that has this file, or nothing: the kernel locks no file for it.
std::string loop_device_of(int fd) {
  struct stat status {};
  if (::fstat(fd, &status) != 0) return {};
  std::error_code error;
  for (std::filesystem::directory_iterator at("/sys/block", error), end; !error && at != end; at.increment(error)) {
    std::ifstream list(at->path() / "loop/backing_file");
    std::string path;
    struct stat backing {};
    if (std::getline(list, path) && ::stat(path.c_str(), &backing) == 0 && cli::is_same_file(status, backing))
      return "/dev/" + at->path().filename().string();
  }
  return {};
}

}  // namespace

FileStore::FileStore(const std::string& path, Access access) : name_(cli::quote_name(path)) {
  // O_NONBLOCK: a FIFO would wait for its other end. It has no effect on files and block devices.
  constexpr int kFlags = O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0)
    throw Failure(ExitCode::input, name_ + ": " + std::strerror(errno), {}, errno);
  if (!S_ISREG(status.st_mode) && !S_ISBLK(status.st_mode))
    throw Failure(ExitCode::input, tr("{1}: neither a file nor a block device", name_));
  const int exclusive = S_ISBLK(status.st_mode) && access != Access::look ? O_EXCL : 0;
  const auto open = [&](int flags) {
    cli::Descriptor file(::open(path.c_str(), flags | kFlags));
    if (!file.is_open() && errno == EBUSY) {
      throw Failure(ExitCode::input, tr("{1}: the device is mounted or otherwise in use", name_),
                    tr("unmount it first"), EBUSY);
    }
    return file;
  };
  if (access == Access::read_write) {
    file_ = open(O_RDWR | exclusive);
    may_write_ = file_.is_open();
  }
  if (access != Access::read_write || (!may_write_ && (errno == EACCES || errno == EPERM || errno == EROFS))) {
    // Exclusively only for a moment, to see whether the device is in use: readers would keep each other out.
    if (exclusive) (void)open(O_RDONLY | exclusive);
    file_ = open(O_RDONLY);
  }
  if (!file_.is_open()) throw Failure(ExitCode::input, name_ + ": " + std::strerror(errno), {}, errno);

  if (::fstat(file_.get(), &status) != 0)
    throw Failure(ExitCode::input, name_ + ": " + std::strerror(errno), {}, errno);
  is_device_ = S_ISBLK(status.st_mode);
  if (is_device_) {
    if (::ioctl(file_.get(), BLKGETSIZE64, &size_) != 0)
      throw Failure(ExitCode::input, tr("{1}: its size is unknown: {2}", name_, std::strerror(errno)), {}, errno);
  } else if (S_ISREG(status.st_mode)) {
    size_ = static_cast<uint64_t>(status.st_size);
  } else {
    throw Failure(ExitCode::input, tr("{1}: neither a file nor a block device", name_));
  }
  if (access != Access::look) lock();
}

void FileStore::lock() {
  if (const std::string device = is_device_ ? "" : loop_device_of(file_.get()); !device.empty()) {
    throw Failure(ExitCode::input, tr("{1}: the loop device {2} uses it", name_, device),
                  tr("two writers would destroy the volume: end the other one first"), EBUSY);
  }
  struct flock range {};
  range.l_type = may_write_ ? F_WRLCK : F_RDLCK;
  range.l_whence = SEEK_SET;  // from 0, of length 0: the whole file, however long it becomes
  is_locked_ = ::fcntl(file_.get(), F_OFD_SETLK, &range) == 0;
  if (!is_locked_ && (errno == EAGAIN || errno == EACCES)) {
    throw Failure(ExitCode::input, tr("{1}: another program uses it", name_),
                  tr("two writers would destroy the volume: end the other one first"), EAGAIN);
  }
}

void FileStore::fail(const char* what, int error) const {
  throw IoError(error, name_ + ": " + tr(what) + ": " + std::strerror(error));
}

// Throws if the file is shorter than when it was opened. A write behind the end would make it longer again, with zeros,
// which decrypt to noise, where its data was.
// By lseek(2), a third of the time of fstat(2), once a write; nothing uses the file's position.
void FileStore::check_length() const {
  if (is_device_) return;
  const off_t size = ::lseek(file_.get(), 0, SEEK_END);
  if (size < 0) fail(cli::mark("its length is unknown"), errno);
  if (static_cast<uint64_t>(size) < size_)
    throw IoError(EIO, tr("{1}: the file has become shorter: {2} bytes, not {3}", name_, size, size_));
}

void FileStore::read(uint8_t* out, size_t len, uint64_t offset) {
  while (len > 0) {
    const ssize_t got = ::pread(file_.get(), out, std::min(len, kMostPerCall), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(cli::mark("cannot be read"), errno);
    if (got == 0) {
      check_length();
      throw IoError(EIO, tr("{1}: ends at byte {2}", name_, offset));
    }
    out += got;
    len -= static_cast<size_t>(got);
    offset += static_cast<uint64_t>(got);
  }
}

void FileStore::write(const uint8_t* in, size_t len, uint64_t offset) {
  check_length();
  while (len > 0) {
    const ssize_t put = ::pwrite(file_.get(), in, std::min(len, kMostPerCall), static_cast<off_t>(offset));
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) fail(cli::mark("cannot be written"), errno);
    if (put == 0) fail(cli::mark("cannot be written"), EIO);
    in += put;
    len -= static_cast<size_t>(put);
    offset += static_cast<uint64_t>(put);
  }
}

void FileStore::flush() {
  flush_.run(
      [&] {
        while (::fdatasync(file_.get()) != 0)
          if (errno != EINTR) fail(cli::mark("cannot be flushed"), errno);
      },
      [&](int error) { fail(cli::mark("an earlier flush failed"), error); });
  check_length();
}

void FileStore::discard(uint64_t offset, uint64_t len) {
  check_length();
  if (is_device_) {
    // BLKDISCARD takes whole blocks of the device only.
    int block = 0;
    if (::ioctl(file_.get(), BLKSSZGET, &block) != 0 || block <= 0) block = 512;
    const auto unit = static_cast<uint64_t>(block);
    const uint64_t begin = (offset + unit - 1) / unit * unit, end = (offset + len) / unit * unit;
    if (begin >= end) return;
    uint64_t range[2] = {begin, end - begin};
    if (::ioctl(file_.get(), BLKDISCARD, range) == 0 || errno == EOPNOTSUPP || errno == ENOTTY) return;
  } else if (::fallocate(file_.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(offset),
                         static_cast<off_t>(len)) == 0 ||
             errno == EOPNOTSUPP || errno == ENOSYS) {
    return;
  }
  fail(cli::mark("cannot give space back"), errno);
}

}  // namespace vsh::disk
