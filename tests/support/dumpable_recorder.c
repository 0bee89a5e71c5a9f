// For LD_PRELOAD: appends a line to RECORD for each PR_SET_DUMPABLE and each change of the user, which may undo it.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

static int record = -1;

__attribute__((constructor)) static void open_record(void) {
  const char* const path = getenv("RECORD");
  if (path) record = fcntl(open(path, O_WRONLY | O_CREAT | O_APPEND, 0600), F_DUPFD_CLOEXEC, 200);
}

static void note(const char* line) {
  if (record >= 0) dprintf(record, "%s\n", line);
}

__attribute__((visibility("default"))) int prctl(int option, ...) {
  unsigned long words[4];
  va_list list;
  va_start(list, option);
  for (int i = 0; i < 4; ++i) words[i] = va_arg(list, unsigned long);
  va_end(list);
  if (option == PR_SET_DUMPABLE) note(words[0] == 0 ? "private" : "dumpable");
  int (*next)(int, ...) = (int (*)(int, ...))dlsym(RTLD_NEXT, "prctl");
  return next(option, words[0], words[1], words[2], words[3]);
}

__attribute__((visibility("default"))) int setuid(uid_t user) {
  int (*next)(uid_t) = (int (*)(uid_t))dlsym(RTLD_NEXT, "setuid");
  const int result = next(user);
  if (result == 0) note("user");
  return result;
}

__attribute__((visibility("default"))) int setresuid(uid_t real, uid_t effective, uid_t saved) {
  int (*next)(uid_t, uid_t, uid_t) = (int (*)(uid_t, uid_t, uid_t))dlsym(RTLD_NEXT, "setresuid");
  const int result = next(real, effective, saved);
  if (result == 0) note("user");
  return result;
}
