/* For LD_PRELOAD: appends to the file RECORD a line for each call that brings data to a file, to the disk, to a name or
 * to a socket, as "write PATH", "sync PATH", "syncfs", "rename OLD NEW" and "send"; for each change of a terminal,
 * "echo on" or "echo off"; and for each mapping that was kept out of core files, because it holds a secret, how it is
 * given back: "munmap erased" or "munmap SECRET". */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <termios.h>
#include <unistd.h>

#define VISIBLE __attribute__((visibility("default")))
#define REAL(name) ((__typeof__(name)*)dlsym(RTLD_NEXT, #name))

static int record_to = -1;

/* At the start: a program may give up the right to open it. */
__attribute__((constructor)) static void open_record(void) {
  const char* const path = getenv("RECORD");
  const int fd = path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666) : -1;
  if (fd < 0) return;
  record_to = fcntl(fd, F_DUPFD_CLOEXEC, 200); /* not a number that a test expects */
  (void)close(fd);
}

static void record(const char* line) {
  const int error = errno;
  if (record_to >= 0) (void)!syscall(SYS_write, record_to, line, strlen(line));
  errno = error;
}

static void record_fd(const char* what, int fd) {
  char link[40], path[PATH_MAX], line[PATH_MAX + 40];
  (void)snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  const ssize_t len = readlink(link, path, sizeof path - 1);
  if (len <= 0 || path[0] != '/' || strncmp(path, "/dev/", 5) == 0) return; /* pipes, sockets, devices */
  path[len] = '\0';
  (void)snprintf(line, sizeof line, "%s %s\n", what, path);
  record(line);
}

/* Names as the program gave them, completed by its directory. */
static void record_rename(const char* from, const char* to) {
  char here[PATH_MAX], line[4 * PATH_MAX];
  if (!getcwd(here, sizeof here)) here[0] = '\0';
  const char* const before_from = from[0] == '/' ? "" : here;
  const char* const before_to = to[0] == '/' ? "" : here;
  (void)snprintf(line, sizeof line, "rename %s%s%s %s%s%s\n", before_from, from[0] == '/' ? "" : "/", from, before_to,
                 to[0] == '/' ? "" : "/", to);
  record(line);
}

VISIBLE ssize_t write(int fd, const void* in, size_t len) {
  record_fd("write", fd);
  return REAL(write)(fd, in, len);
}

VISIBLE ssize_t writev(int fd, const struct iovec* in, int num) {
  record_fd("write", fd);
  return REAL(writev)(fd, in, num);
}

VISIBLE ssize_t pwrite(int fd, const void* in, size_t len, off_t at) {
  record_fd("write", fd);
  return REAL(pwrite)(fd, in, len, at);
}

VISIBLE ssize_t pwrite64(int fd, const void* in, size_t len, off64_t at) {
  record_fd("write", fd);
  return REAL(pwrite64)(fd, in, len, at);
}

/* A call that fails is not a flush: lines are written behind the calls. */
VISIBLE int fsync(int fd) {
  const int result = REAL(fsync)(fd);
  if (result == 0) record_fd("sync", fd);
  return result;
}

VISIBLE int fdatasync(int fd) {
  const int result = REAL(fdatasync)(fd);
  if (result == 0) record_fd("sync", fd);
  return result;
}

VISIBLE int syncfs(int fd) {
  const int result = REAL(syncfs)(fd);
  if (result == 0) record("syncfs\n");
  return result;
}

VISIBLE int rename(const char* from, const char* to) {
  record_rename(from, to);
  return REAL(rename)(from, to);
}

VISIBLE int renameat2(int from_fd, const char* from, int to_fd, const char* to, unsigned flags) {
  record_rename(from, to);
  return REAL(renameat2)(from_fd, from, to_fd, to, flags);
}

VISIBLE int link(const char* from, const char* to) {
  record_rename(from, to);
  return REAL(link)(from, to);
}

/* The temporary name of a file is behind one that leads to its descriptor. */
VISIBLE int linkat(int from_fd, const char* from, int to_fd, const char* to, int flags) {
  char path[PATH_MAX];
  const ssize_t len = flags & AT_SYMLINK_FOLLOW ? readlink(from, path, sizeof path - 1) : -1;
  if (len > 0) path[len] = '\0';
  record_rename(len > 0 ? path : from, to);
  return REAL(linkat)(from_fd, from, to_fd, to, flags);
}

VISIBLE ssize_t sendto(int fd, const void* in, size_t len, int flags, const struct sockaddr* to, socklen_t to_len) {
  record("send\n");
  return REAL(sendto)(fd, in, len, flags, to, to_len);
}

VISIBLE ssize_t sendmsg(int fd, const struct msghdr* message, int flags) {
  record("send\n");
  return REAL(sendmsg)(fd, message, flags);
}

VISIBLE int sendmmsg(int fd, struct mmsghdr* messages, unsigned num, int flags) {
  record("send\n");
  return REAL(sendmmsg)(fd, messages, num, flags);
}

VISIBLE int tcsetattr(int fd, int when, const struct termios* to) {
  record(to->c_lflag & ECHO ? "echo on\n" : "echo off\n");
  return REAL(tcsetattr)(fd, when, to);
}

static struct {
  void* begin;
  size_t len;
} secrets[256];

VISIBLE int madvise(void* begin, size_t len, int advice) {
  for (size_t i = 0; advice == MADV_DONTDUMP && i < sizeof secrets / sizeof *secrets; ++i) {
    if (secrets[i].begin) continue;
    secrets[i].begin = begin, secrets[i].len = len;
    break;
  }
  return REAL(madvise)(begin, len, advice);
}

VISIBLE int munmap(void* begin, size_t len) {
  for (size_t i = 0; i < sizeof secrets / sizeof *secrets; ++i) {
    if (!begin || secrets[i].begin != begin || secrets[i].len != len) continue;
    const unsigned char* const bytes = begin;
    size_t at = 0;
    while (at < len && bytes[at] == 0) ++at;
    record(at == len ? "munmap erased\n" : "munmap SECRET\n");
    secrets[i].begin = NULL;
  }
  return REAL(munmap)(begin, len);
}
