#include "programs/common/system/descriptor.hpp"

#include <fcntl.h>

#include <cerrno>
#include <cstring>

#include "programs/common/text/failure.hpp"
#include "programs/common/text/translate.hpp"

namespace vsh::cli {

int Descriptor::close() {
  if (fd_ < 0) return 0;
  const int fd = std::exchange(fd_, -1);
  return ::close(fd) == 0 || errno == EINTR ? 0 : errno;  // on Linux the descriptor is gone after EINTR too
}

int write_all(int fd, const void* data, size_t len) {
  const char* next = static_cast<const char*>(data);
  while (len > 0) {
    const ssize_t written = ::write(fd, next, len);
    if (written < 0) {
      if (errno == EINTR) continue;
      return errno;
    }
    next += written;
    len -= static_cast<size_t>(written);
  }
  return 0;
}

std::string advice_for_any_file(int error, FileUse use) {
  switch (error) {
    case ELOOP: return tr("the links lead to each other, name the file itself");
    case EBADF:
      return use == FileUse::reading ? tr("it is closed or not open for reading, redirect it")
                                     : tr("it is closed or not open for writing, redirect it");
    case ENOSPC:
    case EDQUOT: return tr("make room or choose another place for the output");
    case EFBIG: return tr("raise the limit on file sizes (ulimit -f) or choose another file system");
    case EIO: return tr("check the disk");
    case EMFILE:
    case ENFILE: return tr("raise the limit on open files (ulimit -n)");
    default: return {};
  }
}

void throw_write_failure(const std::string& name, int error) {
  const std::string problem = name.empty() ? tr("write error") + ": " : name + ": ";
  if (error == EPIPE) throw Failure(ExitCode::closed_pipe, problem + std::strerror(error), {}, error);
  throw Failure(ExitCode::output, problem + std::strerror(error), advice_for_any_file(error, FileUse::writing), error);
}

bool is_same_file(const struct stat& a, const struct stat& b) {
  if (S_ISBLK(a.st_mode) && S_ISBLK(b.st_mode)) return a.st_rdev == b.st_rdev;
  return S_ISREG(a.st_mode) && S_ISREG(b.st_mode) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

void occupy_standard_descriptors() {
  for (int fd = 0; fd <= 2; ++fd) {
    if (::fcntl(fd, F_GETFD) >= 0 || errno != EBADF) continue;
    // Wrong direction on purpose: reading 0 and writing 1 or 2 must fail.
    (void)!::open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
  }
}

}  // namespace vsh::cli
