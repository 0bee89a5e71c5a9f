/* For LD_PRELOAD: kills the process with SIGKILL at the DIE_AT-th write or flush of the file DIE_FILE; before that,
 * half of what it was to write is written. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static int is_time(int fd) {
  static long count = 0;
  const char* const path = getenv("DIE_FILE");
  const char* const at = getenv("DIE_AT");
  struct stat a, b;
  if (!path || !at || stat(path, &a) != 0 || fstat(fd, &b) != 0) return 0;
  if (a.st_dev != b.st_dev || a.st_ino != b.st_ino) return 0;
  return ++count == atol(at);
}

static ssize_t write_at(int fd, const void* in, size_t len, off64_t offset) {
  typedef ssize_t function(int, const void*, size_t, off64_t);
  function* const real = (function*)dlsym(RTLD_NEXT, "pwrite64");
  if (is_time(fd)) {
    (void)!real(fd, in, len / 2, offset);
    kill(getpid(), SIGKILL);
  }
  return real(fd, in, len, offset);
}

__attribute__((visibility("default"))) ssize_t pwrite(int fd, const void* in, size_t len, off_t offset) {
  return write_at(fd, in, len, offset);
}

__attribute__((visibility("default"))) ssize_t pwrite64(int fd, const void* in, size_t len, off64_t offset) {
  return write_at(fd, in, len, offset);
}

__attribute__((visibility("default"))) int fsync(int fd) {
  typedef int function(int);
  function* const real = (function*)dlsym(RTLD_NEXT, "fsync");
  if (is_time(fd)) kill(getpid(), SIGKILL);
  return real(fd);
}
