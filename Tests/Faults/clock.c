/*
 * A system clock that can be set, for tests (Linux, glibc).
 *
 *   cc -shared -fPIC -O1 -o clock.so clock.c
 *   BRASA_TEST_CLOCK=/abs/offset LD_PRELOAD=./clock.so program ...
 *
 * The file holds a number of seconds, 8 bytes in the machine's order, which is added to CLOCK_REALTIME. A test writes
 * it while the program runs; the other clocks stay as they are.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static const volatile int64_t *offset;

__attribute__((constructor)) static void set_up(void) {
  const char *path = getenv("BRASA_TEST_CLOCK");
  if (!path) return;
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) abort(); /* a clock that cannot be set would prove nothing */
  void *mapped = mmap(NULL, sizeof *offset, PROT_READ, MAP_SHARED, file, 0);
  close(file);
  if (mapped == MAP_FAILED) abort();
  offset = mapped;
}

int clock_gettime(clockid_t clock, struct timespec *time) {
  long failed = syscall(SYS_clock_gettime, clock, time);
  if (!failed && clock == CLOCK_REALTIME && offset) time->tv_sec += *offset;
  return (int)failed;
}
