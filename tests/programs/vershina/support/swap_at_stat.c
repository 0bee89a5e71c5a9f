// Renames SWAP_FROM to SWAP_TO after the SWAP_AT-th look at SWAP_TO: a name that changes between a check and
// its use.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

__attribute__((visibility("default"))) int stat(const char* restrict path, struct stat* restrict status) {
  static long count = 0;
  int (*next)(const char*, struct stat*) = (int (*)(const char*, struct stat*))dlsym(RTLD_NEXT, "stat");
  const int result = next(path, status);
  const char *from = getenv("SWAP_FROM"), *to = getenv("SWAP_TO"), *at = getenv("SWAP_AT");
  if (from && to && at && strcmp(path, to) == 0 && ++count == atol(at)) (void)rename(from, to);
  return result;
}
