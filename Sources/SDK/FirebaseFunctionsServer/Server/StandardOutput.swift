#if canImport(Glibc)
@preconcurrency import Glibc
#elseif canImport(Darwin)
@preconcurrency import Darwin
#endif

/// The output of a program. (Foundation hides that the C library's variable is only read.)
enum StandardOutput {
  /// Has a pipe get each line at once.
  static func writeByLines() { setvbuf(stdout, nil, _IOLBF, 0) }
}
