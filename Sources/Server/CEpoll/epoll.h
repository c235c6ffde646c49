// Linux's epoll, which the Glibc module leaves out; nothing elsewhere.
#if defined(__linux__)
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <time.h>

// A poll that counts nanoseconds; the C library's headers show it to GNU's dialect alone.
int ppoll(struct pollfd *, nfds_t, const struct timespec *, const sigset_t *);
#endif
