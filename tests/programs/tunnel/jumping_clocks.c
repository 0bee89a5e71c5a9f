/* Clocks that jump, for a program that is started with this library in LD_PRELOAD: the time of day is ten years ahead
 * or behind, by turns; the monotonic clock goes on by an hour now and then, as after a suspend of the machine. */
#define _GNU_SOURCE
#include <stdatomic.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { kHour = 3600, kTenYears = 10 * 365 * 24 * kHour };

#pragma GCC visibility push(default)

int clock_gettime(clockid_t clock, struct timespec* time) {
  static atomic_long asked;
  const long number = atomic_fetch_add(&asked, 1);
  const int result = (int)syscall(SYS_clock_gettime, clock, time);
  if (result != 0) return result;
  if (clock == CLOCK_REALTIME) time->tv_sec += number % 2 ? kTenYears : -kTenYears;
  if (clock == CLOCK_MONOTONIC) time->tv_sec += number / 20 * kHour;
  return 0;
}

time_t time(time_t* to) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (to) *to = now.tv_sec;
  return now.tv_sec;
}

int gettimeofday(struct timeval* restrict to, void* restrict zone) {
  struct timespec now;
  (void)zone;
  clock_gettime(CLOCK_REALTIME, &now);
  to->tv_sec = now.tv_sec;
  to->tv_usec = now.tv_nsec / 1000;
  return 0;
}
