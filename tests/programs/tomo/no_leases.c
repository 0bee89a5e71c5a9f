/* Preloaded: a file system that says nothing of who has a file open, as those of networks. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>

typedef int (*Fcntl)(int, int, ...);

static int call(const char* name, int file, int command, void* argument) {
  if (command == F_SETLEASE) {
    errno = EINVAL;
    return -1;
  }
  return ((Fcntl)dlsym(RTLD_NEXT, name))(file, command, argument);
}

__attribute__((visibility("default"))) int fcntl(int file, int command, ...) {
  va_list list;
  va_start(list, command);
  void* const argument = va_arg(list, void*);
  va_end(list);
  return call("fcntl", file, command, argument);
}

__attribute__((visibility("default"))) int fcntl64(int file, int command, ...) {
  va_list list;
  va_start(list, command);
  void* const argument = va_arg(list, void*);
  va_end(list);
  return call("fcntl64", file, command, argument);
}
