#include "programs/common/system/remove_tree.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace vsh::cli {
namespace {

// Record of getdents64(2): opendir() would allocate, which a signal handler must not.
struct DirectoryEntry {
  uint64_t inode;
  int64_t offset;
  uint16_t record_len;
  uint8_t type;
  char name[];
};

enum class ScanOutcome { empty, removed_some, found_directory, failed };

struct Scan {
  ScanOutcome outcome = ScanOutcome::empty;
  size_t num_removed = 0;
  int subdirectory = -1;  // open, where found_directory
};

// Bound on refills of a directory that has just been emptied.
constexpr int kMaxRefilled = 1000;

constexpr int kOpenDirectory = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

// Opens the directory `name`, even one without permissions: this program created it.
int open_directory(int parent, const char* name) {
  const int fd = ::openat(parent, name, kOpenDirectory);
  if (fd >= 0 && ::fchmod(fd, 0700) == 0) return fd;
  if (fd >= 0) (void)::close(fd);
  struct stat status;
  if (::fstatat(parent, name, &status, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISDIR(status.st_mode)) return -1;
  if (::fchmodat(parent, name, 0700, 0) != 0) return -1;
  return ::openat(parent, name, kOpenDirectory);
}

// Removes entries of the directory; stops at the first directory that is not empty, and opens it.
Scan scan_directory(int fd) {
  alignas(DirectoryEntry) char buffer[4096];
  Scan scan;
  (void)::lseek(fd, 0, SEEK_SET);
  for (;;) {
    const long len = ::syscall(SYS_getdents64, fd, buffer, sizeof buffer);
    if (len < 0) scan.outcome = ScanOutcome::failed;
    if (len <= 0) return scan;
    for (long at = 0; at < len;) {
      const auto* entry = reinterpret_cast<const DirectoryEntry*>(buffer + at);
      at += entry->record_len;
      if (std::strcmp(entry->name, ".") == 0 || std::strcmp(entry->name, "..") == 0) continue;
      if (::unlinkat(fd, entry->name, 0) == 0 || ::unlinkat(fd, entry->name, AT_REMOVEDIR) == 0 || errno == ENOENT) {
        scan.outcome = ScanOutcome::removed_some;
        ++scan.num_removed;
        continue;
      }
      scan.subdirectory = open_directory(fd, entry->name);
      scan.outcome = scan.subdirectory >= 0 ? ScanOutcome::found_directory : ScanOutcome::failed;
      return scan;
    }
  }
}

// Walks down into directories and up again by "..", so that any depth takes two descriptors. Takes over `fd`.
bool empty_directory(int fd) {
  bool came_up = false;
  int num_refilled = 0;
  for (size_t depth = 0;;) {
    const Scan scan = scan_directory(fd);
    if (came_up && scan.num_removed == 0) ++num_refilled;
    came_up = false;
    int next = -1;
    if (scan.outcome == ScanOutcome::removed_some) continue;  // until nothing is found: the order may have shifted
    if (scan.outcome == ScanOutcome::found_directory) {
      next = scan.subdirectory;
      ++depth;
    } else if (scan.outcome == ScanOutcome::empty && depth > 0) {
      next = ::openat(fd, "..", kOpenDirectory);
      came_up = true;
      --depth;
    }
    (void)::close(fd);
    if (next < 0) return scan.outcome == ScanOutcome::empty && depth == 0;
    if (num_refilled > kMaxRefilled) {
      (void)::close(next);
      return false;
    }
    fd = next;
  }
}

}  // namespace

bool remove_tree(const char* path) {
  if (::unlink(path) == 0 || errno == ENOENT) return true;
  for (int attempt = 0; attempt < 100; ++attempt) {
    const int fd = open_directory(AT_FDCWD, path);
    if (fd < 0 || !empty_directory(fd)) return false;
    if (::rmdir(path) == 0) return true;
  }
  return false;
}

}  // namespace vsh::cli
