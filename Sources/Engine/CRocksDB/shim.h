#include <rocksdb/c.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
