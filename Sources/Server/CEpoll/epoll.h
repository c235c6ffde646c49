// Linux's epoll, which the Glibc module leaves out; nothing elsewhere.
#if defined(__linux__)
#include <sys/epoll.h>
#endif
