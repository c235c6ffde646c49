#ifdef __linux__
#include <stdint.h>

// As fcntl.h declares them for GNU's extensions, which the compiler's module of the C library leaves out.
int sync_file_range(int descriptor, int64_t offset, int64_t count, unsigned int flags);

enum { sync_file_range_write = 2 };

// Has writes pass by the system's memory (O_DIRECT).
#if defined(__aarch64__) || defined(__arm__)
enum { open_direct = 0200000 };
#else
enum { open_direct = 040000 };
#endif
#endif
