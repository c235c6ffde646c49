#ifndef BRASA_LAUNCHER_H
#define BRASA_LAUNCHER_H

#include <sys/types.h>

/// A program to start, and the rights that it keeps.
struct brasa_launch {
  /// The path of the program.
  const char *_Nonnull executable;
  /// Its arguments with its name first, ended by a null pointer.
  char *_Nullable const *_Nonnull arguments;
  /// Its whole environment as NAME=VALUE, ended by a null pointer.
  char *_Nullable const *_Nonnull environment;
  /// Its working directory.
  const char *_Nonnull directory;
  /// The descriptor that becomes its standard output.
  int output;
  /// The descriptor that becomes its standard error.
  int error;
  /// Paths that it may read and execute below, ended by a null pointer; those that don't exist are skipped.
  char *_Nullable const *_Nonnull readable;
  /// Paths that it may write below as well, ended by a null pointer.
  char *_Nullable const *_Nonnull writable;
  /// The largest number of open files.
  unsigned long files;
  /// The most bytes of writable memory of its own that one process may map; 0 is no limit.
  unsigned long data;
  /// 0 starts the program with the rights of this process, for the operator's own tools.
  int is_confined;
};

/// The version of Landlock that the kernel has; 0 where it has none.
int brasa_landlock_version(void);

/// Makes this process the parent of processes that lose theirs below it, where the system can.
void brasa_adopt_orphans(void);

/// Starts a program in a process group of its own, with standard input closed and no other descriptor.
///
/// A confined program keeps no privileges and can gain none, reaches only the paths that are named, and neither Unix
/// sockets nor other processes. Returns its process id, or -1 with errno where a step failed, whose name is in `stage`.
pid_t brasa_launch(const struct brasa_launch *_Nonnull launch, const char *_Nullable *_Nonnull stage);

/// Starts a process, a shell, that ends groups of processes with SIGKILL when this process has gone, however it went.
///
/// Returns its process id, or -1 with errno where there can be none. `guard` is the descriptor by which it is told of groups,
/// and by whose closing it notices. It holds nothing else of this process, which has to wait for it when it has ended.
pid_t brasa_guard_start(int *_Nonnull guard);

/// Has the guard end a group, or no longer where `is_watched` is 0.
///
/// Returns 0; 1 where the guard has no room for the news now; -1 where the guard has gone.
int brasa_guard_tell(int guard, pid_t group, int is_watched);

#endif
