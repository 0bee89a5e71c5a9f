/* For LD_PRELOAD: a machine where every second passes unused, and where this thread works 5 ms between two looks at its
 * clock. */
#include <stddef.h>
#include <time.h>

__attribute__((visibility("default"))) int clock_gettime(clockid_t clock, struct timespec* now) {
  static long long looks;
  const long long ns = clock == CLOCK_THREAD_CPUTIME_ID ? 5000000LL * ++looks : 1000000000LL * ++looks;
  now->tv_sec = (time_t)(ns / 1000000000);
  now->tv_nsec = (long)(ns % 1000000000);
  return 0;
}
