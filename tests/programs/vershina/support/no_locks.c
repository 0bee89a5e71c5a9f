/* For LD_PRELOAD: a file system without locks, as some network file systems are. */
#include <errno.h>

__attribute__((visibility("default"))) int flock(int fd, int operation) {
  (void)fd;
  (void)operation;
  errno = ENOLCK;
  return -1;
}
