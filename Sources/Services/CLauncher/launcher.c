#define _GNU_SOURCE
#include "launcher.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __linux__
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#endif

// The confinement of one program. Everything that allocates or looks up paths happens in the parent; between fork and
// exec the child makes system calls only, as a process with threads has to.

enum stage { STAGE_GROUP, STAGE_DESCRIPTORS, STAGE_DIRECTORY, STAGE_LIMITS, STAGE_RIGHTS, STAGE_EXEC };

static const char *const stage_names[] = {
    "process group", "descriptors", "working directory", "limits", "confinement", "program",
};

struct failure {
  int stage;
  int error;
};

#ifdef __linux__

// The kernel's interface, spelled out: the headers of distributions are older than their kernels.

#define LANDLOCK_CREATE 444
#define LANDLOCK_ADD 445
#define LANDLOCK_RESTRICT 446

struct ruleset_attributes {
  uint64_t files;
  uint64_t network;
  uint64_t scoped;
};

struct path_rule {
  uint64_t access;
  int32_t parent;
} __attribute__((packed));

#define FS_EXECUTE (1ULL << 0)
#define FS_WRITE_FILE (1ULL << 1)
#define FS_READ_FILE (1ULL << 2)
#define FS_READ_DIR (1ULL << 3)
#define FS_TRUNCATE (1ULL << 14)
#define FS_IOCTL_DEV (1ULL << 15)
#define SCOPE_ABSTRACT_SOCKETS (1ULL << 0)
#define SCOPE_SIGNALS (1ULL << 1)

int brasa_landlock_version(void) {
  long version = syscall(LANDLOCK_CREATE, NULL, 0, 1);
  return version > 0 ? (int)version : 0;
}

void brasa_adopt_orphans(void) { prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); }

static uint64_t handled_access(int version) {
  uint64_t access = (1ULL << 13) - 1;
  if (version >= 2) access |= 1ULL << 13;
  if (version >= 3) access |= FS_TRUNCATE;
  if (version >= 5) access |= FS_IOCTL_DEV;
  return access;
}

static int add_paths(int ruleset, char *const *paths, uint64_t access, uint64_t file_access) {
  for (; *paths != NULL; paths++) {
    int descriptor = open(*paths, O_PATH | O_CLOEXEC);
    if (descriptor < 0) {
      if (errno == ENOENT || errno == ENOTDIR || errno == EACCES) continue;
      return -1;
    }
    struct stat status;
    int is_directory = fstat(descriptor, &status) == 0 && S_ISDIR(status.st_mode);
    struct path_rule rule = {.access = is_directory ? access : access & file_access, .parent = descriptor};
    long added = syscall(LANDLOCK_ADD, ruleset, 1, &rule, 0);
    int error = errno;
    close(descriptor);
    if (added != 0) {
      errno = error;
      return -1;
    }
  }
  return 0;
}

/// A ruleset that allows the paths of a launch; -1 where it can't be made.
static int make_ruleset(const struct brasa_launch *launch) {
  int version = brasa_landlock_version();
  if (version == 0) {
    errno = ENOSYS;
    return -1;
  }
  struct ruleset_attributes attributes = {.files = handled_access(version)};
  size_t size = sizeof(uint64_t);
  if (version >= 4) size = 2 * sizeof(uint64_t);
  if (version >= 6) {
    attributes.scoped = SCOPE_ABSTRACT_SOCKETS | SCOPE_SIGNALS;
    size = sizeof attributes;
  }
  int ruleset = (int)syscall(LANDLOCK_CREATE, &attributes, size, 0);
  if (ruleset < 0) return -1;
  uint64_t of_files = FS_EXECUTE | FS_WRITE_FILE | FS_READ_FILE | FS_TRUNCATE | FS_IOCTL_DEV;
  char *devices[] = {"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", NULL};
  uint64_t reading = FS_EXECUTE | FS_READ_FILE | FS_READ_DIR;
  if (add_paths(ruleset, launch->readable, reading, of_files) != 0 ||
      add_paths(ruleset, launch->writable, attributes.files, of_files & attributes.files) != 0 ||
      add_paths(ruleset, devices, attributes.files & (FS_READ_FILE | FS_WRITE_FILE), of_files) != 0) {
    int error = errno;
    close(ruleset);
    errno = error;
    return -1;
  }
  return ruleset;
}

#if defined(__x86_64__)
#define MACHINE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define MACHINE AUDIT_ARCH_AARCH64
#endif

#define NUMBER offsetof(struct seccomp_data, nr)
#define REFUSE(number)                                                                                                \
  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (number), 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM)

/// Refuses Unix sockets, by which the server's own commands come, and calls that reach into other processes or the
/// kernel.
static int filter_calls(void) {
#ifdef MACHINE
  struct sock_filter calls[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, MACHINE, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, NUMBER),
#ifdef __x86_64__
      BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
#endif
      REFUSE(__NR_ptrace),
      REFUSE(__NR_process_vm_readv),
      REFUSE(__NR_process_vm_writev),
      REFUSE(__NR_pidfd_open),
      REFUSE(438),  // pidfd_getfd
      REFUSE(425),  // io_uring_setup, by which sockets are made as well
      REFUSE(__NR_bpf),
      REFUSE(__NR_perf_event_open),
      REFUSE(__NR_userfaultfd),
      REFUSE(__NR_keyctl),
      REFUSE(__NR_add_key),
      REFUSE(__NR_request_key),
      REFUSE(__NR_mount),
      REFUSE(__NR_umount2),
      REFUSE(__NR_pivot_root),
      REFUSE(__NR_chroot),
      REFUSE(__NR_unshare),
      REFUSE(__NR_setns),
      REFUSE(__NR_kexec_load),
      REFUSE(__NR_init_module),
      REFUSE(__NR_finit_module),
      REFUSE(__NR_open_by_handle_at),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_socket, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_UNIX, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EACCES),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {.len = sizeof calls / sizeof calls[0], .filter = calls};
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
#else
  errno = ENOSYS;
  return -1;
#endif
}

/// Gives up every capability, which a server that root started has.
static int drop_capabilities(void) {
  for (int capability = 0; capability < 64; capability++) {
    if (prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0 && errno == EPERM) break;
  }
  prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
  struct __user_cap_data_struct data[2] = {{0}};
  return (int)syscall(SYS_capset, &header, data);
}

static int confine(int ruleset) {
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
  if (drop_capabilities() != 0) return -1;
  if (syscall(LANDLOCK_RESTRICT, ruleset, 0) != 0) return -1;
  return filter_calls();
}

static void close_above(int first) {
  if (syscall(436, first, ~0U, 0) == 0) return;
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) limit.rlim_cur = 65536;
  for (rlim_t descriptor = (rlim_t)first; descriptor < limit.rlim_cur; descriptor++) close((int)descriptor);
}

#else

int brasa_landlock_version(void) { return 0; }

void brasa_adopt_orphans(void) {}

static int make_ruleset(const struct brasa_launch *launch) {
  errno = ENOSYS;
  return -1;
}

static int confine(int ruleset) {
  errno = ENOSYS;
  return -1;
}

static void close_above(int first) {
  for (int descriptor = first; descriptor < 4096; descriptor++) close(descriptor);
}

#endif

static int set_limits(const struct brasa_launch *launch) {
  struct rlimit files = {launch->files, launch->files};
  struct rlimit none = {0, 0};
  if (setrlimit(RLIMIT_NOFILE, &files) != 0) return -1;
  struct rlimit data = {launch->data, launch->data};
  if (launch->data > 0 && setrlimit(RLIMIT_DATA, &data) != 0) return -1;
  return setrlimit(RLIMIT_CORE, &none);
}

/// Moves the report's descriptor to 3, the output to 1 and the error to 2, and closes all others.
static int arrange(const struct brasa_launch *launch, int report) {
  int null = open("/dev/null", O_RDWR);
  int high_report = fcntl(report, F_DUPFD, 10);
  int high_output = fcntl(launch->output, F_DUPFD, 10);
  int high_error = fcntl(launch->error, F_DUPFD, 10);
  if (null < 0 || high_report < 0 || high_output < 0 || high_error < 0) return -1;
  if (dup2(null, 0) < 0 || dup2(high_output, 1) < 0 || dup2(high_error, 2) < 0) return -1;
  if (dup2(high_report, 3) < 0) return -1;
  fcntl(3, F_SETFD, FD_CLOEXEC);
  close_above(4);
  return 0;
}

static void fail(int report, int stage) {
  struct failure failure = {stage, errno};
  ssize_t written = write(report, &failure, sizeof failure);
  (void)written;
  _exit(127);
}

static void run(const struct brasa_launch *launch, int report, int ruleset, pid_t parent) {
  if (setsid() < 0) fail(report, STAGE_GROUP);
  // The handlers of the server are gone with exec; what it ignores would stay.
  for (int number = 1; number < 32; number++) signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  if (chdir(launch->directory) != 0) fail(report, STAGE_DIRECTORY);
  int kept = -1;
  if (ruleset >= 0) {
    // Above the three and the report, which `arrange` closes from: confinement comes last, so it is used before.
    kept = fcntl(ruleset, F_DUPFD, 10);
    if (kept < 0) fail(report, STAGE_DESCRIPTORS);
  }
#ifdef __linux__
  // A server that is killed takes its functions along.
  prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  if (getppid() != parent) _exit(127);
#endif
  if (set_limits(launch) != 0) fail(report, STAGE_LIMITS);
  if (launch->is_confined && confine(kept) != 0) fail(report, STAGE_RIGHTS);
  if (arrange(launch, report) != 0) fail(report, STAGE_DESCRIPTORS);
  execve(launch->executable, launch->arguments, launch->environment);
  fail(3, STAGE_EXEC);
}

pid_t brasa_launch(const struct brasa_launch *launch, const char **stage) {
  int report[2];
  *stage = stage_names[STAGE_DESCRIPTORS];
  if (pipe(report) != 0) return -1;
  fcntl(report[0], F_SETFD, FD_CLOEXEC);
  fcntl(report[1], F_SETFD, FD_CLOEXEC);
  int ruleset = -1;
  if (launch->is_confined) {
    *stage = stage_names[STAGE_RIGHTS];
    ruleset = make_ruleset(launch);
    if (ruleset < 0) {
      int error = errno;
      close(report[0]);
      close(report[1]);
      errno = error;
      return -1;
    }
  }
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pid_t parent = getpid();
  pid_t child = fork();
  if (child == 0) run(launch, report[1], ruleset, parent);
  int error = errno;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  close(report[1]);
  if (ruleset >= 0) close(ruleset);
  if (child < 0) {
    close(report[0]);
    *stage = stage_names[STAGE_GROUP];
    errno = error;
    return -1;
  }
  struct failure failure;
  ssize_t count;
  do {
    count = read(report[0], &failure, sizeof failure);
  } while (count < 0 && errno == EINTR);
  close(report[0]);
  if (count != (ssize_t)sizeof failure) return child;
  waitpid(child, NULL, 0);
  *stage = stage_names[failure.stage >= 0 && failure.stage <= STAGE_EXEC ? failure.stage : 0];
  errno = failure.error;
  return -1;
}

#ifdef __linux__

/// The guard's program: a line tells of a group, and their end is that of this process.
static const char guard_script[] =
    "groups=' '\n"
    "while read -r change group; do\n"
    "  case $change$groups in\n"
    "    watch*) groups=\"$groups$group \" ;;\n"
    "    forget*\" $group \"*) groups=\"${groups%%\" $group \"*} ${groups#*\" $group \"}\" ;;\n"
    "  esac\n"
    "done\n"
    "for group in $groups; do kill -s KILL -- \"-$group\"; done\n";

/// Becomes the guard; makes system calls only, as a copy of a process with threads has to.
static void become_guard(int messages) {
  // All signals stay blocked: it ends by itself.
  setsid();
  int null = open("/dev/null", O_RDWR);
  if (null < 0 || chdir("/") != 0 || dup2(messages, 0) < 0 || dup2(null, 1) < 0 || dup2(null, 2) < 0) _exit(127);
  close_above(3);
  fcntl(0, F_SETFD, 0);
  char *arguments[] = {"brasa-guard", "-c", (char *)guard_script, NULL};
  char *environment[] = {NULL};
  execve("/bin/sh", arguments, environment);
  _exit(127);
}

pid_t brasa_guard_start(int *guard) {
  if (access("/bin/sh", X_OK) != 0) return -1;
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return -1;
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pid_t process = fork();
  if (process == 0) become_guard(ends[1]);
  int error = errno;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  close(ends[1]);
  if (process > 0) {
    *guard = ends[0];
  } else {
    close(ends[0]);
    errno = error;
  }
  return process;
}

int brasa_guard_tell(int guard, pid_t group, int is_watched) {
  char line[32];
  int length = snprintf(line, sizeof line, "%s %d\n", is_watched ? "watch" : "forget", (int)group);
  ssize_t sent = send(guard, line, (size_t)length, MSG_NOSIGNAL | MSG_DONTWAIT);
  if (sent == length) return 0;
  return sent >= 0 || errno == EPIPE || errno == ECONNRESET ? -1 : 1;
}

#else

pid_t brasa_guard_start(int *guard) {
  errno = ENOSYS;
  return -1;
}

int brasa_guard_tell(int guard, pid_t group, int is_watched) { return 0; }

#endif
