// Lets a program see another time of day: BRASA_FAULT_CLOCK_AHEAD seconds later than it is. Load it with LD_PRELOAD.
//
// BRASA_FAULT_CLOCK names a file with the seconds instead, 8 bytes in the machine's order, which a test may write while
// the program runs.
//
// Clocks that only measure are left alone. Waits until a time of day are given the true one.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const volatile int64_t *set_ahead;

__attribute__((constructor)) static void map_clock(void) {
  const char *path = getenv("BRASA_FAULT_CLOCK");
  if (!path) return;
  int file = open(path, O_RDONLY | O_CLOEXEC);
  void *mapped = mmap(NULL, sizeof *set_ahead, PROT_READ, MAP_SHARED, file, 0);
  if (file < 0 || mapped == MAP_FAILED) abort(); // a clock that cannot be set would prove nothing
  close(file);
  set_ahead = mapped;
}

static time_t ahead(void) {
  if (set_ahead) return *set_ahead;
  const char *text = getenv("BRASA_FAULT_CLOCK_AHEAD");
  return text ? atol(text) : 0;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
  int result = (int)syscall(SYS_clock_gettime, clock, now);
  if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) now->tv_sec += ahead();
  return result;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
  struct timespec time;
  (void)zone;
  if (clock_gettime(CLOCK_REALTIME, &time) != 0) return -1;
  now->tv_sec = time.tv_sec;
  now->tv_usec = time.tv_nsec / 1000;
  return 0;
}

time_t time(time_t *result) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (result) *result = now.tv_sec;
  return now.tv_sec;
}

int timespec_get(struct timespec *now, int base) {
  return base == TIME_UTC && clock_gettime(CLOCK_REALTIME, now) == 0 ? base : 0;
}

int pthread_cond_timedwait(pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex,
                           const struct timespec *restrict until) {
  static int (*real)(pthread_cond_t *, pthread_mutex_t *, const struct timespec *);
  if (!real) real = (int (*)(pthread_cond_t *, pthread_mutex_t *, const struct timespec *))dlsym(RTLD_NEXT, "pthread_cond_timedwait");
  struct timespec due = *until;
  // No machine has been up for thirty years.
  if (due.tv_sec > 1000000000) due.tv_sec -= ahead();
  return real(condition, mutex, &due);
}
