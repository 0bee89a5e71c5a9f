#include "programs/common/disk/store/file_store.hpp"

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
#include <utility>

#include "programs/common/text/failure.hpp"
#include "programs/common/text/text.hpp"
#include "programs/common/text/translate.hpp"

namespace vsh::disk {
namespace {

using cli::ExitCode;
using cli::Failure;
using cli::tr;

// Linux transfers at most 0x7ffff000 bytes per call.
constexpr size_t kMostPerCall = size_t{1} << 30;

// Returns the loop device that has this file, or nothing: the kernel does not lock a loop device's file.
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

// The name of a file that another program has opened, and gave as a descriptor.
std::string name_of(const std::string& path) {
  std::error_code error;
  const std::string name =
      path.starts_with("/proc/self/fd/") ? std::filesystem::read_symlink(path, error).string() : path;
  return cli::quote_name(name.empty() ? path : name);
}

}  // namespace

FileStore::FileStore(const std::string& path, Access access) : name_(name_of(path)) {
  // O_NONBLOCK: a FIFO would wait for its other end. It has no effect on files and block devices.
  constexpr int kFlags = O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
  struct stat status {};
  // The name is looked up once; what it leads to is looked at, and then opened.
  const cli::Descriptor place(::open(path.c_str(), O_PATH | O_CLOEXEC));
  if (!place.is_open() || ::fstat(place.get(), &status) != 0)
    throw Failure(ExitCode::input, name_ + ": " + std::strerror(errno), {}, errno);
  is_device_ = S_ISBLK(status.st_mode);
  if (!S_ISREG(status.st_mode) && !is_device_)
    throw Failure(ExitCode::input, tr("{1}: neither a file nor a block device", name_));
  const int exclusive = is_device_ && access != Access::look ? O_EXCL : 0;
  const auto open = [&](int flags) {
    cli::Descriptor file(::open(cli::path_of(place).c_str(), flags | kFlags));
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
  if (!file_.is_open() && errno == ENOENT)  // with /proc an open file would be found
    throw Failure(ExitCode::input, tr("{1}: cannot be opened, because /proc is not mounted", name_), {}, ENOENT);
  if (!file_.is_open()) throw Failure(ExitCode::input, name_ + ": " + std::strerror(errno), {}, errno);
  measure();
  if (access != Access::look) lock();
}

FileStore::FileStore(cli::Descriptor file, const std::string& name)
    : name_(cli::quote_name(name)), file_(std::move(file)), may_write_(true) {
  measure();
  lock();
}

void FileStore::measure() {
  struct stat status {};
  if (::fstat(file_.get(), &status) != 0)
    throw Failure(ExitCode::input, name_ + ": " + std::strerror(errno), {}, errno);
  if (!is_device_) size_ = static_cast<uint64_t>(status.st_size);
  else if (::ioctl(file_.get(), BLKGETSIZE64, &size_) != 0)
    throw Failure(ExitCode::input, tr("{1}: its size is unknown: {2}", name_, std::strerror(errno)), {}, errno);
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

uint64_t FileStore::next_data(uint64_t offset) const {
  const off_t data = is_device_ ? -1 : ::lseek(file_.get(), static_cast<off_t>(offset), SEEK_DATA);
  if (data < 0) return !is_device_ && errno == ENXIO ? size_ : offset;  // none; a file system that does not know
  return static_cast<uint64_t>(data);
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
