#ifndef C_CONSOLE_FILES_H
#define C_CONSOLE_FILES_H

#include <stddef.h>

/// One file of the console, as it lies in the binary.
struct console_file {
  /// The path below `Files`, with slashes.
  const char *path;
  const unsigned char *bytes;
  size_t count;
};

/// All files in the order of their paths; the last has no path.
const struct console_file *console_files(void);

#endif
