/*
 * A shim between a program and the file system, for tests of durability (Linux, glibc).
 *
 *   cc -shared -fPIC -O1 -o shim.so shim.c -lpthread
 *   BRASA_FAULT_DIR=/abs/data BRASA_FAULT_TRACE=/abs/trace LD_PRELOAD=./shim.so program ...
 *
 * It watches the files under one directory. It can record everything that the program asks of them,
 * and it can make a sync or a write fail. Everything else passes through untouched. The environment:
 *
 *   BRASA_FAULT_DIR         the directory to watch, absolute; without it the shim does nothing
 *   BRASA_FAULT_TRACE       where to record, outside that directory; without it nothing is recorded
 *   BRASA_FAULT_MARK        a file, outside that directory: what the program (or a client of it, through
 *                           the program) writes there is recorded as marks. A mark that begins with
 *                           "arm" starts the two counts below, which otherwise start at once.
 *   BRASA_FAULT_WAIT        if set, the counts wait for the "arm" mark
 *   BRASA_FAULT_FAIL_SYNC   N: the Nth fsync or fdatasync fails with EIO, its data is left unsynced; later
 *                           ones succeed, as Linux has it, whether or not the lost pages reached the disk
 *   BRASA_FAULT_FAIL_SYNC_WHILE  a file, outside that directory: while it exists syncs of the files in the directory
 *                           whose names end in ".log" fail with EIO
 *   BRASA_FAULT_FULL_WHILE  a file, outside that directory: while it exists the disk is full: writes fail with ENOSPC,
 *                           and nothing is available; if it holds a number, so many bytes are, and writes succeed
 *   BRASA_FAULT_FAIL_WRITE  N: the disk is full at the Nth write: half of its bytes are written, and every
 *                           write after it fails with ENOSPC
 *   BRASA_FAULT_FAIL_WRITE_FOR  M: M of them, then there is room again; without it for good
 *   BRASA_FAULT_NO_FILES    N: from the Nth opening of a file in the directory on, openings fail with EMFILE
 *   BRASA_FAULT_NO_FILES_FOR  M: M of them, then they succeed again; without it for good
 *   BRASA_FAULT_NO_FILES_WHILE  a file, outside that directory: while it exists openings of files in the
 *                           directory fail with EMFILE
 *   BRASA_FAULT_NO_ACCEPT   N: the first N calls of accept, the blocking one, fail with EMFILE
 *   BRASA_FAULT_NO_CONNECTIONS_WHILE  a file, outside that directory: while it exists calls of accept4, the one
 *                           of event loops, fail with EMFILE
 *
 * The trace is a row of events in the order in which they took effect. An event is a line of words
 * parted by blanks, then as many raw bytes as its last word says, then a line feed:
 *
 *   TIME open INODE NEW N         a file was opened; NEW is 1 if that made it; bytes: its path,
 *                                 relative to the directory
 *   TIME write INODE OFFSET N     bytes: what was written there
 *   TIME truncate INODE SIZE 0    the file was cut or extended to SIZE
 *   TIME syncing INODE SERIAL 0   a sync of a file, or of a directory (then INODE is 0), began
 *   TIME synced INODE SERIAL 0    and ended well: all that was written before it began is durable
 *   TIME rename 0 SPLIT N         bytes: the old path, then from byte SPLIT the new one
 *   TIME link 0 SPLIT N           the same for a hard link
 *   TIME unlink 0 0 N             bytes: the path of a file
 *   TIME mkdir 0 0 N              bytes: the path of a directory
 *   TIME mark 0 0 N               bytes: what was written to the mark file
 *   TIME failed INODE 0 N         bytes: "sync", "write", "open" or "accept": the fault happened here
 *
 * TIME is CLOCK_MONOTONIC in nanoseconds, which every process of a machine shares: a client's own log of
 * acknowledgements can be laid beside the trace. Ranges given to sync_file_range are never taken
 * for durable. What goes through stdio or a writable mapping is not seen: a program's log texts, say.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define MAX_FD 65536

enum { UNWATCHED = 0, WATCHED_FILE, WATCHED_DIRECTORY, MARK_FILE };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static char directory[PATH_MAX];
static size_t directory_length;
static char mark_path[PATH_MAX];
static int trace = -1;
static int armed = 1;
static long fail_sync, fail_write, fail_write_for, no_files, no_files_for, syncs, writes, opens;
static long sync_serial;
static int disk_full;
static long no_accept;
static char no_files_while[PATH_MAX], no_connections_while[PATH_MAX];
static char fail_sync_while[PATH_MAX], full_while[PATH_MAX];
static unsigned char kinds[MAX_FD];
static unsigned char is_log[MAX_FD];

static long number_of(const char *variable) {
  const char *text = getenv(variable);
  return text ? atol(text) : 0;
}

static void set_up(void) {
  const char *watched = getenv("BRASA_FAULT_DIR");
  const char *mark = getenv("BRASA_FAULT_MARK");
  const char *path = getenv("BRASA_FAULT_TRACE");
  if (watched) directory_length = (size_t)snprintf(directory, sizeof directory, "%s", watched);
  while (directory_length > 1 && directory[directory_length - 1] == '/') directory[--directory_length] = 0;
  if (mark) snprintf(mark_path, sizeof mark_path, "%s", mark);
  if (path) trace = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  fail_sync = number_of("BRASA_FAULT_FAIL_SYNC");
  fail_write = number_of("BRASA_FAULT_FAIL_WRITE");
  fail_write_for = number_of("BRASA_FAULT_FAIL_WRITE_FOR");
  no_accept = number_of("BRASA_FAULT_NO_ACCEPT");
  const char *while_path = getenv("BRASA_FAULT_NO_FILES_WHILE");
  if (while_path) snprintf(no_files_while, sizeof no_files_while, "%s", while_path);
  while_path = getenv("BRASA_FAULT_NO_CONNECTIONS_WHILE");
  if (while_path) snprintf(no_connections_while, sizeof no_connections_while, "%s", while_path);
  while_path = getenv("BRASA_FAULT_FAIL_SYNC_WHILE");
  if (while_path) snprintf(fail_sync_while, sizeof fail_sync_while, "%s", while_path);
  while_path = getenv("BRASA_FAULT_FULL_WHILE");
  if (while_path) snprintf(full_while, sizeof full_while, "%s", while_path);
  no_files = number_of("BRASA_FAULT_NO_FILES");
  no_files_for = number_of("BRASA_FAULT_NO_FILES_FOR");
  if (getenv("BRASA_FAULT_WAIT")) armed = 0;
}

static void enter(void) {
  pthread_once(&once, set_up);
  pthread_mutex_lock(&lock);
}

static void leave(void) {
  int saved = errno;
  pthread_mutex_unlock(&lock);
  errno = saved;
}

/* ---- recording; the lock is held ---- */

static void put_all(const void *bytes, size_t count) {
  while (count > 0) {
    long done = syscall(SYS_write, trace, bytes, count);
    if (done <= 0) abort(); /* a trace with a hole would prove nothing */
    bytes = (const char *)bytes + done;
    count -= (size_t)done;
  }
}

static void record(const char *what, uint64_t inode, int64_t number, const struct iovec *parts, int part_count) {
  if (trace < 0) return;
  int saved = errno;
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  size_t total = 0;
  for (int part = 0; part < part_count; part++) total += parts[part].iov_len;
  char line[160];
  int length = snprintf(line, sizeof line, "%lld %s %llu %lld %zu\n", now.tv_sec * 1000000000ll + now.tv_nsec, what,
                        (unsigned long long)inode, (long long)number, total);
  put_all(line, (size_t)length);
  for (int part = 0; part < part_count; part++) put_all(parts[part].iov_base, parts[part].iov_len);
  put_all("\n", 1);
  errno = saved;
}

static void record_text(const char *what, uint64_t inode, int64_t number, const char *text) {
  struct iovec part = {(void *)text, strlen(text)};
  record(what, inode, number, &part, 1);
}

/* ---- what is watched ---- */

static const char *absolute(int base, const char *path, char *buffer) {
  if (path[0] == '/') return path;
  char from[PATH_MAX];
  if (base == AT_FDCWD) {
    if (!getcwd(from, sizeof from)) return path;
  } else {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", base);
    ssize_t count = readlink(link, from, sizeof from - 1);
    if (count < 0) return path;
    from[count] = 0;
  }
  snprintf(buffer, 2 * PATH_MAX, "%s/%s", from, path);
  return buffer;
}

/* The path below the directory, "" for the directory itself, NULL outside of it. */
static const char *relative(const char *path) {
  if (directory_length == 0 || strncmp(path, directory, directory_length) != 0) return NULL;
  const char *rest = path + directory_length;
  if (*rest == 0) return rest;
  if (*rest != '/') return NULL;
  while (*rest == '/') rest++;
  return rest;
}

static int kind_of(int fd) { return fd >= 0 && fd < MAX_FD ? kinds[fd] : UNWATCHED; }

static uint64_t inode_of(int fd) {
  struct stat status;
  return fstat(fd, &status) == 0 ? status.st_ino : 0;
}

static void opened(int fd, const char *path, int is_new) {
  if (fd < 0 || fd >= MAX_FD) return;
  kinds[fd] = UNWATCHED;
  if (mark_path[0] && strcmp(path, mark_path) == 0) kinds[fd] = MARK_FILE;
  const char *name = relative(path);
  struct stat status;
  if (!name || fstat(fd, &status) != 0) return;
  if (S_ISDIR(status.st_mode)) {
    kinds[fd] = WATCHED_DIRECTORY;
  } else if (S_ISREG(status.st_mode)) {
    kinds[fd] = WATCHED_FILE;
    size_t length = strlen(name);
    is_log[fd] = length > 4 && strcmp(name + length - 4, ".log") == 0;
    record_text("open", status.st_ino, is_new, name);
  }
}

/* ---- opening and closing ---- */

/* Whether this opening is one of those that find no descriptor. */
static int finds_no_descriptor(const char *full) {
  if (!armed || !relative(full)) return 0;
  if (no_files_while[0] && access(no_files_while, F_OK) == 0) return 1;
  if (no_files == 0) return 0;
  long number = ++opens - no_files;
  if (number < 0 || (no_files_for > 0 && number >= no_files_for)) return 0;
  record_text("failed", 0, 0, "open");
  return 1;
}

static int open_file(int base, const char *path, int flags, mode_t mode) {
  char buffer[2 * PATH_MAX];
  enter();
  const char *full = absolute(base, path, buffer);
  if (finds_no_descriptor(full)) {
    leave();
    errno = EMFILE;
    return -1;
  }
  int is_new = (flags & O_CREAT) && relative(full) && access(full, F_OK) != 0;
  int truncates = (flags & O_TRUNC) && relative(full) && !is_new;
  int fd = (int)syscall(SYS_openat, base, path, flags, mode);
  opened(fd, full, is_new);
  if (fd >= 0 && truncates && kind_of(fd) == WATCHED_FILE) record("truncate", inode_of(fd), 0, NULL, 0);
  leave();
  return fd;
}

#define MODE_ARGUMENT(flags)                                   \
  mode_t mode = 0;                                             \
  if (((flags)&O_CREAT) || ((flags)&O_TMPFILE) == O_TMPFILE) { \
    va_list arguments;                                         \
    va_start(arguments, flags);                                \
    mode = (mode_t)va_arg(arguments, int);                     \
    va_end(arguments);                                         \
  }

int open(const char *path, int flags, ...) {
  MODE_ARGUMENT(flags)
  return open_file(AT_FDCWD, path, flags, mode);
}

int open64(const char *path, int flags, ...) {
  MODE_ARGUMENT(flags)
  return open_file(AT_FDCWD, path, flags | O_LARGEFILE, mode);
}

int openat(int base, const char *path, int flags, ...) {
  MODE_ARGUMENT(flags)
  return open_file(base, path, flags, mode);
}

int openat64(int base, const char *path, int flags, ...) {
  MODE_ARGUMENT(flags)
  return open_file(base, path, flags | O_LARGEFILE, mode);
}

int creat(const char *path, mode_t mode) { return open_file(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode); }

/* A connection is no file, whatever had its number before: a stream of the C library is closed unseen. */
static int accepted(int fd) {
  if (fd >= 0 && fd < MAX_FD) kinds[fd] = UNWATCHED;
  return fd;
}

int accept(int fd, struct sockaddr *address, socklen_t *length) {
  enter();
  int fails = no_accept > 0;
  if (fails) no_accept--;
  leave();
  if (fails) {
    errno = EMFILE;
    return -1;
  }
  return accepted((int)syscall(SYS_accept4, fd, address, length, 0));
}

int accept4(int fd, struct sockaddr *address, socklen_t *length, int flags) {
  enter();
  int fails = no_connections_while[0] && access(no_connections_while, F_OK) == 0;
  if (fails) record_text("failed", 0, 0, "accept");
  leave();
  if (fails) {
    errno = EMFILE;
    return -1;
  }
  return accepted((int)syscall(SYS_accept4, fd, address, length, flags));
}

int close(int fd) {
  enter();
  if (fd >= 0 && fd < MAX_FD) kinds[fd] = UNWATCHED;
  int result = (int)syscall(SYS_close, fd);
  leave();
  return result;
}

/* ---- room ---- */

/* The bytes that a full disk has left; -1 while it is not full. */
static long bytes_left(void) {
  char text[32] = "";
  if (!full_while[0]) return -1;
  int fd = (int)syscall(SYS_openat, AT_FDCWD, full_while, O_RDONLY | O_CLOEXEC, 0);
  if (fd < 0) return -1;
  long count = syscall(SYS_read, fd, text, sizeof text - 1);
  syscall(SYS_close, fd);
  return count > 0 ? atol(text) : 0;
}

static void limit_room(const char *path, struct statvfs *status) {
  char buffer[2 * PATH_MAX];
  enter();
  long left = relative(absolute(AT_FDCWD, path, buffer)) ? bytes_left() : -1;
  if (left >= 0 && status->f_frsize > 0) status->f_bavail = status->f_bfree = (fsblkcnt_t)left / status->f_frsize;
  leave();
}

int statvfs(const char *path, struct statvfs *status) {
  static int (*original)(const char *, struct statvfs *);
  if (!original) original = (int (*)(const char *, struct statvfs *))dlsym(RTLD_NEXT, "statvfs");
  int result = original(path, status);
  if (result == 0) limit_room(path, status);
  return result;
}

/* ---- writing ---- */

static void mark(const struct iovec *parts, int part_count) {
  record("mark", 0, 0, parts, part_count);
  if (part_count > 0 && parts[0].iov_len >= 3 && memcmp(parts[0].iov_base, "arm", 3) == 0) armed = 1;
}

static ssize_t plain_write(int fd, const struct iovec *parts, int part_count, off_t offset) {
  if (offset >= 0) return syscall(SYS_pwritev, fd, parts, part_count, (long)offset, 0L);
  return syscall(SYS_writev, fd, parts, part_count);
}

/* Half of a write, the last that a full disk takes. */
static ssize_t last_write(int fd, const struct iovec *parts, off_t offset) {
  struct iovec half = {parts[0].iov_base, parts[0].iov_len / 2};
  disk_full = 1;
  record_text("failed", inode_of(fd), 0, "write");
  if (half.iov_len == 0) {
    errno = ENOSPC;
    return -1;
  }
  return plain_write(fd, &half, 1, offset);
}

static ssize_t faulty_write(int fd, const struct iovec *parts, int part_count, off_t offset) {
  if (disk_full && fail_write_for > 0 && disk_full++ >= fail_write_for) disk_full = 0;
  if (disk_full || bytes_left() == 0) {
    errno = ENOSPC;
    return -1;
  }
  if (armed && fail_write > 0 && ++writes == fail_write) return last_write(fd, parts, offset);
  return plain_write(fd, parts, part_count, offset);
}

static void record_write(int fd, const struct iovec *parts, int part_count, int64_t start, ssize_t done) {
  struct iovec written[64];
  int count = 0;
  for (int part = 0; part < part_count && count < 64 && done > 0; part++) {
    size_t length = parts[part].iov_len < (size_t)done ? parts[part].iov_len : (size_t)done;
    written[count++] = (struct iovec){parts[part].iov_base, length};
    done -= (ssize_t)length;
  }
  if (done > 0) abort();
  record("write", inode_of(fd), start, written, count);
}

static ssize_t write_parts(int fd, const struct iovec *parts, int part_count, off_t offset) {
  int kind = kind_of(fd);
  if (kind == UNWATCHED || kind == WATCHED_DIRECTORY) return plain_write(fd, parts, part_count, offset);
  enter();
  if (kind == MARK_FILE) mark(parts, part_count);
  int64_t start = offset;
  if (kind == WATCHED_FILE && offset < 0) {
    int whence = fcntl(fd, F_GETFL) & O_APPEND ? SEEK_END : SEEK_CUR;
    start = lseek(fd, 0, whence);
  }
  ssize_t done = kind == WATCHED_FILE ? faulty_write(fd, parts, part_count, offset)
                                      : plain_write(fd, parts, part_count, offset);
  if (kind == WATCHED_FILE && done > 0) record_write(fd, parts, part_count, start, done);
  leave();
  return done;
}

ssize_t write(int fd, const void *bytes, size_t count) {
  if (kind_of(fd) == UNWATCHED) return syscall(SYS_write, fd, bytes, count);
  struct iovec part = {(void *)bytes, count};
  return write_parts(fd, &part, 1, -1);
}

ssize_t pwrite(int fd, const void *bytes, size_t count, off_t offset) {
  struct iovec part = {(void *)bytes, count};
  return write_parts(fd, &part, 1, offset);
}

ssize_t pwrite64(int fd, const void *bytes, size_t count, off64_t offset) { return pwrite(fd, bytes, count, offset); }

ssize_t writev(int fd, const struct iovec *parts, int part_count) { return write_parts(fd, parts, part_count, -1); }

ssize_t pwritev(int fd, const struct iovec *parts, int part_count, off_t offset) {
  return write_parts(fd, parts, part_count, offset);
}

ssize_t pwritev64(int fd, const struct iovec *parts, int part_count, off64_t offset) {
  return write_parts(fd, parts, part_count, offset);
}

int ftruncate(int fd, off_t size) {
  enter();
  int result = (int)syscall(SYS_ftruncate, fd, size);
  if (result == 0 && kind_of(fd) == WATCHED_FILE) record("truncate", inode_of(fd), size, NULL, 0);
  leave();
  return result;
}

int ftruncate64(int fd, off64_t size) { return ftruncate(fd, size); }

/* ---- syncing ---- */

static int sync_file(int fd, long call) {
  int kind = kind_of(fd);
  if (kind != WATCHED_FILE && kind != WATCHED_DIRECTORY) return (int)syscall(call, fd);
  enter();
  uint64_t inode = kind == WATCHED_FILE ? inode_of(fd) : 0;
  int64_t serial = ++sync_serial;
  int fails = armed && fail_sync > 0 && ++syncs == fail_sync;
  if (kind == WATCHED_FILE && is_log[fd] && fail_sync_while[0] && access(fail_sync_while, F_OK) == 0) fails = 1;
  record("syncing", inode, serial, NULL, 0);
  if (fails) record_text("failed", inode, 0, "sync");
  leave();
  if (fails) {
    errno = EIO;
    return -1;
  }
  int result = (int)syscall(call, fd);
  enter();
  if (result == 0) record("synced", inode, serial, NULL, 0);
  leave();
  return result;
}

int fsync(int fd) { return sync_file(fd, SYS_fsync); }

int fdatasync(int fd) { return sync_file(fd, SYS_fdatasync); }

/* ---- names ---- */

static void record_names(const char *what, const char *from, const char *to) {
  const char *old_name = relative(from), *new_name = relative(to);
  if (!old_name || !new_name) return;
  struct iovec parts[2] = {{(void *)old_name, strlen(old_name)}, {(void *)new_name, strlen(new_name)}};
  record(what, 0, (int64_t)parts[0].iov_len, parts, 2);
}

static int two_names(const char *what, const char *from, const char *to, long call) {
  char old_buffer[2 * PATH_MAX], new_buffer[2 * PATH_MAX];
  enter();
  int result = call == SYS_renameat ? (int)syscall(SYS_renameat, AT_FDCWD, from, AT_FDCWD, to)
                                    : (int)syscall(SYS_linkat, AT_FDCWD, from, AT_FDCWD, to, 0);
  if (result == 0) record_names(what, absolute(AT_FDCWD, from, old_buffer), absolute(AT_FDCWD, to, new_buffer));
  leave();
  return result;
}

int rename(const char *from, const char *to) { return two_names("rename", from, to, SYS_renameat); }

int link(const char *from, const char *to) { return two_names("link", from, to, SYS_linkat); }

int unlink(const char *path) {
  char buffer[2 * PATH_MAX];
  enter();
  int result = (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
  const char *name = relative(absolute(AT_FDCWD, path, buffer));
  if (result == 0 && name) record_text("unlink", 0, 0, name);
  leave();
  return result;
}

int mkdir(const char *path, mode_t mode) {
  char buffer[2 * PATH_MAX];
  enter();
  int result = (int)syscall(SYS_mkdirat, AT_FDCWD, path, mode);
  const char *name = relative(absolute(AT_FDCWD, path, buffer));
  if (result == 0 && name) record_text("mkdir", 0, 0, name);
  leave();
  return result;
}
